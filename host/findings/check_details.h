// SPDX-License-Identifier: Apache-2.0
// What a failed check's finding says beyond where its shader is: the instruction, the memory, the action.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_DETAILS_H
#define SHADERQA_HOST_FINDINGS_CHECK_DETAILS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shaderqa {

// Which buffer an address belongs to.
struct BufferOrigin {
  std::string name;     // as the application gave it
  uint64_t handle = 0;  // VkBuffer
  uint64_t offset = 0;  // of the address in it
  uint64_t size = 0;
  bool destroyed = false;  // by now
};

// The draw, dispatch or trace that the shader ran in.
struct ActionOrigin {
  uint32_t number = 0;
  uint32_t index = 0;  // among the actions of the command buffer, from 1
  std::string command;
  std::vector<std::string> labels;  // outermost first
  std::string command_buffer, queue;
  // The first action that can be the other side of a hazard: `number` if only this one; 0: actions of earlier
  // command buffers can be it too.
  uint32_t first_since_clear = 0;
};

// The earlier access of a hazard that the exact engine found.
struct OtherAccess {
  std::string access;               // load store atomic; "" where there is nothing but the action
  std::string who;                  // the invocation or workgroup, as a phrase; may be empty
  std::vector<std::string> places;  // source lines or instructions: what may have been it, mostly one
  std::optional<ActionOrigin> action;
  bool same_action = false;
  bool by_command = false;  // the action itself reads or writes there, no shader of it
  std::string lacking;  // what the nearest barrier between the two lacks, or which is missing, as a sentence
};

struct CheckDetails {
  std::string check;        // assume expect breakpoint nan hazard
  std::string instruction;  // for people; empty: none in particular
  uint32_t word = 0;        // its offset in the application's module
  std::string variable;     // the resource, with set and binding; empty: by address
  uint32_t set = 0, binding = 0;
  std::string value;  // of nan: NaN, infinity, -infinity; of expect: what it was

  // Of hazards.
  std::string hazard_class;     // "read after write"; empty where the marks do not tell
  std::string access, earlier;  // load store atomic indirect
  bool by_command = false;      // the action itself reads or writes there, no shader of it
  std::string scope;            // where the other access is, as a phrase
  std::string hint;
  std::optional<OtherAccess> other;
  uint64_t address = 0;  // 0: none
  uint32_t size = 0;     // bytes of the access
  std::optional<BufferOrigin> buffer;

  uint32_t action_number = 0;          // 0: not known
  std::optional<ActionOrigin> action;  // nothing: the command buffer is gone
  std::vector<std::string> commands;   // around the action, in order; with the breadcrumbs setting

  uint64_t count = 0;  // of the notes at the end: failures in all
};

}  // namespace shaderqa
#endif
