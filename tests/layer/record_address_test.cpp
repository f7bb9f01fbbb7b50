// SPDX-License-Identifier: Apache-2.0
// Pipelines whose layout uses all sets of the device find the action record by a push constant. Sets and push
// constants are set again for them, and for the application's own pipelines behind them.
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "layer/resources/longer_constants.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr uint32_t kSets = 4;
using Values = std::vector<uint64_t>;

bool operator==(const VkPushConstantRange& one, const VkPushConstantRange& other) {
  return one.stageFlags == other.stageFlags && one.offset == other.offset && one.size == other.size;
}

TEST(LongerConstants, HaveTheAddressBehindAllOthers) {
  const VkPushConstantRange given[] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, 16},
                                       {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 20},
                                       {VK_SHADER_STAGE_COMPUTE_BIT, 0, 0}};
  const auto longer = layer::lengthen_constants(given, 128);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->record, 40u);
  ASSERT_EQ(longer->ranges.size(), 3u);
  EXPECT_TRUE(longer->ranges[0] == (VkPushConstantRange{VK_SHADER_STAGE_VERTEX_BIT, 0, 48}));
  EXPECT_TRUE(longer->ranges[1] == (VkPushConstantRange{VK_SHADER_STAGE_FRAGMENT_BIT, 16, 32}));
  EXPECT_TRUE(longer->ranges[2] == (VkPushConstantRange{VK_SHADER_STAGE_COMPUTE_BIT, 40, 8}));
  // A push must name every stage that has the byte.
  EXPECT_EQ(longer->stages_at(0), VkShaderStageFlags(VK_SHADER_STAGE_VERTEX_BIT));
  EXPECT_EQ(longer->stages_at(16),
            VkShaderStageFlags(VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT));
  EXPECT_NE(longer->stages_at(40) & VK_SHADER_STAGE_COMPUTE_BIT, 0u);
  EXPECT_EQ(longer->stages_at(48), 0u);
}

TEST(LongerConstants, NeedRoomBelowTheLimit) {
  const auto fits = [](uint32_t size) {
    const VkPushConstantRange given{VK_SHADER_STAGE_ALL, 0, size};
    return layer::lengthen_constants({&given, 1}, 128).has_value();
  };
  EXPECT_TRUE(fits(120));
  EXPECT_FALSE(fits(124));
  EXPECT_FALSE(fits(128));
  EXPECT_TRUE(layer::lengthen_constants({}, 8));
  EXPECT_FALSE(layer::lengthen_constants({}, 7));
}

null_driver::Config four_sets(uint32_t push_constants = 128) {
  null_driver::Config config = host_visible();
  config.max_bound_sets = kSets;
  config.max_push_constants = push_constants;
  return config;
}

class RecordAddress : public CommandTest {
 protected:
  explicit RecordAddress(uint32_t push_constants = 128)
      : CommandTest({}, four_sets(push_constants), "exact") {
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    const std::vector<VkDescriptorSetLayout> sets(kSets, set_layout_);
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = kSets;
    info.pSetLayouts = sets.data();
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    check(vk().vkCreatePipelineLayout(device().handle, &info, nullptr, &full_), "vkCreatePipelineLayout");
    full_pipeline_ = create_compute_with(device(), shaders::accesses_comp, full_);
  }
  void TearDown() override {
    vk().vkDestroyPipeline(device().handle, full_pipeline_, nullptr);
    if (full_) vk().vkDestroyPipelineLayout(device().handle, full_, nullptr);
    CommandTest::TearDown();
  }

  void bind_pipeline(VkCommandBuffer commands, VkPipeline pipeline) {
    vk().vkCmdBindPipeline(commands, kCompute, pipeline);
  }
  void bind_sets(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t count) {
    const std::vector<VkDescriptorSet> sets(count, descriptors_->handle);
    vk().vkCmdBindDescriptorSets(commands, kCompute, layout, 0, count, sets.data(), 0, nullptr);
  }
  void push(VkCommandBuffer commands, uint32_t value) {
    const uint32_t values[] = {value, value, value, value};
    vk().vkCmdPushConstants(commands, full_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof values, values);
  }
  // What sets are bound, as {first, number}, and what constants are pushed, as {offset, first dword}, the
  // address of a record as {offset}.
  static std::vector<Values> settings_of(VkCommandBuffer commands) {
    std::vector<Values> all;
    for (const null_driver::CommandRecord& record : driver().log().commands) {
      if (record.command_buffer != reinterpret_cast<uint64_t>(commands)) continue;
      const Values& values = record.values;
      if (record.command == "CmdBindDescriptorSets") all.push_back({values[1], values[2]});
      if (record.command == "CmdPushConstants" && values[1] == 0) all.push_back({0, values[3]});
      if (record.command == "CmdPushConstants" && values[1] != 0) all.push_back({values[1]});
      if (record.command == "CmdDispatch") all.push_back({});
    }
    return all;
  }
  static inline const Values kAll{0, 4}, kRecord{16}, kDispatch{};
  static inline const std::vector<Values> kMoved{{0, 1}, {1, 1}, {2, 1}, {3, 1}};

