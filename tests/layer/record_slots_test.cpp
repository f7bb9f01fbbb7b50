// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what records say of single descriptors. Through which shaders must look up cells
// when they load (SQA_ACTION_WATCHED), and that records are mended before they are submitted again; where
// memory and cells of some lie (SQA_ACTION_DIRECT).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr uint64_t kPage = uint64_t{1} << SQA_PAGE_LOG2;
constexpr uint32_t kAll = UINT32_MAX;          // where nothing is known
constexpr uint32_t kWritten = 1u, kBoth = 3u;  // by slots; there are two

// A set of two buffers, and what its shader writes: the first one.
class WatchedSlots : public CommandTest {
 protected:
  WatchedSlots() : CommandTest({}, {}, "exact") {
    constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                         VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                         VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    written_.emplace(device(), 8 * kPage, usage);
    read_.emplace(device(), 8 * kPage, usage);
    const std::vector<BindingOptions> bindings{{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}};
    pair_.emplace(device(), bindings);
    pair_->write(0, 0, kStorage, {inner(*written_)});
    pair_->write(1, 0, kStorage, {inner(*read_)});
    other_.emplace(device(), bindings);
    other_->write(0, 0, kStorage, {inner(*read_)});
    pair_set_layout_ = create_set_layout(device(), bindings);
    pair_layout_ = create_pipeline_layout(device(), {pair_set_layout_});
    pair_pipeline_ = create_compute_with(device(), shaders::accesses_comp, pair_layout_);
  }
  void TearDown() override {
    vk().vkDestroyPipeline(device().handle, pair_pipeline_, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, pair_layout_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, pair_set_layout_, nullptr);
    other_.reset();
    pair_.reset();
    read_.reset();
    written_.reset();
    CommandTest::TearDown();
  }

  // Pages that it shares with no other memory.
  static VkDescriptorBufferInfo inner(const BoundBuffer& buffer) {
    return {buffer.handle, 2 * kPage, 2 * kPage};
  }
  void act(VkCommandBuffer commands, const OneSet& set) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pair_pipeline_);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pair_layout_, 0, 1, &set.handle, 0,
                                 nullptr);
    dispatch(commands);
  }
  // Command buffers of one dispatch: one loads through slot 1, others write what is there.
  VkCommandBuffer recorded(const OneSet& set, VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY) {
    const VkCommandBuffer commands = begin(level);
    act(commands, set);
    end(commands);
    return commands;
  }
  VkCommandBuffer reader() { return recorded(*pair_); }
  VkCommandBuffer writer() { return recorded(*other_); }
  VkCopyDescriptorSet copy_to(VkDescriptorSet set, uint32_t binding) const {
    VkCopyDescriptorSet copy{};
    copy.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
    copy.srcSet = pair_->handle;
    copy.srcBinding = copy.dstBinding = binding;
    copy.dstSet = set;
    copy.descriptorCount = 1;
    return copy;
  }
  // What record number i says for set 0.
  static uint32_t watched(size_t i) { return records().at(i)[SQA_ACTION_WATCHED]; }

  std::optional<BoundBuffer> written_, read_;
  std::optional<OneSet> pair_, other_;
  VkDescriptorSetLayout pair_set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout pair_layout_ = VK_NULL_HANDLE;
  VkPipeline pair_pipeline_ = VK_NULL_HANDLE;
};

TEST_F(WatchedSlots, AreThoseThatItsOwnShaderWrites) {
  const VkCommandBuffer commands = reader();
  EXPECT_EQ(watched(0), kWritten);
  for (uint32_t set = 1; set < SQA_MAX_SETS; ++set)
    EXPECT_EQ(records().at(0)[SQA_ACTION_WATCHED + set], kAll) << "nothing is known of set " << set;
  for (int i = 0; i < 2; ++i) submit({commands});
  EXPECT_EQ(watched(0), kWritten) << "and stay so while nothing else writes";
}

TEST_F(WatchedSlots, AreMoreWhenAnotherPipelineWritesWhatWasOnlyRead) {
  const VkCommandBuffer commands = reader();
  submit({commands});
  writer();
  EXPECT_EQ(watched(0), kWritten) << "what is running has not entered its loads";
  submit({commands});
  EXPECT_EQ(watched(0), kBoth);
  reader();
  EXPECT_EQ(watched(2), kBoth) << "known when it is recorded";
}

