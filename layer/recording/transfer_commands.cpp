// SPDX-License-Identifier: Apache-2.0
// Copies between buffers, fills, updates and query results: the engine is told what they do to buffers.
#include <optional>
#include <span>

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

void describe_copy(const Device& device, CommandAccesses& accesses, const VkCopyDeviceMemoryInfoKHR& info) {
  if (info.regionCount == 1)
    accesses.arguments = CommandArguments(info.pRegions->srcRange.address, info.pRegions->dstRange.address,
                                          info.pRegions->dstRange.size);
  else
    accesses.arguments = CommandArguments(info.regionCount);
  for (const auto& region : std::span(info.pRegions, info.regionCount)) {
    accesses.add(device, range_of(region.srcRange.address, region.srcRange.size, false));
    accesses.add(device, range_of(region.dstRange.address, region.dstRange.size, true));
  }
}

// Updates, too.
Device& before_fill(VkCommandBuffer command_buffer, const char* command, VkDeviceAddress address,
                    VkDeviceSize size) noexcept {
  return before_transfer(command_buffer, command, [&](Device& device, CommandAccesses& accesses) {
    accesses.main_class = SQA_CLASS_CLEAR;
    accesses.arguments = CommandArguments(address, size);
    accesses.add(device, range_of(address, size, true));
  });
}

// What a query pool's results take from `place` on, which is an offset or an address. Nothing if the command
// does not wait for results, since they may not be written then.
std::optional<MemoryRange> results_range(const Device& device, VkQueryPool handle, uint32_t count,
                                         uint64_t place, VkDeviceSize stride, VkQueryResultFlags flags) {
  const QueryPoolFacts* const pool = device.object_facts.query_pools.find(handle);
  if (!pool || pool->values == 0 || !(flags & VK_QUERY_RESULT_WAIT_BIT)) return std::nullopt;
  const uint32_t values = pool->values + ((flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) ? 1 : 0);
  MemoryRange range = range_of(place, values * (flags & VK_QUERY_RESULT_64_BIT ? 8u : 4u), true);
  range.rows = count;
  range.pitch = stride;
  return range;
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
        const auto range = results_range(of, queryPool, queryCount, dstOffset, stride, flags);
        accesses.complete = range.has_value();
        if (!range) return;
        accesses.arguments = CommandArguments(HandleArgument(queryPool), firstQuery, queryCount,
                                              HandleArgument(dstBuffer), dstOffset);
        accesses.add(of, dstBuffer, *range);
      });
  device.next.CmdCopyQueryPoolResults(commandBuffer, queryPool, firstQuery, queryCount, dstBuffer, dstOffset,
                                      stride, flags);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyMemoryKHR(VkCommandBuffer commandBuffer,
                                                   const VkCopyDeviceMemoryInfoKHR* pCopyMemoryInfo) {
  Device& device = before_transfer(
      commandBuffer, "vkCmdCopyMemoryKHR",
      [&](Device& of, CommandAccesses& accesses) { describe_copy(of, accesses, *pCopyMemoryInfo); });
  device.next.CmdCopyMemoryKHR(commandBuffer, pCopyMemoryInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdFillMemoryKHR(VkCommandBuffer commandBuffer,
                                                   const VkDeviceAddressRangeKHR* pDstRange,
                                                   VkAddressCommandFlagsKHR dstFlags, uint32_t data) {
  Device& device =
      before_fill(commandBuffer, "vkCmdFillMemoryKHR", pDstRange->address, pDstRange->size / 4 * 4);
  device.next.CmdFillMemoryKHR(commandBuffer, pDstRange, dstFlags, data);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdUpdateMemoryKHR(VkCommandBuffer commandBuffer,
                                                     const VkDeviceAddressRangeKHR* pDstRange,
                                                     VkAddressCommandFlagsKHR dstFlags, VkDeviceSize dataSize,
                                                     const void* pData) {
  Device& device = before_fill(commandBuffer, "vkCmdUpdateMemoryKHR", pDstRange->address, dataSize);
  device.next.CmdUpdateMemoryKHR(commandBuffer, pDstRange, dstFlags, dataSize, pData);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyQueryPoolResultsToMemoryKHR(
    VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t firstQuery, uint32_t queryCount,
    const VkStridedDeviceAddressRangeKHR* pDstRange, VkAddressCommandFlagsKHR dstFlags,
    VkQueryResultFlags queryResultFlags) {
  Device& device = before_transfer(
      commandBuffer, "vkCmdCopyQueryPoolResultsToMemoryKHR", [&](Device& of, CommandAccesses& accesses) {
        const auto range =
            results_range(of, queryPool, queryCount, pDstRange->address, pDstRange->stride, queryResultFlags);
        accesses.complete = range.has_value();
        if (!range) return;
        accesses.arguments =
            CommandArguments(HandleArgument(queryPool), firstQuery, queryCount, pDstRange->address);
        accesses.add(of, *range);
      });
  device.next.CmdCopyQueryPoolResultsToMemoryKHR(commandBuffer, queryPool, firstQuery, queryCount, pDstRange,
                                                 dstFlags, queryResultFlags);
}

}  // namespace shaderqa::layer