  VkPipelineLayout full_ = VK_NULL_HANDLE;
  VkPipeline full_pipeline_ = VK_NULL_HANDLE;
};

std::vector<Values> operator+(std::vector<Values> one, const std::vector<Values>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

TEST_F(RecordAddress, IsPushedBehindTheApplicationsConstants) {
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, full_pipeline_);
  bind_sets(commands, full_, kSets);
  push(commands, 5);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (std::vector<Values>{kAll, {0, 5}} + kMoved +
                                    std::vector<Values>{{0, 5}, kRecord, kDispatch, kRecord, kDispatch}));
  const auto all = records();
  ASSERT_EQ(all.size(), 2u);
  std::vector<uint64_t> pushed;
  for (const null_driver::CommandRecord& record : driver().log().commands)
    if (record.command == "CmdPushConstants" && record.values[1] == 16) {
      EXPECT_EQ(record.values[2], 8u);
      pushed.push_back(record.values[3] | record.values[4] << 32);
    }
  ASSERT_EQ(pushed.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(pushed[i], address_at(all[i], SQA_ACTION_SELF));
  EXPECT_TRUE(notes_about("descriptor set").empty());
}

TEST_F(RecordAddress, WhatTheApplicationSetsInBetweenIsSetAgain) {
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, full_pipeline_);
  bind_sets(commands, full_, kSets);
  push(commands, 5);
  dispatch(commands);
  push(commands, 6);
  dispatch(commands);
  bind_sets(commands, full_, kSets);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands),
            (std::vector<Values>{kAll, {0, 5}} + kMoved +
             std::vector<Values>{{0, 5}, kRecord, kDispatch, {0, 6}, {0, 6}, kRecord, kDispatch, kAll} +
             kMoved + std::vector<Values>{kRecord, kDispatch}));
}

TEST_F(RecordAddress, ItsLayoutDisturbsNothingForOtherPipelines) {
  const VkCommandBuffer commands = begin();
  bind_sets(commands, full_, kSets);
  push(commands, 5);
  bind_pipeline(commands, full_pipeline_);
  dispatch(commands);
  const VkPipeline silent = create_compute_with(device(), shaders::silent_comp, full_);
  bind_pipeline(commands, silent);
  dispatch(commands);
  dispatch(commands);
  bind_pipeline(commands, full_pipeline_);
  dispatch(commands);
  end(commands);
  vk().vkDestroyPipeline(device().handle, silent, nullptr);
  const std::vector<Values> moved = kMoved + std::vector<Values>{{0, 5}, kRecord, kDispatch};
  EXPECT_EQ(settings_of(commands), (std::vector<Values>{kAll, {0, 5}} + moved + std::vector<Values>{{0, 5}} +
                                    kMoved + std::vector<Values>{kDispatch, kDispatch} + moved));
}

// The reserved set is the application's last one.
TEST_F(RecordAddress, ARecordInTheReservedSetTakesThePlaceOfASet) {
  const VkCommandBuffer commands = begin();
  bind_sets(commands, full_, kSets);
  bind_pipeline(commands, pipeline_);
  bind_sets(commands, layout_, 1);
  dispatch(commands);
  bind_sets(commands, full_, kSets);
  bind_pipeline(commands, full_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (std::vector<Values>{kAll, {0, 1}, {3, 1}, kDispatch, kAll} + kMoved +
                                    std::vector<Values>{kRecord, kDispatch}));
}

TEST_F(RecordAddress, TheApplicationMayDestroyItsLayout) {
  vk().vkDestroyPipelineLayout(device().handle, std::exchange(full_, VK_NULL_HANDLE), nullptr);
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, full_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (std::vector<Values>{kRecord, kDispatch}));
}

class NoRoomForTheAddress : public RecordAddress {
 protected:
  NoRoomForTheAddress() : RecordAddress(16) {}
};

TEST_F(NoRoomForTheAddress, IsSaid) {
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, full_pipeline_);
  bind_sets(commands, full_, kSets);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (std::vector<Values>{kAll, kDispatch}));
  EXPECT_EQ(notes_about("all push constants that the device has are in use").size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
