// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what is recorded in front of dispatches whose descriptors lie in descriptor buffers,
// and what the host makes of what the device has marked
// (docs/internals/descriptor-buffers.md#resolved-descriptors).
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/layer/resolved_slots_kit.h"

namespace shaderqa::layer_tests {
namespace {

TEST_F(ResolvedSlots, AreLookedUpInFrontOfTheDispatch) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}, {1, kStorage}, {2, kUniform}});
  const VkCommandBuffer commands = act(layout, make_pipeline(layout));
  // The first dispatch of the layer's own marks what is written later in the command buffer.
  EXPECT_EQ(stream_of(commands),
            with_ends({"CmdBindPipeline", "CmdBindDescriptorBuffersEXT", "CmdSetDescriptorBufferOffsetsEXT",
                       "CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase", "CmdPipelineBarrier",
                       "CmdDispatchBase", "CmdPipelineBarrier", "CmdBindPipeline", "CmdPushDescriptorSet",
                       "CmdDispatch"}));
  const auto found = resolves(commands);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(flags_of(found[0]) & SQA_RESOLVE_AHEAD);
  EXPECT_FALSE(flags_of(found[1]) & SQA_RESOLVE_AHEAD);
  const uint32_t* const action = records().at(0);
  EXPECT_EQ(resolved_by(found[1]), (std::vector<Resolved>{{action, 0}, {action, 1}, {action, 2}}));
  EXPECT_EQ(flags_of(records().at(0)), 1u | SQA_RESOLVE_ALL);
  EXPECT_EQ(records().at(0)[SQA_ACTION_RESOLVE + 3], 0u) << "one workgroup";
}

TEST_F(ResolvedSlots, HaveNumbersOfWhichStorageBuffersHaveTheFirst) {
  const VkPipelineLayout layout = make_layout(
      {{0, kStorage}, {1, kUniform}, {2, kStorage}, {3, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER}});
  act(layout, make_pipeline(layout));
  std::vector<Listed> all = list_of(records().at(0));
  ASSERT_EQ(all.size(), 4u);
  for (Listed& one : all) one.offset = 0;
  EXPECT_EQ(all, (std::vector<Listed>{{0, SQA_DESCRIPTOR_STORAGE, 0, 1, true},
                                      {0, SQA_DESCRIPTOR_UNIFORM, 0, 9},
                                      {0, SQA_DESCRIPTOR_STORAGE, 0, 2},
                                      {0, SQA_DESCRIPTOR_UNIFORM_TEXEL, 0, 10}}));
}

TEST_F(ResolvedSlots, AreAsManyAsThereAreBits) {
  std::vector<BindingOptions> bindings;
  for (uint32_t i = 0; i < 40; ++i) bindings.push_back({i, kStorage});
  const VkPipelineLayout layout = make_layout(bindings);
  act(layout, make_pipeline(layout));
  const std::vector<Listed> all = list_of(records().at(0));
  ASSERT_EQ(all.size(), size_t{SQA_MOST_RESOLVED});
  for (uint32_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].number, i + 1);
  EXPECT_FALSE(flags_of(records().at(0)) & SQA_RESOLVE_ALL) << "others may lead to the same memory";
}

TEST_F(ResolvedSlots, AreNoneOfAnArray) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}, {1, kStorage, 4}});
  act(layout, make_pipeline(layout));
  EXPECT_EQ(list_of(records().at(0)).size(), 1u);
  EXPECT_FALSE(flags_of(records().at(0)) & SQA_RESOLVE_ALL);
}

// It may be shorter, and end with the buffer.
TEST_F(ResolvedSlots, AreNotReadWhereTheSetIsAnother) {
  const VkDescriptorSetLayout set = make_set({{0, kStorage}, {1, kStorage}});
  const VkDescriptorSetLayout alike = make_set({{0, kStorage}, {1, kStorage}});
  const VkDescriptorSetLayout shorter = make_set({{0, kStorage}});
  const VkPipelineLayout layout = make_layout(std::vector{set, set});
  const VkPipelineLayout others = make_layout(std::vector{alike, shorter});
  const VkPipeline pipeline = make_pipeline(layout);
  const VkCommandBuffer commands = begin();
  bind(commands, pipeline);
  place(commands, others, 2);
  dispatch(commands);
  place(commands, layout, 2);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(flags_of(records().at(0)) & SQA_RESOLVE_SETS, 1u);
  EXPECT_EQ(flags_of(records().at(1)) & SQA_RESOLVE_SETS, 3u);
}

