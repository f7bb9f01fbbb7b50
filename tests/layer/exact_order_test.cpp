// SPDX-License-Identifier: Apache-2.0
// With the exact engine: which numbers and floors the records of command buffers hold, and what submissions
// make of them.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "host/order/action_order.h"
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_submission.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr uint32_t kC = SQA_CLASS_COMPUTE;
constexpr uint32_t kExecuted = SQA_FLOOR_EXECUTED, kAvailable = SQA_FLOOR_AVAILABLE,
                   kVisible = SQA_FLOOR_VISIBLE;
constexpr uint32_t kInherited = SQA_FLOOR_INHERITED;  // by no action of its command buffer
constexpr VkCommandBufferLevel kSecondary = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
constexpr VkCommandBufferUsageFlags kSimultaneous = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;

class ExactOrder : public CommandTest {
 protected:
  ExactOrder() : CommandTest(two_queues(), {}, "exact") {
    vk().vkGetDeviceQueue(device().handle, 0, 1, &other_queue_);
  }
  void TearDown() override {
    EXPECT_EQ(notes_about("sequence number"), std::vector<std::string>{});
    CommandTest::TearDown();
  }

  static const uint32_t* block(size_t i) {
    return reinterpret_cast<const uint32_t*>(address_at(records().at(i), SQA_ACTION_FLOORS));
  }
  // The floor that record number i has at an address for one consumer and producer class.
  static uint32_t floor(size_t i, uint32_t kind, uint64_t address = 16, uint32_t producer = kC,
                        uint32_t column = SQA_COLUMN_MAIN) {
    uint32_t highest = kInherited;
    for (uint32_t region = 0; region < block(i)[0]; ++region) {
      const uint32_t* dwords = block(i) + SQA_FLOOR_HEADER_DWORDS + region * SQA_REGION_DWORDS;
      if (address < address_at(dwords, 0) || address >= address_at(dwords, 2)) continue;
      const uint32_t floor = dwords[4 + (column * SQA_FLOOR_KINDS + kind) * SQA_CLASSES + producer];
      if (!(floor & SQA_FLOOR_INHERITED)) highest = highest == kInherited ? floor : std::max(highest, floor);
    }
    return highest;
  }
  static const abi::SubmissionState& state(size_t i) { return submission_of(records().at(i)); }
  static uint32_t visible(size_t i) { return visible_before(records().at(i)); }
  static uint32_t sequence(size_t i) { return sqa_sequence_number(records().at(i)[SQA_ACTION_SEQUENCE]); }
  static const abi::ExactState& engine() {
    return *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
  }
  static uint32_t info_of(uint32_t sequence) {
    return reinterpret_cast<const uint32_t*>(engine().sequences_address)[sequence];
  }

  void submit_to(VkQueue queue, const std::vector<VkCommandBuffer>& commands,
                 VkSemaphore wait = VK_NULL_HANDLE, VkSemaphore signal = VK_NULL_HANDLE,
                 VkFence fence = VK_NULL_HANDLE) {
    const VkPipelineStageFlags stage = kComputeStage;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.waitSemaphoreCount = wait ? 1 : 0;
    info.pWaitSemaphores = &wait;
    info.pWaitDstStageMask = &stage;
    info.commandBufferCount = static_cast<uint32_t>(commands.size());
    info.pCommandBuffers = commands.data();
    info.signalSemaphoreCount = signal ? 1 : 0;
    info.pSignalSemaphores = &signal;
    check(vk().vkQueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
  }
  // The SubmissionState that a command buffer of the layer's in the last batch writes.
  static abi::SubmissionState updated() {
    abi::SubmissionState found{};
    for (const null_driver::CommandRecord& record : driver().log().commands) {
      if (record.command != "CmdUpdateBuffer") continue;
      std::vector<uint32_t> dwords(record.values.begin() + 1, record.values.end());
      EXPECT_EQ(dwords.size() * 4, sizeof found);
      std::memcpy(&found, dwords.data(), sizeof found);
    }
    return found;
  }

  VkQueue other_queue_ = VK_NULL_HANDLE;
};

TEST_F(ExactOrder, ActionsHaveNumbersAndShareFloors) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  dispatch(commands);
  shader_barrier(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction, kAction, {"CmdPipelineBarrier"}, kAction}))
      << "apart, and nothing is cleared";
  ASSERT_EQ(records().size(), 3u);
  EXPECT_EQ(sequence(0), 0u);
  EXPECT_EQ(sequence(1), 1u);
  EXPECT_EQ(sequence(2), 2u);
  EXPECT_EQ(address_at(records()[0], SQA_ACTION_FLOORS), address_at(records()[1], SQA_ACTION_FLOORS));
  EXPECT_NE(address_at(records()[1], SQA_ACTION_FLOORS), address_at(records()[2], SQA_ACTION_FLOORS));
  EXPECT_EQ(floor(1, kVisible), kInherited);
  EXPECT_EQ(floor(2, kVisible), 2u);
  EXPECT_EQ(floor(2, kAvailable), 2u);
  EXPECT_EQ(floor(2, kExecuted), 2u);
}

