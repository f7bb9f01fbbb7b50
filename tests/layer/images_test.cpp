// SPDX-License-Identifier: Apache-2.0
// With sync_images: descriptors lead to the records of views, commands enter texels, and what is wrong,
// refused or gone is left alone.
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_order.h"
#include "tests/layer/images_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr uint32_t kSlots = 37;  // of no other table
const std::vector<BindingOptions> kBindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kSlots, 0, {}}};

TEST_F(Images, DescriptorsLeadToTheRecordsOfTheirViews) {
  const VkImage image = bound_image(0, 2), other = bound_image(8192);
  const OneSet set(device(), kBindings);
  write_views(set, {create_view(image), create_view(image, 1), create_view(other), VK_NULL_HANDLE});
  checked_commands();
  const std::vector<TableEntry> table = find_table(device(), kSlots);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(table[i].meta & SQA_TABLE_IMAGE) << i;
    EXPECT_TRUE(abi::is_image_address(table[i].address)) << i;
    const uint32_t* record = record_of(table[i]);
    EXPECT_EQ(record[0] | uint64_t{record[1]} << 32, table[i].address) << i;
    EXPECT_EQ(record[2], 1u) << i;
    EXPECT_EQ(record[5], i == 1 ? kSide / 2 : kSide) << i;
  }
  EXPECT_EQ(table[0].address, table[1].address) << "it is the image's";
  EXPECT_EQ(record_of(table[0])[4], 0u);
  EXPECT_EQ(record_of(table[1])[4], kFirstLevel) << "the second level's words are behind the first one's";
  EXPECT_GE(table[2].address, table[0].address + table[0].range);
  EXPECT_EQ(table[3], TableEntry());
  EXPECT_EQ(table[4], TableEntry());
}

TEST_F(Images, AViewThatIsGoneOrOfNothingIsInNoTable) {
  const VkImageView gone = create_view(bound_image());
  vk().vkDestroyImageView(device().handle, gone, nullptr);
  views_.pop_back();
  const VkImageView of_unbound = create_view(create_image());
  const OneSet set(device(), kBindings);
  write_views(set, {gone, of_unbound, reinterpret_cast<VkImageView>(uint64_t{0x123450})});
  const std::vector<TableEntry> table = find_table(device(), kSlots);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(table[i], TableEntry()) << i;
}

TEST_F(Images, ClearsEnterTheWordsOfTheirSubresources) {
  const VkImage image = bound_image(0, 2);
  const OneSet set(device(), kBindings);
  write_views(set, {create_view(image)});
  checked_commands();
  const uint64_t address = find_table(device(), kSlots)[0].address;
  const VkCommandBuffer commands = begin();
  clear(commands, image, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, 1});
  end(commands);
  const auto ranges = entered(commands);
  ASSERT_EQ(ranges.size(), 1u);
  ASSERT_EQ(ranges[0].size(), 2u) << "those of last accesses, too";
  EXPECT_EQ(ranges[0][0].address, address + kFirstLevel * 4);
  EXPECT_EQ(uint64_t{ranges[0][0].bytes} * ranges[0][0].rows, kSide / 2 * kSide / 2 * 4);
  EXPECT_TRUE(ranges[0][0].writes);
  EXPECT_EQ(ranges[0][1].address, ranges[0][0].address + kSide / 2 * kSide / 2 * 4);
  EXPECT_EQ(ranges[0][1].bytes, SQA_LAST_WORDS * 4);
  EXPECT_TRUE(ranges[0][1].writes);
}

