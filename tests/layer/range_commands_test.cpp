// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what copies, fills and updates become in a command buffer, and that whatever the
// application has bound is bound again behind them.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_ranges.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/abi_root.h"
#include "instrument/runtime/abi_submission.h"
#include "tests/layer/command_kit.h"
#include "tests/support/begin_info.h"

namespace shaderqa::layer_tests {
namespace {

const Stream kEntered{"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase", "CmdPipelineBarrier"};
const Stream kEnteredAndRestored{"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase",
                                 "CmdBindPipeline", "CmdPipelineBarrier"};

class RangeCommands : public CommandTest {
 protected:
  explicit RangeCommands(const null_driver::Config& config = {}, const DeviceOptions& options = {})
      : CommandTest(options, config, "exact") {
    source_.emplace(device(), 128, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    target_.emplace(device(), 128, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  }
  void TearDown() override {
    source_.reset();
    target_.reset();
    CommandTest::TearDown();
  }

  void update(VkCommandBuffer commands, VkDeviceSize offset = 16) {
    const uint32_t words[] = {1, 2, 3};
    vk().vkCmdUpdateBuffer(commands, buffer_->handle, offset, sizeof words, words);
  }
  static std::vector<null_driver::CommandRecord> named(VkCommandBuffer commands, const std::string& command) {
    std::vector<null_driver::CommandRecord> found;
    for (const null_driver::CommandRecord& record : driver().log().commands) {
      if (record.command_buffer == reinterpret_cast<uint64_t>(commands) && record.command == command)
        found.push_back(record);
    }
    return found;
  }
  static const abi::ExactState& engine(const uint32_t* record) {
    return *reinterpret_cast<const abi::ExactState*>(address_at(record, SQA_ACTION_ENGINE));
  }
  // Dword SQA_RANGE_* of range i.
  static uint32_t range(const uint32_t* record, uint32_t i, uint32_t dword) {
    return record[SQA_RANGES_FIRST + i * SQA_RANGE_DWORDS + dword];
  }
  static uint64_t range_address(const uint32_t* record, uint32_t i) {
    return address_at(record, SQA_RANGES_FIRST + i * SQA_RANGE_DWORDS + SQA_RANGE_ADDRESS);
  }

  std::optional<BoundBuffer> source_, target_;
};

TEST_F(RangeCommands, ACommandIsEnteredAndWhatWasBoundIsBoundAgain) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  update(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, {"CmdUpdateBuffer"}, kEnteredAndRestored, kAction}));
  const auto binds = named(commands, "CmdBindPipeline");
  ASSERT_EQ(binds.size(), 3u);
  EXPECT_EQ(binds[2].values.at(1), reinterpret_cast<uint64_t>(pipeline_));
  EXPECT_NE(binds[1].values.at(1), reinterpret_cast<uint64_t>(pipeline_));
}

using Values = std::vector<uint64_t>;
constexpr uint64_t kCompute = VK_SHADER_STAGE_COMPUTE_BIT, kVertex = VK_SHADER_STAGE_VERTEX_BIT;

class PushedConstants : public RangeCommands {
 protected:
  PushedConstants() : RangeCommands({}, {nullptr, nullptr, {"VK_KHR_maintenance6"}}) {}

  void push(VkCommandBuffer commands, VkShaderStageFlags stages, uint32_t offset,
            const std::vector<uint32_t>& values) const {
    vk().vkCmdPushConstants(commands, layout_, stages, offset, static_cast<uint32_t>(values.size() * 4),
                            values.data());
  }
  // All commands that the driver got, together.
  static std::vector<Values> pushed(VkCommandBuffer commands) {
    std::vector<Values> all;
    for (const null_driver::CommandRecord& record : named(commands, "CmdPushConstants"))
      all.push_back(record.values);
    return all;
  }
};

TEST_F(PushedConstants, AreSetAgainBehindOurDispatch) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  push(commands, kCompute, 8, {1, 2, 3});
  update(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({kBound,
                    {"CmdPushConstants", "CmdUpdateBuffer", "CmdPipelineBarrier", "CmdBindPipeline",
                     "CmdDispatchBase", "CmdBindPipeline", "CmdPushConstants", "CmdPipelineBarrier"},
                    kAction}));
  EXPECT_EQ(pushed(commands), (std::vector<Values>(2, {kCompute, 8, 12, 1, 2, 3})));
}

