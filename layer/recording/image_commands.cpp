// SPDX-License-Identifier: Apache-2.0
// Commands that access images, which are not followed: barriers around them are not
// judged (docs/internals/redundant.md).
#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {
namespace {

Device& uses_images(VkCommandBuffer command_buffer) {
  return with_recorder(command_buffer, [](Device&, CommandRecorder& state) {
    state.use_memory(VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, kUsesImages);
  });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyImage(VkCommandBuffer commandBuffer, VkImage srcImage,
                                               VkImageLayout srcImageLayout, VkImage dstImage,
                                               VkImageLayout dstImageLayout, uint32_t regionCount,
                                               const VkImageCopy* pRegions) {
  Device& device = uses_images(commandBuffer);
  device.next.CmdCopyImage(commandBuffer, srcImage, srcImageLayout, dstImage, dstImageLayout, regionCount,
                           pRegions);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyImage2(VkCommandBuffer commandBuffer,
                                                const VkCopyImageInfo2* pCopyImageInfo) {
  Device& device = uses_images(commandBuffer);
  device.next.CmdCopyImage2(commandBuffer, pCopyImageInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBlitImage(VkCommandBuffer commandBuffer, VkImage srcImage,
                                               VkImageLayout srcImageLayout, VkImage dstImage,
                                               VkImageLayout dstImageLayout, uint32_t regionCount,
                                               const VkImageBlit* pRegions, VkFilter filter) {
  Device& device = uses_images(commandBuffer);
  device.next.CmdBlitImage(commandBuffer, srcImage, srcImageLayout, dstImage, dstImageLayout, regionCount,
                           pRegions, filter);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBlitImage2(VkCommandBuffer commandBuffer,
                                                const VkBlitImageInfo2* pBlitImageInfo) {
  Device& device = uses_images(commandBuffer);
  device.next.CmdBlitImage2(commandBuffer, pBlitImageInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdResolveImage(VkCommandBuffer commandBuffer, VkImage srcImage,
                                                  VkImageLayout srcImageLayout, VkImage dstImage,
                                                  VkImageLayout dstImageLayout, uint32_t regionCount,
                                                  const VkImageResolve* pRegions) {
  Device& device = uses_images(commandBuffer);
  device.next.CmdResolveImage(commandBuffer, srcImage, srcImageLayout, dstImage, dstImageLayout, regionCount,
                              pRegions);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdResolveImage2(VkCommandBuffer commandBuffer,
                                                   const VkResolveImageInfo2* pResolveImageInfo) {
  Device& device = uses_images(commandBuffer);
  device.next.CmdResolveImage2(commandBuffer, pResolveImageInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdClearColorImage(VkCommandBuffer commandBuffer, VkImage image,
                                                     VkImageLayout imageLayout,
                                                     const VkClearColorValue* pColor, uint32_t rangeCount,
                                                     const VkImageSubresourceRange* pRanges) {
  Device& device = uses_images(commandBuffer);
  device.next.CmdClearColorImage(commandBuffer, image, imageLayout, pColor, rangeCount, pRanges);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdClearDepthStencilImage(VkCommandBuffer commandBuffer, VkImage image,
                                                            VkImageLayout imageLayout,
                                                            const VkClearDepthStencilValue* pDepthStencil,
                                                            uint32_t rangeCount,
                                                            const VkImageSubresourceRange* pRanges) {
  Device& device = uses_images(commandBuffer);
  device.next.CmdClearDepthStencilImage(commandBuffer, image, imageLayout, pDepthStencil, rangeCount,
                                        pRanges);
}

}  // namespace shaderqa::layer