// A pipeline that stands alone has no code that checks what indirect dispatches read.
TEST_F(ExactOrder, TheArgumentsOfADispatchAreAnAccessOfTheCommand) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  vk().vkCmdDispatchIndirect(commands, buffer_->handle, 128);
  dispatch(commands);
  end(commands);
  submit({commands});
  EXPECT_EQ(entered(commands),
            (std::vector<std::vector<EnteredRange>>{{{.address = buffer_->address + 128, .bytes = 12}}}));
  ASSERT_EQ(records().size(), 4u);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(sequence(i), i);
  EXPECT_EQ(address_at(records()[2], SQA_ACTION_INDIRECT), 0u) << "they are not checked twice";
  const uint32_t first = state(0).first_sequence;
  EXPECT_EQ(info_of(first + 1), uint32_t{SQA_CLASS_INDIRECT});
  EXPECT_EQ(info_of(first + 2), uint32_t{SQA_CLASS_COMPUTE});
}

TEST_F(ExactOrder, BarriersOrderWhatTheyName) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  barrier(commands, kComputeStage, 0, kComputeStage, 0);
  dispatch(commands);
  barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kComputeStage,
          VK_ACCESS_SHADER_READ_BIT);
  dispatch(commands);
  barrier(commands, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0);
  barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, kComputeStage, VK_ACCESS_SHADER_READ_BIT);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(floor(1, kExecuted), 1u);
  EXPECT_EQ(floor(1, kVisible), kInherited);
  EXPECT_EQ(floor(2, kExecuted), 1u);
  EXPECT_TRUE(floor(2, kVisible) & SQA_FLOOR_INHERITED);
  EXPECT_EQ(floor(3, kVisible), 3u) << "through the transfers";
}

TEST_F(ExactOrder, ABufferBarrierIsForItsRange) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  VkBufferMemoryBarrier range{};
  range.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  range.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  range.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  range.buffer = buffer_->handle;
  range.offset = 64;
  range.size = VK_WHOLE_SIZE;
  vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 1, &range, 0, nullptr);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(floor(1, kVisible, buffer_->address + 63), kInherited);
  EXPECT_EQ(floor(1, kVisible, buffer_->address + 64), 1u);
  EXPECT_EQ(floor(1, kVisible, buffer_->address + 255), 1u);
  EXPECT_EQ(floor(1, kVisible, buffer_->address + 256), kInherited);
  EXPECT_EQ(floor(1, kExecuted), 1u);
}