TEST_F(PushedConstants, HaveTheirLatestValues) {
  const VkCommandBuffer commands = begin();
  push(commands, kVertex, 0, {9});
  push(commands, kCompute, 0, {1, 2});
  push(commands, kCompute, 8, {3, 4});
  push(commands, kCompute, 4, {5, 6});
  push(commands, kCompute | kVertex, 4, {7});
  push(commands, kCompute, 16, {8});
  push(commands, kCompute | kVertex, 4, {10, 11});
  update(commands);
  end(commands);
  const auto all = pushed(commands);
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ((std::vector<Values>(all.begin() + 7, all.end())),
            (std::vector<Values>{
                {kCompute, 0, 16, 1, 5, 6, 4}, {kCompute, 16, 4, 8}, {kCompute | kVertex, 4, 8, 10, 11}}))
      << "those of vertex shaders alone are not ours to touch";
}

TEST_F(PushedConstants, ComeInOneOrderWithThoseOfOtherStages) {
  const VkCommandBuffer commands = begin();
  push(commands, kCompute | kVertex, 0, {1, 2});
  push(commands, kVertex, 0, {3});
  update(commands);
  end(commands);
  const auto all = pushed(commands);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[2], all[0]);
  EXPECT_EQ(all[3], all[1]) << "vertex shaders keep the later ones";
}

TEST_F(PushedConstants, OfVertexShadersAloneStay) {
  const VkCommandBuffer commands = begin();
  push(commands, kVertex, 0, {1});
  update(commands);
  end(commands);
  EXPECT_EQ(pushed(commands).size(), 1u);
}

TEST_F(PushedConstants, OfAnEarlierRecordingAreForgotten) {
  const VkCommandBuffer commands = begin();
  push(commands, kCompute, 0, {1});
  end(commands);
  begin(commands);
  update(commands);
  end(commands);
  EXPECT_EQ(pushed(commands).size(), 1u);
}

TEST_F(PushedConstants, OfTheSecondCommandToo) {
  const VkCommandBuffer commands = begin();
  const uint32_t value = 5;
  VkPushConstantsInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO;
  info.layout = layout_;
  info.stageFlags = kCompute;
  info.size = 4;
  info.pValues = &value;
  vk().vkCmdPushConstants2KHR(commands, &info);
  update(commands);
  end(commands);
  EXPECT_EQ(pushed(commands), (std::vector<Values>{{kCompute, 0, 4, 5}}));
}

TEST_F(RangeCommands, TheShaderFindsTheRecordByTheBaseOfTheDispatch) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  update(commands);
  end(commands);
  ASSERT_EQ(records().size(), 2u);
  const uint32_t* record = records()[1];
  EXPECT_EQ(record[SQA_ACTION_SEQUENCE], 1u);
  EXPECT_EQ(range_address(record, 0), buffer_->address + 16);
  EXPECT_EQ(range(record, 0, SQA_RANGE_BYTES), 12u);
  EXPECT_EQ(range(record, 0, SQA_RANGE_ROWS), 1u);
  EXPECT_EQ(range(record, 0, SQA_RANGE_ACCESS), uint32_t{SQA_ACCESS_STORE});
  const auto values = named(commands, "CmdDispatchBase").at(0).values;
  const auto blocks = reinterpret_cast<const uint64_t*>(engine(record).record_blocks_address);
  EXPECT_EQ(blocks[values[2]] + values[1] * 16, reinterpret_cast<uint64_t>(record));
  EXPECT_EQ(values[0], 0u);
  EXPECT_EQ(values[3], record[SQA_RANGES_GROUPS]);
  submit({commands});
  const auto& state =
      *reinterpret_cast<const abi::SubmissionState*>(address_at(record, SQA_ACTION_SUBMISSION));
  EXPECT_EQ(state.first_sequence, 1u);
  const auto sequences = reinterpret_cast<const uint32_t*>(engine(record).sequences_address);
  EXPECT_EQ(sequences[2], uint32_t{SQA_CLASS_CLEAR});
}

TEST_F(RangeCommands, ManyAreEnteredTogether) {
  const VkCommandBuffer commands = begin();
  for (VkDeviceSize offset = 0; offset < 48; offset += 12) update(commands, offset);
  const VkBufferCopy region{0, 64, 32};
  vk().vkCmdCopyBuffer(commands, source_->handle, target_->handle, 1, &region);
  barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, 0);
  update(commands, 48);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({Stream(4, "CmdUpdateBuffer"),
                                         {"CmdCopyBuffer", "CmdPipelineBarrier", "CmdUpdateBuffer",
                                          "CmdPipelineBarrier", "CmdBindPipeline"},
                                         Stream(6, "CmdDispatchBase"),
                                         {"CmdPipelineBarrier"}}));
  ASSERT_EQ(records().size(), 6u);
  EXPECT_EQ(records()[4][SQA_ACTION_SEQUENCE], 4u);
  EXPECT_EQ(address_at(records()[0], SQA_ACTION_FLOORS), address_at(records()[3], SQA_ACTION_FLOORS));
  EXPECT_NE(address_at(records()[0], SQA_ACTION_FLOORS), address_at(records()[4], SQA_ACTION_FLOORS))
      << "copies are a class of their own";
  EXPECT_NE(address_at(records()[0], SQA_ACTION_FLOORS), address_at(records()[5], SQA_ACTION_FLOORS))
      << "each with the order in which it was recorded";
}

