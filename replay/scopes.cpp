// SPDX-License-Identifier: Apache-2.0
#include "replay/scopes.h"

namespace shaderqa {
namespace {

constexpr size_t kMostFrames = 1024;

}  // namespace

StackFrame frame_at(const Invocation& invocation, size_t step) {
  const TraceStep& at = invocation.steps()[step];
  StackFrame frame;
  frame.function = invocation.shader().debug().function_name(at.scope.scope);
  if (frame.function.empty()) frame.function = invocation.shader().name(invocation.frame(at.frame).function);
  frame.position = invocation.position(step);
  frame.step = step;
  frame.scope = at.scope;
  return frame;
}

std::vector<StackFrame> stack_of(const Invocation& invocation, size_t step) {
  const DebugInfo& debug = invocation.shader().debug();
  std::vector<StackFrame> frames;
  for (;;) {
    frames.push_back(frame_at(invocation, step));
    while (frames.back().scope.inlined_at != 0 && frames.size() < kMostFrames) {
      const InlinedCall call = debug.call(frames.back().scope.inlined_at);
      StackFrame outer;
      outer.function = debug.function_name(call.scope.scope);
      outer.position.file = debug.file(call.scope.scope);
      outer.position.line = call.line;
      outer.position.text =
          invocation.shader().source_line(outer.position, outer.position.line).value_or(std::string());
      outer.step = step;
      outer.scope = call.scope;
      frames.push_back(std::move(outer));
    }
    const TraceFrame& frame = invocation.frame(invocation.steps()[step].frame);
    if (frame.caller < 0 || frames.size() >= kMostFrames) return frames;
    step = frame.call_step;
  }
}

}  // namespace shaderqa
