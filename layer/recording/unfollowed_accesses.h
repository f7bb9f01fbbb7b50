// SPDX-License-Identifier: Apache-2.0
// What commands access of buffers without that the exact engine knows it (docs/internals/exact.md, "What it
// does not see"). Each is said once, where a command is recorded that does so.
#ifndef SHADERQA_LAYER_RECORDING_UNFOLLOWED_ACCESSES_H
#define SHADERQA_LAYER_RECORDING_UNFOLLOWED_ACCESSES_H

#include <vulkan/vulkan_core.h>

#include <initializer_list>

namespace shaderqa::layer {

enum class UnfollowedAccess {
  byte_count_draw,
  transform_feedback,
  generated_commands,
  shader_tables,
  traced_structures,
  indirect_builds,
  indexed_builds,
  instances,
  serialised_structures,
};

// Says nothing where no accesses of commands are followed, or the command is not in the part that is checked.
void note_unfollowed(VkCommandBuffer commands, std::initializer_list<UnfollowedAccess> accesses) noexcept;

}  // namespace shaderqa::layer
#endif
