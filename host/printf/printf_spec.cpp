// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_spec.h"

#include <algorithm>

namespace shaderqa {
namespace {

constexpr std::string_view kConversions = "diuxXofFeEgGaAcps";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_conversion(char c) { return kConversions.find(c) != std::string_view::npos; }

// Reads a specification from left to right.
class Parser {
 public:
  Parser(std::string_view format, size_t percent) : format_(format), at_(percent + 1) {}
  ParsedSpec parse();

 private:
  bool ends() const { return at_ >= format_.size(); }
  bool take(char c) {
    if (ends() || format_[at_] != c) return false;
    ++at_;
    return true;
  }
  ParsedSpec finish(SpecStatus status, size_t end) {
    parsed_.status = status;
    parsed_.end = end;
    return parsed_;
  }
  // A '%' inside an unknown one starts the next conversion.
  ParsedSpec unknown() { return finish(SpecStatus::unknown, !ends() && format_[at_] == '%' ? at_ : at_ + 1); }
  uint32_t number();
  void flags();
  void width_and_precision();
  void length();

  const std::string_view format_;
  size_t at_;
  ParsedSpec parsed_;
};

uint32_t Parser::number() {
  uint32_t number = 0;
  for (; !ends() && is_digit(format_[at_]); ++at_)
    number = std::min(number * 10 + static_cast<uint32_t>(format_[at_] - '0'), kMaxFieldChars);
  return number;
}

void Parser::flags() {
  PrintfSpec& spec = parsed_.spec;
  for (; !ends(); ++at_) {
    const char c = format_[at_];
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
      parsed_.space_is_flag &=
          at_ + 1 < format_.size() && (is_digit(format_[at_ + 1]) || is_conversion(format_[at_ + 1]));
    } else {
      return;
    }
  }
}

void Parser::width_and_precision() {
  PrintfSpec& spec = parsed_.spec;
  spec.star_width = take('*');
  if (!spec.star_width) spec.width = number();
  if (!take('.')) return;
  spec.star_precision = take('*');
  if (!spec.star_precision) spec.precision = static_cast<int32_t>(number());
}

void Parser::length() {
  for (; !ends(); ++at_) {
    if (format_[at_] == 'l') {
      parsed_.spec.long_modifier = true;
    } else if (std::string_view("hzjtL").find(format_[at_]) == std::string_view::npos) {
      return;
    }
  }
}

ParsedSpec Parser::parse() {
  PrintfSpec& spec = parsed_.spec;
  flags();
  width_and_precision();
  if (take('v')) {
    if (ends()) return finish(SpecStatus::trailing, at_);
    if (format_[at_] < '2' || format_[at_] > '4') return unknown();
    spec.vector = static_cast<uint8_t>(format_[at_] - '0');
    ++at_;
  }
  length();
  if (ends()) return finish(SpecStatus::trailing, at_);
  if (format_[at_] == '%' && spec.vector == 0) return finish(SpecStatus::percent, at_ + 1);
  if (!is_conversion(format_[at_])) return unknown();
  if (spec.vector != 0 && (format_[at_] == 's' || format_[at_] == 'p')) return unknown();
  spec.conversion = format_[at_];
  return finish(SpecStatus::conversion, at_ + 1);
}

}  // namespace

bool is_integer_conversion(char conversion) {
  return std::string_view("diuxXo").find(conversion) != std::string_view::npos;
}
bool is_float_conversion(char conversion) {
  return std::string_view("fFeEgGaA").find(conversion) != std::string_view::npos;
}

ParsedSpec parse_printf_spec(std::string_view format, size_t percent) {
  return Parser(format, percent).parse();
}

}  // namespace shaderqa
