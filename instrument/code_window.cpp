// SPDX-License-Identifier: Apache-2.0
#include "instrument/code_window.h"

#include <algorithm>
#include <charconv>

namespace shaderqa {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool read_line(std::string_view text, uint32_t& line) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), line);
  return problem == std::errc() && end == text.data() + text.size() && line != 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<CodeWindow> CodeWindow::parse(std::string_view text, std::string& error) {
  CodeWindow window;
  text = trimmed(text);
  if (text.size() > kMostText) {
    error = "it has more than " + std::to_string(kMostText) + " characters";
    return std::nullopt;
  }
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    const bool last = comma == std::string_view::npos;
    text = last ? std::string_view() : text.substr(comma + 1);
    if (part.empty() || (!last && trimmed(text).empty())) {
      error = "there is nothing between two commas, or behind the last one";
      return std::nullopt;
    }
    const size_t colon = part.rfind(':');
    const std::string_view lines = colon == std::string_view::npos ? part : part.substr(colon + 1);
    if (lines.empty() || !is_digit(lines.front())) {
      if (lines.size() != part.size()) {
        error = "\"" + std::string(part) + "\" has no line: lines look like this: sort.comp:10-40";
        return std::nullopt;
      }
      window.functions_.emplace_back(part);
      continue;
    }
    Lines range;
    if (colon != std::string_view::npos) range.file = part.substr(0, colon);
    const size_t dash = lines.find('-');
    const bool read = read_line(lines.substr(0, dash), range.first) &&
                      (dash == std::string_view::npos || read_line(lines.substr(dash + 1), range.last));
    if (dash == std::string_view::npos) range.last = range.first;
    if (!read || range.first > range.last) {
      error =
          "\"" + std::string(part) + "\" names no lines: they look like this: 55, 10-40 or sort.comp:10-40";
      return std::nullopt;
    }
    window.lines_.push_back(std::move(range));
  }
  return window;
}

bool CodeWindow::has_function(std::string_view name) const {
  return std::ranges::find(functions_, name) != functions_.end();
}

bool CodeWindow::has_line(std::string_view file, uint32_t line) const {
  return std::ranges::any_of(lines_, [&](const Lines& each) {
    if (line < each.first || line > each.last) return false;
    if (!file.ends_with(each.file)) return false;
    const size_t before = file.size() - each.file.size();
    return each.file.empty() || before == 0 || file[before - 1] == '/' || file[before - 1] == '\\';
  });
}

}  // namespace shaderqa
