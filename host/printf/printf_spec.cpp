// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_spec.h"

#include <algorithm>

namespace shaderqa {
namespace {

constexpr std::string_view kConversions = "diuxXofFeEgGaAcps";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_conversion(char c) { return kConversions.find(c) != std::string_view::npos; }

uint32_t parse_number(std::string_view format, size_t& at) {
  uint32_t number = 0;
  for (; at < format.size() && is_digit(format[at]); ++at)
    number = std::min(number * 10 + static_cast<uint32_t>(format[at] - '0'), kMaxFieldChars);
  return number;
}

}  // namespace

bool is_integer_conversion(char conversion) {
  return std::string_view("diuxXo").find(conversion) != std::string_view::npos;
}
bool is_float_conversion(char conversion) {
  return std::string_view("fFeEgGaA").find(conversion) != std::string_view::npos;
}

ParsedSpec parse_printf_spec(std::string_view format, size_t percent) {
  ParsedSpec parsed;
  PrintfSpec& spec = parsed.spec;
  size_t at = percent + 1;
  const auto finish = [&](SpecStatus status, size_t end) {
    parsed.status = status;
    parsed.end = end;
    return parsed;
  };
  // A '%' inside an unknown one starts the next conversion.
  const auto unknown = [&] {
    return finish(SpecStatus::unknown, at < format.size() && format[at] == '%' ? at : at + 1);
  };

  for (; at < format.size(); ++at) {
    const char c = format[at];
    if (c == '-') {
      spec.minus = true;
    } else if (c == '+') {
      spec.plus = true;
    } else if (c == '#') {
      spec.hash = true;
    } else if (c == '0') {
      spec.zero = true;
    } else if (c == ' ') {
      spec.space = true;
      parsed.space_is_flag &=
          at + 1 < format.size() && (is_digit(format[at + 1]) || is_conversion(format[at + 1]));
    } else {
      break;
    }
  }
  if (at < format.size() && format[at] == '*') {
    spec.star_width = true;
    ++at;
  } else {
    spec.width = parse_number(format, at);
  }
  if (at < format.size() && format[at] == '.') {
    ++at;
    if (at < format.size() && format[at] == '*') {
      spec.star_precision = true;
      ++at;
    } else {
      spec.precision = static_cast<int32_t>(parse_number(format, at));
    }
  }
  if (at < format.size() && format[at] == 'v') {
    ++at;
    if (at == format.size()) return finish(SpecStatus::trailing, at);
    if (format[at] < '2' || format[at] > '4') return unknown();
    spec.vector = static_cast<uint8_t>(format[at] - '0');
    ++at;
  }
  for (; at < format.size(); ++at) {
    if (format[at] == 'l') {
      spec.long_modifier = true;
    } else if (std::string_view("hzjtL").find(format[at]) == std::string_view::npos) {
      break;
    }
  }
  if (at == format.size()) return finish(SpecStatus::trailing, at);
  if (format[at] == '%' && spec.vector == 0) return finish(SpecStatus::percent, at + 1);
  if (!is_conversion(format[at])) return unknown();
  if (spec.vector != 0 && (format[at] == 's' || format[at] == 'p')) return unknown();
  spec.conversion = format[at];
  return finish(SpecStatus::conversion, at + 1);
}

}  // namespace shaderqa
