// SPDX-License-Identifier: Apache-2.0
// Commands on images, which are hooked for the list of redundant barriers alone: they reach the driver as
// they were, and barriers around them are not judged.
#include <string>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class UnfollowedCommands : public CommandTest {
 protected:
  UnfollowedCommands() : CommandTest({}, {}, "exact", {{"SHADERQA_SYNC_REDUNDANT", "1"}}) {}

  static VkImage image(uint64_t number) { return reinterpret_cast<VkImage>(number); }
  void copy(VkCommandBuffer commands) {
    VkImageCopy region{};
    region.extent.width = 7;
    vk().vkCmdCopyImage(commands, image(1), kLayout, image(2), kLayout, 1, &region);
  }
  void image_barrier(VkCommandBuffer commands) {
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  }
  // What the device lists at its end.
  void TearDown() override {
    CommandTest::TearDown();
    EXPECT_EQ(reported("redundant").size(), listed_);
    EXPECT_EQ(notes_about("not judged: ").size(), not_judged_);
  }

  size_t listed_ = 0, not_judged_ = 0;

  static constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_GENERAL;
};

TEST_F(UnfollowedCommands, ReachTheDriverAsTheyWere) {
  const VkCommandBuffer commands = begin();
  copy(commands);
  const VkImageCopy2 regions2[2]{};
  VkCopyImageInfo2 copy2{};
  copy2.srcImage = image(1);
  copy2.dstImage = image(2);
  copy2.regionCount = 2;
  copy2.pRegions = regions2;
  vk().vkCmdCopyImage2(commands, &copy2);
  const VkImageBlit blits[3]{};
  vk().vkCmdBlitImage(commands, image(3), kLayout, image(4), kLayout, 3, blits, VK_FILTER_LINEAR);
  VkBlitImageInfo2 blit2{};
  blit2.srcImage = image(5);
  blit2.dstImage = image(6);
  blit2.filter = VK_FILTER_LINEAR;
  vk().vkCmdBlitImage2(commands, &blit2);
  VkImageResolve resolve{};
  resolve.extent.width = 9;
  vk().vkCmdResolveImage(commands, image(7), kLayout, image(8), kLayout, 1, &resolve);
  VkResolveImageInfo2 resolve2{};
  resolve2.srcImage = image(9);
  resolve2.dstImage = image(10);
  vk().vkCmdResolveImage2(commands, &resolve2);
  const VkImageSubresourceRange ranges[4]{};
  VkClearColorValue colour{};
  colour.uint32[0] = 11;
  vk().vkCmdClearColorImage(commands, image(12), kLayout, &colour, 4, ranges);
  const VkClearDepthStencilValue depth{0.5f, 13};
  vk().vkCmdClearDepthStencilImage(commands, image(14), kLayout, &depth, 2, ranges);
  end(commands);

  std::vector<std::string> names;
  std::vector<std::vector<uint64_t>> values;
  for (const null_driver::CommandRecord& record : driver().log().commands) {
    if (record.command_buffer != reinterpret_cast<uint64_t>(commands)) continue;
    names.push_back(record.command);
    values.push_back(record.values);
  }
  EXPECT_EQ(names,
            with_ends({"CmdCopyImage", "CmdCopyImage2", "CmdBlitImage", "CmdBlitImage2", "CmdResolveImage",
                       "CmdResolveImage2", "CmdClearColorImage", "CmdClearDepthStencilImage"}));
  const std::vector<std::vector<uint64_t>> expected{{},
                                                    {1, 2, 1, 7},
                                                    {1, 2, 2},
                                                    {3, 4, 3, VK_FILTER_LINEAR},
                                                    {5, 6, 0, VK_FILTER_LINEAR},
                                                    {7, 8, 1, 9},
                                                    {9, 10, 0},
                                                    {12, 11, 4},
                                                    {14, 13, 2},
                                                    {}};
  EXPECT_EQ(values, expected);
}

// Nothing runs here, so that nothing is noted: a barrier is listed if it is judged.
TEST_F(UnfollowedCommands, ABarrierBetweenThemIsNotJudged) {
  const VkCommandBuffer commands = begin();
  copy(commands);
  image_barrier(commands);
  copy(commands);
  end(commands);
  submit({commands});
  not_judged_ = 1;
}

// What shaders without checks access is not known.
TEST_F(UnfollowedCommands, ABarrierBetweenUncheckedDispatchesIsNotJudged) {
  const VkPipeline silent = create_compute(device(), shaders::silent_comp);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, silent);
  dispatch(commands);
  shader_barrier(commands);
  dispatch(commands);
  end(commands);
  submit({commands});
  vk().vkDestroyPipeline(device().handle, silent, nullptr);
  not_judged_ = 1;
}

// A barrier behind a fill and before a dispatch is judged if all that the fill writes is known.
class FilledBefore : public UnfollowedCommands {
 protected:
  void fill_and_dispatch(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    vk().vkCmdFillBuffer(commands, buffer, offset, size, 0);
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kComputeStage,
            VK_ACCESS_SHADER_READ_BIT);
    dispatch(commands);
    end(commands);
    submit({commands});
  }
};

TEST_F(FilledBefore, UpToTheEndOfTheBuffer) {
  fill_and_dispatch(buffer_->handle, 128, 128);
  listed_ = 1;
}

TEST_F(FilledBefore, BeyondTheEndOfTheBuffer) {
  fill_and_dispatch(buffer_->handle, 128, 132);
  not_judged_ = 1;
}

TEST_F(FilledBefore, WhatOnlyTheDeviceReads) {
  const BoundBuffer uniform(device(), 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  fill_and_dispatch(uniform.handle, 0, 256);
  listed_ = 1;
}

// The layer does not know of it, so that nothing is known of what it holds.
TEST_F(FilledBefore, ABufferWithoutMemory) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = 256;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(vk().vkCreateBuffer(device().handle, &info, nullptr, &buffer), "vkCreateBuffer");
  fill_and_dispatch(buffer, 0, 256);
  vk().vkDestroyBuffer(device().handle, buffer, nullptr);
  not_judged_ = 1;
}

TEST_F(UnfollowedCommands, ABarrierBesideThemIsJudged) {
  const VkCommandBuffer commands = begin();
  image_barrier(commands);
  copy(commands);
  end(commands);
  submit({commands});
  listed_ = 1;
}

}  // namespace
}  // namespace shaderqa::layer_tests
