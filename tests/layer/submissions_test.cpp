// SPDX-License-Identifier: Apache-2.0
// What submissions become when accesses are checked: where clears of the filter are put, that all else stays
// as the application gave it, and that what is not understood is left alone.
#include <cstring>
#include <string>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_filter.h"
#include "instrument/runtime/abi_submission.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

// The same submissions by both commands.
enum class Version { one, two };

struct Batch {
  std::vector<VkCommandBuffer> commands;
  VkSemaphore wait = VK_NULL_HANDLE;
  VkPipelineStageFlags stage = kComputeStage;
  VkSemaphore signal = VK_NULL_HANDLE;
  const void* next = nullptr;
  bool is_protected = false;
};

class Submits : public CommandTest, public ::testing::WithParamInterface<Version> {
 protected:
  Submits() : CommandTest({nullptr, nullptr, {"VK_KHR_synchronization2", "VK_KHR_timeline_semaphore"}}) {}

  // And what reached the driver of it.
  std::vector<null_driver::BatchRecord> submit_all(const std::vector<Batch>& batches) {
    const size_t before = driver().log().batches.size();
    if (GetParam() == Version::one) {
      submit_one(batches);
    } else {
      submit_two(batches);
    }
    const auto log = driver().log();
    return {log.batches.begin() + static_cast<ptrdiff_t>(before), log.batches.end()};
  }

  // A signal has this value in a batch with a timeline.
  static constexpr uint64_t kValue = 7;

 private:
  void submit_one(const std::vector<Batch>& batches) {
    std::vector<VkSubmitInfo> infos;
    std::vector<VkProtectedSubmitInfo> protect(batches.size());
    for (const Batch& batch : batches) {
      VkSubmitInfo& info = infos.emplace_back();
      info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
      info.pNext = batch.next;
      if (batch.is_protected) {
        VkProtectedSubmitInfo& protection = protect[infos.size() - 1];
        protection.sType = VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO;
        protection.protectedSubmit = VK_TRUE;
        info.pNext = &protection;
      }
      info.waitSemaphoreCount = batch.wait ? 1 : 0;
      info.pWaitSemaphores = &batch.wait;
      info.pWaitDstStageMask = &batch.stage;
      info.commandBufferCount = static_cast<uint32_t>(batch.commands.size());
      info.pCommandBuffers = batch.commands.data();
      info.signalSemaphoreCount = batch.signal ? 1 : 0;
      info.pSignalSemaphores = &batch.signal;
    }
    const std::vector<VkSubmitInfo> given = infos;
    check(
        vk().vkQueueSubmit(device().queue, static_cast<uint32_t>(infos.size()), infos.data(), VK_NULL_HANDLE),
        "vkQueueSubmit");
    EXPECT_TRUE(given.empty() || std::memcmp(given.data(), infos.data(), given.size() * sizeof given[0]) == 0)
        << "the application's own were edited";
  }

  void submit_two(const std::vector<Batch>& batches) {
    std::vector<VkSubmitInfo2> infos;
    std::vector<std::vector<VkCommandBufferSubmitInfo>> commands(batches.size());
    std::vector<VkSemaphoreSubmitInfo> waits(batches.size()), signals(batches.size());
    for (size_t i = 0; i < batches.size(); ++i) {
      for (const VkCommandBuffer handle : batches[i].commands) {
        VkCommandBufferSubmitInfo& info = commands[i].emplace_back();
        info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
        info.commandBuffer = handle;
        info.deviceMask = 1;
      }
      const auto semaphore_info = [](VkSemaphoreSubmitInfo& info, VkSemaphore semaphore) {
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
        info.semaphore = semaphore;
        info.value = kValue;
      };
      semaphore_info(waits[i], batches[i].wait);
      waits[i].stageMask = batches[i].stage;
      semaphore_info(signals[i], batches[i].signal);
      signals[i].stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
      VkSubmitInfo2& info = infos.emplace_back();
      info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
      info.pNext = batches[i].next;
      info.flags = batches[i].is_protected ? VK_SUBMIT_PROTECTED_BIT : 0;
      info.waitSemaphoreInfoCount = batches[i].wait ? 1 : 0;
      info.pWaitSemaphoreInfos = &waits[i];
      info.commandBufferInfoCount = static_cast<uint32_t>(commands[i].size());
      info.pCommandBufferInfos = commands[i].data();
      info.signalSemaphoreInfoCount = batches[i].signal ? 1 : 0;
      info.pSignalSemaphoreInfos = &signals[i];
    }
    const std::vector<VkSubmitInfo2> given = infos;
    check(vk().vkQueueSubmit2KHR(device().queue, static_cast<uint32_t>(infos.size()), infos.data(),
                                 VK_NULL_HANDLE),
          "vkQueueSubmit2KHR");
    EXPECT_TRUE(given.empty() || std::memcmp(given.data(), infos.data(), given.size() * sizeof given[0]) == 0)
        << "the application's own were edited";
  }
};

