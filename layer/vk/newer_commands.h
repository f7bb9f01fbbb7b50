// SPDX-License-Identifier: Apache-2.0
// Commands that are newer than the headers in the build, as far as the layer and its tests use them, from the
// Vulkan registry: VK_KHR_device_address_commands, the second forms of vkCmdEndRendering, and commands of
// which only the first parameter matters.
#ifndef SHADERQA_LAYER_VK_NEWER_COMMANDS_H
#define SHADERQA_LAYER_VK_NEWER_COMMANDS_H

#include <vulkan/vulkan_core.h>

#include "layer/vk/descriptor_heap.h"

#ifndef VK_KHR_device_address_commands
#define VK_KHR_DEVICE_ADDRESS_COMMANDS_EXTENSION_NAME "VK_KHR_device_address_commands"

constexpr auto VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR = static_cast<VkStructureType>(1000318004);
constexpr auto VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIER_KHR = static_cast<VkStructureType>(1000318005);

using VkDeviceAddressRangeKHR = VkDeviceAddressRangeEXT;
using VkAddressCommandFlagsKHR = VkFlags;

#ifndef VK_KHR_copy_memory_indirect
struct VkStridedDeviceAddressRangeKHR {
  VkDeviceAddress address;
  VkDeviceSize size;
  VkDeviceSize stride;
};
#endif
struct VkBindIndexBuffer3InfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
  VkIndexType indexType;
};
struct VkBindVertexBuffer3InfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkBool32 setStride;
  VkStridedDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
};
struct VkDrawIndirect2InfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkStridedDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
  uint32_t drawCount;
};
struct VkDrawIndirectCount2InfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkStridedDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
  VkDeviceAddressRangeKHR countAddressRange;
  VkAddressCommandFlagsKHR countAddressFlags;
  uint32_t maxDrawCount;
};
struct VkDispatchIndirect2InfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
};
struct VkDeviceMemoryCopyKHR {
  VkStructureType sType;
  const void* pNext;
  VkDeviceAddressRangeKHR srcRange;
  VkAddressCommandFlagsKHR srcFlags;
  VkDeviceAddressRangeKHR dstRange;
  VkAddressCommandFlagsKHR dstFlags;
};
struct VkCopyDeviceMemoryInfoKHR {
  VkStructureType sType;
  const void* pNext;
  uint32_t regionCount;
  const VkDeviceMemoryCopyKHR* pRegions;
};
struct VkDeviceMemoryImageCopyKHR {
  VkStructureType sType;
  const void* pNext;
  VkDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
  uint32_t addressRowLength;
  uint32_t addressImageHeight;
  VkImageSubresourceLayers imageSubresource;
  VkImageLayout imageLayout;
  VkOffset3D imageOffset;
  VkExtent3D imageExtent;
};
struct VkCopyDeviceMemoryImageInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkImage image;
  uint32_t regionCount;
  const VkDeviceMemoryImageCopyKHR* pRegions;
};
struct VkMemoryRangeBarrierKHR {
  VkStructureType sType;
  const void* pNext;
  VkPipelineStageFlags2 srcStageMask;
  VkAccessFlags2 srcAccessMask;
  VkPipelineStageFlags2 dstStageMask;
  VkAccessFlags2 dstAccessMask;
  uint32_t srcQueueFamilyIndex;
  uint32_t dstQueueFamilyIndex;
  VkDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
};
struct VkMemoryRangeBarriersInfoKHR {
  VkStructureType sType;
  const void* pNext;
  uint32_t memoryRangeBarrierCount;
  const VkMemoryRangeBarrierKHR* pMemoryRangeBarriers;
};
struct VkConditionalRenderingBeginInfo2EXT {
  VkStructureType sType;
  const void* pNext;
  VkDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
  VkConditionalRenderingFlagsEXT flags;
};
struct VkBindTransformFeedbackBuffer2InfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
};
struct VkAccelerationStructureCreateInfo2KHR {
  VkStructureType sType;
  const void* pNext;
  VkAccelerationStructureCreateFlagsKHR createFlags;
  VkDeviceAddressRangeKHR addressRange;
  VkAddressCommandFlagsKHR addressFlags;
  VkAccelerationStructureTypeKHR type;
};

using PFN_vkCmdBindIndexBuffer3KHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                      const VkBindIndexBuffer3InfoKHR* pInfo);
using PFN_vkCmdBindVertexBuffers3KHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer, uint32_t firstBinding,
                                                        uint32_t bindingCount,
                                                        const VkBindVertexBuffer3InfoKHR* pBindingInfos);
