// SPDX-License-Identifier: Apache-2.0
// What command buffers and submissions become when accesses are checked: records, clears, and their order.
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_filter.h"
#include "instrument/runtime/abi_submission.h"
#include "instrument/runtime/abi_table.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

using CommandStream = CommandTest;

TEST_F(CommandStream, AnActionGetsItsRecord) {
  const VkCommandBuffer commands = checked_commands();
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction}));
  ASSERT_EQ(records().size(), 1u);
  const uint32_t* record = records()[0];
  EXPECT_EQ(record[SQA_ACTION_NUMBER], 1u);
  EXPECT_EQ(record[SQA_ACTION_FLAGS], 0u);
  EXPECT_EQ(record[SQA_ACTION_SALT], 0u);
  EXPECT_EQ(address_at(record, SQA_ACTION_INDIRECT), 0u);
  const auto family = reinterpret_cast<const abi::FamilyState*>(address_at(record, SQA_ACTION_ENGINE));
  EXPECT_EQ(family->bucket_mask, kFilterBytes / 8 - 1);
  EXPECT_EQ(family->filter_address, 0u) << "before a clear the filter holds anything";
  const auto table = reinterpret_cast<const uint32_t*>(address_at(record, SQA_ACTION_TABLES));
  ASSERT_NE(table, nullptr);
  submit({});
  EXPECT_EQ(table[0], 1u);
  EXPECT_EQ(address_at(table, SQA_TABLE_ENTRY_DWORDS), buffer_->address);
  EXPECT_EQ(address_at(record, SQA_ACTION_TABLES + 2), 0u);
}

TEST_F(CommandStream, IndirectArgumentsAreInTheRecord) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  vk().vkCmdDispatchIndirect(commands, buffer_->handle, 16);
  end(commands);
  ASSERT_EQ(records().size(), 1u);
  EXPECT_EQ(address_at(records()[0], SQA_ACTION_INDIRECT), buffer_->address + 16);
  EXPECT_EQ(records()[0][SQA_ACTION_INDIRECT_BYTES], 12u);
}

TEST_F(CommandStream, ActionsOfOtherPipelinesAreLeftAlone) {
  const VkPipeline silent = create_compute(device(), shaders::silent_comp);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, silent);
  dispatch(commands);
  shader_barrier(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            with_ends({"CmdBindPipeline", "CmdDispatch", "CmdPipelineBarrier", "CmdDispatch"}));
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  vk().vkDestroyPipeline(device().handle, silent, nullptr);
}

TEST_F(CommandStream, ABarrierClearsBeforeTheNextAction) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  shader_barrier(commands);
  shader_barrier(commands);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  const Stream barriers{"CmdPipelineBarrier", "CmdPipelineBarrier"};
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction, barriers, kClear, kActionAfterClear, kAction}));
}

TEST_F(CommandStream, AnExecutionDependencyMarksTheRecords) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  barrier(commands, kComputeStage, 0, kComputeStage, 0);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction, {"CmdPipelineBarrier"}, kAction}));
  ASSERT_EQ(records().size(), 2u);
  EXPECT_EQ(records()[0][SQA_ACTION_FLAGS], 0u);
  EXPECT_EQ(records()[1][SQA_ACTION_FLAGS], uint32_t{SQA_ACTION_FLAG_READS_ORDERED});
}

TEST_F(CommandStream, ABarrierOfTransfersDoesNothing) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kComputeStage,
          VK_ACCESS_SHADER_READ_BIT);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction, {"CmdPipelineBarrier"}, kAction}));
}

TEST_F(CommandStream, SecondaryCommandBuffersHaveRecordsOfTheirOwn) {
  const VkCommandBuffer secondary = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  bind(secondary);
  dispatch(secondary);
  shader_barrier(secondary);
  end(secondary);
  EXPECT_EQ(stream_of(secondary), joined({kBound, kAction, {"CmdPipelineBarrier"}}));
  const VkCommandBuffer primary = begin();
  vk().vkCmdExecuteCommands(primary, 1, &secondary);
  bind(primary);
  dispatch(primary);
  end(primary);
  EXPECT_EQ(stream_of(primary), joined({{"CmdExecuteCommands"}, kBound, kClear, kActionAfterClear}));
  submit({primary});
  for (const uint32_t* record : records()) {
    const auto submission =
        reinterpret_cast<const abi::SubmissionState*>(address_at(record, SQA_ACTION_SUBMISSION));
    EXPECT_EQ(submission->serial, 1u);
  }
}

TEST_F(CommandStream, TheFirstSubmissionClearsAndTheNextDoesNot) {
  const VkCommandBuffer commands = checked_commands();
  submit({commands});
  EXPECT_EQ(last_batch({commands}), (Stream{"clear", "0"}));
  const auto family = reinterpret_cast<const abi::FamilyState*>(address_at(records()[0], SQA_ACTION_ENGINE));
  EXPECT_NE(family->filter_address, 0u);
  // Submission order alone synchronises nothing.
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  const auto submission =
      reinterpret_cast<const abi::SubmissionState*>(address_at(records()[0], SQA_ACTION_SUBMISSION));
  EXPECT_EQ(submission->serial, 2u);
}

