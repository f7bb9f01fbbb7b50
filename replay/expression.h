// SPDX-License-Identifier: Apache-2.0
// Names of variables and values as the user writes them: i, particle.position.x, io[3], m[1], %42.
#ifndef SHADERQA_REPLAY_EXPRESSION_H
#define SHADERQA_REPLAY_EXPRESSION_H

#include <optional>
#include <string>
#include <string_view>

#include "replay/invocation.h"

namespace shaderqa {

// What an expression names: dwords of a variable, or of a value that an instruction computed.
struct Named {
  TraceVariable variable;
  bool is_value = false;  // variable.id is the value's id, variable.frame its frame
  uint64_t dword = 0;
  uint32_t type = 0;
};

// In the frame of the step. Nothing: `error` says why.
std::optional<Named> resolve(const Invocation& invocation, size_t step, std::string_view text,
                             std::string& error);

// Its dwords before the step.
std::vector<std::optional<uint32_t>> dwords_of(const Invocation& invocation, const Named& named, size_t step);

}  // namespace shaderqa
#endif
