// SPDX-License-Identifier: Apache-2.0
// Values of settings that are more than a word or a number: ranges, durations, shares, paths of labels.
#ifndef SHADERQA_HOST_SETTINGS_VALUE_FORMS_H
#define SHADERQA_HOST_SETTINGS_VALUE_FORMS_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shaderqa {

// "100-110,200,300-": numbers from 1 on.
class NumberRanges {
 public:
  // Nothing: the text is no list of ranges. An empty text is an empty list.
  static std::optional<NumberRanges> parse(std::string_view text);

  bool empty() const { return ranges_.empty(); }
  bool contains(uint64_t number) const;
  // The first number of the list that is at least this one; nothing: there is none.
  std::optional<uint64_t> next_from(uint64_t number) const;

 private:
  struct Range {
    uint64_t first = 0, last = 0;
  };
  std::vector<Range> ranges_;
};

// "30s", "500ms", "1m30s", "2h"; "never" is nanoseconds::max().
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// "10%": greater than 0 and at most 100, as a fraction of one.
std::optional<double> parse_share(std::string_view text);

// "frame/shadow pass, upload*": paths of debug labels with commas between, labels of a path with slashes, or
// with > as in reports. Patterns as a shell has them. A label of the path may lie anywhere within the one
// before it.
class LabelPaths {
 public:
  static std::optional<LabelPaths> parse(std::string_view text);

  bool empty() const { return paths_.empty(); }
  // How many labels each path has at its front in `labels`, the outermost first, in this order.
  using Depths = std::vector<uint32_t>;
  Depths depths(std::span<const std::string> labels) const;
  // Whether some path is complete with what `outer` has of it and the labels in `inner`.
  bool complete(const Depths& outer, std::span<const std::string> inner) const;

 private:
  uint32_t advance(size_t path, uint32_t depth, std::span<const std::string> labels) const;
  std::vector<std::vector<std::string>> paths_;
};

}  // namespace shaderqa
#endif
