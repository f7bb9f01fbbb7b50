// SPDX-License-Identifier: Apache-2.0
// Copies of images by the host: they name layouts, and change them, at once. All work of the device on the
// image is over by then.
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/recording/layout_commands.h"
#include "layer/recording/layout_replay.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

template <typename Region>
void name_layouts(Device& device, const char* command, VkImage image, VkImageLayout layout, uint32_t count,
                  const Region* regions, VkImageSubresourceLayers Region::*subresource) {
  for (uint32_t i = 0; i < count; ++i)
    host_names_layout(device, command, image, range_of(regions[i].*subresource), layout);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL
hooks::CopyMemoryToImage(VkDevice handle, const VkCopyMemoryToImageInfo* pCopyMemoryToImageInfo) {
  Device& device = device_of(handle);
  const VkCopyMemoryToImageInfo& info = *pCopyMemoryToImageInfo;
  guarded([&] {
    name_layouts(device, "vkCopyMemoryToImage", info.dstImage, info.dstImageLayout, info.regionCount,
                 info.pRegions, &VkMemoryToImageCopy::imageSubresource);
  });
  return device.next.CopyMemoryToImage(handle, pCopyMemoryToImageInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL
hooks::CopyImageToMemory(VkDevice handle, const VkCopyImageToMemoryInfo* pCopyImageToMemoryInfo) {
  Device& device = device_of(handle);
  const VkCopyImageToMemoryInfo& info = *pCopyImageToMemoryInfo;
  guarded([&] {
    name_layouts(device, "vkCopyImageToMemory", info.srcImage, info.srcImageLayout, info.regionCount,
                 info.pRegions, &VkImageToMemoryCopy::imageSubresource);
  });
  return device.next.CopyImageToMemory(handle, pCopyImageToMemoryInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CopyImageToImage(VkDevice handle,
                                                       const VkCopyImageToImageInfo* pCopyImageToImageInfo) {
  Device& device = device_of(handle);
  const VkCopyImageToImageInfo& info = *pCopyImageToImageInfo;
  guarded([&] {
    name_layouts(device, "vkCopyImageToImage", info.srcImage, info.srcImageLayout, info.regionCount,
                 info.pRegions, &VkImageCopy2::srcSubresource);
    name_layouts(device, "vkCopyImageToImage", info.dstImage, info.dstImageLayout, info.regionCount,
                 info.pRegions, &VkImageCopy2::dstSubresource);
  });
  return device.next.CopyImageToImage(handle, pCopyImageToImageInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::TransitionImageLayout(
    VkDevice handle, uint32_t transitionCount, const VkHostImageLayoutTransitionInfo* pTransitions) {
  Device& device = device_of(handle);
  const char* const command = "vkTransitionImageLayout";
  guarded([&] {
    for (uint32_t i = 0; i < transitionCount; ++i) {
      const VkHostImageLayoutTransitionInfo& one = pTransitions[i];
      if (one.oldLayout != VK_IMAGE_LAYOUT_UNDEFINED && one.oldLayout != one.newLayout)
        host_names_layout(device, command, one.image, one.subresourceRange, one.oldLayout, true);
    }
  });
  const VkResult result = device.next.TransitionImageLayout(handle, transitionCount, pTransitions);
  if (result != VK_SUCCESS) return result;
  guarded([&] {
    for (uint32_t i = 0; i < transitionCount; ++i) {
      const VkHostImageLayoutTransitionInfo& one = pTransitions[i];
      host_changes_layout(device, command, one.image, one.subresourceRange, one.newLayout);
    }
  });
  return result;
}

}  // namespace shaderqa::layer
