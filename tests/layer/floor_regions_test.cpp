// SPDX-License-Identifier: Apache-2.0
// With the exact engine: as many ranges as floors tell apart.
#include <memory>
#include <string>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_order.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkDeviceSize kBytesOfImage = 4096;

class FloorRegions : public CommandTest {
 protected:
  FloorRegions() : CommandTest({}, host_visible(), "exact", {{"SHADERQA_SYNC_IMAGES", "1"}}) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = kBytesOfImage * SQA_SPACE_REGIONS;
    check(vk().vkAllocateMemory(device().handle, &info, nullptr, &memory_), "vkAllocateMemory");
    const VkImageCreateInfo image = plain_image(VK_IMAGE_USAGE_STORAGE_BIT);
    for (uint32_t i = 0; i < SQA_SPACE_REGIONS; ++i) {
      check(vk().vkCreateImage(device().handle, &image, nullptr, &images_.emplace_back()), "vkCreateImage");
      check(vk().vkBindImageMemory(device().handle, images_.back(), memory_, kBytesOfImage * i),
            "vkBindImageMemory");
      buffers_.push_back(std::make_unique<BoundBuffer>(device(), 256));
    }
  }
  void TearDown() override {
    for (const VkImage image : images_) vk().vkDestroyImage(device().handle, image, nullptr);
    vk().vkFreeMemory(device().handle, memory_, nullptr);
    buffers_.clear();
    CommandTest::TearDown();
  }
  void barrier_of(VkCommandBuffer commands, uint32_t i) {
    VkBufferMemoryBarrier buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    buffer.buffer = buffers_[i]->handle;
    buffer.size = VK_WHOLE_SIZE;
    VkImageMemoryBarrier image{};
    image.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    image.oldLayout = image.newLayout = kLayout;
    image.image = images_[i];
    image.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    buffer.srcAccessMask = image.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    buffer.dstAccessMask = image.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 1, &buffer, 1, &image);
  }

  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkImage> images_;
  std::vector<std::unique_ptr<BoundBuffer>> buffers_;
};

TEST_F(FloorRegions, OfManyImagesAndBuffersHaveRoomInTheMemoryOfRecords) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  for (uint32_t i = 0; i < SQA_SPACE_REGIONS; ++i) barrier_of(commands, i);
  dispatch(commands);
  end(commands);
  ASSERT_EQ(records().size(), 2u);
  EXPECT_EQ(*reinterpret_cast<const uint32_t*>(address_at(records()[1], SQA_ACTION_FLOORS)), SQA_MAX_REGIONS);
  EXPECT_EQ(notes_about("memory"), std::vector<std::string>{});
}

}  // namespace
}  // namespace shaderqa::layer_tests