TEST_F(RangeCommands, WhatMeetsInMemoryIsEnteredInItsOrder) {
  const VkCommandBuffer commands = begin();
  update(commands, 0);
  update(commands, 12);
  const VkBufferCopy region{8, 64, 8};
  vk().vkCmdCopyBuffer(commands, buffer_->handle, target_->handle, 1, &region);
  vk().vkCmdCopyBuffer(commands, buffer_->handle, target_->handle, 1, &region);
  end(commands);
  const Stream two{"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase", "CmdDispatchBase",
                   "CmdPipelineBarrier"};
  EXPECT_EQ(stream_of(commands), joined({{"CmdUpdateBuffer", "CmdUpdateBuffer"},
                                         two,
                                         {"CmdCopyBuffer"},
                                         kEntered,
                                         {"CmdCopyBuffer"},
                                         kEntered}));
}

TEST_F(RangeCommands, NothingIsBoundAgainWhereNothingWas) {
  const VkCommandBuffer commands = begin();
  update(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdUpdateBuffer"}, kEntered}));
}

TEST_F(RangeCommands, WhatNothingWritesIsNotEntered) {
  const VkCommandBuffer commands = begin();
  const VkBufferCopy regions[] = {{0, 64, 32}, {32, 3, 5}};
  vk().vkCmdCopyBuffer(commands, source_->handle, target_->handle, 2, regions);
  vk().vkCmdCopyBuffer(commands, buffer_->handle, source_->handle, 1, regions);
  vk().vkCmdUpdateBuffer(commands, source_->handle, 0, 4, regions);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            with_ends({"CmdCopyBuffer", "CmdCopyBuffer", "CmdUpdateBuffer", "CmdPipelineBarrier",
                       "CmdBindPipeline", "CmdDispatchBase", "CmdDispatchBase", "CmdPipelineBarrier"}));
  ASSERT_EQ(records().size(), 2u);
  EXPECT_EQ(range_address(records()[0], 0), target_->address + 64);
  EXPECT_EQ(range_address(records()[0], 1), target_->address + 3);
  EXPECT_EQ(range(records()[0], 1, SQA_RANGE_BYTES), 5u);
  EXPECT_EQ(range_address(records()[1], 0), buffer_->address);
  EXPECT_EQ(range(records()[1], 0, SQA_RANGE_ACCESS), uint32_t{SQA_ACCESS_LOAD});
}

TEST_F(RangeCommands, AFillOfTheWholeSizeGoesToTheLastWholeWord) {
  const BoundBuffer odd(device(), 126, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkCommandBuffer commands = begin();
  vk().vkCmdFillBuffer(commands, target_->handle, 16, VK_WHOLE_SIZE, 7);
  vk().vkCmdFillBuffer(commands, odd.handle, 12, VK_WHOLE_SIZE, 7);
  vk().vkCmdFillBuffer(commands, odd.handle, 124, VK_WHOLE_SIZE, 7);
  vk().vkCmdFillBuffer(commands, odd.handle, 4, 8, 7);
  end(commands);
  ASSERT_EQ(records().size(), 3u) << "the third fill has no whole word";
  EXPECT_EQ(range_address(records()[0], 0), target_->address + 16);
  EXPECT_EQ(range(records()[0], 0, SQA_RANGE_BYTES), 112u);
  EXPECT_EQ(range_address(records()[1], 0), odd.address + 12);
  EXPECT_EQ(range(records()[1], 0, SQA_RANGE_BYTES), 112u) << "114 bytes are left, two of them no whole word";
  EXPECT_EQ(range_address(records()[2], 0), odd.address + 4);
  EXPECT_EQ(range(records()[2], 0, SQA_RANGE_BYTES), 8u);
}

TEST_F(RangeCommands, AnActiveQueryCountsNothingOfOurs) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryCount = 1;
  for (const VkQueryType type : {VK_QUERY_TYPE_PIPELINE_STATISTICS, VK_QUERY_TYPE_OCCLUSION}) {
    info.queryType = type;
    info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
    VkQueryPool pool = VK_NULL_HANDLE;
    check(vk().vkCreateQueryPool(device().handle, &info, nullptr, &pool), "vkCreateQueryPool");
    const VkCommandBuffer commands = begin();
    update(commands);
    vk().vkCmdBeginQuery(commands, pool, 0, 0);
    update(commands);
    vk().vkCmdEndQuery(commands, pool, 0);
    end(commands);
    if (type == VK_QUERY_TYPE_PIPELINE_STATISTICS) {
      EXPECT_EQ(stream_of(commands),
                joined({{"CmdUpdateBuffer"}, kEntered, {"CmdBeginQuery", "CmdUpdateBuffer", "CmdEndQuery"}}));
    } else {
      EXPECT_EQ(stream_of(commands), joined({{"CmdUpdateBuffer", "CmdBeginQuery"},
                                             kEntered,
                                             {"CmdUpdateBuffer", "CmdEndQuery"},
                                             kEntered}));
    }
    vk().vkDestroyQueryPool(device().handle, pool, nullptr);
  }
}

