// SPDX-License-Identifier: Apache-2.0
// With the exact engine: which accesses of commands are entered together, and how many.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class RangeLimits : public CommandTest {
 protected:
  RangeLimits() : CommandTest({}, {}, "exact") {}

  // Each enters one range.
  static ptrdiff_t dispatches(VkCommandBuffer commands) {
    return std::ranges::count(stream_of(commands), "CmdDispatchBase");
  }
};

// What has been gathered is compared with each new command: 64 are enough.
TEST_F(RangeLimits, SixtyFourAreEnteredTogether) {
  const BoundBuffer large(device(), 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  for (const size_t count : {63u, 64u, 65u}) {
    const VkCommandBuffer commands = begin();
    for (size_t i = 0; i < count; ++i) vk().vkCmdFillBuffer(commands, large.handle, i * 8, 4, 7);
    end(commands);
    const Stream stream = stream_of(commands);
    const auto first = std::ranges::find(stream, "CmdDispatchBase");
    EXPECT_EQ(std::count(first, stream.end(), "fill dispatch_id"), static_cast<ptrdiff_t>(count - 63))
        << "they are entered before the 64th command";
    EXPECT_EQ(std::ranges::count(stream, "CmdDispatchBase"), static_cast<ptrdiff_t>(count));
    EXPECT_EQ(std::ranges::count(stream, "CmdPipelineBarrier"), count == 65 ? 4 : 2);
  }
}

TEST_F(RangeLimits, SixtyFourRangesAreEnteredTogether) {
  const BoundBuffer source(device(), 128, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const BoundBuffer large(device(), 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  for (const uint32_t count : {62u, 63u}) {
    std::vector<VkBufferCopy> regions;
    for (uint32_t i = 0; i < count; ++i) regions.push_back({0, i * 8, 4});
    const VkCommandBuffer commands = begin();
    vk().vkCmdFillBuffer(commands, large.handle, 2048, 4, 7);
    vk().vkCmdCopyBuffer(commands, source.handle, large.handle, count, regions.data());
    vk().vkCmdFillBuffer(commands, large.handle, 3072, 4, 7);
    end(commands);
    // The last fill is the 64th range, or comes behind it.
    EXPECT_EQ(std::ranges::count(stream_of(commands), "CmdPipelineBarrier"), count == 62 ? 2 : 4);
  }
}

// Ranges meet if one of them writes what the other has, if only one byte.
TEST_F(RangeLimits, OnlyWhatMeetsIsSeparated) {
  const BoundBuffer large(device(), 4096,
                          VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const auto separated = [&](const VkBufferCopy& one, const VkBufferCopy& two) {
    const VkCommandBuffer commands = begin();
    vk().vkCmdCopyBuffer(commands, large.handle, large.handle, 1, &one);
    vk().vkCmdCopyBuffer(commands, large.handle, large.handle, 1, &two);
    end(commands);
    return std::ranges::count(stream_of(commands), "CmdPipelineBarrier") == 4;
  };
  const VkBufferCopy one{0, 1024, 16};
  EXPECT_FALSE(separated(one, {0, 2048, 16})) << "both read the same";
  EXPECT_FALSE(separated(one, {16, 1040, 16})) << "side by side";
  EXPECT_FALSE(separated(one, {2048, 1008, 16}));
  EXPECT_TRUE(separated(one, {2048, 1039, 16})) << "one byte that both write";
  EXPECT_TRUE(separated(one, {2048, 1009, 16}));
  EXPECT_TRUE(separated(one, {1039, 2048, 16})) << "it reads what was written";
  EXPECT_TRUE(separated(one, {1009, 2048, 16}));
  EXPECT_TRUE(separated(one, {2048, 15, 16})) << "it writes what was read";
}

// A pass has room for so many draws; what they read is not read twice.
TEST_F(RangeLimits, TheFirstDrawsOfAPassAreFetched) {
  const BoundBuffer indices(device(), 8192,
                            VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  for (const uint32_t draws : {1024u, 1025u}) {
    const VkCommandBuffer commands = begin();
    vk().vkCmdFillBuffer(commands, indices.handle, 0, VK_WHOLE_SIZE, 0);
    vk().vkCmdBindIndexBuffer(commands, indices.handle, 0, VK_INDEX_TYPE_UINT32);
    vk().vkCmdBeginRendering(commands, &rendering);
    for (uint32_t i = 0; i < draws; ++i) vk().vkCmdDrawIndexed(commands, 1, 1, i, 0, 0);
    vk().vkCmdEndRendering(commands);
    end(commands);
    EXPECT_EQ(dispatches(commands), 1024 + 1) << "and the fill";
  }
}

// A dispatch of the layer's own would be counted by the query that is active.
TEST_F(RangeLimits, DrawsOfAPassWithAQueryAreNotFetched) {
  const VkQueryPool pool = create_statistics(device());
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  for (const bool query : {false, true}) {
    const VkCommandBuffer commands = begin();
    vk().vkCmdFillBuffer(commands, buffer_->handle, 0, 4, 7);
    vk().vkCmdBindIndexBuffer(commands, buffer_->handle, 0, VK_INDEX_TYPE_UINT32);
    if (query) vk().vkCmdBeginQuery(commands, pool, 0, 0);
    vk().vkCmdBeginRendering(commands, &rendering);
    vk().vkCmdDrawIndexed(commands, 3, 1, 0, 0, 0);
    vk().vkCmdEndRendering(commands);
    if (query) vk().vkCmdEndQuery(commands, pool, 0);
    end(commands);
    EXPECT_EQ(dispatches(commands), query ? 1 : 2);
  }
  vk().vkDestroyQueryPool(device().handle, pool, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