TEST_F(ExactOrder, ABufferBarrierEndsWithTheBufferAndIsForAllMemoryWhereThatIsNotKnown) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = 256;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer unbound = VK_NULL_HANDLE;
  check(vk().vkCreateBuffer(device().handle, &info, nullptr, &unbound), "vkCreateBuffer");
  const uint64_t base = buffer_->address;
  struct Row {
    VkBuffer buffer;
    VkDeviceSize offset, size;
    uint64_t begin, end;
  };
  for (const Row& row :
       {Row{buffer_->handle, 64, 32, base + 64, base + 96}, Row{buffer_->handle, 0, 256, base, base + 256},
        Row{buffer_->handle, 64, 1000, base + 64, base + 256},
        Row{buffer_->handle, 255, 8, base + 255, base + 256}, Row{buffer_->handle, 256, 8, 0, UINT64_MAX},
        Row{unbound, 0, 256, 0, UINT64_MAX}}) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    VkBufferMemoryBarrier range{};
    range.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    range.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    range.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    range.buffer = row.buffer;
    range.offset = row.offset;
    range.size = row.size;
    vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 1, &range, 0, nullptr);
    dispatch(commands);
    end(commands);
    const size_t last = records().size() - 1;
    for (const uint64_t address :
         {uint64_t{16}, base, base + 63, base + 64, base + 95, base + 96, base + 254, base + 255, base + 256})
      EXPECT_EQ(floor(last, kVisible, address), address >= row.begin && address < row.end ? 1u : kInherited)
          << row.offset << " " << row.size << " at " << address - base;
  }
  vk().vkDestroyBuffer(device().handle, unbound, nullptr);
}

// Shaders need not look at what came before where a barrier orders all of it.
TEST_F(ExactOrder, ArgumentsAndFragmentsAreProducersToo) {
  const auto ordered_behind = [&](const auto& record_action, VkPipelineStageFlags source) {
    const VkCommandBuffer commands = begin();
    record_action(commands);
    barrier(commands, source, VK_ACCESS_SHADER_WRITE_BIT, kComputeStage,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    bind(commands);
    dispatch(commands);
    end(commands);
    return records().back()[SQA_ACTION_ORDERED_BEFORE];
  };
  const auto direct = [&](VkCommandBuffer commands) {
    bind(commands);
    dispatch(commands);
  };
  const auto indirect = [&](VkCommandBuffer commands) {
    bind(commands);
    vk().vkCmdDispatchIndirect(commands, buffer_->handle, 0);
  };
  const auto drawn = [&](VkCommandBuffer commands) {
    bind_graphics(commands);
    draw(commands);
  };
  EXPECT_NE(ordered_behind(direct, kComputeStage), 0u);
  EXPECT_EQ(ordered_behind(indirect, kComputeStage), 0u);
  EXPECT_EQ(ordered_behind(drawn, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT), 0u);
  EXPECT_EQ(ordered_behind(drawn, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT), 0u);
  EXPECT_NE(ordered_behind(drawn, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT), 0u);
}

TEST_F(ExactOrder, AnEventOrdersWhatIsBeforeItIsSet) {
  const auto event = reinterpret_cast<VkEvent>(uint64_t{1});  // the driver does not look at it
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  vk().vkCmdSetEvent(commands, event, kComputeStage);
  dispatch(commands);
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  vk().vkCmdWaitEvents(commands, 1, &event, kComputeStage, kComputeStage, 1, &memory, 0, nullptr, 0, nullptr);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(floor(2, kVisible), 1u);
}

TEST_F(ExactOrder, LaterNumbersOfOtherQueuesCountUntilTheHostMaySetAnEvent) {
  const auto event = reinterpret_cast<VkEvent>(uint64_t{1});
  for (const VkPipelineStageFlags source :
       {kComputeStage, VkPipelineStageFlags{VK_PIPELINE_STAGE_HOST_BIT}}) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    vk().vkCmdWaitEvents(commands, 1, &event, source, kComputeStage, 0, nullptr, 0, nullptr, 0, nullptr);
    dispatch(commands);
    end(commands);
    submit({commands});
    EXPECT_EQ(state(records().size() - 1).in_order, source == kComputeStage ? 1u : 0u);
  }
}

