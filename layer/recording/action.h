// SPDX-License-Identifier: Apache-2.0
// An action command (a draw, a dispatch, a trace) as its hook describes it.
#ifndef SHADERQA_LAYER_RECORDING_ACTION_H
#define SHADERQA_LAYER_RECORDING_ACTION_H

#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "instrument/runtime/abi_exact.h"
#include "layer/recording/bind_state.h"
#include "layer/recording/command_arguments.h"

namespace shaderqa::layer {

// Memory that the device reads for an indirect command.
struct IndirectArguments {
  VkDeviceAddress address = 0;        // 0: a direct command, or nothing is known
  uint32_t bytes = 0;                 // of one command's
  uint32_t commands = 1, stride = 0;  // at most so many, and from each to the next
  VkDeviceAddress count_address = 0;  // of their number; 0: all of them are made

  // All of these bytes are read.
  bool is_one_range() const { return !count_address && (commands == 1 || stride == bytes); }
  uint64_t all_bytes() const { return uint64_t{commands - 1} * stride + bytes; }
};

// Only the kinds of dispatches that the layer treats differently.
enum class DispatchKind : uint8_t { none, direct, indirect };

struct Action {
  template <typename... Arguments>
  Action(const char* its_command, BindPoint its_point, Arguments... its_arguments)
      : command(its_command), point(its_point), arguments(its_arguments...) {}

  const char* command;
  BindPoint point;
  DispatchKind dispatch = DispatchKind::none;
  CommandArguments arguments;
  uint64_t workgroups = 0;  // as ActionOrigin has it
  IndirectArguments indirect{};
  // The numbers of workgroups of a direct dispatch, as SQA_REACH_* have them.
  uint32_t reach = SQA_REACH_UNKNOWN;
};

}  // namespace shaderqa::layer
#endif
