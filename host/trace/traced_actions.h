// SPDX-License-Identifier: Apache-2.0
// Which draw, dispatch or trace a traced invocation belongs to. Shaders do not know that: it follows from
// what was submitted, and from how many segments were in use before that (docs/internals/trace.md).
#ifndef SHADERQA_HOST_TRACE_TRACED_ACTIONS_H
#define SHADERQA_HOST_TRACE_TRACED_ACTIONS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace shaderqa {

// An action whose shaders have the code that traces.
struct TracedAction {
  uint32_t index = 0;               // among the actions of its command buffer, from 1 on
  std::string kind;                 // "draw", "dispatch", "trace"
  std::vector<std::string> labels;  // of the command buffer, the outermost first
  std::vector<uint64_t> shaders;    // their hashes
};

// A command buffer that was submitted.
struct TracedSubmission {
  uint64_t frame = 0;
  uint32_t claimed = 0;        // segments that were in use before it
  std::string command_buffer;  // its name; empty: it has none
  std::vector<TracedAction> actions;
};

struct TracedActions {
  std::vector<TracedSubmission> submissions;
  // Shaders that also run in actions which are not listed. 0 stands for all shaders.
  std::set<uint64_t> unlisted;
};

std::string to_bytes(const TracedSubmission& submission);
// Nothing: the bytes are damaged.
std::optional<TracedSubmission> submission_of(std::span<const std::byte> bytes);

// "action 2 of its command buffer (dispatch), within frame > blur, frame 3", or that it is one of several.
// segment: its number in the file. Empty: nothing is known.
std::string describe_action(const TracedActions& actions, uint32_t segment, uint64_t shader);

}  // namespace shaderqa
#endif
