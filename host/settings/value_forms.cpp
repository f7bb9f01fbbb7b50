// SPDX-License-Identifier: Apache-2.0
#include "host/settings/value_forms.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>

namespace shaderqa {
namespace {

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

// Takes a number off the front.
std::optional<uint64_t> take_number(std::string_view& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

struct Unit {
  std::string_view name;  // "ms" before "m"
  uint64_t ns;
};
constexpr Unit kUnits[] = {
    {"ms", 1'000'000}, {"us", 1'000}, {"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000}};

}  // namespace

std::optional<NumberRanges> NumberRanges::parse(std::string_view text) {
  NumberRanges list;
  if (trim(text).empty()) return list;
  for (std::string_view part : split(text, ",")) {
    const auto first = take_number(part);
    if (!first || *first == 0) return std::nullopt;
    Range range{*first, *first};
    if (take(part, "-")) {
      range.last = UINT64_MAX;
      if (!part.empty()) {
        const auto last = take_number(part);
        if (!last || *last < *first) return std::nullopt;
        range.last = *last;
      }
    }
    if (!part.empty()) return std::nullopt;
    list.ranges_.push_back(range);
  }
  return list;
}

bool NumberRanges::contains(uint64_t number) const { return next_from(number) == number; }

std::optional<uint64_t> NumberRanges::next_from(uint64_t number) const {
  std::optional<uint64_t> next;
  for (const Range& range : ranges_) {
    if (range.last < number) continue;
    const uint64_t here = std::max(range.first, number);
    next = std::min(next.value_or(here), here);
  }
  return next;
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  text = trim(text);
  if (text == "never") return std::chrono::nanoseconds::max();
  constexpr uint64_t most = INT64_MAX / 2;
  uint64_t all = 0;
  bool any = false;
  while (!text.empty()) {
    const auto number = take_number(text);
    const auto* const unit =
        std::ranges::find_if(kUnits, [&](const Unit& one) { return take(text, one.name); });
    if (!number || unit == std::end(kUnits) || *number > most / unit->ns || all + *number * unit->ns > most)
      return std::nullopt;
    all += *number * unit->ns;
    any = true;
  }
  if (!any) return std::nullopt;
  return std::chrono::nanoseconds(static_cast<int64_t>(all));
}

std::optional<double> parse_share(std::string_view text) {
  text = trim(text);
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), percent, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(percent > 0) || percent > 100)
    return std::nullopt;
  return percent / 100;
}

std::optional<LabelPaths> LabelPaths::parse(std::string_view text) {
  LabelPaths all;
  if (trim(text).empty()) return all;
  for (const std::string_view path : split(text, ",")) {
    std::vector<std::string>& labels = all.paths_.emplace_back();
    for (const std::string_view label : split(path, "/>")) {
      if (label.empty()) return std::nullopt;
      labels.emplace_back(label);
    }
  }
  return all;
}

uint32_t LabelPaths::advance(size_t path, uint32_t depth, std::span<const std::string> labels) const {
  const std::vector<std::string>& wanted = paths_[path];
  for (const std::string& label : labels)
    if (depth < wanted.size() && fnmatch(wanted[depth].c_str(), label.c_str(), 0) == 0) ++depth;
  return depth;
}

LabelPaths::Depths LabelPaths::depths(std::span<const std::string> labels) const {
  Depths depths(paths_.size());
  for (size_t i = 0; i < paths_.size(); ++i) depths[i] = advance(i, 0, labels);
  return depths;
}

bool LabelPaths::complete(const Depths& outer, std::span<const std::string> inner) const {
  for (size_t i = 0; i < paths_.size(); ++i)
    if (advance(i, i < outer.size() ? outer[i] : 0, inner) == paths_[i].size()) return true;
  return false;
}

}  // namespace shaderqa