// The buffer is looked up again within one command buffer, too.
TEST_F(WatchedSlots, AreMoreFromTheActionOnThatWrites) {
  const VkCommandBuffer commands = begin();
  act(commands, *pair_);
  act(commands, *other_);
  act(commands, *pair_);
  end(commands);
  EXPECT_EQ(watched(0), kWritten);
  EXPECT_EQ(watched(2), kBoth);
  submit({commands});
  EXPECT_EQ(watched(0), kBoth);
}

// What was found out about a set is not taken for what it holds later.
TEST_F(WatchedSlots, AreLookedUpAgainWhenTheSetWasUpdated) {
  const VkCommandBuffer commands = begin();
  act(commands, *pair_);
  pair_->write(1, 0, kStorage, {inner(*written_)});
  act(commands, *pair_);
  act(commands, *pair_);
  end(commands);
  EXPECT_EQ(watched(0), kWritten);
  EXPECT_EQ(watched(1), kBoth);
  EXPECT_EQ(watched(2), kBoth);
}

// Nor for what another set holds, whose memory or handle is that of an earlier one.
TEST_F(WatchedSlots, AreThoseOfTheSetThatIsBoundNow) {
  const std::vector<BindingOptions> bindings{{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}};
  const VkCommandBuffer commands = begin();
  for (const BoundBuffer* second : {&*read_, &*written_, &*read_}) {
    const OneSet set(device(), bindings);
    set.write(0, 0, kStorage, {inner(*written_)});
    set.write(1, 0, kStorage, {inner(*second)});
    act(commands, set);
  }
  end(commands);
  EXPECT_EQ(watched(0), kWritten);
  EXPECT_EQ(watched(1), kBoth);
  EXPECT_EQ(watched(2), kWritten);
}

