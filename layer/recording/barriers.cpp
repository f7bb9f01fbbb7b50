// SPDX-License-Identifier: Apache-2.0
// Barriers and events, within command buffers.
#include <algorithm>
#include <vector>

#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

// The barriers of a command of the first kind, whose stages are the command's.
struct Barriers {
  uint32_t memory_count;
  const VkMemoryBarrier* memory;
  uint32_t buffer_count;
  const VkBufferMemoryBarrier* buffers;
};

// All memory where the buffer is not known.
template <typename Barrier>
Dependency in_range(const Device& device, const Barrier& barrier, Dependency dependency) {
  const BufferTable::BoundRange place = device.buffers.place(barrier.buffer);
  if (!place.address || barrier.offset >= place.size) return dependency;
  dependency.begin = place.address + barrier.offset;
  const VkDeviceSize rest = place.size - barrier.offset;
  dependency.end = dependency.begin + std::min<VkDeviceSize>(barrier.size, rest);
  return dependency;
}

std::vector<Dependency> dependencies_of(const Device& device, VkPipelineStageFlags source,
                                        VkPipelineStageFlags destination, const Barriers& barriers) {
  std::vector<Dependency> all{{source, destination, 0, 0, false}};
  for (uint32_t i = 0; i < barriers.memory_count; ++i) {
    const VkMemoryBarrier& barrier = barriers.memory[i];
    all.push_back({source, destination, barrier.srcAccessMask, barrier.dstAccessMask});
  }
  for (uint32_t i = 0; i < barriers.buffer_count; ++i) {
    const VkBufferMemoryBarrier& barrier = barriers.buffers[i];
    all.push_back(
        in_range(device, barrier, {source, destination, barrier.srcAccessMask, barrier.dstAccessMask}));
  }
  return all;
}

std::vector<Dependency> dependencies_of(const Device& device, const VkDependencyInfo& info) {
  std::vector<Dependency> all;
  const auto add = [&](const auto& barrier) -> Dependency& {
    return all.emplace_back(
        Dependency{barrier.srcStageMask, barrier.dstStageMask, barrier.srcAccessMask, barrier.dstAccessMask});
  };
  for (uint32_t i = 0; i < info.memoryBarrierCount; ++i) add(info.pMemoryBarriers[i]);
  for (uint32_t i = 0; i < info.bufferMemoryBarrierCount; ++i) {
    const VkBufferMemoryBarrier2& barrier = info.pBufferMemoryBarriers[i];
    Dependency& added = add(barrier);
    added = in_range(device, barrier, added);
  }
  for (uint32_t i = 0; i < info.imageMemoryBarrierCount; ++i) {
    add(info.pImageMemoryBarriers[i]).buffers = false;
  }
  return all;
}

// Why a barrier is not judged (docs/redundant.md), by what it is; empty: nothing speaks against it.
struct BarrierFacts {
  VkPipelineStageFlags2 stages = 0;
  VkDependencyFlags flags = 0;
  bool images = false, extended = false, transfers_ownership = false;
};

const char* reason_against(const BarrierFacts& facts) {
  if (facts.images) return "it has image memory barriers";
  if (facts.transfers_ownership) return "it hands a buffer over to another queue family";
  if (facts.stages & VK_PIPELINE_STAGE_2_HOST_BIT) return "it orders accesses of the host";
  if (facts.extended || (facts.flags & ~VkDependencyFlags{VK_DEPENDENCY_BY_REGION_BIT}))
    return "it says more than the layer understands";
  return "";
}

template <typename Barrier>
void add_buffer(BarrierFacts& facts, const Barrier& barrier) {
  facts.transfers_ownership |= barrier.srcQueueFamilyIndex != barrier.dstQueueFamilyIndex;
  facts.extended |= barrier.pNext != nullptr;
}

