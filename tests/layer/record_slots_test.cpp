// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what records say of single descriptors. Through which shaders must look up cells
// when they load (SQA_ACTION_WATCHED), and that records are mended before they are submitted again.
#include <optional>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "tests/layer/record_slots_kit.h"

namespace shaderqa::layer_tests {
namespace {

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

}  // namespace
}  // namespace shaderqa::layer_tests
