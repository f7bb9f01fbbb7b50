// SPDX-License-Identifier: Apache-2.0
// With a budget: timestamps around each submission, by command buffers of the layer's.
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr size_t kSlots = 32;  // submissions that are measured at a time

null_driver::Config with_timestamps(uint32_t bits) {
  null_driver::Config config;
  config.timestamp_bits = bits;
  return config;
}

class DeviceTimes : public CommandTest {
 protected:
  explicit DeviceTimes(uint32_t bits = 36)
      : CommandTest({}, with_timestamps(bits), "exact",
                    {{"SHADERQA_BUDGET", "5%"}, {"SHADERQA_START", "first_use"}}) {}

  VkCommandBuffer recorded() {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    end(commands);
    return commands;
  }
  // The layer's command buffers around the only one that is submitted; none without timestamps.
  std::vector<VkCommandBuffer> around(VkCommandBuffer commands) {
    submit({commands});
    std::vector<VkCommandBuffer> all;
    const null_driver::BatchRecord batch = driver().log().batches.back();
    for (const uint64_t handle : batch.command_buffers)
      all.push_back(reinterpret_cast<VkCommandBuffer>(handle));
    if (all.size() == 1) return {};
    return {all.front(), all.back()};
  }
  static std::vector<null_driver::CommandRecord> commands_of(VkCommandBuffer commands) {
    std::vector<null_driver::CommandRecord> found;
    for (const null_driver::CommandRecord& record : driver().log().commands)
      if (record.command_buffer == reinterpret_cast<uint64_t>(commands)) found.push_back(record);
    return found;
  }
  // Where the device writes {begin, 1, end, 1} for a submission.
  static uint64_t* results_of(VkCommandBuffer behind) {
    for (const null_driver::CommandRecord& record : commands_of(behind))
      if (record.command == "CmdCopyQueryPoolResults")
        return reinterpret_cast<uint64_t*>(record.values.back());
    return nullptr;
  }
  static void finish(VkCommandBuffer behind, uint64_t begin, uint64_t end) {
    uint64_t* const results = results_of(behind);
    ASSERT_NE(results, nullptr);
    results[0] = begin;
    results[2] = end;
    for (const size_t available : {1, 3}) std::atomic_ref(results[available]).store(1);
  }
  using Values = std::vector<uint64_t>;
};

TEST_F(DeviceTimes, AreTakenInFrontAndBehind) {
  const auto both = around(recorded());
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(stream_of(both[0]), with_ends({"CmdResetQueryPool", "CmdWriteTimestamp"}));
  EXPECT_EQ(stream_of(both[1]),
            with_ends({"CmdWriteTimestamp", "CmdCopyQueryPoolResults", "CmdPipelineBarrier"}));
  const auto before = commands_of(both[0]), behind = commands_of(both[1]);
  EXPECT_EQ(before.at(1).values, (Values{0, 2}));
  EXPECT_EQ(before.at(2).values, (Values{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0}));
  EXPECT_EQ(behind.at(1).values, (Values{VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 1}));
  const Values& copy = behind.at(2).values;
  EXPECT_EQ(
      (Values(copy.begin(), copy.end() - 1)),
      (Values{0, 2, 0, 16,
              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_WAIT_BIT}));
}

TEST_F(DeviceTimes, OfSubmissionsInFlightHaveTheirOwnQueries) {
  std::vector<VkCommandBuffer> behind;
  for (size_t i = 0; i < kSlots; ++i) {
    const auto both = around(recorded());
    ASSERT_EQ(both.size(), 2u) << i;
    EXPECT_EQ(commands_of(both[0]).at(1).values, (Values{2 * i, 2}));
    EXPECT_EQ(commands_of(both[1]).at(1).values.at(1), 2 * i + 1);
    EXPECT_EQ(commands_of(both[1]).at(2).values.at(2), 32 * i);
    behind.push_back(both[1]);
  }
  EXPECT_TRUE(around(recorded()).empty()) << "too much is on its way";
  finish(behind[1], 5, 6);
  EXPECT_TRUE(around(recorded()).empty()) << "they come in order";
  finish(behind[0], 1, 4);
  const auto again = around(recorded());
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[1], behind[0]) << "recorded once for all submissions";
  EXPECT_EQ(results_of(again[1])[1], 0u) << "what was there is no result of this one";
  EXPECT_EQ(results_of(again[1])[3], 0u);
  EXPECT_EQ(around(recorded()).at(1), behind[1]);
  EXPECT_TRUE(around(recorded()).empty());
}

TEST_F(DeviceTimes, AnEmptyOrProtectedSubmissionHasNone) {
  submit({});
  EXPECT_TRUE(driver().log().batches.empty() || driver().log().batches.back().command_buffers.empty());
  const VkCommandBuffer commands = recorded();
  VkProtectedSubmitInfo protection{};
  protection.sType = VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO;
  protection.protectedSubmit = VK_TRUE;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &protection;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  check(vk().vkQueueSubmit(device().queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  EXPECT_EQ(driver().log().batches.back().command_buffers.size(), 1u);
}

TEST_F(DeviceTimes, OfSeveralBatchesAreTakenAroundAll) {
  const VkCommandBuffer commands[] = {recorded(), recorded()};
  VkSubmitInfo infos[3]{};
  for (int i = 0; i < 3; ++i) {
    infos[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    infos[i].commandBufferCount = i == 1 ? 2 : 1;
    infos[i].pCommandBuffers = i == 2 ? commands + 1 : commands;
  }
  const size_t before = driver().log().batches.size();
  check(vk().vkQueueSubmit(device().queue, 3, infos, VK_NULL_HANDLE), "vkQueueSubmit");
  const auto batches = driver().log().batches;
  ASSERT_EQ(batches.size(), before + 3);
  const auto is_timestamp = [&](uint64_t handle) {
    const Stream stream = stream_of(reinterpret_cast<VkCommandBuffer>(handle));
    return std::ranges::count(stream, "CmdWriteTimestamp") == 1;
  };
  EXPECT_TRUE(is_timestamp(batches[before].command_buffers.front()));
  EXPECT_FALSE(is_timestamp(batches[before].command_buffers.back()));
  for (const uint64_t handle : batches[before + 1].command_buffers) EXPECT_FALSE(is_timestamp(handle));
  EXPECT_FALSE(is_timestamp(batches[before + 2].command_buffers.front()));
  EXPECT_TRUE(is_timestamp(batches[before + 2].command_buffers.back()));
}

TEST_F(DeviceTimes, WithoutAQueryPoolThereAreNone) {
  null_driver::Config config = with_timestamps(36);
  config.faults.push_back({"vkCreateQueryPool", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY});
  driver().configure(config);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(around(recorded()).empty()) << "it is tried once";
}

class NoDeviceTimes : public DeviceTimes {
 protected:
  NoDeviceTimes() : DeviceTimes(0) {}
};

TEST_F(NoDeviceTimes, WithoutValidBits) { EXPECT_TRUE(around(recorded()).empty()); }

class DeviceTimesOf64Bits : public DeviceTimes {
 protected:
  DeviceTimesOf64Bits() : DeviceTimes(64) {}
};

TEST_F(DeviceTimesOf64Bits, AreTakenToo) { EXPECT_EQ(around(recorded()).size(), 2u); }

}  // namespace
}  // namespace shaderqa::layer_tests
