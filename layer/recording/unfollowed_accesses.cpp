// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/unfollowed_accesses.h"

#include <string>

#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {
namespace {

const char* to_string(UnfollowedAccess access) {
  switch (access) {
    case UnfollowedAccess::byte_count_draw:
      return "what vkCmdDrawIndirectByteCountEXT reads of its counter and of vertex buffers";
    case UnfollowedAccess::transform_feedback:
      return "what transform feedback writes, and its counters";
    case UnfollowedAccess::generated_commands:
      return "what generated commands read of their sequences, of indices and of vertices";
    case UnfollowedAccess::shader_tables:
      return "what traces read of shader binding tables";
    case UnfollowedAccess::traced_structures:
      return "what traces read of acceleration structures";
    case UnfollowedAccess::indirect_builds:
      return "what indirect builds of acceleration structures read of their geometry";
    case UnfollowedAccess::indexed_builds:
      return "what builds of acceleration structures read of vertices that indices name";
    case UnfollowedAccess::instances:
      return "what builds of acceleration structures read of those that their instances name";
    case UnfollowedAccess::serialised_structures:
      return "what copies of acceleration structures to and from memory access of that memory";
  }
  return "";
}

}  // namespace

void note_unfollowed(VkCommandBuffer commands, std::initializer_list<UnfollowedAccess> accesses) noexcept {
  with_recorder(commands, [&](Device& device, CommandRecorder& state) {
    if (!device.engine->needs.command_accesses || state.recorded->left_out) return;
    for (const UnfollowedAccess access : accesses) {
      const std::string what = to_string(access);
      device.note(what, what + " is not checked for synchronisation", Concern::sync);
    }
  });
}

}  // namespace shaderqa::layer
