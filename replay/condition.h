// SPDX-License-Identifier: Apache-2.0
// Conditions over a shader's variables, as breakpoints have them: i % 4 == 1 && p.x < 0.5.
#ifndef SHADERQA_REPLAY_CONDITION_H
#define SHADERQA_REPLAY_CONDITION_H

#include <optional>
#include <string>
#include <string_view>

#include "replay/scopes.h"

namespace shaderqa {

// Says where and why the text is no condition; an empty string if it is one. Names are not looked up.
std::string check_condition(std::string_view text);
// Whether the condition holds before the step that the frame stands at. No result: a name has no value there.
std::optional<bool> condition_holds(const Invocation& invocation, const StackFrame& frame, size_t step,
                                    std::string_view text);
// The value of a number: a bit pattern of this type. Nothing: it is no value of it.
std::optional<uint32_t> bits_of_number(const TracedShader& shader, uint32_t type, std::string_view text);

}  // namespace shaderqa
#endif
