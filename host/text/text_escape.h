// SPDX-License-Identifier: Apache-2.0
// Makes bytes of unknown origin safe to show: valid UTF-8, JSON strings, terminal lines.
#ifndef SHADERQA_HOST_TEXT_TEXT_ESCAPE_H
#define SHADERQA_HOST_TEXT_TEXT_ESCAPE_H

#include <string>
#include <string_view>

namespace shaderqa {

// Appends text with NUL and every byte that is not part of valid UTF-8 as \xNN.
void append_utf8(std::string& out, std::string_view text);
std::string to_utf8(std::string_view text);

// Appends text as the inside of a JSON string (no quotes); invalid UTF-8 as the characters \xNN.
void append_json(std::string& out, std::string_view text);

// Text for elements and attributes of XML 1.0 and HTML: as to_utf8, with entities; what XML does not allow as
// `?`.
std::string to_xml(std::string_view text);

// Appends text for a terminal: as append_utf8, control characters but tab as \xNN, a newline followed by
// `indent`.
void append_terminal(std::string& out, std::string_view text, std::string_view indent);

}  // namespace shaderqa
#endif