const char* reason_against(const Barriers& barriers, VkPipelineStageFlags stages, VkDependencyFlags flags,
                           uint32_t images) {
  BarrierFacts facts{stages, flags, images != 0, false, false};
  for (uint32_t i = 0; i < barriers.memory_count; ++i) facts.extended |= barriers.memory[i].pNext != nullptr;
  for (uint32_t i = 0; i < barriers.buffer_count; ++i) add_buffer(facts, barriers.buffers[i]);
  return reason_against(facts);
}

const char* reason_against(const VkDependencyInfo& info) {
  BarrierFacts facts{0, info.dependencyFlags, info.imageMemoryBarrierCount != 0, info.pNext != nullptr,
                     false};
  for (uint32_t i = 0; i < info.memoryBarrierCount; ++i) {
    facts.stages |= info.pMemoryBarriers[i].srcStageMask | info.pMemoryBarriers[i].dstStageMask;
    facts.extended |= info.pMemoryBarriers[i].pNext != nullptr;
  }
  for (uint32_t i = 0; i < info.bufferMemoryBarrierCount; ++i) {
    facts.stages |= info.pBufferMemoryBarriers[i].srcStageMask | info.pBufferMemoryBarriers[i].dstStageMask;
    add_buffer(facts, info.pBufferMemoryBarriers[i]);
  }
  return reason_against(facts);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdPipelineBarrier(
    VkCommandBuffer commandBuffer, VkPipelineStageFlags srcStageMask, VkPipelineStageFlags dstStageMask,
    VkDependencyFlags dependencyFlags, uint32_t memoryBarrierCount, const VkMemoryBarrier* pMemoryBarriers,
    uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier* pBufferMemoryBarriers,
    uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier* pImageMemoryBarriers) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    const Barriers barriers{memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                            pBufferMemoryBarriers};
    state.synchronise(
        "vkCmdPipelineBarrier", dependencies_of(of, srcStageMask, dstStageMask, barriers),
        reason_against(barriers, srcStageMask | dstStageMask, dependencyFlags, imageMemoryBarrierCount));
  });
  device.next.CmdPipelineBarrier(commandBuffer, srcStageMask, dstStageMask, dependencyFlags,
                                 memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                                 pBufferMemoryBarriers, imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPipelineBarrier2(VkCommandBuffer commandBuffer,
                                                      const VkDependencyInfo* pDependencyInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    state.synchronise("vkCmdPipelineBarrier2", dependencies_of(of, *pDependencyInfo),
                      reason_against(*pDependencyInfo));
  });
  device.next.CmdPipelineBarrier2(commandBuffer, pDependencyInfo);
}

VKAPI_ATTR void VKAPI_CALL
hooks::CmdWaitEvents(VkCommandBuffer commandBuffer, uint32_t eventCount, const VkEvent* pEvents,
                     VkPipelineStageFlags srcStageMask, VkPipelineStageFlags dstStageMask,
                     uint32_t memoryBarrierCount, const VkMemoryBarrier* pMemoryBarriers,
                     uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier* pBufferMemoryBarriers,
                     uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier* pImageMemoryBarriers) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    const std::vector<Dependency> dependencies = dependencies_of(
        of, srcStageMask, dstStageMask,
        {memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount, pBufferMemoryBarriers});
    std::vector<CommandRecorder::EventWait> waits;
    for (uint32_t i = 0; i < eventCount; ++i) waits.emplace_back(pEvents[i], dependencies);
    state.wait_events("vkCmdWaitEvents", waits);
  });
  device.next.CmdWaitEvents(commandBuffer, eventCount, pEvents, srcStageMask, dstStageMask,
                            memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                            pBufferMemoryBarriers, imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdWaitEvents2(VkCommandBuffer commandBuffer, uint32_t eventCount,
                                                 const VkEvent* pEvents,
                                                 const VkDependencyInfo* pDependencyInfos) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    std::vector<CommandRecorder::EventWait> waits;
    for (uint32_t i = 0; i < eventCount; ++i) {
      waits.emplace_back(pEvents[i], dependencies_of(of, pDependencyInfos[i]));
    }
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
