// SPDX-License-Identifier: Apache-2.0
// Steps of copies, fills and query results.
#include "sync_steps.h"

namespace sync_cases {

using kit::check;

Step fill_part(uint32_t buffer, VkDeviceSize offset, VkDeviceSize size, uint32_t value) {
  return {[=](Context& context) {
    vkCmdFillBuffer(context.commands(), context.buffers[buffer].handle, offset, size, value);
  }};
}

Step update_buffer(uint32_t buffer, VkDeviceSize offset, std::vector<uint32_t> words) {
  return {[=](Context& context) {
    vkCmdUpdateBuffer(context.commands(), context.buffers[buffer].handle, offset, words.size() * 4,
                      words.data());
  }};
}

Step copy_buffer(uint32_t from, uint32_t to, std::vector<VkBufferCopy> regions) {
  return {[=](Context& context) {
    vkCmdCopyBuffer(context.commands(), context.buffers[from].handle, context.buffers[to].handle,
                    static_cast<uint32_t>(regions.size()), regions.data());
  }};
}

Step copy_buffer2(uint32_t from, uint32_t to) {
  return {[=](Context& context) {
    VkBufferCopy2 region{};
    region.sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2;
    region.size = 1024;
    VkCopyBufferInfo2 info{};
    info.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2;
    info.srcBuffer = context.buffers[from].handle;
    info.dstBuffer = context.buffers[to].handle;
    info.regionCount = 1;
    info.pRegions = &region;
    vkCmdCopyBuffer2(context.commands(), &info);
  }};
}

namespace {

constexpr VkImageSubresourceRange kColour = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;

void image_barrier(Context& context, VkImage image, VkImageLayout from, VkPipelineStageFlags before) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = from == VK_IMAGE_LAYOUT_UNDEFINED ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = kColour;
  vkCmdPipelineBarrier(context.commands(), before, kTransfer, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

// Cleared, and ready for copies.
VkImage make_image(Context& context) {
  const kit::Image image = context.device.image(
      VK_FORMAT_R8G8B8A8_UNORM, {8, 8},
      VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
      VK_IMAGE_ASPECT_COLOR_BIT);
  image_barrier(context, image.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
  const VkClearColorValue colour{};
  vkCmdClearColorImage(context.commands(), image.handle, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &kColour);
  image_barrier(context, image.handle, VK_IMAGE_LAYOUT_GENERAL, kTransfer);
  return image.handle;
}

VkBufferImageCopy2 image_region() {
  VkBufferImageCopy2 region{};
  region.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2;
  region.bufferRowLength = 16;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {8, 8, 1};
  return region;
}

VkBufferImageCopy older(const VkBufferImageCopy2& region) {
  return {region.bufferOffset,     region.bufferRowLength, region.bufferImageHeight,
          region.imageSubresource, region.imageOffset,     region.imageExtent};
}

}  // namespace

Step copy_from_image(uint32_t buffer, bool by_2) {
  return {[=](Context& context) {
    const VkImage image = make_image(context);
    const VkBuffer into = context.buffers[buffer].handle;
    const VkBufferImageCopy2 region = image_region();
    if (by_2) {
      VkCopyImageToBufferInfo2 info{};
      info.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2;
      info.srcImage = image;
      info.srcImageLayout = VK_IMAGE_LAYOUT_GENERAL;
      info.dstBuffer = into;
      info.regionCount = 1;
      info.pRegions = &region;
      return vkCmdCopyImageToBuffer2(context.commands(), &info);
    }
    const VkBufferImageCopy copy = older(region);
    vkCmdCopyImageToBuffer(context.commands(), image, VK_IMAGE_LAYOUT_GENERAL, into, 1, &copy);
  }};
}

Step copy_to_image(uint32_t buffer, bool by_2) {
  return {[=](Context& context) {
    const VkImage image = make_image(context);
    const VkBuffer from = context.buffers[buffer].handle;
    const VkBufferImageCopy2 region = image_region();
    if (by_2) {
      VkCopyBufferToImageInfo2 info{};
      info.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2;
      info.srcBuffer = from;
      info.dstImage = image;
      info.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL;
      info.regionCount = 1;
      info.pRegions = &region;
      return vkCmdCopyBufferToImage2(context.commands(), &info);
    }
    const VkBufferImageCopy copy = older(region);
    vkCmdCopyBufferToImage(context.commands(), from, image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  }};
}

Step copy_query_results(uint32_t buffer, uint32_t queries) {
  return {[=](Context& context) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_OCCLUSION;
    info.queryCount = queries;
    VkQueryPool pool = VK_NULL_HANDLE;
    check(vkCreateQueryPool(context.device.handle, &info, nullptr, &pool), "vkCreateQueryPool");
    context.device.later(
        [device = context.device.handle, pool] { vkDestroyQueryPool(device, pool, nullptr); });
    vkCmdResetQueryPool(context.commands(), pool, 0, queries);
    for (uint32_t i = 0; i < queries; ++i) {
      vkCmdBeginQuery(context.commands(), pool, i, 0);
      vkCmdEndQuery(context.commands(), pool, i);
    }
    vkCmdCopyQueryPoolResults(context.commands(), pool, 0, queries, context.buffers[buffer].handle, 0, 16,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  }};
}

}  // namespace sync_cases
