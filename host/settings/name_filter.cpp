// SPDX-License-Identifier: Apache-2.0
#include "host/settings/name_filter.h"

#include <fnmatch.h>

#include <algorithm>

namespace shaderqa {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view separators = ", \t\r\n";
  std::vector<std::string> words;
  for (size_t begin = text.find_first_not_of(separators); begin != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(separators, end);
  }
  return words;
}

bool any_fits(const std::vector<std::string>& patterns, std::span<const std::string> names) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return std::ranges::any_of(
        names, [&](const std::string& name) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
  });
}

}  // namespace

NameFilter::NameFilter(std::string_view only, std::string_view skip)
    : only_(words_of(only)), skip_(words_of(skip)) {}

bool NameFilter::allows(std::span<const std::string> names) const {
  return (only_.empty() || any_fits(only_, names)) && !any_fits(skip_, names);
}

}  // namespace shaderqa
