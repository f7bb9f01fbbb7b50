// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what copies between buffers and images are taken to do to the buffer.
#include <algorithm>
#include <optional>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class ImageCopies : public CommandTest {
 protected:
  ImageCopies() : CommandTest({}, {}, "exact") {
    target_.emplace(device(), 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  }
  void TearDown() override {
    for (const VkImage image : images_) vk().vkDestroyImage(device().handle, image, nullptr);
    target_.reset();
    CommandTest::TearDown();
  }

  VkImage image(VkFormat format, uint32_t layers = 1) {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {16, 16, 1};
    info.mipLevels = 1;
    info.arrayLayers = layers;
    VkImage made = VK_NULL_HANDLE;
    check(vk().vkCreateImage(device().handle, &info, nullptr, &made), "vkCreateImage");
    images_.push_back(made);
    return made;
  }
  static VkBufferImageCopy region(VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
    VkBufferImageCopy copy{};
    copy.bufferOffset = 256;
    copy.imageSubresource = {aspect, 0, 0, 1};
    copy.imageExtent = {4, 2, 1};
    return copy;
  }
  static VkBufferImageCopy2 newer(const VkBufferImageCopy& region) {
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

  enum class Way { to_buffer, to_image, to_buffer2, to_image2 };
  // What a copy is entered as; both generations of the command do the same.
  std::vector<EnteredRange> entered_by(Way way, VkImage image,
                                       const std::vector<VkBufferImageCopy>& regions) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);  // so that there is a record, which entered() looks at
    const auto count = static_cast<uint32_t>(regions.size());
    std::vector<VkBufferImageCopy2> newer_ones;
    for (const VkBufferImageCopy& one : regions) newer_ones.push_back(newer(one));
    constexpr VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
    VkCopyImageToBufferInfo2 to_buffer{};
    to_buffer.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2;
    to_buffer.srcImage = image;
    to_buffer.srcImageLayout = layout;
    to_buffer.dstBuffer = target_->handle;
    to_buffer.regionCount = count;
    to_buffer.pRegions = newer_ones.data();
    VkCopyBufferToImageInfo2 to_image{};
    to_image.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2;
    to_image.dstImage = image;
    to_image.dstImageLayout = layout;
    to_image.srcBuffer = target_->handle;
    to_image.regionCount = count;
    to_image.pRegions = newer_ones.data();
    switch (way) {
      case Way::to_buffer:
        vk().vkCmdCopyImageToBuffer(commands, image, layout, target_->handle, count, regions.data());
        break;
      case Way::to_image:
        vk().vkCmdCopyBufferToImage(commands, target_->handle, image, layout, count, regions.data());
        break;
      case Way::to_buffer2:
        vk().vkCmdCopyImageToBuffer2(commands, &to_buffer);
        break;
      case Way::to_image2:
        vk().vkCmdCopyBufferToImage2(commands, &to_image);
        break;
    }
    end(commands);
    EXPECT_EQ(std::ranges::count(stream_of(commands), way == Way::to_buffer    ? "CmdCopyImageToBuffer"
                                                      : way == Way::to_image   ? "CmdCopyBufferToImage"
                                                      : way == Way::to_buffer2 ? "CmdCopyImageToBuffer2"
                                                                               : "CmdCopyBufferToImage2"),
              1);
    const auto dispatches = entered(commands);
    EXPECT_LE(dispatches.size(), 1u);
    return dispatches.empty() ? std::vector<EnteredRange>{} : dispatches[0];
  }
  EnteredRange rows(uint64_t offset, uint32_t bytes, uint32_t rows, uint64_t pitch, bool writes) const {
    EnteredRange range;
    range.address = target_->address + offset;
    range.bytes = bytes;
    range.rows = rows;
    range.pitch = pitch;
    range.writes = writes;
    return range;
  }
  using Ranges = std::vector<EnteredRange>;

  std::optional<BoundBuffer> target_;
  std::vector<VkImage> images_;
};

TEST_F(ImageCopies, WriteTheBufferOrReadIt) {
  const VkImage colours = image(VK_FORMAT_R8G8B8A8_UNORM);
  for (const auto& [way, writes] : {std::pair{Way::to_buffer, true},
                                    {Way::to_buffer2, true},
                                    {Way::to_image, false},
                                    {Way::to_image2, false}})
    EXPECT_EQ(entered_by(way, colours, {region()}), (Ranges{rows(256, 32, 1, 0, writes)}));
}

TEST_F(ImageCopies, HaveRowsAndLayersAsTheRegionSays) {
  const VkImage colours = image(VK_FORMAT_R8G8B8A8_UNORM, 6);
  VkBufferImageCopy apart = region();
  apart.bufferRowLength = 8;
  apart.bufferImageHeight = 2;
  for (const Way way : {Way::to_buffer, Way::to_buffer2})
    EXPECT_EQ(entered_by(way, colours, {apart}), (Ranges{rows(256, 16, 2, 32, true)}));
  VkBufferImageCopy layers = region();
  layers.imageSubresource.baseArrayLayer = 2;
  layers.imageSubresource.layerCount = 3;
  EXPECT_EQ(entered_by(Way::to_image, colours, {layers}), (Ranges{rows(256, 96, 1, 0, false)}));
  layers.imageSubresource.layerCount = VK_REMAINING_ARRAY_LAYERS;
  EXPECT_EQ(entered_by(Way::to_image, colours, {layers}), (Ranges{rows(256, 128, 1, 0, false)}))
      << "four are left";
}

TEST_F(ImageCopies, HaveTheSizeOfTheFormatsAspect) {
  const VkImage depth = image(VK_FORMAT_D16_UNORM_S8_UINT), blocks = image(VK_FORMAT_BC1_RGB_UNORM_BLOCK);
  EXPECT_EQ(entered_by(Way::to_buffer, depth, {region(VK_IMAGE_ASPECT_DEPTH_BIT)}),
            (Ranges{rows(256, 16, 1, 0, true)}));
  EXPECT_EQ(entered_by(Way::to_buffer, depth, {region(VK_IMAGE_ASPECT_STENCIL_BIT)}),
            (Ranges{rows(256, 8, 1, 0, true)}));
  EXPECT_EQ(entered_by(Way::to_buffer, blocks, {region()}), (Ranges{rows(256, 8, 1, 0, true)}));
  const VkImage unknown = image(VK_FORMAT_ASTC_4x4_UNORM_BLOCK);
  VkBufferImageCopy second = region();
  second.bufferOffset = 512;
  EXPECT_EQ(entered_by(Way::to_buffer, unknown, {region(), second}), Ranges{});
}

TEST_F(ImageCopies, OfSeveralRegionsTouchEach) {
  const VkImage colours = image(VK_FORMAT_R16_SFLOAT);
  VkBufferImageCopy second = region();
  second.bufferOffset = 1024;
  second.imageExtent = {3, 1, 1};
  for (const Way way : {Way::to_buffer, Way::to_buffer2})
    EXPECT_EQ(entered_by(way, colours, {region(), second}),
              (Ranges{rows(256, 16, 1, 0, true), rows(1024, 6, 1, 0, true)}));
}

}  // namespace
}  // namespace shaderqa::layer_tests
