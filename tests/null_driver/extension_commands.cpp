// SPDX-License-Identifier: Apache-2.0
// Commands of extensions, whose buffers are recorded as far as tests tell them apart.
#include "tests/null_driver/commands.h"
#include "tests/null_driver/recorded.h"

namespace shaderqa::null_driver {

VKAPI_ATTR void VKAPI_CALL CmdTraceRaysKHR(VkCommandBuffer handle, const VkStridedDeviceAddressRegionKHR*,
                                           const VkStridedDeviceAddressRegionKHR*,
                                           const VkStridedDeviceAddressRegionKHR*,
                                           const VkStridedDeviceAddressRegionKHR*, uint32_t width,
                                           uint32_t height, uint32_t depth) {
  Recorded(handle, "vkCmdTraceRaysKHR").with(width, height, depth);
}

VKAPI_ATTR void VKAPI_CALL CmdTraceRaysIndirectKHR(
    VkCommandBuffer handle, const VkStridedDeviceAddressRegionKHR*, const VkStridedDeviceAddressRegionKHR*,
    const VkStridedDeviceAddressRegionKHR*, const VkStridedDeviceAddressRegionKHR*, VkDeviceAddress address) {
  Recorded(handle, "vkCmdTraceRaysIndirectKHR").with(address);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginTransformFeedbackEXT(VkCommandBuffer handle, uint32_t first,
                                                        uint32_t count, const VkBuffer*,
                                                        const VkDeviceSize*) {
  Recorded(handle, "vkCmdBeginTransformFeedbackEXT").with(first, count);
}

VKAPI_ATTR void VKAPI_CALL CmdEndTransformFeedbackEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                      const VkBuffer*, const VkDeviceSize*) {
  Recorded(handle, "vkCmdEndTransformFeedbackEXT").with(first, count);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawIndirectByteCountEXT(VkCommandBuffer handle, uint32_t instances,
                                                       uint32_t first, VkBuffer, VkDeviceSize offset,
                                                       uint32_t counter_offset, uint32_t stride) {
  Recorded(handle, "vkCmdDrawIndirectByteCountEXT").with(instances, first, offset, counter_offset, stride);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyAccelerationStructureToMemoryKHR(
    VkCommandBuffer handle, const VkCopyAccelerationStructureToMemoryInfoKHR* info) {
  Recorded(handle, "vkCmdCopyAccelerationStructureToMemoryKHR").with(info->dst.deviceAddress);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyMemoryToAccelerationStructureKHR(
    VkCommandBuffer handle, const VkCopyMemoryToAccelerationStructureInfoKHR* info) {
  Recorded(handle, "vkCmdCopyMemoryToAccelerationStructureKHR").with(info->src.deviceAddress);
}

}  // namespace shaderqa::null_driver
