// SPDX-License-Identifier: Apache-2.0
// A condition over the built-in inputs of an invocation, as in "LocalInvocationIndex < 4 && WorkgroupID.x % 2
// == 1", as the words of a stack machine that shaders run (instrument/runtime/trace.glsl). All numbers are
// unsigned, of 32 bits.
#ifndef SHADERQA_HOST_TRACE_TRACE_WHEN_H
#define SHADERQA_HOST_TRACE_TRACE_WHEN_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shaderqa {

// stages: bits as abi::TraceSelector has them; the inputs must be those of all of them. Nothing: `error` says
// what is wrong, with the text and a caret under the place.
std::optional<std::vector<uint32_t>> parse_trace_when(std::string_view text, uint32_t stages,
                                                      std::string& error);

// What a shader computes from them.
uint32_t evaluate_trace_when(std::span<const uint32_t> words, const uint32_t (&location)[8]);

}  // namespace shaderqa
#endif