// Shaders check some texels of large images that only layout transitions write.
TEST_F(Images, LargeOnesAreSparseUntilSomethingElseWrites) {
  const VkImage large = create_image(1, 256), small = create_image();
  const VkDeviceMemory other = allocate_memory(256 * 256 * 4);
  check(vk().vkBindImageMemory(device().handle, large, other, 0), "vkBindImageMemory");
  check(vk().vkBindImageMemory(device().handle, small, memory_, 0), "vkBindImageMemory");
  // The pipeline writes through the first slot.
  const OneSet set(device(), kBindings);
  write_views(set, {VK_NULL_HANDLE, create_view(large), create_view(small)});
  const auto recorded = [&] {
    const VkCommandBuffer commands = begin();
    for (const VkImage image : {large, small}) {
      VkImageMemoryBarrier barrier{};
      barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
      barrier.newLayout = kLayout;
      barrier.image = image;
      barrier.subresourceRange = kWhole;
      vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 0, nullptr, 1,
                                &barrier);
    }
    bind(commands);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set.handle, 0,
                                 nullptr);
    dispatch(commands);
    end(commands);
    return commands;
  };
  const uint32_t of_large = 1u << sqa_layout_bit(0, 1), of_small = 1u << sqa_layout_bit(0, 2);
  const VkCommandBuffer commands = recorded();
  const uint32_t* const record = records().back();
  EXPECT_EQ(record[SQA_ACTION_DENSE], of_small);
  EXPECT_EQ(record[SQA_ACTION_WATCHED] & 6, 6u) << "transitions are writes";
  submit({commands});
  EXPECT_EQ(record[SQA_ACTION_DENSE], of_small);
  const VkCommandBuffer clears = begin();
  clear(clears, large);
  end(clears);
  submit({clears, commands});
  EXPECT_EQ(record[SQA_ACTION_DENSE], of_small | of_large);
  recorded();
  EXPECT_EQ(records().back()[SQA_ACTION_DENSE], of_small | of_large) << "known when it is recorded";
  vk().vkFreeMemory(device().handle, other, nullptr);
}

// Records say where the records of single storage images are, and which workgroups check reads of sparse
// ones.
class DirectImages : public Images {
 protected:
  DirectImages() {
    const std::vector<BindingOptions> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, 0, {}},
                                               {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, 0, {}},
                                               {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, 0, {}}};
    set_.emplace(device(), bindings);
    own_set_layout_ = create_set_layout(device(), bindings);
    own_layout_ = create_pipeline_layout(device(), {own_set_layout_});
    own_pipeline_ = create_compute_with(device(), shaders::accesses_comp, own_layout_);
  }
  void TearDown() override {
    vk().vkDestroyPipeline(device().handle, own_pipeline_, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, own_layout_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, own_set_layout_, nullptr);
    set_.reset();
    Images::TearDown();
  }
  const uint32_t* record_of_dispatch(uint32_t x, uint32_t y, uint32_t z) {
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, own_pipeline_);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, own_layout_, 0, 1, &set_->handle,
                                 0, nullptr);
    vk().vkCmdDispatch(commands, x, y, z);
    end(commands);
    return records().back();
  }
  // Behind that of the buffer.
  static bool is_alone(const uint32_t* record, uint32_t image) {
    const uint32_t* const direct = record + SQA_ACTION_DIRECT + (1 + image) * SQA_DIRECT_DWORDS;
    EXPECT_EQ(direct[4] | direct[5], 0u) << image << " has no cells of buffers";
    const uint32_t others = SQA_REACH_SLOTS & ~(2u << image);
    return (direct[SQA_DIRECT_REACH] & (others | SQA_REACH_TEXEL)) == 0;
  }

  std::optional<OneSet> set_;
  VkDescriptorSetLayout own_set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout own_layout_ = VK_NULL_HANDLE;
  VkPipeline own_pipeline_ = VK_NULL_HANDLE;
};

TEST_F(DirectImages, AreFoundByTheAddressOfTheirViewsRecord) {
  const VkImage image = bound_image(0, 2), other = bound_image(8192);
  write_views(*set_, {create_view(image), create_view(other)});
  const uint32_t* const record = record_of_dispatch(4, 4, 1);
  const std::vector<TableEntry> table = find_table(device(), 3);
  for (uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(address_at(record, SQA_ACTION_DIRECT + (1 + i) * SQA_DIRECT_DWORDS),
              reinterpret_cast<uintptr_t>(record_of(table[i])))
        << i;
    EXPECT_TRUE(is_alone(record, i)) << i;
    EXPECT_FALSE(is_alone(record_of_dispatch(4, 4, 2), i)) << "x and y do not tell invocations apart";
  }
  write_views(*set_, {create_view(image), create_view(image, 1)});
  EXPECT_FALSE(is_alone(record_of_dispatch(4, 4, 1), 0)) << "another descriptor is of the same image";
}

