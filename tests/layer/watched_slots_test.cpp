// With the exact engine: through which descriptors shaders must look up cells when they load, as the records
// say it (SQA_ACTION_WATCHED), and that records are mended before they are submitted again.
#include <cstdint>
#include <optional>
#include <vector>

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
  // Of the record number i, for set 0.
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
TEST_F(WatchedSlots, AreAllThatCanBeUpdatedAfterTheyAreBound) {
  constexpr VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
  const VkDescriptorSetLayout layout =
      create_set_layout(device(), {{0, kStorage, 1, flags, {}}, {1, kStorage, 1, flags, {}}},
                        VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT);
  const VkDescriptorPool pool = create_pool(device(), 1, 2, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  check(vk().vkAllocateDescriptorSets(device().handle, &info, &set), "vkAllocateDescriptorSets");
  const VkCopyDescriptorSet copies[] = {copy_to(set, 0), copy_to(set, 1)};
  vk().vkUpdateDescriptorSets(device().handle, 0, nullptr, 2, copies);
  const VkPipelineLayout pipeline_layout = create_pipeline_layout(device(), {layout});
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, pipeline_layout);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &set, 0,
                               nullptr);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(watched(0), kAll);
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
  vk().vkDestroyPipelineLayout(device().handle, pipeline_layout, nullptr);
  vk().vkDestroyDescriptorPool(device().handle, pool, nullptr);
  vk().vkDestroyDescriptorSetLayout(device().handle, layout, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