uint64_t number_of(VkSemaphore semaphore) { return reinterpret_cast<uint64_t>(semaphore); }

TEST_P(Submits, OnlyBatchesThatNeedItAreEdited) {
  const VkCommandBuffer first = checked_commands(), second = checked_commands();
  const VkSemaphore semaphore = create_semaphore(), signal = create_semaphore();
  const auto batches = submit_all({{{first, second}, VK_NULL_HANDLE, 0, signal},
                                   {{second}},
                                   {{first}, semaphore, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT},
                                   {{second, first}, semaphore, kComputeStage, signal},
                                   {{first}}});
  ASSERT_EQ(batches.size(), 5u);
  const std::vector<VkCommandBuffer> known{first, second};
  EXPECT_EQ(batch_of(batches[0], known), (Stream{"clear", "0", "1"}));
  EXPECT_EQ(batch_of(batches[1], known), Stream{"1"});
  EXPECT_EQ(batch_of(batches[2], known), Stream{"0"});
  EXPECT_EQ(batch_of(batches[3], known), (Stream{"clear", "1", "0"}));
  EXPECT_EQ(batch_of(batches[4], known), Stream{"0"});
  EXPECT_EQ(batches[0].signals, std::vector<uint64_t>{number_of(signal)});
  EXPECT_TRUE(batches[0].waits.empty());
  EXPECT_EQ(batches[3].waits, std::vector<uint64_t>{number_of(semaphore)});
  EXPECT_EQ(batches[3].signals, std::vector<uint64_t>{number_of(signal)});
  if (GetParam() == Version::two) {
    EXPECT_EQ(batches[3].device_masks, (std::vector<uint32_t>{0, 1, 1})) << "0: all devices";
  }
}

TEST_P(Submits, AnEmptyBatchPassesItsWaitOn) {
  const VkCommandBuffer commands = checked_commands();
  const VkSemaphore semaphore = create_semaphore();
  submit_all({{{commands}}});
  EXPECT_EQ(submit_all({}).size(), 0u);
  auto batches = submit_all({{{}, semaphore}, {{}}, {{commands}}});
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_TRUE(batches[0].command_buffers.empty());
  EXPECT_EQ(batches[0].waits.size(), 1u);
  EXPECT_EQ(batch_of(batches[2], {commands}), (Stream{"clear", "0"}));
  // Also to a later call.
  submit_all({{{}, semaphore}});
  batches = submit_all({{{commands}}});
  EXPECT_EQ(batch_of(batches.at(0), {commands}), (Stream{"clear", "0"}));
}

TEST_P(Submits, AThousandBatches) {
  const VkCommandBuffer commands = checked_commands();
  const VkSemaphore semaphore = create_semaphore();
  std::vector<Batch> given(1000, Batch{{commands}});
  for (size_t i = 0; i < given.size(); i += 10) given[i].wait = semaphore;
  const auto batches = submit_all(given);
  ASSERT_EQ(batches.size(), 1000u);
  for (size_t i = 0; i < batches.size(); ++i) {
    EXPECT_EQ(batches[i].command_buffers.size(), i % 10 == 0 ? 2u : 1u) << i;
  }
}

TEST_P(Submits, OthersCommandBuffersAreLeftAlone) {
  const VkPipeline silent = create_compute(device(), shaders::silent_comp);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, silent);
  dispatch(commands);
  end(commands);
  const auto batches = submit_all({{{commands, commands}, create_semaphore()}});
  EXPECT_EQ(batch_of(batches.at(0), {commands}), (Stream{"0", "0"}));
  vk().vkDestroyPipeline(device().handle, silent, nullptr);
}

