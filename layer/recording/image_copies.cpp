// SPDX-License-Identifier: Apache-2.0
// Copies between buffers and images: the engine is told what they do to the buffer. How much that is follows
// from the image's format.
#include <span>

#include "layer/recording/image_accesses.h"
#include "layer/recording/layout_commands.h"
#include "layer/recording/transfers.h"
#include "layer/resources/object_facts.h"

namespace shaderqa::layer {
namespace {

VkBufferImageCopy2 newer(const VkBufferImageCopy2& region) { return region; }

VkBufferImageCopy2 newer(const VkBufferImageCopy& region) {
  VkBufferImageCopy2 copy{};
  copy.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2;
  copy.bufferOffset = region.bufferOffset;
  copy.bufferRowLength = region.bufferRowLength;
  copy.bufferImageHeight = region.bufferImageHeight;
  copy.imageSubresource = region.imageSubresource;
  copy.imageOffset = region.imageOffset;
  copy.imageExtent = region.imageExtent;
  return copy;
}

// From or to the address at `bufferOffset`.
VkBufferImageCopy2 newer(const VkDeviceMemoryImageCopyKHR& region) {
  VkBufferImageCopy2 copy{};
  copy.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2;
  copy.bufferOffset = region.addressRange.address;
  copy.bufferRowLength = region.addressRowLength;
  copy.bufferImageHeight = region.addressImageHeight;
  copy.imageSubresource = region.imageSubresource;
  copy.imageOffset = region.imageOffset;
  copy.imageExtent = region.imageExtent;
  return copy;
}

// buffer: none where regions have addresses.
template <typename Region>
struct ImageCopy {
  const char* command;
  VkImage image;
  VkImageLayout layout;
  VkBuffer buffer;
  bool to_buffer;
  uint32_t count;
  const Region* regions;
};

template <typename Region>
void describe(const Device& device, CommandAccesses& accesses, const ImageCopy<Region>& copy) {
  const ImageFacts* image = device.object_facts.images.find(copy.image);
  accesses.images = true;
  accesses.complete = image != nullptr;
  if (!image) return;
  if (!copy.buffer) {
    accesses.arguments = CommandArguments(HandleArgument(copy.image), copy.count);
  } else if (copy.to_buffer) {
    accesses.arguments =
        CommandArguments(HandleArgument(copy.image), HandleArgument(copy.buffer), copy.count);
  } else {
    accesses.arguments =
        CommandArguments(HandleArgument(copy.buffer), HandleArgument(copy.image), copy.count);
  }
  for (uint32_t i = 0; i < copy.count; ++i) {
    const VkBufferImageCopy2 region = newer(copy.regions[i]);
    const TexelBlock block = texel_block(image->format, region.imageSubresource.aspectMask);
    if (!block.bytes) {
      accesses.complete = false;
      continue;
    }
    uint32_t layers = region.imageSubresource.layerCount;
    if (layers == VK_REMAINING_ARRAY_LAYERS) layers = image->layers - region.imageSubresource.baseArrayLayer;
    add_box(device, accesses, copy.image, {region.imageSubresource, region.imageOffset, region.imageExtent},
            !copy.to_buffer);
    MemoryRange range = image_copy_range(region, layers, block);
    range.writes = copy.to_buffer;
    if (copy.buffer)
      accesses.add(device, copy.buffer, range);
    else
      accesses.add(device, range);
  }
}

// Each region names a layout of its own.
Device& before_addressed_copy(VkCommandBuffer command_buffer, const char* command,
                              const VkCopyDeviceMemoryImageInfoKHR& info, bool to_memory) noexcept {
  using Region = VkDeviceMemoryImageCopyKHR;
  with_recorder(command_buffer, [&](Device&, CommandRecorder& state) {
    for (const Region& region : std::span(info.pRegions, info.regionCount))
      LayoutCommand(state, command)
          .access(info.image, region.imageLayout, 1, &region, &Region::imageSubresource);
  });
  return before_transfer(command_buffer, command, [&](Device& device, CommandAccesses& accesses) {
    describe(device, accesses,
             ImageCopy<Region>{command, info.image, {}, {}, to_memory, info.regionCount, info.pRegions});
  });
}

template <typename Region>
Device& before_image_copy(VkCommandBuffer command_buffer, const ImageCopy<Region>& copy) noexcept {
  with_recorder(command_buffer, [&](Device&, CommandRecorder& state) {
    LayoutCommand(state, copy.command)
        .access(copy.image, copy.layout, copy.count, copy.regions, &Region::imageSubresource);
  });
  return before_transfer(command_buffer, copy.command, [&](Device& device, CommandAccesses& accesses) {
    describe(device, accesses, copy);
  });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyImageToBuffer(VkCommandBuffer commandBuffer, VkImage srcImage,
                                                       VkImageLayout srcImageLayout, VkBuffer dstBuffer,
                                                       uint32_t regionCount,
                                                       const VkBufferImageCopy* pRegions) {
  Device& device = before_image_copy(
      commandBuffer, ImageCopy<VkBufferImageCopy>{"vkCmdCopyImageToBuffer", srcImage, srcImageLayout,
                                                  dstBuffer, true, regionCount, pRegions});
  device.next.CmdCopyImageToBuffer(commandBuffer, srcImage, srcImageLayout, dstBuffer, regionCount, pRegions);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyImageToBuffer2(VkCommandBuffer commandBuffer,
                                                        const VkCopyImageToBufferInfo2* pInfo) {
  Device& device = before_image_copy(
      commandBuffer,
      ImageCopy<VkBufferImageCopy2>{"vkCmdCopyImageToBuffer2", pInfo->srcImage, pInfo->srcImageLayout,
                                    pInfo->dstBuffer, true, pInfo->regionCount, pInfo->pRegions});
  device.next.CmdCopyImageToBuffer2(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyBufferToImage(VkCommandBuffer commandBuffer, VkBuffer srcBuffer,
                                                       VkImage dstImage, VkImageLayout dstImageLayout,
                                                       uint32_t regionCount,
                                                       const VkBufferImageCopy* pRegions) {
  Device& device = before_image_copy(
      commandBuffer, ImageCopy<VkBufferImageCopy>{"vkCmdCopyBufferToImage", dstImage, dstImageLayout,
                                                  srcBuffer, false, regionCount, pRegions});
  device.next.CmdCopyBufferToImage(commandBuffer, srcBuffer, dstImage, dstImageLayout, regionCount, pRegions);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyBufferToImage2(VkCommandBuffer commandBuffer,
                                                        const VkCopyBufferToImageInfo2* pInfo) {
  Device& device = before_image_copy(
      commandBuffer,
      ImageCopy<VkBufferImageCopy2>{"vkCmdCopyBufferToImage2", pInfo->dstImage, pInfo->dstImageLayout,
                                    pInfo->srcBuffer, false, pInfo->regionCount, pInfo->pRegions});
  device.next.CmdCopyBufferToImage2(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyImageToMemoryKHR(VkCommandBuffer commandBuffer,
                                                          const VkCopyDeviceMemoryImageInfoKHR* pInfo) {
  Device& device = before_addressed_copy(commandBuffer, "vkCmdCopyImageToMemoryKHR", *pInfo, true);
  device.next.CmdCopyImageToMemoryKHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyMemoryToImageKHR(VkCommandBuffer commandBuffer,
                                                          const VkCopyDeviceMemoryImageInfoKHR* pInfo) {
  Device& device = before_addressed_copy(commandBuffer, "vkCmdCopyMemoryToImageKHR", *pInfo, false);
  device.next.CmdCopyMemoryToImageKHR(commandBuffer, pInfo);
}

}  // namespace shaderqa::layer
