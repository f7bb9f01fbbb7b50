// SPDX-License-Identifier: Apache-2.0
// Shaders that run in the middle of others: by traceRay and executeCallable.
#ifndef SHADERQA_REPLAY_SHADER_CALLS_H
#define SHADERQA_REPLAY_SHADER_CALLS_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "replay/invocation.h"

namespace shaderqa {

struct CallerOf {
  size_t invocation = 0;  // index
  uint32_t step = 0;      // of its call
};

// The invocation in the middle of which this one ran, as far as it was traced.
std::optional<CallerOf> caller_of(std::span<const std::unique_ptr<Invocation>> all, size_t index);
// How many calls lead to it.
uint32_t call_depth(std::span<const std::unique_ptr<Invocation>> all, size_t index);

}  // namespace shaderqa
#endif
