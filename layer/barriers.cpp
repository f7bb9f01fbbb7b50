// Barriers and events, within command buffers.
#include "layer/command_state.h"

namespace shaderqa::layer {
namespace {

// The barriers of a command of the first kind, whose stages are the command's.
struct Barriers {
  uint32_t memory_count;
  const VkMemoryBarrier* memory;
  uint32_t buffer_count;
  const VkBufferMemoryBarrier* buffers;
};

void synchronise(CommandState& state, VkPipelineStageFlags source, VkPipelineStageFlags destination,
                 const Barriers& barriers) {
  CommandDependencies dependencies(state.chain);
  dependencies.add({source, destination, 0, 0, false});
  for (uint32_t i = 0; i < barriers.memory_count; ++i) {
    const VkMemoryBarrier& barrier = barriers.memory[i];
    dependencies.add({source, destination, barrier.srcAccessMask, barrier.dstAccessMask});
  }
  for (uint32_t i = 0; i < barriers.buffer_count; ++i) {
    const VkBufferMemoryBarrier& barrier = barriers.buffers[i];
    dependencies.add({source, destination, barrier.srcAccessMask, barrier.dstAccessMask});
  }
  state.synchronise(dependencies.apply(state.chain));
}

void add_all(CommandDependencies& dependencies, const VkDependencyInfo& info) {
  const auto add = [&](const auto* barriers, uint32_t count, bool buffers) {
    for (uint32_t i = 0; i < count; ++i) {
      const auto& barrier = barriers[i];
      dependencies.add({barrier.srcStageMask, barrier.dstStageMask, barrier.srcAccessMask,
                        barrier.dstAccessMask, buffers});
    }
  };
  add(info.pMemoryBarriers, info.memoryBarrierCount, true);
  add(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount, true);
  add(info.pImageMemoryBarriers, info.imageMemoryBarrierCount, false);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdPipelineBarrier(
    VkCommandBuffer commandBuffer, VkPipelineStageFlags srcStageMask, VkPipelineStageFlags dstStageMask,
    VkDependencyFlags dependencyFlags, uint32_t memoryBarrierCount, const VkMemoryBarrier* pMemoryBarriers,
    uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier* pBufferMemoryBarriers,
    uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier* pImageMemoryBarriers) {
  Device& device = with_state(commandBuffer, [&](Device&, CommandState& state) {
    synchronise(state, srcStageMask, dstStageMask,
                {memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount, pBufferMemoryBarriers});
  });
  device.next.CmdPipelineBarrier(commandBuffer, srcStageMask, dstStageMask, dependencyFlags,
                                 memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                                 pBufferMemoryBarriers, imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPipelineBarrier2(VkCommandBuffer commandBuffer,
                                                      const VkDependencyInfo* pDependencyInfo) {
  Device& device = with_state(commandBuffer, [&](Device&, CommandState& state) {
    CommandDependencies dependencies(state.chain);
    add_all(dependencies, *pDependencyInfo);
    state.synchronise(dependencies.apply(state.chain));
  });
  device.next.CmdPipelineBarrier2(commandBuffer, pDependencyInfo);
}

// Setting an event alone orders nothing: what waits for it says the stages of both sides.
VKAPI_ATTR void VKAPI_CALL
hooks::CmdWaitEvents(VkCommandBuffer commandBuffer, uint32_t eventCount, const VkEvent* pEvents,
                     VkPipelineStageFlags srcStageMask, VkPipelineStageFlags dstStageMask,
                     uint32_t memoryBarrierCount, const VkMemoryBarrier* pMemoryBarriers,
                     uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier* pBufferMemoryBarriers,
                     uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier* pImageMemoryBarriers) {
  Device& device = with_state(commandBuffer, [&](Device&, CommandState& state) {
    synchronise(state, srcStageMask, dstStageMask,
                {memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount, pBufferMemoryBarriers});
  });
  device.next.CmdWaitEvents(commandBuffer, eventCount, pEvents, srcStageMask, dstStageMask,
                            memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                            pBufferMemoryBarriers, imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdWaitEvents2(VkCommandBuffer commandBuffer, uint32_t eventCount,
                                                 const VkEvent* pEvents,
                                                 const VkDependencyInfo* pDependencyInfos) {
  Device& device = with_state(commandBuffer, [&](Device&, CommandState& state) {
    CommandDependencies dependencies(state.chain);
    for (uint32_t i = 0; i < eventCount; ++i) add_all(dependencies, pDependencyInfos[i]);
    state.synchronise(dependencies.apply(state.chain));
  });
  device.next.CmdWaitEvents2(commandBuffer, eventCount, pEvents, pDependencyInfos);
}

}  // namespace shaderqa::layer