TEST_P(Submits, ProtectedOnesAreNotEdited) {
  const VkCommandBuffer commands = checked_commands();
  Batch batch{{commands}};
  batch.is_protected = true;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(batch_of(submit_all({batch}).at(0), {commands}), Stream{"0"});
  EXPECT_EQ(notes_about("some submissions are protected").size(), 1u);
  // The clear comes as soon as it can.
  EXPECT_EQ(batch_of(submit_all({{{commands}}}).at(0), {commands}), (Stream{"clear", "0"}));
}

TEST_P(Submits, StructuresThatNobodyKnowsAreNotEdited) {
  VkBaseInStructure unknown{static_cast<VkStructureType>(0x7ffffff0), nullptr};
  const VkCommandBuffer commands = checked_commands();
  Batch batch{{commands}};
  batch.next = &unknown;
  const auto batches = submit_all({batch});
  EXPECT_EQ(batch_of(batches.at(0), {commands}), Stream{"0"});
  EXPECT_EQ(batches[0].chain, null_driver::Chain{unknown.sType});
  EXPECT_EQ(notes_about("do not let the filter be cleared").size(), 1u);
}

// Device masks of vkQueueSubmit are counted as the command buffers are.
TEST_P(Submits, DeviceGroupsAreNotEdited) {
  if (GetParam() == Version::two) GTEST_SKIP() << "masks are with the command buffers";
  const VkCommandBuffer commands = checked_commands();
  const uint32_t mask = 1;
  VkDeviceGroupSubmitInfo group{};
  group.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO;
  group.commandBufferCount = 1;
  group.pCommandBufferDeviceMasks = &mask;
  Batch batch{{commands}};
  batch.next = &group;
  EXPECT_EQ(batch_of(submit_all({batch}).at(0), {commands}), Stream{"0"});
  EXPECT_EQ(notes_about("do not let the filter be cleared").size(), 1u);
}

TEST_P(Submits, TimelinesKeepTheirValues) {
  const VkSemaphore timeline = create_semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
  const VkCommandBuffer commands = checked_commands();
  const uint64_t value = kValue;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  Batch batch{{commands}, VK_NULL_HANDLE, 0, timeline};
  if (GetParam() == Version::one) batch.next = &values;
  const auto batches = submit_all({batch});
  EXPECT_EQ(batch_of(batches.at(0), {commands}), (Stream{"clear", "0"}));
  EXPECT_EQ(batches[0].chain.size(), GetParam() == Version::one ? 1u : 0u);
  uint64_t reached = 0;
  check(vk().vkGetSemaphoreCounterValueKHR(device().handle, timeline, &reached),
        "vkGetSemaphoreCounterValueKHR");
  EXPECT_EQ(reached, value);
  // The host knows now that the work is done.
  EXPECT_EQ(batch_of(submit_all({{{commands}}}).at(0), {commands}), (Stream{"clear", "0"}));
  EXPECT_EQ(batch_of(submit_all({{{commands}}}).at(0), {commands}), Stream{"0"});
  VkSemaphoreWaitInfo wait{};
  wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  wait.semaphoreCount = 1;
  wait.pSemaphores = &timeline;
  wait.pValues = &value;
  check(vk().vkWaitSemaphoresKHR(device().handle, &wait, 0), "vkWaitSemaphoresKHR");
  EXPECT_EQ(batch_of(submit_all({{{commands}}}).at(0), {commands}), (Stream{"clear", "0"}));
}

