// SPDX-License-Identifier: Apache-2.0
// Barriers and events, within command buffers.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "layer/recording/command_recorder.h"
#include "layer/recording/image_accesses.h"
#include "layer/recording/layout_commands.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/image_table.h"

namespace shaderqa::layer {
namespace {

constexpr VkAccessFlags2 kAllAccess = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;

// Whether a structure in the chain of a barrier may name accesses that its masks do not have. It is then as
// if they named all.
bool names_more(const void* chain) {
  bool more = false;
  for (int i = 0; chain && i < kLongestChain && !more; chain = next_structure(chain), ++i) {
    const VkStructureType type = type_of_structure(chain);
    more = type != VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT &&
           type != VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_ACQUIRE_UNMODIFIED_EXT;
  }
  return more;
}
template <typename Barrier>
VkAccessFlags2 source_access(const Barrier& barrier) {
  return names_more(barrier.pNext) ? kAllAccess : VkAccessFlags2{barrier.srcAccessMask};
}
template <typename Barrier>
VkAccessFlags2 destination_access(const Barrier& barrier) {
  return names_more(barrier.pNext) ? kAllAccess : VkAccessFlags2{barrier.dstAccessMask};
}

// All memory if no buffer is known there, or it has images in its memory.
Dependency in_range(const Device& device, const VkMemoryRangeBarrierKHR& barrier, Dependency dependency) {
  const BufferTable::Location at = device.buffers.locate(barrier.addressRange.address);
  if (!at.handle || device.buffers.shares_with_images(at.handle)) return dependency;
  dependency.begin = barrier.addressRange.address;
  // Not cut off at the buffer's end: the range may lie in several that overlap.
  dependency.end = dependency.begin + std::min(barrier.addressRange.size, UINT64_MAX - dependency.begin);
  return dependency;
}
// All memory if the buffer is not known, or has images in its memory.
template <typename Barrier>
Dependency in_range(const Device& device, const Barrier& barrier, Dependency dependency) {
  const BufferTable::BoundRange place = device.buffers.place(barrier.buffer);
  if (!place.address || barrier.offset >= place.size || device.buffers.shares_with_images(barrier.buffer))
    return dependency;
  dependency.begin = place.address + barrier.offset;
  const VkDeviceSize rest = place.size - barrier.offset;
  dependency.end = dependency.begin + std::min<VkDeviceSize>(barrier.size, rest);
  return dependency;
}

// Both generations of barriers, read into one form.
class BarrierReader {
 public:
  BarrierReader(const Device& device, uint32_t family, VkDependencyFlags flags, const void* chain)
      : device_(device),
        family_(family),
        extended_(chain || (flags & ~VkDependencyFlags{VK_DEPENDENCY_BY_REGION_BIT})) {}

  std::vector<Dependency> dependencies;
  std::vector<LayoutTransition> transitions;
  std::vector<LayoutBarrier> layouts;

  // A command's own stages, for the order of execution. All that images without addresses have.
  void add_stages(VkPipelineStageFlags2 source, VkPipelineStageFlags2 destination) {
    add_masks({source, destination, 0, 0, false});
  }
  template <typename Barrier>
  void add_memory(VkPipelineStageFlags2 source, VkPipelineStageFlags2 destination, const Barrier& barrier) {
    add_masks({source, destination, source_access(barrier), destination_access(barrier)});
    extended_ = extended_ || barrier.pNext;
  }
  template <typename Barrier>
  void add_buffer(VkPipelineStageFlags2 source, VkPipelineStageFlags2 destination, const Barrier& barrier) {
    add_memory(source, destination, barrier);
    dependencies.back() = in_range(device_, barrier, dependencies.back());
    transfers_ownership_ = transfers_ownership_ || barrier.srcQueueFamilyIndex != barrier.dstQueueFamilyIndex;
  }
  // stages_known: they are the command's.
  template <typename Barrier>
  void add_image(VkPipelineStageFlags2 source, VkPipelineStageFlags2 destination, const Barrier& barrier,
                 bool stages_known) {
    images_ = true;
    const VkAccessFlags2 before = source_access(barrier), behind = destination_access(barrier);
    const ImageTable::Image* const image =
        device_.engine->needs.images ? device_.images.find(barrier.image) : nullptr;
    Dependency dependency{source, destination, before, behind, false};
    // Who orders accesses to memory may name any of the images that have it.
    if (image && !image->order_alone())
      dependencies.push_back({source, destination, before, behind});
    else if (!stages_known)
      dependencies.push_back(dependency);
    if (!image || !image->is_followed()) return;
    layouts.push_back({barrier.image, barrier.subresourceRange, barrier.oldLayout, barrier.newLayout,
                       barrier.srcQueueFamilyIndex, barrier.dstQueueFamilyIndex});
    // A transfer of ownership has two barriers for one transition, which counts where the image is acquired.
    const bool released =
        releases_ownership(barrier.srcQueueFamilyIndex, barrier.dstQueueFamilyIndex, family_);
    dependency.changes_layout = barrier.oldLayout != barrier.newLayout && !released;
    dependency.buffers = dependency.image = true;
    for (const ImageGrid::Part& part : image->grid.parts(barrier.subresourceRange)) {
      dependency.begin = image->address + part.begin;
      dependency.end = image->address + part.end;
      dependencies.push_back(dependency);
    }
    if (!dependency.changes_layout) return;
    LayoutTransition transition =
        transition_of(device_, barrier.image, barrier.subresourceRange, barrier.oldLayout, {dependency});
    transition.acquires = barrier.srcQueueFamilyIndex != barrier.dstQueueFamilyIndex;
    if (!transition.ranges.empty()) transitions.push_back(std::move(transition));
  }

