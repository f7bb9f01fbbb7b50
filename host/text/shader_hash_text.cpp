// SPDX-License-Identifier: Apache-2.0
#include "host/text/shader_hash_text.h"

#include <charconv>

namespace shaderqa {

void append_hash(std::string& out, uint64_t hash) {
  char digits[16];
  const char* end = std::to_chars(digits, digits + sizeof digits, hash, 16).ptr;
  const size_t length = static_cast<size_t>(end - digits);
  out.append(16 - length, '0');
  out.append(digits, length);
}

}  // namespace shaderqa
