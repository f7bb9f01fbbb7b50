// SPDX-License-Identifier: Apache-2.0
#include "host/findings/source_excerpt.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

constexpr std::string_view kCut = "...";

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
// A byte of a character of UTF-8 that is not its first one.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

size_t columns(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

// The byte at which the character of a column begins.
size_t byte_of(std::string_view text, size_t column) {
  size_t byte = 0;
  for (; byte < text.size(); ++byte)
    if (!continues(text[byte]) && column-- == 0) break;
  return byte;
}

// Where `name` stands in the text, as a whole word; npos if it does so never or more than once.
size_t only_place(const std::string& text, std::string_view name) {
  size_t found = std::string::npos;
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at != 0 && is_name(text[at - 1])) || (end < text.size() && is_name(text[end]))) continue;
    if (found != std::string::npos) return std::string::npos;
    found = at;
  }
  return found;
}

// npos: neither is known.
size_t caret_place(const std::string& text, uint64_t column, const std::string& memory) {
  if (column != 0 && column <= text.size()) return column - 1;
  for (size_t end = memory.size(); end != 0;) {
    size_t begin = end;
    while (begin != 0 && is_name(memory[begin - 1])) --begin;
    const std::string_view part = std::string_view(memory).substr(begin, end - begin);
    if (!part.empty() && !std::isdigit(static_cast<unsigned char>(part[0])))
      if (const size_t at = only_place(text, part); at != std::string::npos) return at;
    end = begin == end ? end - 1 : begin;
  }
  return std::string::npos;
}

void keep_around_caret(SourceExcerpt& excerpt, size_t room) {
  const size_t length = columns(excerpt.text);
  if (room <= 4 * kCut.size() || length <= room) return;
  const size_t caret = excerpt.caret.value_or(0);
  const size_t begin = caret + kCut.size() < room ? 0 : std::min(caret - room / 2, length - room);
  const bool cut_left = begin != 0, cut_right = begin + room < length;
  const size_t from = byte_of(excerpt.text, begin + (cut_left ? kCut.size() : 0));
  const size_t to = byte_of(excerpt.text, begin + room - (cut_right ? kCut.size() : 0));
  excerpt.text = std::string(cut_left ? kCut : "") + excerpt.text.substr(from, to - from) +
                 std::string(cut_right ? kCut : "");
  if (excerpt.caret) *excerpt.caret -= begin;
}

}  // namespace

SourceExcerpt source_excerpt(const LineSource& source, const std::string& memory, size_t room) {
  SourceExcerpt excerpt;
  append_terminal(excerpt.text, source.text, " ");
  std::string& text = excerpt.text;
  std::ranges::replace(text, '\t', ' ');
  const size_t first = std::min(text.find_first_not_of(' '), text.size());
  const size_t caret = caret_place(text, source.column, memory);
  if (caret != std::string::npos)
    excerpt.caret = caret < first ? 0 : columns(std::string_view(text).substr(first, caret - first));
  text.erase(0, first);
  keep_around_caret(excerpt, room);
  return excerpt;
}

}  // namespace shaderqa