  // As SynchronizationPoint has it.
  const char* not_judged() const {
    if (images_) return "it has image memory barriers";
    if (transfers_ownership_) return "it hands a buffer over to another queue family";
    if (stages_ & VK_PIPELINE_STAGE_2_HOST_BIT) return "it orders accesses of the host";
    if (extended_) return "it says more than the layer understands";
    return "";
  }

 private:
  void add_masks(const Dependency& dependency) {
    dependencies.push_back(dependency);
    stages_ |= dependency.source_stages | dependency.destination_stages;
  }

  const Device& device_;
  const uint32_t family_;  // of the command buffer
  VkPipelineStageFlags2 stages_ = 0;
  bool images_ = false, transfers_ownership_ = false, extended_ = false;
};

// The barriers of a command of the first generation, whose stages are the command's.
struct Barriers {
  VkPipelineStageFlags source, destination;
  VkDependencyFlags flags;
  std::span<const VkMemoryBarrier> memory;
  std::span<const VkBufferMemoryBarrier> buffers;
  std::span<const VkImageMemoryBarrier> images;
};

BarrierReader read(CommandRecorder& state, const Barriers& barriers) {
  BarrierReader reader(state.device, state.family, barriers.flags, nullptr);
  reader.dependencies.reserve(1 + barriers.memory.size() + barriers.buffers.size());
  reader.add_stages(barriers.source, barriers.destination);
  for (const auto& one : barriers.memory) reader.add_memory(barriers.source, barriers.destination, one);
  for (const auto& one : barriers.buffers) reader.add_buffer(barriers.source, barriers.destination, one);
  for (const auto& one : barriers.images) reader.add_image(barriers.source, barriers.destination, one, true);
  state.recorded->orders_images = state.recorded->orders_images || !barriers.images.empty();
  return reader;
}

// What a structure orders that this version does not know is not known either, so it counts as all.
void add_chained(BarrierReader& reader, const void* chain) {
  for (int i = 0; chain && i < kLongestChain; chain = next_structure(chain), ++i) {
    if (type_of_structure(chain) == VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR) {
      const auto& ranges = *static_cast<const VkMemoryRangeBarriersInfoKHR*>(chain);
      for (const auto& one : std::span(ranges.pMemoryRangeBarriers, ranges.memoryRangeBarrierCount))
        reader.add_buffer(one.srcStageMask, one.dstStageMask, one);
    } else {
      reader.dependencies.push_back({VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                     VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kAllAccess, kAllAccess});
    }
  }
}

BarrierReader read(CommandRecorder& state, const VkDependencyInfo& info) {
  BarrierReader reader(state.device, state.family, info.dependencyFlags, info.pNext);
  for (const auto& one : std::span(info.pMemoryBarriers, info.memoryBarrierCount))
    reader.add_memory(one.srcStageMask, one.dstStageMask, one);
  for (const auto& one : std::span(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount))
    reader.add_buffer(one.srcStageMask, one.dstStageMask, one);
  for (const auto& one : std::span(info.pImageMemoryBarriers, info.imageMemoryBarrierCount))
    reader.add_image(one.srcStageMask, one.dstStageMask, one, false);
  add_chained(reader, info.pNext);
  state.recorded->orders_images = state.recorded->orders_images || info.imageMemoryBarrierCount != 0;
  return reader;
}

// transition: how reports name a layout transition of the command.
void synchronise(CommandRecorder& state, const char* command, const char* transition,
                 const BarrierReader& reader) {
  LayoutCommand(state, command).barriers(reader.layouts, state.family);
  state.change_layouts(transition, reader.transitions);
  state.synchronise({command, SynchronizationPoint::Kind::barrier, reader.not_judged()}, reader.dependencies);
}

// If the host may set one of the events, it may have changed layouts before, and later than the submission.
void wait_with_layouts(CommandRecorder& state, const char* command, std::span<const VkEvent> events,
                       const std::vector<LayoutBarrier>& layouts) {
  LayoutCommand steps(state, command);
  const bool by_host = state.device.next.TransitionImageLayout &&
                       !std::ranges::all_of(events, [&](VkEvent event) { return state.has_set(event); });
  if (by_host) steps.forget_all();
  steps.barriers(layouts, state.family);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdPipelineBarrier(
    VkCommandBuffer commandBuffer, VkPipelineStageFlags srcStageMask, VkPipelineStageFlags dstStageMask,
    VkDependencyFlags dependencyFlags, uint32_t memoryBarrierCount, const VkMemoryBarrier* pMemoryBarriers,
    uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier* pBufferMemoryBarriers,
    uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier* pImageMemoryBarriers) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    synchronise(state, "vkCmdPipelineBarrier", "layout transition of vkCmdPipelineBarrier",
                read(state, {srcStageMask,
                             dstStageMask,
                             dependencyFlags,
                             {pMemoryBarriers, memoryBarrierCount},
                             {pBufferMemoryBarriers, bufferMemoryBarrierCount},
                             {pImageMemoryBarriers, imageMemoryBarrierCount}}));
  });
  device.next.CmdPipelineBarrier(commandBuffer, srcStageMask, dstStageMask, dependencyFlags,
                                 memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                                 pBufferMemoryBarriers, imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPipelineBarrier2(VkCommandBuffer commandBuffer,
                                                      const VkDependencyInfo* pDependencyInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    synchronise(state, "vkCmdPipelineBarrier2", "layout transition of vkCmdPipelineBarrier2",
                read(state, *pDependencyInfo));
  });
  device.next.CmdPipelineBarrier2(commandBuffer, pDependencyInfo);
}

