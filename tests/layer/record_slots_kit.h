// SPDX-License-Identifier: Apache-2.0
// Dispatches of a shader of two buffers, whose records say what is known of its descriptors.
#ifndef SHADERQA_TESTS_LAYER_RECORD_SLOTS_KIT_H
#define SHADERQA_TESTS_LAYER_RECORD_SLOTS_KIT_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {

inline constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
inline constexpr uint64_t kPage = uint64_t{1} << SQA_PAGE_LOG2;
inline constexpr uint32_t kAll = UINT32_MAX;          // where nothing is known
inline constexpr uint32_t kWritten = 1u, kBoth = 3u;  // by slots; there are two

// A set of two buffers, and what its shader writes: the first one.
class WatchedSlots : public CommandTest {
 protected:
  explicit WatchedSlots(const DeviceOptions& options = {}) : CommandTest(options, {}, "exact") {
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

}  // namespace shaderqa::layer_tests
#endif
