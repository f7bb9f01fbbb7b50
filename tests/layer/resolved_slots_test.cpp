// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what is recorded in front of dispatches whose descriptors lie in descriptor buffers,
// and what the host makes of what the device has marked
// (docs/internals/descriptor-buffers.md#resolved-descriptors).
#include <algorithm>
#include <cstring>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_resolve.h"
#include "tests/layer/descriptor_buffer_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
constexpr auto kPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr uint64_t kPage = uint64_t{1} << SQA_PAGE_LOG2;

struct Listed {
  uint32_t offset = 0, kind = 0, set = 0, number = 0;
  bool writes = false;
  bool operator==(const Listed&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Listed& one) {
  return out << "number " << one.number << ", kind " << one.kind << ", set " << one.set << ", at "
             << one.offset << (one.writes ? ", written" : "");
}

// The shader of `writer_` writes binding 0 of set 0.
class ResolvedSlots : public CommandTest {
 protected:
  ResolvedSlots() : CommandTest(with_descriptor_buffers(), {}, "exact") {}
  void TearDown() override {
    for (const VkPipeline pipeline : pipelines_) vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    for (const VkPipelineLayout layout : layouts_)
      vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
    for (const VkDescriptorSetLayout set : sets_)
      vk().vkDestroyDescriptorSetLayout(device().handle, set, nullptr);
    CommandTest::TearDown();
  }

  VkDescriptorSetLayout make_set(const std::vector<BindingOptions>& bindings) {
    sets_.push_back(create_set_layout(device(), bindings, kInBuffers));
    return sets_.back();
  }
  VkPipelineLayout make_layout(const std::vector<VkDescriptorSetLayout>& sets) {
    layouts_.push_back(create_pipeline_layout(device(), sets));
    return layouts_.back();
  }
  VkPipelineLayout make_layout(const std::vector<BindingOptions>& bindings) {
    return make_layout(std::vector{make_set(bindings)});
  }
  VkPipeline make_pipeline(VkPipelineLayout layout) {
    pipelines_.push_back(create_compute_with(device(), shaders::accesses_comp, layout));
    return pipelines_.back();
  }
  void bind(VkCommandBuffer commands, VkPipeline pipeline) {
    vk().vkCmdBindPipeline(commands, kPoint, pipeline);
  }
  // All of the layout's sets lie at the same place.
  void place(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t sets = 1, VkDeviceSize offset = 0) {
    VkDescriptorBufferBindingInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT;
    info.address = 0x50000;
    info.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT;
    vk().vkCmdBindDescriptorBuffersEXT(commands, 1, &info);
    const std::vector<uint32_t> buffers(sets, 0);
    const std::vector<VkDeviceSize> offsets(sets, offset);
    vk().vkCmdSetDescriptorBufferOffsetsEXT(commands, kPoint, layout, 0, sets, buffers.data(),
                                            offsets.data());
  }
  // One dispatch.
  VkCommandBuffer act(VkPipelineLayout layout, VkPipeline pipeline, VkDeviceSize offset = 0) {
    const VkCommandBuffer commands = begin();
    bind(commands, pipeline);
    place(commands, layout, 1, offset);
    dispatch(commands);
    end(commands);
    return commands;
  }
  void get_descriptor(VkDescriptorType type, uint64_t address) {
    VkDescriptorAddressInfoEXT buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
    buffer.address = address;
    buffer.range = 256;
    VkDescriptorGetInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
    info.type = type;
    info.data.pStorageBuffer = &buffer;
    std::vector<char> bytes(16);
    vk().vkGetDescriptorEXT(device().handle, &info, bytes.size(), bytes.data());
  }