TEST_F(CommandStream, SubmissionsSayWhetherReadOnlyBuffersAreSo) {
  const VkCommandBuffer commands = checked_commands();
  const BoundBuffer constants(device(), 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  submit({commands});
  const auto submission =
      reinterpret_cast<const abi::SubmissionState*>(address_at(records()[0], SQA_ACTION_SUBMISSION));
  EXPECT_EQ(submission->aliased, 0u);
  const BoundBuffer written(device(), 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &constants);
  submit({commands});
  EXPECT_EQ(submission->aliased, 1u);
}

TEST_F(CommandStream, AWaitOfTheHostClearsAtTheNextSubmission) {
  const VkCommandBuffer commands = checked_commands();
  submit({commands});
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  submit({commands});
  EXPECT_EQ(last_batch({commands}), (Stream{"clear", "0"}));
}

TEST_F(CommandStream, ASemaphoreThatShadersWaitForClears) {
  const VkSemaphore semaphore = create_semaphore();
  const VkCommandBuffer commands = checked_commands();
  submit({commands});
  submit({commands}, semaphore, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT);
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  submit({commands}, semaphore, kComputeStage);
  EXPECT_EQ(last_batch({commands}), (Stream{"clear", "0"}));
}

TEST_F(CommandStream, ASubmissionWithATimelineSemaphoreIsClearedToo) {
  const VkCommandBuffer commands = checked_commands();
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  check(vk().vkQueueSubmit(device().queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  EXPECT_EQ(last_batch({commands}), (Stream{"clear", "0"}));
}

TEST_F(CommandStream, ABarrierAtTheEndClearsBeforeTheNextCommandBuffer) {
  const VkCommandBuffer first = begin();
  bind(first);
  dispatch(first);
  shader_barrier(first);
  end(first);
  EXPECT_EQ(stream_of(first), joined({kBound, kAction, {"CmdPipelineBarrier"}}));
  const VkCommandBuffer second = checked_commands();
  submit({first, second, second});
  EXPECT_EQ(last_batch({first, second}), (Stream{"clear", "0", "clear", "1", "1"}));
}

TEST_F(CommandStream, APipelineLayoutDestroyedEarlyStillBindsRecords) {
  vk().vkDestroyPipelineLayout(device().handle, layout_, nullptr);
  layout_ = VK_NULL_HANDLE;
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdBindPipeline"}, kAction}));
}

// Shaders may be shown as many bytes as the longest record has, behind the last record of a block too.
TEST_F(CommandStream, RecordsFillSeveralBlocksAndNoneReachesBeyondItsMemory) {
  constexpr size_t kActions = 10000;
  const VkCommandBuffer commands = begin();
  bind(commands);
  for (size_t i = 0; i < kActions; ++i) dispatch(commands);
  end(commands);
  uint64_t blocks = 0;
  for (const null_driver::BufferRecord& buffer : driver().log().buffers)
    blocks += buffer.size == (uint64_t{1} << 20) + SQA_ACTION_MAX_DWORDS * 4;
  EXPECT_GT(blocks, 1u);
  // Only those are found behind which there is enough memory.
  const std::vector<const uint32_t*> found = records();
  ASSERT_EQ(found.size(), kActions);
  for (size_t i = 0; i < kActions; ++i) EXPECT_EQ(found[i][SQA_ACTION_NUMBER], i + 1);
}

TEST_F(CommandStream, AResetCommandBufferGivesItsMemoryBack) {
  const VkCommandBuffer commands = checked_commands();
  const size_t allocations = driver().log().allocations.size();
  for (int i = 0; i < 1000; ++i) {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    check(vk().vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
    bind(commands);
    for (int k = 0; k < 100; ++k) dispatch(commands);
    end(commands);
  }
  EXPECT_EQ(driver().log().allocations.size(), allocations);
}

// Its handle may come again, for a command buffer that knows nothing of what was bound in the first one.
TEST_F(CommandStream, AFreedCommandBufferIsForgotten) {
  const size_t allocations = [&] {
    checked_commands();
    return driver().log().allocations.size();
  }();
  for (int i = 0; i < 200; ++i) {
    const VkCommandBuffer all[] = {checked_commands(), VK_NULL_HANDLE, checked_commands()};
    submit({all[0], all[2]});
    check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
    vk().vkFreeCommandBuffers(device().handle, pool_, 3, all);
  }
  EXPECT_EQ(driver().log().allocations.size(), allocations) << "the records' memory is used again";
  const VkCommandBuffer commands = begin();
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), with_ends({"CmdDispatch"}));
}

}  // namespace
}  // namespace shaderqa::layer_tests
