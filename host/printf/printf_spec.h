// SPDX-License-Identifier: Apache-2.0
// Syntax of one conversion: %[flags][width][.precision][vN][length]conversion.
#ifndef SHADERQA_HOST_PRINTF_PRINTF_SPEC_H
#define SHADERQA_HOST_PRINTF_PRINTF_SPEC_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shaderqa {

inline constexpr uint32_t kMaxFieldChars = 4096;  // what one conversion can print at most
inline constexpr int32_t kMaxStarWidth = 1024;

struct PrintfSpec {
  bool minus = false, plus = false, space = false, hash = false, zero = false;
  bool star_width = false, star_precision = false;
  bool long_modifier = false;  // an 'l' before the conversion
  uint8_t vector = 0;          // 2..4 with vN
  char conversion = 0;
  uint32_t width = 0;
  int32_t precision = -1;  // -1: none given
};

enum class SpecStatus : uint8_t {
  conversion,  // spec is filled
  percent,     // "%%", "%5%"
  trailing,    // the format ends inside it
  unknown      // not in the language
};

struct ParsedSpec {
  SpecStatus status = SpecStatus::unknown;
  PrintfSpec spec;
  // One past the last character that belongs to it; of an unknown one: of the text to print as it stands.
  size_t end = 0;
  // Whether a space flag is followed directly by a digit or a conversion, as "% d" is and "50% - done" is
  // not.
  bool space_is_flag = true;
};

// percent: the position of the '%' in format.
ParsedSpec parse_printf_spec(std::string_view format, size_t percent);

bool is_integer_conversion(char conversion);  // d i u x X o
bool is_float_conversion(char conversion);    // f F e E g G a A

}  // namespace shaderqa
#endif
