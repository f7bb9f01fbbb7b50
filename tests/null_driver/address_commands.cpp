// SPDX-License-Identifier: Apache-2.0
// Commands of VK_KHR_device_address_commands, which are recorded with the addresses that they name, and
// others that are newer than the headers or access memory by addresses.
#include <span>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/recorded.h"

namespace shaderqa::null_driver {
namespace {

void record_draw(VkCommandBuffer handle, const char* command, const VkDrawIndirect2InfoKHR& info) {
  Recorded(handle, command).with(info.addressRange.address, info.drawCount, info.addressRange.stride);
}
void record_draw(VkCommandBuffer handle, const char* command, const VkDrawIndirectCount2InfoKHR& info) {
  Recorded(handle, command)
      .with(info.addressRange.address, info.countAddressRange.address, info.maxDrawCount,
            info.addressRange.stride);
}
void record_copy(VkCommandBuffer handle, const char* command, const VkCopyDeviceMemoryImageInfoKHR& info) {
  Recorded record(handle, command);
  for (const auto& region : std::span(info.pRegions, info.regionCount))
    record.with(region.addressRange.address);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL CmdBindIndexBuffer3KHR(VkCommandBuffer handle,
                                                  const VkBindIndexBuffer3InfoKHR* info) {
  Recorded(handle, "vkCmdBindIndexBuffer3KHR").with(info->addressRange.address, info->indexType);
}
VKAPI_ATTR void VKAPI_CALL CmdBindVertexBuffers3KHR(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                    const VkBindVertexBuffer3InfoKHR*) {
  Recorded(handle, "vkCmdBindVertexBuffers3KHR").with(first, count);
}
VKAPI_ATTR void VKAPI_CALL CmdDrawIndirect2KHR(VkCommandBuffer handle, const VkDrawIndirect2InfoKHR* info) {
  record_draw(handle, "vkCmdDrawIndirect2KHR", *info);
}
VKAPI_ATTR void VKAPI_CALL CmdDrawIndexedIndirect2KHR(VkCommandBuffer handle,
                                                      const VkDrawIndirect2InfoKHR* info) {
  record_draw(handle, "vkCmdDrawIndexedIndirect2KHR", *info);
}
VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksIndirect2EXT(VkCommandBuffer handle,
                                                        const VkDrawIndirect2InfoKHR* info) {
  record_draw(handle, "vkCmdDrawMeshTasksIndirect2EXT", *info);
}
VKAPI_ATTR void VKAPI_CALL CmdDrawIndirectCount2KHR(VkCommandBuffer handle,
                                                    const VkDrawIndirectCount2InfoKHR* info) {
  record_draw(handle, "vkCmdDrawIndirectCount2KHR", *info);
}
VKAPI_ATTR void VKAPI_CALL CmdDrawIndexedIndirectCount2KHR(VkCommandBuffer handle,
                                                           const VkDrawIndirectCount2InfoKHR* info) {
  record_draw(handle, "vkCmdDrawIndexedIndirectCount2KHR", *info);
}
VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksIndirectCount2EXT(VkCommandBuffer handle,
                                                             const VkDrawIndirectCount2InfoKHR* info) {
  record_draw(handle, "vkCmdDrawMeshTasksIndirectCount2EXT", *info);
}
VKAPI_ATTR void VKAPI_CALL CmdDispatchIndirect2KHR(VkCommandBuffer handle,
                                                   const VkDispatchIndirect2InfoKHR* info) {
  Recorded(handle, "vkCmdDispatchIndirect2KHR").with(info->addressRange.address);
}
VKAPI_ATTR void VKAPI_CALL CmdCopyMemoryKHR(VkCommandBuffer handle, const VkCopyDeviceMemoryInfoKHR* info) {
  Recorded record(handle, "vkCmdCopyMemoryKHR");
  for (const auto& region : std::span(info->pRegions, info->regionCount))
    record.with(region.srcRange.address, region.dstRange.address, region.dstRange.size);
}
VKAPI_ATTR void VKAPI_CALL CmdCopyMemoryToImageKHR(VkCommandBuffer handle,
                                                   const VkCopyDeviceMemoryImageInfoKHR* info) {
  record_copy(handle, "vkCmdCopyMemoryToImageKHR", *info);
}
VKAPI_ATTR void VKAPI_CALL CmdCopyImageToMemoryKHR(VkCommandBuffer handle,
                                                   const VkCopyDeviceMemoryImageInfoKHR* info) {
  record_copy(handle, "vkCmdCopyImageToMemoryKHR", *info);
}
VKAPI_ATTR void VKAPI_CALL CmdUpdateMemoryKHR(VkCommandBuffer handle, const VkDeviceAddressRangeKHR* range,
                                              VkAddressCommandFlagsKHR, VkDeviceSize size, const void*) {
  Recorded(handle, "vkCmdUpdateMemoryKHR").with(range->address, size);
}
VKAPI_ATTR void VKAPI_CALL CmdFillMemoryKHR(VkCommandBuffer handle, const VkDeviceAddressRangeKHR* range,
                                            VkAddressCommandFlagsKHR, uint32_t data) {
  Recorded(handle, "vkCmdFillMemoryKHR").with(range->address, range->size, data);
}
VKAPI_ATTR void VKAPI_CALL CmdCopyQueryPoolResultsToMemoryKHR(VkCommandBuffer handle, VkQueryPool,
                                                              uint32_t first, uint32_t count,
                                                              const VkStridedDeviceAddressRangeKHR* range,
                                                              VkAddressCommandFlagsKHR, VkQueryResultFlags) {
  Recorded(handle, "vkCmdCopyQueryPoolResultsToMemoryKHR").with(first, count, range->address);
}
VKAPI_ATTR void VKAPI_CALL CmdBeginConditionalRendering2EXT(VkCommandBuffer handle,
                                                            const VkConditionalRenderingBeginInfo2EXT* info) {
  Recorded(handle, "vkCmdBeginConditionalRendering2EXT").with(info->addressRange.address);
}
VKAPI_ATTR void VKAPI_CALL CmdBeginTransformFeedback2EXT(VkCommandBuffer handle, uint32_t first,
                                                         uint32_t count,
                                                         const VkBindTransformFeedbackBuffer2InfoEXT*) {
  Recorded(handle, "vkCmdBeginTransformFeedback2EXT").with(first, count);
}
VKAPI_ATTR void VKAPI_CALL CmdEndTransformFeedback2EXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                       const VkBindTransformFeedbackBuffer2InfoEXT*) {
  Recorded(handle, "vkCmdEndTransformFeedback2EXT").with(first, count);
}
VKAPI_ATTR void VKAPI_CALL CmdDrawIndirectByteCount2EXT(VkCommandBuffer handle, uint32_t instances,
                                                        uint32_t first,
                                                        const VkBindTransformFeedbackBuffer2InfoEXT* info,
                                                        uint32_t counter_offset, uint32_t stride) {
  Recorded(handle, "vkCmdDrawIndirectByteCount2EXT")
      .with(instances, first, info->addressRange.address, counter_offset, stride);
}
VKAPI_ATTR void VKAPI_CALL CmdEndRendering2KHR(VkCommandBuffer handle, const VkRenderingEndInfoKHR*) {
  Recorded(handle, "vkCmdEndRendering2KHR");
}
VKAPI_ATTR void VKAPI_CALL CmdWriteBufferMarkerAMD(VkCommandBuffer handle, VkPipelineStageFlagBits, VkBuffer,
                                                   VkDeviceSize offset, uint32_t marker) {
  Recorded(handle, "vkCmdWriteBufferMarkerAMD").with(offset, marker);
}
VKAPI_ATTR void VKAPI_CALL CmdDecompressMemoryNV(VkCommandBuffer handle, uint32_t count,
                                                 const VkDecompressMemoryRegionNV* regions) {
  Recorded(handle, "vkCmdDecompressMemoryNV").with(count, regions->srcAddress, regions->dstAddress);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchTileQCOM(VkCommandBuffer handle, const VkDispatchTileInfoQCOM*) {
  Recorded(handle, "vkCmdDispatchTileQCOM");
}

}  // namespace shaderqa::null_driver