using PFN_vkCmdDrawIndirect2KHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                   const VkDrawIndirect2InfoKHR* pInfo);
using PFN_vkCmdDrawIndexedIndirect2KHR = PFN_vkCmdDrawIndirect2KHR;
using PFN_vkCmdDrawMeshTasksIndirect2EXT = PFN_vkCmdDrawIndirect2KHR;
using PFN_vkCmdDrawIndirectCount2KHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                        const VkDrawIndirectCount2InfoKHR* pInfo);
using PFN_vkCmdDrawIndexedIndirectCount2KHR = PFN_vkCmdDrawIndirectCount2KHR;
using PFN_vkCmdDrawMeshTasksIndirectCount2EXT = PFN_vkCmdDrawIndirectCount2KHR;
using PFN_vkCmdDispatchIndirect2KHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                       const VkDispatchIndirect2InfoKHR* pInfo);
using PFN_vkCmdCopyMemoryKHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                const VkCopyDeviceMemoryInfoKHR* pCopyMemoryInfo);
using PFN_vkCmdCopyMemoryToImageKHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                       const VkCopyDeviceMemoryImageInfoKHR* pCopyMemoryInfo);
using PFN_vkCmdCopyImageToMemoryKHR = PFN_vkCmdCopyMemoryToImageKHR;
using PFN_vkCmdUpdateMemoryKHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                  const VkDeviceAddressRangeKHR* pDstRange,
                                                  VkAddressCommandFlagsKHR dstFlags, VkDeviceSize dataSize,
                                                  const void* pData);
using PFN_vkCmdFillMemoryKHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                const VkDeviceAddressRangeKHR* pDstRange,
                                                VkAddressCommandFlagsKHR dstFlags, uint32_t data);
using PFN_vkCmdCopyQueryPoolResultsToMemoryKHR =
    void(VKAPI_PTR*)(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t firstQuery,
                     uint32_t queryCount, const VkStridedDeviceAddressRangeKHR* pDstRange,
                     VkAddressCommandFlagsKHR dstFlags, VkQueryResultFlags queryResultFlags);
using PFN_vkCmdBeginConditionalRendering2EXT = void(VKAPI_PTR*)(
    VkCommandBuffer commandBuffer, const VkConditionalRenderingBeginInfo2EXT* pConditionalRenderingBegin);
using PFN_vkCmdBeginTransformFeedback2EXT =
    void(VKAPI_PTR*)(VkCommandBuffer commandBuffer, uint32_t firstCounterRange, uint32_t counterRangeCount,
                     const VkBindTransformFeedbackBuffer2InfoEXT* pCounterInfos);
using PFN_vkCmdEndTransformFeedback2EXT = PFN_vkCmdBeginTransformFeedback2EXT;
using PFN_vkCmdDrawIndirectByteCount2EXT = void(VKAPI_PTR*)(
    VkCommandBuffer commandBuffer, uint32_t instanceCount, uint32_t firstInstance,
    const VkBindTransformFeedbackBuffer2InfoEXT* pCounterInfo, uint32_t counterOffset, uint32_t vertexStride);
using PFN_vkCreateAccelerationStructure2KHR = VkResult(VKAPI_PTR*)(
    VkDevice device, const VkAccelerationStructureCreateInfo2KHR* pCreateInfo,
    const VkAllocationCallbacks* pAllocator, VkAccelerationStructureKHR* pAccelerationStructure);
using PFN_vkCmdWriteMarkerToMemoryAMD = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer, const void* pInfo);
#endif

#ifndef VK_KHR_maintenance10
#ifdef VK_EXT_fragment_density_map_offset
using PFN_vkCmdEndRendering2KHR = PFN_vkCmdEndRendering2EXT;
using VkRenderingEndInfoKHR = VkRenderingEndInfoEXT;
#else
struct VkRenderingEndInfoKHR {
  VkStructureType sType;
  const void* pNext;
};
using PFN_vkCmdEndRendering2KHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                   const VkRenderingEndInfoKHR* pRenderingEndInfo);
#endif
#endif

// What these point to is not looked at.
#ifndef VK_KHR_present_wait2
struct VkPresentWait2InfoKHR;
using PFN_vkWaitForPresent2KHR = VkResult(VKAPI_PTR*)(VkDevice device, VkSwapchainKHR swapchain,
                                                      const VkPresentWait2InfoKHR* pPresentWait2Info);
#endif
#ifndef VK_KHR_copy_memory_indirect
using PFN_vkCmdCopyMemoryIndirectKHR = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer, const void* pInfo);
using PFN_vkCmdCopyMemoryToImageIndirectKHR = PFN_vkCmdCopyMemoryIndirectKHR;
#endif
#ifndef VK_EXT_memory_decompression
using PFN_vkCmdDecompressMemoryEXT = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer, const void* pInfo);
using PFN_vkCmdDecompressMemoryIndirectCountEXT = void(VKAPI_PTR*)(
    VkCommandBuffer commandBuffer, VkFlags64 decompressionMethod, VkDeviceAddress indirectCommandsAddress,
    VkDeviceAddress indirectCommandsCountAddress, uint32_t maxDecompressionCount, uint32_t stride);
#endif
#ifndef VK_ARM_tensors
using PFN_vkCmdCopyTensorARM = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer, const void* pCopyTensorInfo);
#endif
#ifndef VK_ARM_data_graph
using PFN_vkCmdDispatchDataGraphARM = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer, uint64_t session,
                                                       const void* pInfo);
#endif
#ifndef VK_QCOM_tile_shading
struct VkDispatchTileInfoQCOM {
  VkStructureType sType;
  const void* pNext;
};
using PFN_vkCmdDispatchTileQCOM = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                   const VkDispatchTileInfoQCOM* pDispatchTileInfo);
#endif

#endif