TEST_F(ExactOrder, DrawsHaveFourNumbers) {
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  draw(commands);
  draw(commands);
  end(commands);
  submit({commands});
  EXPECT_EQ(sequence(1), 4u);
  const uint32_t first = state(0).first_sequence;
  EXPECT_EQ(info_of(first), uint32_t{SQA_CLASS_PRE_RASTERIZATION});
  EXPECT_EQ(info_of(first + SQA_COLUMN_FRAGMENT), uint32_t{SQA_CLASS_FRAGMENT});
  EXPECT_EQ(info_of(first + SQA_COLUMN_INDIRECT), uint32_t{SQA_CLASS_INDIRECT});
  EXPECT_EQ(info_of(first + 4 + SQA_COLUMN_VERTEX_INPUT), uint32_t{SQA_CLASS_VERTEX_INPUT});
}

TEST_F(ExactOrder, SubmissionsGetNumbersAndResubmissionsNewOnes) {
  const VkCommandBuffer commands = checked_commands();
  submit({commands});
  EXPECT_EQ(last_batch({commands}), (Stream{"?", "0"})) << "new cells are cleared";
  EXPECT_EQ(state(0).first_sequence, 1u);
  EXPECT_EQ(visible(0), 0u);
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  EXPECT_EQ(state(0).first_sequence, 2u);
  EXPECT_EQ(visible(0), 1u) << "the host waited";
  EXPECT_EQ(info_of(2), kC);
}

TEST_F(ExactOrder, ACommandBufferOfBarriersOrdersTheNext) {
  const VkCommandBuffer first = checked_commands();
  const VkCommandBuffer between = begin();
  shader_barrier(between);
  end(between);
  const VkCommandBuffer last = checked_commands();
  submit({first, between, last});
  EXPECT_EQ(state(0).first_sequence, 1u);
  EXPECT_EQ(state(1).first_sequence, 2u);
  EXPECT_EQ(visible(1), 1u);
}

TEST_F(ExactOrder, WhatMayBePendingIsWrittenByTheDevice) {
  const VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, kSimultaneous);
  bind(commands);
  dispatch(commands);
  end(commands);
  submit({commands});
  submit({commands, commands});
  EXPECT_EQ(last_batch({commands}), (Stream{"?", "0", "?", "0"}));
  EXPECT_EQ(state(0).first_sequence, 1u) << "that of the first";
  EXPECT_EQ(updated().first_sequence, 3u);
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  EXPECT_EQ(state(0).first_sequence, 4u);
}

// 64 command buffers of the layer's write what is pending; then nothing is checked until some are over.
TEST_F(ExactOrder, SoManyPendingSubmissionsAreChecked) {
  const VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, kSimultaneous);
  bind(commands);
  dispatch(commands);
  end(commands);
  // The first of all clears new cells.
  for (int i = 0; i < 64; ++i) {
    submit({commands});
    EXPECT_EQ(last_batch({commands}).size(), 2u) << i;
  }
  EXPECT_TRUE(notes_about("some submissions are not checked").empty());
  submit({commands});
  EXPECT_EQ(last_batch({commands}).size(), 1u);
  EXPECT_EQ(state(0).first_sequence, 0u);
  EXPECT_EQ(notes_about("some submissions are not checked").size(), 1u);
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  submit({commands});
  EXPECT_EQ(last_batch({commands}).size(), 1u) << "the host writes it again";
  EXPECT_NE(state(0).first_sequence, 0u);
}

TEST_F(ExactOrder, WhatMayBePendingInAnotherQueueIsNotChecked) {
  const VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, kSimultaneous);
  bind(commands);
  dispatch(commands);
  end(commands);
  submit({commands});
  EXPECT_EQ(state(0).first_sequence, 1u);
  submit_to(other_queue_, {commands});
  EXPECT_EQ(state(0).first_sequence, 0u);
  check(vk().vkDeviceWaitIdle(device().handle), "vkDeviceWaitIdle");
  submit_to(other_queue_, {commands});
  EXPECT_EQ(state(0).first_sequence, 3u) << "nothing is pending any more";
}