TEST_F(ResolvedSlots, OfLaterActionsAreLookedUpAhead) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}});
  const VkPipeline pipeline = make_pipeline(layout);
  const VkCommandBuffer commands = begin();
  bind(commands, pipeline);
  for (const VkDeviceSize offset : {0, 64, 64, 0}) {
    place(commands, layout, 1, offset);
    dispatch(commands);
  }
  end(commands);
  const auto found = resolves(commands);
  ASSERT_EQ(found.size(), 2u);
  const auto ahead = ahead_of(found[0]);
  EXPECT_EQ(ahead, (std::vector{records().at(0), records().at(1), records().at(3)}))
      << "the third is like the second";
}

TEST_F(ResolvedSlots, OfManyLaterActionsAreLookedUpAhead) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}});
  const VkPipeline pipeline = make_pipeline(layout);
  const VkCommandBuffer commands = begin();
  bind(commands, pipeline);
  for (VkDeviceSize i = 0; i < 600; ++i) {
    place(commands, layout, 1, i * 64);
    dispatch(commands);
  }
  end(commands);
  auto ahead = ahead_of(resolves(commands).at(0));
  ASSERT_EQ(ahead.size(), 512u);
  std::ranges::sort(ahead, {}, [](const uint32_t* record) { return record[SQA_ACTION_NUMBER]; });
  const auto all = records();
  EXPECT_TRUE(std::ranges::equal(ahead, std::span(all).first(512)));
}

TEST_F(ResolvedSlots, OfSecondaryCommandBuffersAreLookedUpAhead) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}});
  const VkPipeline pipeline = make_pipeline(layout);
  std::vector<VkCommandBuffer> secondaries;
  for (int i = 0; i < 2; ++i) {
    secondaries.push_back(begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY));
    bind(secondaries.back(), pipeline);
    place(secondaries.back(), layout);
    dispatch(secondaries.back());
    end(secondaries.back());
  }
  const VkCommandBuffer commands = begin();
  vk().vkCmdExecuteCommands(commands, 2, secondaries.data());
  end(commands);
  const auto found = resolves(commands);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(ahead_of(found[0]), (std::vector{records().at(0), records().at(1)}));
}

class WrittenThroughBuffers : public ResolvedSlots {
 protected:
  WrittenThroughBuffers() {
    constexpr VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    data_.emplace(device(), 8 * kPage, usage);
    other_.emplace(device(), 8 * kPage, usage);
    get_descriptor(kStorage, inner(*data_));
    get_descriptor(kStorage, inner(*other_));
  }
  void TearDown() override {
    data_.reset();
    other_.reset();
    ResolvedSlots::TearDown();
  }
  // In pages that it shares with no other memory.
  static uint64_t inner(const BoundBuffer& buffer) { return buffer.address + 2 * kPage; }
  void expect_marked(bool data, bool other) {
    EXPECT_EQ(is_marked(inner(*data_)), data);
    EXPECT_EQ(is_marked(inner(*other_)), other);
  }
  std::optional<BoundBuffer> data_, other_;
};

TEST_F(WrittenThroughBuffers, IsWhatTheDeviceHasMarked) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}});
  const VkCommandBuffer commands = act(layout, make_pipeline(layout));
  submit({commands});
  expect_marked(false, false);
  mark_on_device(inner(*data_));
  submit({commands});
  expect_marked(true, false);
}

// An entry of the list that is being written is taken later.
TEST_F(WrittenThroughBuffers, IsWaitedForWhereTheDeviceIsMarkingIt) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}});
  const VkCommandBuffer commands = act(layout, make_pipeline(layout));
  mark_on_device(0);
  submit({commands});
  auto* const list = reinterpret_cast<uint32_t*>(engine().written_address);
  const uint64_t address = inner(*other_);
  std::memcpy(list + SQA_WRITTEN_FIRST, &address, sizeof address);
  submit({commands});
  expect_marked(false, true);
}

TEST_F(WrittenThroughBuffers, IsAllWhereTheDeviceHasMarkedMoreThanItCouldSay) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}});
  const VkCommandBuffer commands = act(layout, make_pipeline(layout));
  mark_on_device(0x10, SQA_WRITTEN_PLACES + 1);
  submit({commands});
  expect_marked(true, true);
}

TEST_F(WrittenThroughBuffers, IsAllWhereADescriptorOfAnArrayIsWritten) {
  const VkPipelineLayout layout = make_layout({{0, kStorage, 4}});
  act(layout, make_pipeline(layout));
  expect_marked(true, true);
}

TEST_F(WrittenThroughBuffers, BecomesAllWhenADescriptorOfAnArrayIsWritten) {
  const VkPipelineLayout single = make_layout({{0, kStorage}}), array = make_layout({{0, kStorage, 4}});
  act(single, make_pipeline(single));
  expect_marked(false, false);
  act(array, make_pipeline(array));
  expect_marked(true, true);
}

}  // namespace
}  // namespace shaderqa::layer_tests
