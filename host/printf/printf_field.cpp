// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_field.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace shaderqa {
namespace {

// The longest body: 309 digits of a huge double, a point, and the largest precision.
constexpr size_t kMaxBody = 320 + kMaxFieldChars;

// prefix, zeros, body, padded to spec.width; zero_pad: whether the 0 flag means zeros here.
void append_field(std::string& out, const PrintfSpec& spec, std::string_view prefix, size_t zeros,
                  std::string_view body, bool zero_pad) {
  const size_t start = out.size();
  const size_t used = prefix.size() + zeros + body.size();
  const size_t padding = spec.width > used ? spec.width - used : 0;
  if (padding > 0 && !spec.minus) {
    if (zero_pad && spec.zero)
      zeros += padding;
    else
      out.append(padding, ' ');
  }
  out.append(prefix);
  out.append(zeros, '0');
  out.append(body);
  if (padding > 0 && spec.minus) out.append(padding, ' ');
  if (out.size() - start > kMaxFieldChars) out.resize(start + kMaxFieldChars);
}

void to_upper(char* begin, char* end) {
  for (; begin != end; ++begin)
    if (*begin >= 'a' && *begin <= 'z') *begin = static_cast<char>(*begin - 'a' + 'A');
}

// Digits of an integer with C's meaning of precision: at least so many digits, none for zero with precision
// 0, and no zero padding beside it.
void append_integer(std::string& out, const PrintfSpec& spec, std::string_view prefix,
                    std::string_view digits) {
  if (spec.precision < 0) return append_field(out, spec, prefix, 0, digits, true);
  const size_t least = static_cast<size_t>(spec.precision);
  if (least == 0 && digits == "0") digits = {};
  append_field(out, spec, prefix, least > digits.size() ? least - digits.size() : 0, digits, false);
}

[[maybe_unused]] constexpr uint64_t kPowersOfTen[] = {1,      10,      100,      1000,      10000,
                                                      100000, 1000000, 10000000, 100000000, 1000000000};

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Uint128;

// value * 10^precision rounded to an integer, ties to even, in exact arithmetic; then written as "123.456".
// For 0 <= value < 1e9 and precision <= 9: the quotient is below 1e18.
char* print_fixed_small(char* buffer, double value, int precision) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const int biased = static_cast<int>(bits >> 52);
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  const int exponent = (biased == 0 ? 1 : biased) - 1075;  // value = mantissa * 2^exponent
  if (biased != 0) mantissa |= uint64_t{1} << 52;
  const uint64_t power = kPowersOfTen[precision];
  uint64_t quotient = 0;
  if (exponent >= 0) {
    quotient = (mantissa << exponent) * power;  // value < 1e9 < 2^53: only exponent 0 could get here
  } else if (-exponent < 100) {                 // mantissa * power < 2^83, so from there on it rounds to 0
    const int shift = -exponent;
    const Uint128 product = Uint128{mantissa} * power;
    quotient = static_cast<uint64_t>(product >> shift);
    const Uint128 rest = product & ((Uint128{1} << shift) - 1);
    const Uint128 half = Uint128{1} << (shift - 1);
    if (rest > half || (rest == half && (quotient & 1) != 0)) ++quotient;
  }
  char* at = std::to_chars(buffer, buffer + 24, quotient / power).ptr;
  if (precision == 0) return at;
  *at++ = '.';
  uint64_t fraction = quotient % power;
  for (int i = precision - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + fraction % 10);
    fraction /= 10;
  }
  return at + precision;
}

char* print_fixed(char* buffer, char* end, double value, int precision) {
  if (value < 1e9 && precision <= 9) return print_fixed_small(buffer, value, precision);
  return std::to_chars(buffer, end, value, std::chars_format::fixed, precision).ptr;
}
#else
char* print_fixed(char* buffer, char* end, double value, int precision) {
  return std::to_chars(buffer, end, value, std::chars_format::fixed, precision).ptr;
}
#endif

// %g with '#': keeps trailing zeros, which std::to_chars has no way to ask for.
char* print_general_kept(char* buffer, char* end, double value, int precision) {
  const int digits = precision == 0 ? 1 : precision;
  char* at = std::to_chars(buffer, end, value, std::chars_format::scientific, digits - 1).ptr;
  int exponent = 0;
  if (const char* e = std::find(buffer, at, 'e'); e != at)
    std::from_chars(e[1] == '+' ? e + 2 : e + 1, at, exponent);
  if (exponent < -4 || exponent >= digits) return at;
  return std::to_chars(buffer, end, value, std::chars_format::fixed, digits - 1 - exponent).ptr;
}

