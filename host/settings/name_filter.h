// SPDX-License-Identifier: Apache-2.0
// Which shaders are checked, by what they are called: the settings `only` and `skip`.
#ifndef SHADERQA_HOST_SETTINGS_NAME_FILTER_H
#define SHADERQA_HOST_SETTINGS_NAME_FILTER_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shaderqa {

// Glob patterns, as a shell has them: * any text (slashes too), ? any character, [...] one of these.
class NameFilter {
 public:
  NameFilter() = default;
  // Each is a list separated by commas or blanks.
  NameFilter(std::string_view only, std::string_view skip);

  bool empty() const { return only_.empty() && skip_.empty(); }
  // Whether one of the names fits `only`, or that is empty, and none fits `skip`.
  bool allows(std::span<const std::string> names) const;

 private:
  std::vector<std::string> only_, skip_;
};

}  // namespace shaderqa
#endif
