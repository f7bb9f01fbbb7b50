// SPDX-License-Identifier: Apache-2.0
// Copies between buffers, fills, updates and query results: the engine is told what they do to buffers.
#include "layer/recording/transfers.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/object_facts.h"

namespace shaderqa::layer {
namespace {

MemoryRange range_of(VkDeviceSize offset, VkDeviceSize bytes, bool writes) {
  MemoryRange range;
  range.address = offset;
  range.bytes = bytes;
  range.writes = writes;
  return range;
}

template <typename Region>
void describe_copy(const Device& device, CommandAccesses& accesses, VkBuffer source, VkBuffer destination,
                   uint32_t count, const Region* regions) {
  if (count == 1) {
    accesses.arguments = CommandArguments(HandleArgument(source), HandleArgument(destination),
                                          regions->srcOffset, regions->dstOffset, regions->size);
  } else {
    accesses.arguments = CommandArguments(HandleArgument(source), HandleArgument(destination), count);
  }
  for (uint32_t i = 0; i < count; ++i) {
    accesses.add(device, source, range_of(regions[i].srcOffset, regions[i].size, false));
    accesses.add(device, destination, range_of(regions[i].dstOffset, regions[i].size, true));
  }
}

// A fill writes whole words and leaves the rest of the buffer as it is.
void describe_fill(const Device& device, CommandAccesses& accesses, VkBuffer buffer, VkDeviceSize offset,
                   VkDeviceSize size) {
  const VkDeviceSize whole = device.buffers.place(buffer).size;
  if (size == VK_WHOLE_SIZE) size = offset < whole ? (whole - offset) / 4 * 4 : 0;
  accesses.main_class = SQA_CLASS_CLEAR;  // Vulkan describes updates, too, among the clears
  accesses.arguments = CommandArguments(HandleArgument(buffer), offset, size);
  accesses.add(device, buffer, range_of(offset, size, true));
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyBuffer(VkCommandBuffer commandBuffer, VkBuffer srcBuffer,
                                                VkBuffer dstBuffer, uint32_t regionCount,
                                                const VkBufferCopy* pRegions) {
  Device& device =
      before_transfer(commandBuffer, "vkCmdCopyBuffer", [&](Device& of, CommandAccesses& accesses) {
        describe_copy(of, accesses, srcBuffer, dstBuffer, regionCount, pRegions);
      });
  device.next.CmdCopyBuffer(commandBuffer, srcBuffer, dstBuffer, regionCount, pRegions);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyBuffer2(VkCommandBuffer commandBuffer,
                                                 const VkCopyBufferInfo2* pCopyBufferInfo) {
  const VkCopyBufferInfo2& info = *pCopyBufferInfo;
  Device& device =
      before_transfer(commandBuffer, "vkCmdCopyBuffer2", [&](Device& of, CommandAccesses& accesses) {
        describe_copy(of, accesses, info.srcBuffer, info.dstBuffer, info.regionCount, info.pRegions);
      });
  device.next.CmdCopyBuffer2(commandBuffer, pCopyBufferInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdFillBuffer(VkCommandBuffer commandBuffer, VkBuffer dstBuffer,
                                                VkDeviceSize dstOffset, VkDeviceSize size, uint32_t data) {
  Device& device =
      before_transfer(commandBuffer, "vkCmdFillBuffer", [&](Device& of, CommandAccesses& accesses) {
        describe_fill(of, accesses, dstBuffer, dstOffset, size);
      });
  device.next.CmdFillBuffer(commandBuffer, dstBuffer, dstOffset, size, data);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdUpdateBuffer(VkCommandBuffer commandBuffer, VkBuffer dstBuffer,
                                                  VkDeviceSize dstOffset, VkDeviceSize dataSize,
                                                  const void* pData) {
  Device& device =
      before_transfer(commandBuffer, "vkCmdUpdateBuffer", [&](Device& of, CommandAccesses& accesses) {
        describe_fill(of, accesses, dstBuffer, dstOffset, dataSize);
      });
  device.next.CmdUpdateBuffer(commandBuffer, dstBuffer, dstOffset, dataSize, pData);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyQueryPoolResults(VkCommandBuffer commandBuffer,
                                                          VkQueryPool queryPool, uint32_t firstQuery,
                                                          uint32_t queryCount, VkBuffer dstBuffer,
                                                          VkDeviceSize dstOffset, VkDeviceSize stride,
                                                          VkQueryResultFlags flags) {
  Device& device =
      before_transfer(commandBuffer, "vkCmdCopyQueryPoolResults", [&](Device& of, CommandAccesses& accesses) {
        const QueryPoolFacts* pool = of.object_facts.query_pools.find(queryPool);
        // If the command does not wait for results, they may not be written.
        accesses.complete = pool && pool->values != 0 && (flags & VK_QUERY_RESULT_WAIT_BIT);
        if (!accesses.complete) return;
        const uint32_t values = pool->values + ((flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) ? 1 : 0);
        MemoryRange range = range_of(dstOffset, values * (flags & VK_QUERY_RESULT_64_BIT ? 8u : 4u), true);
        range.rows = queryCount;
        range.pitch = stride;
        accesses.arguments = CommandArguments(HandleArgument(queryPool), firstQuery, queryCount,
                                              HandleArgument(dstBuffer), dstOffset);
        accesses.add(of, dstBuffer, range);
      });
  device.next.CmdCopyQueryPoolResults(commandBuffer, queryPool, firstQuery, queryCount, dstBuffer, dstOffset,
                                      stride, flags);
}

}  // namespace shaderqa::layer