// A recording of many actions takes several numbers at once, none of which is left for the next recording.
TEST_F(WatchedSlots, OfARecordingAreInTheOrderOfTheNumbersOfItsActions) {
  constexpr uint32_t kActions = 100;
  const VkCommandBuffer commands = begin();
  for (int recording = 0; recording < 2; ++recording) {
    if (recording != 0) {
      VkCommandBufferBeginInfo info{};
      info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
      check(vk().vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
    }
    for (uint32_t i = 0; i < kActions; ++i) act(commands, *pair_);
    end(commands);
    const std::vector<const uint32_t*> found = records();
    // Behind records of the recording before, whose memory was not used again.
    ASSERT_GE(found.size(), kActions);
    for (uint32_t i = 0; i < kActions; ++i)
      ASSERT_EQ(found[found.size() - kActions + i][SQA_ACTION_SEQUENCE], i);
  }
}

// It has memory, but no numbers.
TEST_F(WatchedSlots, OfALongCommandBufferEndWithItsNumbers) {
  constexpr size_t kNumbers = SQA_EPOCH_BIT - 1;
  const VkCommandBuffer commands = begin();
  for (size_t i = 0; i < kNumbers + 10; ++i) act(commands, *pair_);
  end(commands);
  EXPECT_EQ(records().size(), kNumbers);
  const auto count = [&](const std::string& text) {
    const std::vector<std::string> all = notes();
    return std::ranges::count_if(
        all, [&](const std::string& note) { return note.find(text) != std::string::npos; });
  };
  EXPECT_EQ(count("more actions than the exact engine has numbers"), 1);
  EXPECT_EQ(count("no memory"), 0);
}

TEST_F(WatchedSlots, OfSecondaryCommandBuffersAreMendedWithTheirPrimary) {
  const VkCommandBuffer inner = recorded(*pair_, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const VkCommandBuffer commands = begin();
  vk().vkCmdExecuteCommands(commands, 1, &inner);
  end(commands);
  writer();
  EXPECT_EQ(watched(0), kWritten);
  submit({commands});
  EXPECT_EQ(watched(0), kBoth);
}

// Wherever it writes: from its creation on.
TEST_F(WatchedSlots, AreAllOnceAShaderWritesByAddress) {
  const VkCommandBuffer commands = reader();
  const VkPipeline by_address = create_compute_with(device(), shaders::accesses_address_comp, pair_layout_);
  EXPECT_EQ(watched(0), kWritten);
  submit({commands});
  EXPECT_EQ(watched(0), kBoth);
  reader();
  EXPECT_EQ(watched(1), kBoth);
  vk().vkDestroyPipeline(device().handle, by_address, nullptr);
}

// Until the command buffer is reset: then it cannot write any more.
TEST_F(WatchedSlots, AreThoseThatACommandWritesWhileItCan) {
  const VkCommandBuffer commands = reader();
  const VkCommandBuffer filled = begin();
  vk().vkCmdFillBuffer(filled, read_->handle, 3 * kPage, 4, 0);
  end(filled);
  submit({commands});
  EXPECT_EQ(watched(0), kBoth);
  check(vk().vkResetCommandBuffer(filled, 0), "vkResetCommandBuffer");
  const VkCommandBuffer later = reader();
  const uint32_t* record = records().back();
  EXPECT_EQ(record[SQA_ACTION_WATCHED], kWritten);
  vk().vkCmdFillBuffer(begin(), read_->handle, 5 * kPage, 4, 0);
  submit({later});
  EXPECT_EQ(record[SQA_ACTION_WATCHED], kWritten) << "another page of the buffer";
}

// No load through them is checked: they must not send the shader the long way.
TEST_F(WatchedSlots, AreNotThoseThatHoldNothing) {
  const std::vector<BindingOptions> bindings{{0, kStorage, 1, 0, {}}, {1, kStorage, 30, 0, {}}};
  const OneSet set(device(), bindings);
  set.write(1, 7, kStorage, {inner(*read_)});
  const VkDescriptorSetLayout set_layout = create_set_layout(device(), bindings);
  const VkPipelineLayout layout = create_pipeline_layout(device(), {set_layout});
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.handle, 0,
                               nullptr);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(watched(0), 0u) << "of 31 slots one holds what nothing writes";
  submit({commands});
  EXPECT_EQ(watched(0), 0u);
  writer();
  submit({commands});
  EXPECT_EQ(watched(0), 1u << 8) << "now something does";
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
  vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  vk().vkDestroyDescriptorSetLayout(device().handle, set_layout, nullptr);
}

// What they are updated with is not known when the action is recorded.
class SlotsUpdatedAfterBind : public WatchedSlots {
 protected:
  SlotsUpdatedAfterBind() {
    constexpr VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
    late_set_layout_ = create_set_layout(device(), {{0, kStorage, 1, flags, {}}, {1, kStorage, 1, flags, {}}},
                                         VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT);
    late_pool_ = create_pool(device(), 1, 2, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
    VkDescriptorSetAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = late_pool_;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &late_set_layout_;
    check(vk().vkAllocateDescriptorSets(device().handle, &info, &late_set_), "vkAllocateDescriptorSets");
    const VkCopyDescriptorSet copies[] = {copy_to(late_set_, 0), copy_to(late_set_, 1)};
    vk().vkUpdateDescriptorSets(device().handle, 0, nullptr, 2, copies);
    late_layout_ = create_pipeline_layout(device(), {late_set_layout_});
    late_pipeline_ = create_compute_with(device(), shaders::accesses_comp, late_layout_);
  }
  void TearDown() override {
    vk().vkDestroyPipeline(device().handle, late_pipeline_, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, late_layout_, nullptr);
    vk().vkDestroyDescriptorPool(device().handle, late_pool_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, late_set_layout_, nullptr);
    WatchedSlots::TearDown();
  }
  VkCommandBuffer recorded(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY) {
    const VkCommandBuffer commands = begin(level);
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, late_pipeline_);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, late_layout_, 0, 1, &late_set_, 0,
                                 nullptr);
    dispatch(commands);
    end(commands);
    return commands;
  }
  // The shader writes what the others read.
  void update() {
    VkCopyDescriptorSet copy = copy_to(late_set_, 1);
    copy.dstBinding = 0;
    vk().vkUpdateDescriptorSets(device().handle, 0, nullptr, 1, &copy);
  }

  VkDescriptorSetLayout late_set_layout_ = VK_NULL_HANDLE;
  VkDescriptorPool late_pool_ = VK_NULL_HANDLE;
  VkDescriptorSet late_set_ = VK_NULL_HANDLE;
  VkPipelineLayout late_layout_ = VK_NULL_HANDLE;
  VkPipeline late_pipeline_ = VK_NULL_HANDLE;
};