TEST_F(ExactOrder, ASecondaryStandsWhereItIsExecuted) {
  const VkCommandBuffer secondary = begin(kSecondary);
  bind(secondary);
  dispatch(secondary);
  shader_barrier(secondary);
  dispatch(secondary);
  end(secondary);
  const VkCommandBuffer primary = begin();
  bind(primary);
  dispatch(primary);
  shader_barrier(primary);
  vk().vkCmdExecuteCommands(primary, 1, &secondary);
  bind(primary);
  dispatch(primary);
  end(primary);
  submit({primary});
  // Records in the order of recording: two of the secondary, two of the primary.
  EXPECT_EQ(state(2).first_sequence, 1u);
  EXPECT_EQ(state(0).first_sequence, 2u);
  EXPECT_EQ(visible(0), 1u);
  EXPECT_EQ(sequence(3), 3u);
  EXPECT_EQ(floor(3, kVisible), 2u) << "the secondary's first action";
  EXPECT_EQ(info_of(3), kC);
}

TEST_F(ExactOrder, ASecondaryThatIsExecutedTwiceIsToldOnTheWay) {
  const VkCommandBuffer secondary = begin(kSecondary, kSimultaneous);
  bind(secondary);
  dispatch(secondary);
  end(secondary);
  const VkCommandBuffer primary = begin();
  const VkCommandBuffer twice[] = {secondary, secondary};
  vk().vkCmdExecuteCommands(primary, 2, twice);
  end(primary);
  EXPECT_EQ(stream_of(primary), with_ends({"CmdExecuteCommands", "CmdPipelineBarrier", "CmdCopyBuffer",
                                           "CmdPipelineBarrier", "CmdExecuteCommands"}));
  submit({primary});
  EXPECT_EQ(state(0).first_sequence, 1u);
}

TEST_F(ExactOrder, SemaphoresOrderQueues) {
  const VkSemaphore semaphore = create_semaphore();
  const VkCommandBuffer first = checked_commands();
  const VkCommandBuffer second = checked_commands();
  submit_to(device().queue, {first}, VK_NULL_HANDLE, semaphore);
  submit_to(other_queue_, {second});
  EXPECT_EQ(state(1).queue, 1u);
  EXPECT_EQ(state(1).queue_floors[0], 0u);
  EXPECT_EQ(info_of(2), kC | 1u << 8);
  check(vk().vkQueueWaitIdle(other_queue_), "vkQueueWaitIdle");
  submit_to(other_queue_, {second}, semaphore);
  EXPECT_EQ(state(1).queue_floors[0], 1u);
  EXPECT_EQ(visible(1), 2u);
}

TEST_F(ExactOrder, FencesOrderWhatTheyCover) {
  const VkFence fence = create_fence(device());
  const VkCommandBuffer first = checked_commands();
  const VkCommandBuffer second = checked_commands();
  const VkCommandBuffer third = checked_commands();
  submit_to(device().queue, {first}, VK_NULL_HANDLE, VK_NULL_HANDLE, fence);
  submit_to(device().queue, {second});
  check(vk().vkWaitForFences(device().handle, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  submit_to(device().queue, {third});
  EXPECT_EQ(visible(1), 0u);
  EXPECT_EQ(visible(2), 1u);
  vk().vkDestroyFence(device().handle, fence, nullptr);
}

TEST_F(ExactOrder, AnEpochBeginsWithACommandBufferOfTheLayer) {
  const VkCommandBuffer many = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  bind(many);
  for (int i = 0; i < 8192; ++i) dispatch(many);
  end(many);
  for (int i = 0; i < 3; ++i) {
    submit({many});
    check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
    EXPECT_EQ(last_batch({many}), (Stream{"?", "0"})) << "new cells, then all of them are cleared";
    EXPECT_EQ(state(0).first_sequence, (i % 2 ? uint32_t{SQA_EPOCH_BIT} : 0u) + 1);
    EXPECT_EQ(visible(0), 0u) << "of the last epoch";
  }
}

}  // namespace
}  // namespace shaderqa::layer_tests
