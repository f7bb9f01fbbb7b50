// SPDX-License-Identifier: Apache-2.0
// A program with images whose texels are followed.
#ifndef SHADERQA_TESTS_LAYER_IMAGES_KIT_H
#define SHADERQA_TESTS_LAYER_IMAGES_KIT_H

#include <string>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {

constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkImageSubresourceRange kWhole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                            VK_REMAINING_ARRAY_LAYERS};
constexpr uint32_t kSide = 16;
// Words of the first level, with those of last accesses.
constexpr uint32_t kFirstLevel = kSide * kSide + 4 * SQA_LAST_WORDS;

inline DeviceOptions with_extensions(std::vector<const char*> extensions) {
  DeviceOptions options;
  options.extensions = std::move(extensions);
  return options;
}

class Images : public CommandTest {
 protected:
  explicit Images(const char* wanted = "1", const char* actions = "",
                  std::vector<const char*> extensions = {})
      : CommandTest(with_extensions(std::move(extensions)), host_visible(), "exact",
                    {{"SHADERQA_SYNC_IMAGES", wanted}, {"SHADERQA_ACTIONS", actions}}) {
    memory_ = allocate_memory();
  }
  void TearDown() override {
    for (const VkImageView view : views_) vk().vkDestroyImageView(device().handle, view, nullptr);
    for (const VkImage image : images_) vk().vkDestroyImage(device().handle, image, nullptr);
    vk().vkFreeMemory(device().handle, memory_, nullptr);
    CommandTest::TearDown();
  }

  VkDeviceMemory allocate_memory(VkDeviceSize size = 64 * 1024) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = size;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    check(vk().vkAllocateMemory(device().handle, &info, nullptr, &memory), "vkAllocateMemory");
    return memory;
  }
  VkImage create_image(uint32_t levels = 1, uint32_t side = kSide) {
    VkImageCreateInfo info = plain_image(VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, side);
    info.mipLevels = levels;
    images_.emplace_back();
    check(vk().vkCreateImage(device().handle, &info, nullptr, &images_.back()), "vkCreateImage");
    return images_.back();
  }
  VkImage bound_image(VkDeviceSize offset = 0, uint32_t levels = 1) {
    const VkImage image = create_image(levels);
    check(vk().vkBindImageMemory(device().handle, image, memory_, offset), "vkBindImageMemory");
    return image;
  }
  // In the memory of bound images.
  VkBuffer small_buffer(VkDeviceSize offset) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 64;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    check(vk().vkCreateBuffer(device().handle, &info, nullptr, &buffer), "vkCreateBuffer");
    check(vk().vkBindBufferMemory(device().handle, buffer, memory_, offset), "vkBindBufferMemory");
    return buffer;
  }
  void destroy_last_image() {
    vk().vkDestroyImage(device().handle, images_.back(), nullptr);
    images_.pop_back();
  }
  VkImageView create_view(VkImage image, uint32_t level = 0) {
    VkImageViewCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    info.image = image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = VK_FORMAT_R32_UINT;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, 1};
    views_.emplace_back();
    check(vk().vkCreateImageView(device().handle, &info, nullptr, &views_.back()), "vkCreateImageView");
    return views_.back();
  }
  void write_views(const OneSet& set, const std::vector<VkImageView>& views) {
    std::vector<VkDescriptorImageInfo> infos;
    for (const VkImageView view : views) infos.push_back({VK_NULL_HANDLE, view, kLayout});
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set.handle;
    write.descriptorCount = static_cast<uint32_t>(infos.size());
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    write.pImageInfo = infos.data();
    vk().vkUpdateDescriptorSets(device().handle, 1, &write, 0, nullptr);
  }
  void clear(VkCommandBuffer commands, VkImage image, const VkImageSubresourceRange& range = kWhole) {
    const VkClearColorValue colour{};
    vk().vkCmdClearColorImage(commands, image, kLayout, &colour, 1, &range);
  }
  void image_barrier(VkCommandBuffer commands, VkImage image, VkAccessFlags made = 0, VkAccessFlags seen = 0,
                     VkImageLayout before = kLayout) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.srcAccessMask = made;
    barrier.dstAccessMask = seen;
    barrier.oldLayout = before;
    barrier.newLayout = kLayout;
    barrier.image = image;
    barrier.subresourceRange = kWhole;
    vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
  }
  // Where its words begin.
  uint64_t address_of(VkImage image) {
    const VkCommandBuffer commands = begin();
    clear(commands, image);
    end(commands);
    return entered(commands).at(0)[0].address;
  }
  static size_t count(VkCommandBuffer commands, const std::string& command) {
    size_t found = 0;
    for (const std::string& text : stream_of(commands)) found += text == command ? 1 : 0;
    return found;
  }
  static constexpr const char* kEntered = "CmdDispatchBase";
  static const uint32_t* record_of(const TableEntry& entry) {
    const auto& engine =
        *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
    const auto blocks = reinterpret_cast<const uint64_t*>(engine.image_views_address);
    const uint32_t number = entry.meta >> SQA_TABLE_VIEW_SHIFT;
    return reinterpret_cast<const uint32_t*>(blocks[number >> SQA_IMAGE_BLOCK_VIEWS_LOG2]) +
           (number & (SQA_IMAGE_BLOCK_VIEWS - 1)) * SQA_IMAGE_VIEW_DWORDS;
  }

  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkImage> images_;
  std::vector<VkImageView> views_;
};

}  // namespace shaderqa::layer_tests
#endif