TEST_F(SlotsUpdatedAfterBind, AreAllWatched) {
  recorded();
  EXPECT_EQ(watched(0), kAll);
}

TEST_F(SlotsUpdatedAfterBind, MakeOthersWatchedWhenTheirWriterIsSubmitted) {
  const VkCommandBuffer reads = reader(), writes = recorded();
  update();
  submit({reads});
  EXPECT_EQ(watched(0), kWritten) << "nothing has written it";
  submit({writes});
  submit({reads});
  EXPECT_EQ(watched(0), kBoth);
}

TEST_F(SlotsUpdatedAfterBind, CountInSecondaryCommandBuffers) {
  const VkCommandBuffer reads = reader(), inner = recorded(VK_COMMAND_BUFFER_LEVEL_SECONDARY),
                        outer = begin();
  vk().vkCmdExecuteCommands(outer, 1, &inner);
  end(outer);
  update();
  submit({outer});
  submit({reads});
  EXPECT_EQ(watched(0), kBoth);
}

TEST_F(SlotsUpdatedAfterBind, AreForgottenWithTheirSet) {
  const VkCommandBuffer writes = recorded();
  check(vk().vkResetDescriptorPool(device().handle, late_pool_, 0), "vkResetDescriptorPool");
  submit({writes});
  const VkCommandBuffer reads = reader();
  submit({reads});
  EXPECT_EQ(records().back()[SQA_ACTION_WATCHED], kWritten);
}

struct Direct {
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool alone = false;
  uint64_t cells = 0;
};

class DirectSlots : public WatchedSlots {
 protected:
  // What record number i says for a binding of set 0.
  static Direct direct(size_t i, uint32_t binding) {
    const uint32_t* record = records().at(i);
    const uint32_t at = SQA_ACTION_DIRECT + binding * SQA_DIRECT_DWORDS;
    EXPECT_EQ(record[at + 3] & ~uint32_t{SQA_DIRECT_ALONE}, 0u);
    return {address_at(record, at), record[at + 2], (record[at + 3] & SQA_DIRECT_ALONE) != 0,
            address_at(record, at + 4)};
  }
  // What the page table says of it.
  static uint64_t cell_of(uint64_t address) {
    return (page_entry(address) & ~uint64_t{0x1ffff}) + (address & 0xfffc) * 2;
  }
  void act_in(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pair_pipeline_);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pair_layout_, 0, 1, &pair_->handle,
                                 0, nullptr);
    vk().vkCmdDispatch(commands, x, y, z);
  }
};

TEST_F(DirectSlots, SayWhereMemoryAndCellsLie) {
  reader();
  for (const uint32_t binding : {0u, 1u}) {
    const Direct found = direct(0, binding);
    EXPECT_EQ(found.address, (binding == 0 ? *written_ : *read_).address + 2 * kPage);
    EXPECT_EQ(found.bytes, 2 * kPage);
    EXPECT_EQ(found.cells, cell_of(found.address));
    EXPECT_TRUE(found.alone);
  }
  for (uint32_t slot = 2; slot < SQA_DIRECT_SLOTS; ++slot) EXPECT_EQ(direct(0, slot).cells, 0u);
}

