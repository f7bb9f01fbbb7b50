// SPDX-License-Identifier: Apache-2.0
#include "host/text/text_escape.h"

#include <cstddef>
#include <cstdint>

namespace shaderqa {
namespace {

uint8_t byte_at(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }

// Length of the valid UTF-8 sequence at `at`, 0 if there is none (overlong forms and surrogates are invalid).
size_t sequence_length(std::string_view text, size_t at) {
  const uint8_t first = byte_at(text, at);
  if (first < 0x80) return 1;
  size_t length = 0;
  uint8_t low = 0x80, high = 0xbf;  // bounds of the second byte
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (text.size() - at < length) return 0;
  if (byte_at(text, at + 1) < low || byte_at(text, at + 1) > high) return 0;
  for (size_t i = 2; i < length; ++i)
    if ((byte_at(text, at + i) & 0xc0) != 0x80) return 0;
  return length;
}

void append_hex(std::string& out, std::string_view lead, uint8_t byte) {
  constexpr char digits[] = "0123456789abcdef";
  out += lead;
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

// Calls ascii(byte) for every byte below 0x80, copies the rest of valid UTF-8, and writes other bytes as lead
// + two digits. Runs of bytes that `plain` accepts are copied at once.
template <typename Plain, typename Ascii>
void walk(std::string& out, std::string_view text, std::string_view invalid_lead, Plain plain, Ascii ascii) {
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at;
    while (end < text.size() && plain(byte_at(text, end))) ++end;
    out.append(text.data() + at, end - at);
    at = end;
    if (at == text.size()) break;
    const uint8_t byte = byte_at(text, at);
    if (byte < 0x80) {
      ascii(byte);
      ++at;
    } else if (const size_t length = sequence_length(text, at)) {
      out.append(text.data() + at, length);
      at += length;
    } else {
      append_hex(out, invalid_lead, byte);
      ++at;
    }
  }
}

}  // namespace

void append_utf8(std::string& out, std::string_view text) {
  walk(
      out, text, "\\x", [](uint8_t byte) { return byte != 0 && byte < 0x80; },
      [&](uint8_t byte) { append_hex(out, "\\x", byte); });
}

std::string to_utf8(std::string_view text) {
  std::string out;
  append_utf8(out, text);
  return out;
}

void append_json(std::string& out, std::string_view text) {
  walk(
      out, text, "\\\\x",
      [](uint8_t byte) { return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\'; },
      [&](uint8_t byte) {
        switch (byte) {
          case '"':
            out += "\\\"";
            break;
          case '\\':
            out += "\\\\";
            break;
          case '\n':
            out += "\\n";
            break;
          case '\r':
            out += "\\r";
            break;
          case '\t':
            out += "\\t";
            break;
          default:
            append_hex(out, "\\u00", byte);
        }
      });
}

std::string to_xml(std::string_view text) {
  std::string out;
  for (const char c : to_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t' ? c : '?';
    }
  }
  return out;
}

void append_terminal(std::string& out, std::string_view text, std::string_view indent) {
  walk(
      out, text, "\\x", [](uint8_t byte) { return (byte >= 0x20 && byte < 0x7f) || byte == '\t'; },
      [&](uint8_t byte) {
        if (byte == '\n') {
          out += '\n';
          out += indent;
        } else {
          append_hex(out, "\\x", byte);
        }
      });
}

}  // namespace shaderqa
