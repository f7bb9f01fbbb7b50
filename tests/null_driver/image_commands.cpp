// SPDX-License-Identifier: Apache-2.0
// Commands that copy, blit, resolve and clear images.
#include "tests/null_driver/commands.h"
#include "tests/null_driver/recorded.h"

namespace shaderqa::null_driver {
namespace {

uint64_t image(VkImage handle) { return reinterpret_cast<uint64_t>(handle); }

}  // namespace

// Records handles of images, which is enough to tell whether the arguments came in their order.
VKAPI_ATTR void VKAPI_CALL CmdCopyImage(VkCommandBuffer handle, VkImage from, VkImageLayout, VkImage to,
                                        VkImageLayout, uint32_t count, const VkImageCopy* regions) {
  Recorded(handle, "vkCmdCopyImage").with(image(from), image(to), count, regions[0].extent.width);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyImageToBuffer(VkCommandBuffer handle, VkImage from, VkImageLayout, VkBuffer,
                                                uint32_t count, const VkBufferImageCopy*) {
  Recorded(handle, "vkCmdCopyImageToBuffer").with(image(from), count);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyImageToBuffer2(VkCommandBuffer handle,
                                                 const VkCopyImageToBufferInfo2* info) {
  Recorded(handle, "vkCmdCopyImageToBuffer2").with(image(info->srcImage), info->regionCount);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyBufferToImage(VkCommandBuffer handle, VkBuffer, VkImage to, VkImageLayout,
                                                uint32_t count, const VkBufferImageCopy*) {
  Recorded(handle, "vkCmdCopyBufferToImage").with(image(to), count);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyBufferToImage2(VkCommandBuffer handle,
                                                 const VkCopyBufferToImageInfo2* info) {
  Recorded(handle, "vkCmdCopyBufferToImage2").with(image(info->dstImage), info->regionCount);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyImage2(VkCommandBuffer handle, const VkCopyImageInfo2* info) {
  Recorded(handle, "vkCmdCopyImage2").with(image(info->srcImage), image(info->dstImage), info->regionCount);
}

VKAPI_ATTR void VKAPI_CALL CmdBlitImage(VkCommandBuffer handle, VkImage from, VkImageLayout, VkImage to,
                                        VkImageLayout, uint32_t count, const VkImageBlit*, VkFilter filter) {
  Recorded(handle, "vkCmdBlitImage").with(image(from), image(to), count, filter);
}

VKAPI_ATTR void VKAPI_CALL CmdBlitImage2(VkCommandBuffer handle, const VkBlitImageInfo2* info) {
  Recorded(handle, "vkCmdBlitImage2")
      .with(image(info->srcImage), image(info->dstImage), info->regionCount, info->filter);
}

VKAPI_ATTR void VKAPI_CALL CmdResolveImage(VkCommandBuffer handle, VkImage from, VkImageLayout, VkImage to,
                                           VkImageLayout, uint32_t count, const VkImageResolve* regions) {
  Recorded(handle, "vkCmdResolveImage").with(image(from), image(to), count, regions[0].extent.width);
}

VKAPI_ATTR void VKAPI_CALL CmdResolveImage2(VkCommandBuffer handle, const VkResolveImageInfo2* info) {
  Recorded(handle, "vkCmdResolveImage2")
      .with(image(info->srcImage), image(info->dstImage), info->regionCount);
}

VKAPI_ATTR void VKAPI_CALL CmdClearColorImage(VkCommandBuffer handle, VkImage cleared, VkImageLayout,
                                              const VkClearColorValue* colour, uint32_t count,
                                              const VkImageSubresourceRange*) {
  Recorded(handle, "vkCmdClearColorImage").with(image(cleared), colour->uint32[0], count);
}

VKAPI_ATTR void VKAPI_CALL CmdClearDepthStencilImage(VkCommandBuffer handle, VkImage cleared, VkImageLayout,
                                                     const VkClearDepthStencilValue* value, uint32_t count,
                                                     const VkImageSubresourceRange*) {
  Recorded(handle, "vkCmdClearDepthStencilImage").with(image(cleared), value->stencil, count);
}

VKAPI_ATTR VkResult VKAPI_CALL CopyMemoryToImage(VkDevice, const VkCopyMemoryToImageInfo*) {
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CopyImageToMemory(VkDevice, const VkCopyImageToMemoryInfo*) {
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CopyImageToImage(VkDevice, const VkCopyImageToImageInfo*) {
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL TransitionImageLayout(VkDevice, uint32_t,
                                                     const VkHostImageLayoutTransitionInfo*) {
  return VK_SUCCESS;
}

}  // namespace shaderqa::null_driver
