// SPDX-License-Identifier: Apache-2.0
#include "host/findings/report_fields.h"

#include <charconv>

#include "host/text/text_escape.h"

namespace shaderqa {

void append_number(std::string& out, uint64_t number) {
  char digits[24];
  out.append(digits, static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, number).ptr - digits));
}

void append_hex(std::string& out, uint64_t number) {
  char digits[16];
  out += "0x";
  out.append(digits,
             static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, number, 16).ptr - digits));
}

void append_member(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out += ",\"";
  out += key;
  out += "\":\"";
  append_json(out, value);
  out += '"';
}

void append_number_member(std::string& out, std::string_view key, uint64_t value) {
  out += ",\"";
  out += key;
  out += "\":";
  append_number(out, value);
}

void append_detail(std::string& out, std::string_view lead, std::string_view value) {
  out += "    ";
  out += lead;
  append_terminal(out, value, "      ");
  out += '\n';
}

}  // namespace shaderqa