TEST_F(DirectImages, AreReadBySomeOfManyWorkgroups) {
  write_views(*set_, {create_view(bound_image())});
  EXPECT_EQ(record_of_dispatch(7, 9, 1)[SQA_ACTION_SPARSE_PLACES], 0u);
  EXPECT_EQ(record_of_dispatch(8, 4, 2)[SQA_ACTION_SPARSE_PLACES], 15u);
  EXPECT_EQ(record_of_dispatch(1023, 1, 1)[SQA_ACTION_SPARSE_PLACES], 15u);
  EXPECT_EQ(record_of_dispatch(32, 32, 1)[SQA_ACTION_SPARSE_PLACES], 63u);
}

// A transfer of ownership has two barriers and one transition.
TEST_F(Images, TheLayoutChangesWhereTheImageIsAcquired) {
  const VkImage image = bound_image();
  checked_commands();
  const auto entered_by = [&](uint32_t from, uint32_t to, VkImageLayout old_layout) {
    const VkCommandBuffer commands = begin();
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.oldLayout = old_layout;
    barrier.newLayout = kLayout;
    barrier.srcQueueFamilyIndex = from;
    barrier.dstQueueFamilyIndex = to;
    barrier.image = image;
    barrier.subresourceRange = kWhole;
    vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
    end(commands);
    return entered(commands).size();
  };
  constexpr VkImageLayout other = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  constexpr uint32_t ignored = VK_QUEUE_FAMILY_IGNORED;
  EXPECT_EQ(entered_by(ignored, ignored, other), 1u);
  EXPECT_EQ(entered_by(ignored, ignored, kLayout), 0u);
  EXPECT_EQ(entered_by(0, 1, other), 0u) << "released";
  EXPECT_EQ(entered_by(1, 0, other), 1u) << "acquired";
  EXPECT_EQ(entered_by(1, 0, kLayout), 0u);
  EXPECT_EQ(entered_by(0, ignored, other), 1u) << "no transfer, as images with concurrent sharing have";
  EXPECT_EQ(entered_by(ignored, 1, other), 1u);
  EXPECT_EQ(entered_by(ignored, VK_QUEUE_FAMILY_EXTERNAL, other), 0u) << "released to the outside";
  EXPECT_EQ(entered_by(VK_QUEUE_FAMILY_EXTERNAL, ignored, other), 1u);
}

// What is wrong with a program's handles is for validation layers to say.
TEST_F(Images, HandlesThatAreNoneAreLeftAlone) {
  const VkImage unbound = create_image();
  const auto none = reinterpret_cast<VkImage>(uint64_t{0x98765430});
  const VkCommandBuffer commands = begin();
  for (const VkImage image : {unbound, none, VkImage{VK_NULL_HANDLE}}) {
    clear(commands, image);
    image_barrier(commands, image);
    const VkImageCopy copy{};
    vk().vkCmdCopyImage(commands, image, kLayout, none, kLayout, 1, &copy);
    const VkImageBlit blit{};
    vk().vkCmdBlitImage(commands, image, kLayout, image, kLayout, 1, &blit, VK_FILTER_NEAREST);
    const VkImageResolve resolve{};
    vk().vkCmdResolveImage(commands, image, kLayout, image, kLayout, 1, &resolve);
    create_view(image);
  }
  end(commands);
  EXPECT_EQ(count(commands, kEntered), 0u);
  EXPECT_EQ(count(commands, "CmdClearColorImage"), 3u);
}

TEST_F(Images, SubresourcesThatDoNotExistAreLeftAlone) {
  const VkImage image = bound_image();
  const VkCommandBuffer commands = begin();
  clear(commands, image, {VK_IMAGE_ASPECT_COLOR_BIT, 7, 2, 0, 1});
  clear(commands, image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 9, 4});
  clear(commands, image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 0, 0});
  VkImageBlit blit{};
  blit.srcSubresource = blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  blit.srcOffsets[0] = blit.dstOffsets[0] = {INT32_MIN, 0, 0};
  blit.srcOffsets[1] = blit.dstOffsets[1] = {INT32_MAX, 1, 1};
  vk().vkCmdBlitImage(commands, image, kLayout, image, kLayout, 1, &blit, VK_FILTER_NEAREST);
  end(commands);
  EXPECT_EQ(count(commands, kEntered), 0u);
}

