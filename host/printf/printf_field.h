// SPDX-License-Identifier: Apache-2.0
// Prints one scalar by one conversion, as C's printf does in the "C" locale, whatever the process's locale
// is.
#ifndef SHADERQA_HOST_PRINTF_PRINTF_FIELD_H
#define SHADERQA_HOST_PRINTF_PRINTF_FIELD_H

#include <cstdint>
#include <string>
#include <string_view>

#include "host/printf/printf_spec.h"

namespace shaderqa {

// All of these append to out, at most kMaxFieldChars characters.
void print_signed(std::string& out, const PrintfSpec& spec, int64_t value);
// u x X o p (p: always "0x" and lower-case hex)
void print_unsigned(std::string& out, const PrintfSpec& spec, uint64_t value);
// Exact, ties to even; NaN without a sign.
void print_float(std::string& out, const PrintfSpec& spec, double value);
// One character; what is not printable ASCII as \xNN.
void print_character(std::string& out, const PrintfSpec& spec, uint8_t value);
// text is UTF-8; the precision is in bytes and never cuts a character apart.
void print_string(std::string& out, const PrintfSpec& spec, std::string_view text);

}  // namespace shaderqa
#endif
