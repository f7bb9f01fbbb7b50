// SPDX-License-Identifier: Apache-2.0
// One dependency of a synchronization command in Vulkan's terms, and what its stage masks stand for. Pure
// functions.
#ifndef SHADERQA_LAYER_ACCESSES_DEPENDENCY_H
#define SHADERQA_LAYER_ACCESSES_DEPENDENCY_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "layer/accesses/memory_ranges.h"

namespace shaderqa::layer {

// A global, buffer or image memory barrier, or the stage masks of a command alone.
struct Dependency {
  VkPipelineStageFlags2 source_stages = 0;
  VkPipelineStageFlags2 destination_stages = 0;
  VkAccessFlags2 source_access = 0;
  VkAccessFlags2 destination_access = 0;
  bool buffers = true;  // its memory dependency is followed, unlike those of images that are not
  uint64_t begin = 0, end = UINT64_MAX;  // device addresses that its memory dependency covers
  bool image = false;                    // these are of texels of an image (docs/internals/images.md)
  // A layout transition comes between the two sides, and so before every later transition of the queue.
  bool changes_layout = false;
  bool is_global() const { return begin == 0 && end == UINT64_MAX; }
};

// Whether these queues are not of this device.
constexpr bool is_outside(uint32_t family) {
  return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}
// Whether a barrier with these queue families, in a command buffer of `family`, hands over what another one
// acquires. Images and buffers with concurrent sharing are handed to the outside alone: one of the two is
// ignored.
constexpr bool releases_ownership(uint32_t source, uint32_t destination, uint32_t family) {
  if (source == destination) return false;
  if (is_outside(destination)) return true;
  return source != VK_QUEUE_FAMILY_IGNORED && destination != VK_QUEUE_FAMILY_IGNORED && destination != family;
}

// What a barrier, or a render pass, does to the layout of subresources that are followed. It writes them,
// behind what the dependencies order before it and before what these order behind it.
struct LayoutTransition {
  // Their range has all words of the subresources, and more where layers are left out.
  std::vector<Dependency> dependencies;
  std::vector<MemoryRange> ranges;
  // Where the image's content begins anew (its layout before is VK_IMAGE_LAYOUT_UNDEFINED), that of images
  // which have memory of it becomes undefined: words of theirs are among the ranges then, and are no other
  // image's as long as these are held.
  std::vector<std::shared_ptr<const void>> others;
  std::string image;  // for reports, if there are others
  // Part of a transfer of ownership. Many programs give both of its barriers the stages of the first one, and
  // Vulkan ignores those of the queue that it is not executed on.
  bool acquires = false;
};

// One event that a command waits for, with the dependencies that go with it.
struct EventWait {
  VkEvent event = VK_NULL_HANDLE;
  std::vector<Dependency> dependencies;
};

// A command with dependencies, or the place in a render pass where dependencies take effect.
struct SynchronizationPoint {
  enum class Kind : uint8_t { barrier, event_wait, render_pass };
  const char* name = "";  // "vkCmdPipelineBarrier", "the end of the render pass"
  Kind kind = Kind::barrier;
  const char* not_judged =
      "";                // why it is not called redundant (docs/internals/redundant.md); empty: it may be
  uint32_t actions = 0;  // the number of the command buffer's actions before it
  uint32_t label = 0;    // as RecordedAction has it
};

// The stages at which accesses count: names of groups are replaced by what they stand for; stages before or
// behind them are not added.
VkPipelineStageFlags2 named_stages(VkPipelineStageFlags2 stages);
// The stages of a source mask also stand for those before them in the pipeline, the stages of a destination
// mask for those behind; names of groups are replaced by what they stand for.
VkPipelineStageFlags2 source_scope(VkPipelineStageFlags2 stages);
VkPipelineStageFlags2 destination_scope(VkPipelineStageFlags2 stages);

}  // namespace shaderqa::layer
#endif
