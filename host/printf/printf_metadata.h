// SPDX-License-Identifier: Apache-2.0
// The format strings of shaders as JSON: LLPC's amdpal.format_strings map plus what a decoder needs for
// exact types.
#ifndef SHADERQA_HOST_PRINTF_PRINTF_METADATA_H
#define SHADERQA_HOST_PRINTF_PRINTF_METADATA_H

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "instrument/shader_record.h"

namespace shaderqa {

// {"amdpal.format_strings": {".version": 1, ".strings": [{".index", ".string", ".argument_count" (flattened
// scalars),
//  ".64bit_arguments" (bitmask words), and our own ".shaderqa": argument types, invocation, source, shader,
//  stage}]}}
std::string write_printf_metadata(const std::vector<ShaderRecord>& records);

// Also reads metadata without ".shaderqa" (written by LLPC): types then follow from the specifiers and
// the 64-bit mask. On bad input: an error sentence naming the place.
std::variant<std::vector<ShaderRecord>, std::string> read_printf_metadata(std::string_view json);

}  // namespace shaderqa
#endif