TEST_F(Images, WhatIsRecordedOutlivesTheImage) {
  const VkImage image = bound_image();
  create_view(image);
  const VkCommandBuffer commands = begin();
  clear(commands, image);
  end(commands);
  EXPECT_EQ(count(commands, kEntered), 1u);
  vk().vkDestroyImageView(device().handle, views_.back(), nullptr);
  views_.pop_back();
  destroy_last_image();
  submit({commands});
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
}

// Allocators have one buffer for all of a VkDeviceMemory, in which images lie, too.
TEST_F(Images, OneInABuffersMemoryIsChecked) {
  const VkImage image = bound_image();
  const VkBuffer buffer = small_buffer(512);
  const VkCommandBuffer commands = begin();
  clear(commands, image);
  end(commands);
  EXPECT_EQ(count(commands, kEntered), 1u);
  EXPECT_EQ(notes_about("share memory").size(), 0u);
  vk().vkDestroyBuffer(device().handle, buffer, nullptr);
}

TEST_F(Images, RefusedImagesAndViewsAreTheProgramsToHandle) {
  null_driver::Config config = host_visible();
  for (const char* command : {"vkCreateImage", "vkCreateImageView", "vkBindImageMemory"})
    config.faults.push_back({command, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY});
  driver().configure(config);
  EXPECT_THROW(create_image(), std::exception);
  images_.pop_back();
  const VkImage image = create_image();
  EXPECT_EQ(vk().vkBindImageMemory(device().handle, image, memory_, 0), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  VkCommandBuffer commands = begin();
  clear(commands, image);
  end(commands);
  EXPECT_EQ(count(commands, kEntered), 0u) << "it has no memory";
  check(vk().vkBindImageMemory(device().handle, image, memory_, 0), "vkBindImageMemory");
  EXPECT_THROW(create_view(image), std::exception);
  views_.pop_back();
  create_view(image);
  commands = begin();
  clear(commands, image);
  end(commands);
  EXPECT_EQ(count(commands, kEntered), 1u);
}

// Records of views lie in blocks; with no memory for one, the views beyond are not checked.
TEST_F(Images, WithoutMemoryForRecordsOfViewsTheirDescriptorsAreEmpty) {
  checked_commands();
  const VkImage image = bound_image();
  null_driver::Config config = host_visible();
  config.faults.push_back({"vkCreateBuffer", 0, VK_ERROR_OUT_OF_DEVICE_MEMORY});
  driver().configure(config);
  const VkImageView view = create_view(image);
  EXPECT_EQ(notes_about("images are not checked").size(), 1u);
  driver().configure(host_visible());
  const OneSet set(device(), kBindings);
  write_views(set, {view});
  EXPECT_EQ(find_table(device(), kSlots)[0], TableEntry());
}

class ImagesOfAnAction : public Images {
 protected:
  ImagesOfAnAction() : Images("1", "2") {}
};

TEST_F(ImagesOfAnAction, CommandsThatWereNotChosenEnterNothing) {
  const VkImage image = bound_image(0, 2);
  const OneSet set(device(), kBindings);
  write_views(set, {create_view(image)});
  const VkCommandBuffer commands = begin();
  for (uint32_t level : {0u, 1u, 0u}) clear(commands, image, {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, 1});
  end(commands);
  const auto ranges = entered(commands);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(uint64_t{ranges[0][0].bytes} * ranges[0][0].rows, kSide / 2 * kSide / 2 * 4);
}

class WithoutImages : public Images {
 protected:
  WithoutImages() : Images("0") {}
};

TEST_F(WithoutImages, TheyHaveNoSlotsAndCommandsEnterNothing) {
  const VkImage image = bound_image();
  const OneSet set(device(), kBindings);
  write_views(set, {create_view(image)});
  checked_commands();
  EXPECT_EQ(count_tables(device(), kSlots), 0u);
  const VkCommandBuffer commands = begin();
  clear(commands, image);
  end(commands);
  EXPECT_EQ(count(commands, kEntered), 0u);
  bound_image(64);
  EXPECT_EQ(notes_about("share memory").size(), 0u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