TEST_F(RangeCommands, NorDoStatisticsThatASecondaryInherits) {
  for (const VkQueryPipelineStatisticFlags statistics :
       {VkFlags{0}, VkFlags{VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT}}) {
    const VkCommandBuffer commands = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    const testing::BeginInfo begin_info(0, statistics);
    check(vk().vkBeginCommandBuffer(commands, &begin_info.info), "vkBeginCommandBuffer");
    update(commands);
    end(commands);
    EXPECT_EQ(named(commands, "CmdDispatchBase").size(), statistics ? 0u : 1u);
  }
}

TEST_F(RangeCommands, ManyRegionsAreSeveralRecords) {
  std::vector<VkBufferCopy> regions(600, {0, 0, 4});
  const VkCommandBuffer commands = begin();
  vk().vkCmdCopyBuffer(commands, buffer_->handle, target_->handle, 300, regions.data());
  end(commands);
  const auto dispatches = named(commands, "CmdDispatchBase");
  ASSERT_EQ(dispatches.size(), 5u) << "two ranges a region";
  EXPECT_EQ(dispatches[0].values.at(3), 128u);
  EXPECT_EQ(dispatches[4].values.at(3), 600u - 512u);
  EXPECT_EQ(records().at(0)[SQA_ACTION_SEQUENCE], records().at(4)[SQA_ACTION_SEQUENCE]);
}

TEST_F(RangeCommands, IndicesAreEnteredBehindTheirRenderPass) {
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  const VkCommandBuffer commands = begin();
  update(commands);  // from now on the page is written to
  vk().vkCmdBindIndexBuffer(commands, buffer_->handle, 8, VK_INDEX_TYPE_UINT16);
  vk().vkCmdBeginRendering(commands, &rendering);
  vk().vkCmdDrawIndexed(commands, 6, 1, 3, 0, 0);
  vk().vkCmdDrawIndexed(commands, 6, 2, 3, 0, 0);
  vk().vkCmdDrawIndexed(commands, 200, 1, 0, 0, 0);
  vk().vkCmdDrawIndexed(commands, 6, 0, 0, 0, 0);
  vk().vkCmdEndRendering(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdUpdateBuffer", "CmdBindIndexBuffer"},
                                         kEntered,
                                         {"CmdBeginRendering", "CmdDrawIndexed", "CmdDrawIndexed",
                                          "CmdDrawIndexed", "CmdDrawIndexed", "CmdEndRendering"},
                                         kEntered}))
      << "once: the second draw reads the same, the third beyond the buffer, the fourth nothing";
  ASSERT_EQ(records().size(), 2u);
  EXPECT_EQ(range_address(records()[1], 0), buffer_->address + 8 + 6);
  EXPECT_EQ(range(records()[1], 0, SQA_RANGE_BYTES), 12u);
  EXPECT_EQ(records()[1][SQA_ACTION_SEQUENCE], sqa_sequence_dword(1u, 1u, 0u))
      << "nothing is drawn behind it";
}