TEST_P(Submits, WithoutAClearTheyGoAsTheyAre) {
  const VkCommandBuffer commands = checked_commands();
  null_driver::Config config;
  config.faults = {{"vkCreateCommandPool", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(batch_of(submit_all({{{commands}}}).at(0), {commands}), Stream{"0"});
  EXPECT_EQ(notes_about("the filter cannot be cleared between submissions").size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Commands, Submits, ::testing::Values(Version::one, Version::two),
                         [](const auto& version) {
                           return version.param == Version::one ? "vkQueueSubmit" : "vkQueueSubmit2";
                         });

class Queues : public CommandTest {
 protected:
  static null_driver::Config two_families() {
    null_driver::Config config;
    config.queue_families = 2;
    return config;
  }
  Queues() : CommandTest({nullptr, nullptr, {}, {2, 1}}, two_families()) {
    vk().vkGetDeviceQueue(device().handle, 0, 1, &sibling_);
    vk().vkGetDeviceQueue(device().handle, 1, 0, &stranger_);
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = 1;
    check(vk().vkCreateCommandPool(device().handle, &pool, nullptr, &other_pool_), "vkCreateCommandPool");
  }
  void TearDown() override {
    vk().vkDestroyCommandPool(device().handle, other_pool_, nullptr);
    CommandTest::TearDown();
  }
  Stream submit_to(VkQueue queue, VkCommandBuffer commands) {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vk().vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    EXPECT_EQ(driver().log().batches.back().queue, reinterpret_cast<uint64_t>(queue));
    return last_batch({commands});
  }
  static const abi::SubmissionState& submission_of(const uint32_t* record) {
    return *reinterpret_cast<const abi::SubmissionState*>(address_at(record, SQA_ACTION_SUBMISSION));
  }
  VkCommandBuffer commands_of_the_other_family() {
    std::swap(pool_, other_pool_);
    const VkCommandBuffer commands = checked_commands();
    std::swap(pool_, other_pool_);
    return commands;
  }

  VkQueue sibling_ = VK_NULL_HANDLE, stranger_ = VK_NULL_HANDLE;
  VkCommandPool other_pool_ = VK_NULL_HANDLE;
};

TEST_F(Queues, OfOneFamilyShareAFilterAndClearForThemselves) {
  const VkCommandBuffer first = checked_commands(), second = checked_commands();
  EXPECT_EQ(submit_to(device().queue, first), (Stream{"clear", "0"}));
  EXPECT_EQ(submit_to(sibling_, second), (Stream{"clear", "0"}));
  EXPECT_EQ(submit_to(device().queue, first), Stream{"0"});
  EXPECT_EQ(submit_to(sibling_, second), Stream{"0"});
  const auto all = records();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(address_at(all[0], SQA_ACTION_ENGINE), address_at(all[1], SQA_ACTION_ENGINE));
  EXPECT_NE(submission_of(all[0]).queue, submission_of(all[1]).queue);
  // A wait of the host for one queue may be for what the other did before.
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  EXPECT_EQ(submit_to(sibling_, second), (Stream{"clear", "0"}));
  EXPECT_EQ(submit_to(device().queue, first), (Stream{"clear", "0"}));
}

// Queue family ownership transfers: a release and an acquire, which is no memory dependency on either side.
TEST_F(Queues, OfOtherFamiliesShareNothing) {
  const VkCommandBuffer release = begin();
  bind(release);
  dispatch(release);
  const auto transfer = [&](VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags made,
                            VkPipelineStageFlags to, VkAccessFlags seen) {
    VkBufferMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    barrier.srcAccessMask = made;
    barrier.dstAccessMask = seen;
    barrier.srcQueueFamilyIndex = 0;
    barrier.dstQueueFamilyIndex = 1;
    barrier.buffer = buffer_->handle;
    barrier.size = VK_WHOLE_SIZE;
    vk().vkCmdPipelineBarrier(commands, from, to, 0, 0, nullptr, 1, &barrier, 0, nullptr);
  };
  transfer(release, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0);
  end(release);
  EXPECT_EQ(stream_of(release), joined({kBound, kAction, {"CmdPipelineBarrier"}}));

  std::swap(pool_, other_pool_);
  const VkCommandBuffer acquire = begin();
  std::swap(pool_, other_pool_);
  transfer(acquire, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, kComputeStage, VK_ACCESS_SHADER_READ_BIT);
  bind(acquire);
  dispatch(acquire);
  end(acquire);

  EXPECT_EQ(submit_to(device().queue, release), (Stream{"clear", "0"}));
  EXPECT_EQ(submit_to(stranger_, acquire), (Stream{"clear", "0"}));
  const auto all = records();
  ASSERT_EQ(all.size(), 2u);
  const auto filter_of = [](const uint32_t* record) {
    return reinterpret_cast<const abi::FamilyState*>(address_at(record, SQA_ACTION_ENGINE))->filter_address;
  };
  EXPECT_NE(filter_of(all[0]), 0u);
  EXPECT_NE(filter_of(all[1]), 0u);
  EXPECT_NE(filter_of(all[0]), filter_of(all[1]));
  EXPECT_NE(submission_of(all[0]).queue, submission_of(all[1]).queue);
}

TEST_F(Queues, OfAnotherFamilyAloneHaveAFilter) {
  const VkCommandBuffer commands = commands_of_the_other_family();
  EXPECT_EQ(submit_to(stranger_, commands), (Stream{"clear", "0"}));
  EXPECT_EQ(submit_to(stranger_, commands), Stream{"0"});
}

}  // namespace
}  // namespace shaderqa::layer_tests