VKAPI_ATTR void VKAPI_CALL
hooks::CmdWaitEvents(VkCommandBuffer commandBuffer, uint32_t eventCount, const VkEvent* pEvents,
                     VkPipelineStageFlags srcStageMask, VkPipelineStageFlags dstStageMask,
                     uint32_t memoryBarrierCount, const VkMemoryBarrier* pMemoryBarriers,
                     uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier* pBufferMemoryBarriers,
                     uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier* pImageMemoryBarriers) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    const BarrierReader reader = read(state, {srcStageMask,
                                              dstStageMask,
                                              0,
                                              {pMemoryBarriers, memoryBarrierCount},
                                              {pBufferMemoryBarriers, bufferMemoryBarrierCount},
                                              {pImageMemoryBarriers, imageMemoryBarrierCount}});
    std::vector<EventWait> waits;
    for (uint32_t i = 0; i < eventCount; ++i) waits.push_back({pEvents[i], reader.dependencies});
    wait_with_layouts(state, "vkCmdWaitEvents", {pEvents, eventCount}, reader.layouts);
    state.change_layouts("layout transition of vkCmdWaitEvents", reader.transitions, {pEvents, eventCount});
    state.wait_events("vkCmdWaitEvents", waits);
  });
  device.next.CmdWaitEvents(commandBuffer, eventCount, pEvents, srcStageMask, dstStageMask,
                            memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                            pBufferMemoryBarriers, imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdWaitEvents2(VkCommandBuffer commandBuffer, uint32_t eventCount,
                                                 const VkEvent* pEvents,
                                                 const VkDependencyInfo* pDependencyInfos) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    std::vector<EventWait> waits;
    std::vector<LayoutTransition> transitions;
    std::vector<LayoutBarrier> layouts;
    for (uint32_t i = 0; i < eventCount; ++i) {
      BarrierReader reader = read(state, pDependencyInfos[i]);
      waits.push_back({pEvents[i], std::move(reader.dependencies)});
      std::ranges::move(reader.transitions, std::back_inserter(transitions));
      layouts.insert(layouts.end(), reader.layouts.begin(), reader.layouts.end());
    }
    wait_with_layouts(state, "vkCmdWaitEvents2", {pEvents, eventCount}, layouts);
    state.change_layouts("layout transition of vkCmdWaitEvents2", transitions, {pEvents, eventCount});
    state.wait_events("vkCmdWaitEvents2", waits);
  });
  device.next.CmdWaitEvents2(commandBuffer, eventCount, pEvents, pDependencyInfos);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdSetEvent(VkCommandBuffer commandBuffer, VkEvent event,
                                              VkPipelineStageFlags stageMask) {
  Device& device =
      with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) { state.set_event(event); });
  device.next.CmdSetEvent(commandBuffer, event, stageMask);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdSetEvent2(VkCommandBuffer commandBuffer, VkEvent event,
                                               const VkDependencyInfo* pDependencyInfo) {
  Device& device =
      with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) { state.set_event(event); });
  device.next.CmdSetEvent2(commandBuffer, event, pDependencyInfo);
}

}  // namespace shaderqa::layer