// '#': there is always a decimal point.
char* ensure_point(char* buffer, char* at) {
  if (std::find(buffer, at, '.') != at) return at;
  char* where = std::find_if(buffer, at, [](char c) { return c == 'e' || c == 'p'; });
  std::memmove(where + 1, where, static_cast<size_t>(at - where));
  *where = '.';
  return at + 1;
}

char* print_magnitude(char* buffer, char* end, const PrintfSpec& spec, double value) {
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  char* at = buffer;
  switch (spec.conversion | 0x20) {
    case 'e':
      at = std::to_chars(buffer, end, value, std::chars_format::scientific, precision).ptr;
      break;
    case 'g':
      at = spec.hash ? print_general_kept(buffer, end, value, precision)
                     : std::to_chars(buffer, end, value, std::chars_format::general, precision).ptr;
      break;
    case 'a':
      at = spec.precision < 0 ? std::to_chars(buffer, end, value, std::chars_format::hex).ptr
                              : std::to_chars(buffer, end, value, std::chars_format::hex, precision).ptr;
      break;
    default:
      at = print_fixed(buffer, end, value, precision);
  }
  return spec.hash ? ensure_point(buffer, at) : at;
}

}  // namespace

void print_signed(std::string& out, const PrintfSpec& spec, int64_t value) {
  char digits[24];
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const char* end = std::to_chars(digits, digits + sizeof digits, magnitude).ptr;
  const char* sign = value < 0 ? "-" : spec.plus ? "+" : spec.space ? " " : "";
  append_integer(out, spec, sign, std::string_view(digits, static_cast<size_t>(end - digits)));
}

void print_unsigned(std::string& out, const PrintfSpec& spec, uint64_t value) {
  char digits[32];
  char* begin = digits;
  int base = 10;
  std::string_view prefix;
  switch (spec.conversion) {
    case 'p':
      base = 16;
      prefix = "0x";
      break;
    case 'x':
    case 'X':
      base = 16;
      if (spec.hash && value != 0) prefix = spec.conversion == 'x' ? "0x" : "0X";
      break;
    case 'o':
      base = 8;
      break;
    default:
      break;
  }
  char* end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  if (spec.conversion == 'X') to_upper(begin, end);
  const std::string_view text(digits, static_cast<size_t>(end - digits));
  // '#' of octal is a leading zero, unless the precision already gives one.
  if (spec.conversion == 'o' && spec.hash && (value != 0 || spec.precision == 0) &&
      spec.precision <= static_cast<int32_t>(value == 0 ? 0 : text.size()))
    prefix = "0";
  append_integer(out, spec, prefix, text);
}

void print_float(std::string& out, const PrintfSpec& spec, double value) {
  const bool upper = spec.conversion >= 'A' && spec.conversion <= 'Z';
  if (std::isnan(value)) return append_field(out, spec, "", 0, upper ? "NAN" : "nan", false);
  const bool negative = std::signbit(value);
  const char* sign = negative ? "-" : spec.plus ? "+" : spec.space ? " " : "";
  if (std::isinf(value)) return append_field(out, spec, sign, 0, upper ? "INF" : "inf", false);
  char body[kMaxBody];
  char* end = print_magnitude(body, body + sizeof body - 1, spec, negative ? -value : value);
  std::string_view prefix = sign;
  char hex_prefix[4];
  if ((spec.conversion | 0x20) == 'a') {
    char* at = hex_prefix;
    if (*sign != 0) *at++ = *sign;
    *at++ = '0';
    *at++ = upper ? 'X' : 'x';
    prefix = std::string_view(hex_prefix, static_cast<size_t>(at - hex_prefix));
  }
  if (upper) to_upper(body, end);
  append_field(out, spec, prefix, 0, std::string_view(body, static_cast<size_t>(end - body)), true);
}

void print_character(std::string& out, const PrintfSpec& spec, uint8_t value) {
  constexpr char digits[] = "0123456789abcdef";
  const char escaped[] = {'\\', 'x', digits[value >> 4], digits[value & 15]};
  const char plain = static_cast<char>(value);
  const bool printable = value >= 0x20 && value <= 0x7e;
  append_field(out, spec, "", 0, printable ? std::string_view(&plain, 1) : std::string_view(escaped, 4),
               false);
}

void print_string(std::string& out, const PrintfSpec& spec, std::string_view text) {
  size_t length = std::min<size_t>(text.size(), kMaxFieldChars);
  if (spec.precision >= 0) length = std::min(length, static_cast<size_t>(spec.precision));
  // Back to the start of a character that the cut would split.
  if (length < text.size())
    while (length > 0 && (static_cast<uint8_t>(text[length]) & 0xc0) == 0x80) --length;
  append_field(out, spec, "", 0, text.substr(0, length), false);
}

}  // namespace shaderqa
