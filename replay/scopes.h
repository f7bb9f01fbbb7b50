// SPDX-License-Identifier: Apache-2.0
// The calls around a step as the source has them: also those of functions that the compiler inlined.
#ifndef SHADERQA_REPLAY_SCOPES_H
#define SHADERQA_REPLAY_SCOPES_H

#include <string>
#include <vector>

#include "replay/invocation.h"

namespace shaderqa {

struct StackFrame {
  std::string function;
  SourcePosition position;
  size_t step = 0;  // where the invocation is, or of the call
  DebugScope scope;
};

// The innermost one first. The caller of the last one is the driver, or not in the trace.
std::vector<StackFrame> stack_of(const Invocation& invocation, size_t step);
// Its first frame alone.
StackFrame frame_at(const Invocation& invocation, size_t step);

}  // namespace shaderqa
#endif
