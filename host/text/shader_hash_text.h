// SPDX-License-Identifier: Apache-2.0
// The hash of a shader as reports, logs and hash files show it.
#ifndef SHADERQA_HOST_TEXT_SHADER_HASH_TEXT_H
#define SHADERQA_HOST_TEXT_SHADER_HASH_TEXT_H

#include <cstdint>
#include <string>

namespace shaderqa {

void append_hash(std::string& out, uint64_t hash);  // 16 hexadecimal digits

}  // namespace shaderqa
#endif
