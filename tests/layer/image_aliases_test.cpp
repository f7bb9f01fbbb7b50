// SPDX-License-Identifier: Apache-2.0
// Images that share memory with each other.
#include <cstdint>
#include <set>

#include "instrument/runtime/abi_order.h"
#include "tests/layer/images_kit.h"

namespace shaderqa::layer_tests {
namespace {

TEST_F(Images, ThoseThatShareMemoryAreFollowedByThemselves) {
  const VkImage first = bound_image();
  const VkImage beside = bound_image(kSide * kSide * 4);
  EXPECT_EQ(notes_about("share memory").size(), 0u);
  const VkImage second = bound_image(64);
  EXPECT_EQ(notes_about("share memory").size(), 1u);
  std::set<uint64_t> addresses;
  for (const VkImage image : {first, beside, second}) {
    const VkCommandBuffer commands = begin();
    clear(commands, image);
    end(commands);
    const auto ranges = entered(commands);
    ASSERT_EQ(ranges.size(), 1u);
    addresses.insert(ranges[0][0].address);
  }
  EXPECT_EQ(addresses.size(), 3u);
}

// Who orders accesses to memory names what has it next.
TEST_F(Images, ABarrierForOneWhoseMemoryOthersHaveCountsForAllMemory) {
  const VkImage alone = bound_image(), in_buffer = bound_image(8192), first = bound_image(16384),
                second = bound_image(16384);
  const VkBuffer buffer = small_buffer(8192 + 512);
  const auto counts_for_all = [&](VkImage image) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    image_barrier(commands, image, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT);
    dispatch(commands);
    end(commands);
    const auto* const block =
        reinterpret_cast<const uint32_t*>(address_at(records().back(), SQA_ACTION_FLOORS));
    for (uint32_t region = 0; region < block[0]; ++region) {
      const uint32_t* const dwords = block + SQA_FLOOR_HEADER_DWORDS + region * SQA_REGION_DWORDS;
      const uint32_t visible = dwords[4 + SQA_FLOOR_VISIBLE * SQA_CLASSES + SQA_CLASS_COMPUTE];
      if (address_at(dwords, 0) == 0 && address_at(dwords, 2) == UINT64_MAX)
        return !(visible & SQA_FLOOR_INHERITED);
    }
    ADD_FAILURE() << "no floors of all memory";
    return false;
  };
  EXPECT_FALSE(counts_for_all(alone));
  EXPECT_TRUE(counts_for_all(in_buffer));
  EXPECT_TRUE(counts_for_all(first));
  EXPECT_TRUE(counts_for_all(second));
  vk().vkDestroyBuffer(device().handle, buffer, nullptr);
}

// Where the content of one begins, that of the others ends, as if they were written.
TEST_F(Images, WhereOneBeginsTheOthersInItsMemoryEnd) {
  const VkImage first = bound_image(), second = bound_image(64);
  checked_commands();
  const uint64_t address = address_of(first), other = address_of(second);
  const auto entered_by = [&](VkImage image, VkImageLayout before) {
    const VkCommandBuffer commands = begin();
    image_barrier(commands, image, 0, VK_ACCESS_SHADER_READ_BIT, before);
    end(commands);
    std::set<uint64_t> images;
    for (const auto& ranges : entered(commands))
      for (const auto& range : ranges) {
        EXPECT_TRUE(range.writes);
        images.insert(range.address - address < kFirstLevel * 4 ? address : other);
      }
    return images;
  };
  const std::set<uint64_t> both{address, other};
  EXPECT_EQ(entered_by(first, VK_IMAGE_LAYOUT_UNDEFINED), both);
  EXPECT_EQ(entered_by(second, VK_IMAGE_LAYOUT_UNDEFINED), both);
  EXPECT_EQ(entered_by(first, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL), std::set{address})
      << "it keeps its content";
}

// What is recorded may be executed when the other image is gone.
TEST_F(Images, AddressesThatCommandsNameAreNotGivenOutAgain) {
  const VkDeviceMemory memory = allocate_memory(1024 * 1024);
  const auto large = [&] {
    const VkImage image = create_image(1, 256);
    check(vk().vkBindImageMemory(device().handle, image, memory, 0), "vkBindImageMemory");
    return image;
  };
  const VkImage first = large(), second = large();
  checked_commands();
  const uint64_t address = address_of(second);
  const VkCommandBuffer commands = begin();
  image_barrier(commands, first, 0, VK_ACCESS_SHADER_READ_BIT, VK_IMAGE_LAYOUT_UNDEFINED);
  end(commands);
  destroy_last_image();
  EXPECT_NE(address_of(large()), address);
  destroy_last_image();
  submit({commands});
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  check(vk().vkResetCommandBuffer(commands, 0), "vkResetCommandBuffer");
  EXPECT_EQ(address_of(large()), address) << "nobody names it";
  vk().vkFreeMemory(device().handle, memory, nullptr);
}

// A barrier that was recorded when an image had its memory alone says nothing of one that has got it since.
TEST_F(Images, ThoseThatGetMemoryLaterAreFollowedUntilAnOldBarrierIsExecuted) {
  const VkImage first = bound_image();
  checked_commands();
  const auto ordering = [&](VkImage image) {
    const VkCommandBuffer commands = begin();
    image_barrier(commands, image);
    end(commands);
    return commands;
  };
  const auto is_followed = [&](VkImage image) {
    const VkCommandBuffer commands = begin();
    clear(commands, image);
    end(commands);
    return count(commands, kEntered) != 0;
  };
  const VkCommandBuffer old = ordering(first);
  const VkImage second = bound_image(64);
  submit({old});
  EXPECT_TRUE(is_followed(second)) << "nothing was done to it before";
  EXPECT_TRUE(is_followed(first));
  EXPECT_TRUE(is_followed(second));
  submit({ordering(first), ordering(second)});
  EXPECT_TRUE(is_followed(second)) << "they count for all memory";
  submit({old});
  EXPECT_TRUE(is_followed(first));
  EXPECT_FALSE(is_followed(second));
  EXPECT_EQ(notes_about("barriers had been recorded before").size(), 1u);
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
}

// Images in memory that another one had before share it with nobody.
TEST_F(Images, MemoryThatIsUsedAgainIsNotShared) {
  for (int i = 0; i < 3; ++i) {
    bound_image();
    destroy_last_image();
  }
  const VkCommandBuffer commands = begin();
  clear(commands, bound_image());
  end(commands);
  EXPECT_EQ(count(commands, kEntered), 1u);
  EXPECT_EQ(notes_about("share memory").size(), 0u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