TEST_F(DirectSlots, AreThoseOfTheSetThatIsBound) {
  OneSet swapped(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  swapped.write(0, 0, kStorage, {inner(*read_)});
  swapped.write(1, 0, kStorage, {inner(*written_)});
  const VkCommandBuffer commands = begin();
  act(commands, *pair_);
  act(commands, swapped);
  end(commands);
  EXPECT_EQ(direct(1, 0).address, direct(0, 1).address);
  EXPECT_EQ(direct(1, 1).address, direct(0, 0).address);
}

TEST_F(DirectSlots, AreNotAloneWhereTwoLeadToTheSameWord) {
  OneSet twice(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  twice.write(0, 0, kStorage, {{written_->handle, 0, kPage + 4}});
  twice.write(1, 0, kStorage, {{written_->handle, kPage, kPage}});
  recorded(twice);
  EXPECT_NE(direct(0, 0).cells, 0u);
  EXPECT_FALSE(direct(0, 0).alone);
  EXPECT_FALSE(direct(0, 1).alone);
  twice.write(0, 0, kStorage, {{written_->handle, 0, kPage}});
  recorded(twice);
  EXPECT_TRUE(direct(1, 0).alone) << "one ends where the other begins";
  EXPECT_TRUE(direct(1, 1).alone);
}

// Cells are of words.
TEST_F(DirectSlots, ShareTheWordsThatTheyHaveInPart) {
  OneSet twice(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  const auto alone = [&](VkDeviceSize end, VkDeviceSize begin) {
    twice.write(0, 0, kStorage, {{written_->handle, 0, end}});
    twice.write(1, 0, kStorage, {{written_->handle, begin, kPage}});
    const size_t before = records().size();
    recorded(twice);
    return direct(before, 0).alone;
  };
  EXPECT_TRUE(alone(kPage + 4, kPage + 4));
  EXPECT_TRUE(alone(kPage + 8, kPage + 8));
  EXPECT_TRUE(alone(kPage + 2, kPage + 4));
  EXPECT_FALSE(alone(kPage + 1, kPage));
  EXPECT_FALSE(alone(kPage + 2, kPage + 2));
  EXPECT_FALSE(alone(kPage + 7, kPage + 7));
}

// To compare more of them with each other would take long.
TEST_F(DirectSlots, AreNotKnownToBeAloneAmongVeryMany) {
  const auto alone_among = [&](uint32_t all) {
    const std::vector<BindingOptions> bindings{{0, kStorage, 1, 0, {}}, {1, kStorage, all - 1, 0, {}}};
    const VkDescriptorSetLayout layout = create_set_layout(device(), bindings);
    const VkPipelineLayout pipeline_layout = create_pipeline_layout(device(), {layout});
    const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, pipeline_layout);
    const OneSet set(device(), bindings);
    set.write(0, 0, kStorage, {inner(*written_)});
    const size_t before = records().size();
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &set.handle,
                                 0, nullptr);
    dispatch(commands);
    end(commands);
    EXPECT_NE(direct(before, 0).cells, 0u);
    const bool alone = direct(before, 0).alone;
    vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, pipeline_layout, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, layout, nullptr);
    return alone;
  };
  EXPECT_TRUE(alone_among(64));
  EXPECT_FALSE(alone_among(65));
}

TEST_F(DirectSlots, AreAloneInRowsOfWorkgroupsOnly) {
  const VkCommandBuffer commands = begin();
  act_in(commands, 7, 1, 1);
  act_in(commands, 1, 2, 1);
  act_in(commands, 1, 1, 2);
  act_in(commands, SQA_LONGEST_ROW, 1, 1);
  act_in(commands, SQA_LONGEST_ROW + 1, 1, 1);
  vk().vkCmdDispatchBase(commands, 1, 0, 0, SQA_LONGEST_ROW, 1, 1);
  vk().vkCmdDispatchBase(commands, 1, 5, 5, 3, 1, 1);
  vk().vkCmdDispatchIndirect(commands, read_->handle, 0);
  end(commands);
  const bool alone[] = {true, false, false, true, false, false, true, false};
  for (size_t i = 0; i < std::size(alone); ++i) {
    const size_t record = i < 7 ? i : 8;  // the last one's follows that of its arguments
    EXPECT_EQ(direct(record, 0).alone, alone[i]) << "action " << i;
    EXPECT_NE(direct(record, 0).cells, 0u);
  }
}

// Shaders look such descriptors up.
TEST_F(DirectSlots, HaveNoCellsWhereNothingIsBoundOrTracked) {
  OneSet half(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  half.write(0, 0, kStorage, {inner(*written_)});
  recorded(half);
  EXPECT_NE(direct(0, 0).cells, 0u);
  EXPECT_TRUE(direct(0, 0).alone);
  EXPECT_EQ(direct(0, 1).cells, 0u);
  EXPECT_EQ(direct(0, 1).address, 0u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
