// SPDX-License-Identifier: Apache-2.0
#include "host/text/wrap.h"

#include <algorithm>

namespace shaderqa {

std::string wrapped(std::string_view text, size_t indent, size_t width) {
  if (width < indent + kLeastColumns) return std::string(text);
  std::string out;
  const size_t room = width - indent - 1;
  while (text.size() > room) {
    size_t end = text.rfind(' ', room);
    if (end == std::string_view::npos || end == 0) end = std::min(text.find(' '), text.size());
    out += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!text.empty()) out += "\n" + std::string(indent, ' ');
  }
  return out += text;
}

std::string wrapped_lines(std::string_view text, size_t indent, size_t width) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const size_t lead = std::min(indent, end);
    out += text.substr(0, lead);
    out += wrapped(text.substr(lead, end - lead), indent, width);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace shaderqa