// Its pages are watched while a command buffer that writes to them can still run.
TEST_F(RangeCommands, WhatWasWrittenLongAgoIsNotFetched) {
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  const VkCommandBuffer writer = begin();
  update(writer);
  end(writer);
  for (const bool written : {true, false}) {
    if (!written) check(vk().vkResetCommandBuffer(writer, 0), "vkResetCommandBuffer");
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindIndexBuffer(commands, buffer_->handle, 0, VK_INDEX_TYPE_UINT32);
    vk().vkCmdBeginRendering(commands, &rendering);
    vk().vkCmdDrawIndexed(commands, 6, 1, 0, 0, 0);
    vk().vkCmdEndRendering(commands);
    end(commands);
    EXPECT_EQ(named(commands, "CmdDispatchBase").size(), written ? 1u : 0u);
  }
}

class WithoutDispatchBase : public RangeCommands {
 protected:
  static null_driver::Config without() {
    null_driver::Config config;
    config.missing_commands = {"vkCmdDispatchBase", "vkCmdDispatchBaseKHR"};
    return config;
  }
  WithoutDispatchBase() : RangeCommands(without()) {}
};

TEST_F(WithoutDispatchBase, OneNoteSaysSo) {
  const VkCommandBuffer commands = begin();
  update(commands);
  update(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), with_ends({"CmdUpdateBuffer", "CmdUpdateBuffer"}));
  EXPECT_EQ(notes_about("copies and fills").size(), 1u);
}

// The shaders of such an action check nothing; its arguments are read all the same.
TEST_F(RangeCommands, ArgumentsOfActionsWithNothingToCheckAreEntered) {
  const VkPipeline silent = create_compute_with(device(), shaders::silent_comp, layout_);
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, silent);
  vk().vkCmdDispatchIndirect(commands, buffer_->handle, 16);
  vk().vkCmdDispatch(commands, 1, 1, 1);
  end(commands);
  const auto all = entered(commands);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].size(), 1u);
  EXPECT_EQ(all[0][0].address, buffer_->address + 16);
  EXPECT_EQ(all[0][0].bytes, 12u);
  EXPECT_FALSE(all[0][0].writes);
  vk().vkDestroyPipeline(device().handle, silent, nullptr);
}

class WithoutPipeline : public RangeCommands {};

TEST_F(WithoutPipeline, OneNoteSaysSo) {
  null_driver::Config config = driver().config();
  config.faults = {{"vkCreateComputePipelines", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  const VkCommandBuffer commands = begin();
  update(commands);
  update(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), with_ends({"CmdUpdateBuffer", "CmdUpdateBuffer"}));
  EXPECT_EQ(notes_about("copies and fills").size(), 1u);
}

TEST_F(RangeCommands, TheShaderKnowsTheRootBlockAloneByItsConstants) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  update(commands);
  end(commands);
  const auto stage_of = [&](size_t bind) {
    const uint64_t pipeline = named(commands, "CmdBindPipeline").at(bind).values.at(1);
    for (const null_driver::PipelineRecord& record : driver().log().pipelines)
      if (record.handle == pipeline) return record.stages.at(0);
    return null_driver::StageRecord();
  };
  null_driver::StageRecord stage = stage_of(1);
  ASSERT_EQ(stage.constants.size(), 3u) << "another address would be another one in each run";
  EXPECT_EQ(stage.constants[2], uint32_t{SQA_RANGES_WORDS}) << "no image is checked";
  const uint32_t halves[] = {stage.constants[0], stage.constants[1]};
  const auto* const root = reinterpret_cast<const abi::Root*>(address_at(halves, 0));
  EXPECT_EQ(root->engine_address, address_at(records().at(0), SQA_ACTION_ENGINE));
  const Words& checked = stage_of(0).words;  // which have the root block's address in them
  for (const uint32_t half : halves) EXPECT_EQ(std::ranges::count(checked, half), 1);
}

// Four words for each of 64 invocations, and at most 256 workgroups.
TEST_F(RangeCommands, LargeRangesHaveMoreWorkgroups) {
  const BoundBuffer large(device(), 1 << 20, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  std::vector<uint64_t> expected;
  for (const auto& [bytes, groups] : {std::pair{4u, 1u},
                                      {1024u, 1u},
                                      {1028u, 2u},
                                      {2048u, 2u},
                                      {65536u, 64u},
                                      {256u * 1024, 256u},
                                      {1u << 20, 256u}}) {
    vk().vkCmdFillBuffer(commands, large.handle, 0, bytes, 7);
    expected.push_back(groups);
  }
  end(commands);
  std::vector<uint64_t> groups;
  for (const null_driver::CommandRecord& record : named(commands, "CmdDispatchBase")) {
    groups.push_back(record.values[3]);
    EXPECT_EQ(record.values[4], 1u);
    EXPECT_EQ(record.values[5], 1u);
  }
  EXPECT_EQ(groups, expected);
}

}  // namespace
}  // namespace shaderqa::layer_tests
