// SPDX-License-Identifier: Apache-2.0
// Which dispatches have their descriptors in descriptor buffers looked up by one of the layer's own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/layer/resolved_slots_kit.h"

namespace shaderqa::layer_tests {
namespace {

class ResolvedTogether : public ResolvedSlots {
 protected:
  void TearDown() override {
    if (queries_) vk().vkDestroyQueryPool(device().handle, queries_, nullptr);
    ResolvedSlots::TearDown();
  }
  VkCommandBuffer begin_with_pipeline() {
    layout_ = make_layout({{0, kStorage}});
    const VkPipeline pipeline = make_pipeline(layout_);
    const VkCommandBuffer commands = begin();
    bind(commands, pipeline);
    place(commands, layout_);
    return commands;
  }
  VkQueryPool make_queries() {
    queries_ = create_statistics(device());
    return queries_;
  }

  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
};

TEST_F(ResolvedTogether, AreThoseUpToABarrierForReadsOfDescriptors) {
  const VkCommandBuffer commands = begin_with_pipeline();
  dispatch(commands);
  shader_barrier(commands);
  dispatch(commands);
  barrier(commands, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, kComputeStage, VK_ACCESS_MEMORY_READ_BIT);
  dispatch(commands);
  VkMemoryBarrier2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  memory.srcStageMask = memory.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  memory.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT;
  VkDependencyInfo dependency{};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &memory;
  vk().vkCmdPipelineBarrier2(commands, &dependency);
  dispatch(commands);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(actions_by_dispatch(commands), (std::vector<size_t>{2, 1, 3}));
  const auto all = records();
  EXPECT_EQ(resolved_by(resolves(commands).at(3)),
            (std::vector<Resolved>{{all.at(3), 0}, {all.at(4), 0}, {all.at(5), 0}}));
}

TEST_F(ResolvedTogether, AreThoseUpToAWaitForAnEvent) {
  const VkCommandBuffer commands = begin_with_pipeline();
  dispatch(commands);
  const auto event = reinterpret_cast<VkEvent>(uint64_t{1});  // the driver does not look at it
  vk().vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, kComputeStage, 0, nullptr, 0, nullptr,
                       0, nullptr);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(actions_by_dispatch(commands), (std::vector<size_t>{1, 1}));
}

// Even if the barrier behind it is not for descriptors.
TEST_F(ResolvedTogether, AreThoseUpToACopy) {
  const BoundBuffer target(device(), 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkCommandBuffer commands = begin_with_pipeline();
  dispatch(commands);
  vk().vkCmdFillBuffer(commands, target.handle, 0, 64, 0);
  shader_barrier(commands);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(actions_by_dispatch(commands), (std::vector<size_t>{1, 2}));
}

TEST_F(ResolvedTogether, AreThoseUpToTheExecutionOfASecondary) {
  const VkCommandBuffer secondary = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  end(secondary);
  const VkCommandBuffer commands = begin_with_pipeline();
  dispatch(commands);
  vk().vkCmdExecuteCommands(commands, 1, &secondary);
  bind(commands, pipelines_.at(0));
  place(commands, layout_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(actions_by_dispatch(commands), (std::vector<size_t>{1, 1}));
}

TEST_F(ResolvedTogether, AreAsManyAsOneListHolds) {
  const VkCommandBuffer commands = begin_with_pipeline();
  for (uint32_t i = 0; i < SQA_RESOLVED_TOGETHER; ++i) dispatch(commands);
  end(commands);
  const auto actions = actions_by_dispatch(commands);
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0] + actions[1], size_t{SQA_RESOLVED_TOGETHER});
  EXPECT_EQ(actions[0], size_t{SQA_RESOLVED_TOGETHER - SQA_MOST_RESOLVED + 1})
      << "the next action might have had more";
}

// Reads of others in between would not see what it marks.
TEST_F(ResolvedTogether, AreNoneBehindAWriteThatWasNotMarkedAhead) {
  const VkCommandBuffer commands = begin_with_pipeline();
  for (VkDeviceSize i = 0; i < 514; ++i) {
    place(commands, layout_, 1, i * 64);
    dispatch(commands);
  }
  end(commands);
  const auto actions = actions_by_dispatch(commands);
  ASSERT_GE(actions.size(), 2u);
  EXPECT_EQ(actions.back(), 1u);
}

// A new recording may not rely on what the last one has recorded.
TEST_F(ResolvedTogether, AreThoseOfOneRecording) {
  const VkCommandBuffer commands = begin_with_pipeline();
  dispatch(commands);
  end(commands);
  begin(commands);
  bind(commands, pipelines_.at(0));
  place(commands, layout_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(actions_by_dispatch(commands), (std::vector<size_t>{1, 1}));
}

// The query would count the layer's own dispatch.
TEST_F(ResolvedTogether, AreNoneWithinAQuery) {
  const VkCommandBuffer commands = begin_with_pipeline();
  const VkQueryPool queries = make_queries();
  vk().vkCmdBeginQuery(commands, queries, 0, 0);
  dispatch(commands);
  vk().vkCmdEndQuery(commands, queries, 0);
  end(commands);
  const Stream stream = stream_of(commands);
  EXPECT_EQ(std::ranges::count(stream, "CmdDispatchBase"), 0);
  EXPECT_EQ(notes_about("some dispatches with descriptors in descriptor buffers are not checked").size(), 1u);
}

TEST_F(ResolvedTogether, MayBeThoseWithinAQueryWhereItBeganLater) {
  const VkCommandBuffer commands = begin_with_pipeline();
  dispatch(commands);
  const VkQueryPool queries = make_queries();
  vk().vkCmdBeginQuery(commands, queries, 0, 0);
  dispatch(commands);
  vk().vkCmdEndQuery(commands, queries, 0);
  end(commands);
  EXPECT_EQ(actions_by_dispatch(commands), (std::vector<size_t>{2}));
  EXPECT_EQ(notes_about("some dispatches with descriptors in descriptor buffers are not checked").size(), 0u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