  static uint32_t flags_of(const uint32_t* record) { return record[SQA_ACTION_RESOLVE + 2]; }
  static std::vector<Listed> list_of(const uint32_t* record) {
    const auto list = reinterpret_cast<const uint32_t*>(address_at(record, SQA_ACTION_RESOLVE));
    std::vector<Listed> all;
    for (uint32_t i = 1; list && i <= list[0]; ++i) {
      const uint32_t* const quad = list + 4 * i;
      all.push_back({quad[0], quad[1] & 0xff, quad[1] >> SQA_RESOLVED_SET_SHIFT & 0xff,
                     quad[1] >> SQA_RESOLVED_NUMBER_SHIFT, quad[2] != 0});
    }
    return all;
  }
  static const abi::ExactState& engine() {
    return *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
  }
  // The records that dispatches of the layer's own have been given, and how many workgroups.
  struct Resolve {
    const uint32_t* record = nullptr;
    uint64_t groups = 0;
  };
  static std::vector<Resolve> resolves(VkCommandBuffer commands) {
    const auto blocks = reinterpret_cast<const uint64_t*>(engine().record_blocks_address);
    std::vector<Resolve> all;
    for (const null_driver::CommandRecord& command : driver().log().commands) {
      if (command.command_buffer != reinterpret_cast<uint64_t>(commands) ||
          command.command != "CmdDispatchBase")
        continue;
      all.push_back({reinterpret_cast<const uint32_t*>(blocks[command.values[2]] + command.values[1] * 16),
                     command.values[3]});
    }
    return all;
  }
  // The records in the list of a dispatch that marks what comes later.
  static std::vector<const uint32_t*> ahead_of(const uint32_t* record) {
    std::vector<const uint32_t*> all;
    auto part = reinterpret_cast<const uint64_t*>(address_at(record, SQA_ACTION_RESOLVE));
    for (; part; part = reinterpret_cast<const uint64_t*>(part[0]))
      for (uint64_t i = 0; i < part[1]; ++i) all.push_back(reinterpret_cast<const uint32_t*>(part[2 + i]));
    return all;
  }
  // Whether the page table says so, which shaders read.
  static bool is_marked(uint64_t address) {
    const auto tables = reinterpret_cast<const uint64_t*>(engine().pages_address);
    const auto pages = reinterpret_cast<const uint64_t*>(tables[address >> 32]);
    return pages && (pages[address >> SQA_PAGE_LOG2 & 0xffff] & SQA_PAGE_WRITTEN);
  }
  // As the device does.
  static void mark_on_device(uint64_t address, uint32_t times = 1) {
    auto* const list = reinterpret_cast<uint32_t*>(engine().written_address);
    for (uint32_t i = 0; i < times; ++i) {
      const uint32_t number = list[0]++ % SQA_WRITTEN_PLACES;
      std::memcpy(list + SQA_WRITTEN_FIRST + size_t{2} * number, &address, sizeof address);
    }
  }

  std::vector<VkDescriptorSetLayout> sets_;
  std::vector<VkPipelineLayout> layouts_;
  std::vector<VkPipeline> pipelines_;
};

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
  EXPECT_TRUE(flags_of(found[0].record) & SQA_RESOLVE_AHEAD);
  EXPECT_EQ(found[0].groups, uint64_t{SQA_AHEAD_GROUPS});
  EXPECT_EQ(found[1].record, records().at(0));
  EXPECT_EQ(found[1].groups, 3u) << "one for each descriptor";
  EXPECT_EQ(flags_of(records().at(0)), 1u | SQA_RESOLVE_ROW | SQA_RESOLVE_ALL);
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
  ASSERT_EQ(found.size(), 5u);
  const auto ahead = ahead_of(found[0].record);
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
  auto ahead = ahead_of(resolves(commands).at(0).record);
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
  EXPECT_EQ(ahead_of(found[0].record), (std::vector{records().at(0), records().at(1)}));
}

// The query would count the layer's own dispatch.
TEST_F(ResolvedSlots, AreNotLookedUpWithinAQuery) {
  const VkPipelineLayout layout = make_layout({{0, kStorage}});
  const VkPipeline pipeline = make_pipeline(layout);
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
  info.queryCount = 1;
  info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
  VkQueryPool queries = VK_NULL_HANDLE;
  check(vk().vkCreateQueryPool(device().handle, &info, nullptr, &queries), "vkCreateQueryPool");
  const VkCommandBuffer commands = begin();
  bind(commands, pipeline);
  place(commands, layout);
  vk().vkCmdBeginQuery(commands, queries, 0, 0);
  dispatch(commands);
  vk().vkCmdEndQuery(commands, queries, 0);
  end(commands);
  const Stream stream = stream_of(commands);
  EXPECT_EQ(std::ranges::count(stream, "CmdDispatchBase"), 0);
  EXPECT_EQ(notes_about("some dispatches with descriptors in descriptor buffers are not checked").size(), 1u);
  vk().vkDestroyQueryPool(device().handle, queries, nullptr);
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
