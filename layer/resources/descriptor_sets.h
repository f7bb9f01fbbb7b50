// SPDX-License-Identifier: Apache-2.0
// Descriptor tables: each VkDescriptorSet has a table (instrument/runtime/abi_table.h) that
// shaders read by address and that the commands which update the set keep up to date.
#ifndef SHADERQA_LAYER_RESOURCES_DESCRIPTOR_SETS_H
#define SHADERQA_LAYER_RESOURCES_DESCRIPTOR_SETS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace shaderqa::layer {

class DeviceContext;
class PipelineLayouts;
struct DescriptorSet;

// As the application gave it.
struct UpdateTemplate {
  VkPipelineBindPoint bind_point{};  // only of templates for push descriptors
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

// Thread-safe between pools and between sets. Vulkan demands that the application synchronises all else, but
// for updates of update-after-bind bindings, which touch different entries.
class DescriptorSets {
 public:
  explicit DescriptorSets(const DeviceContext& device);
  ~DescriptorSets();  // before the next layer's vkDestroyDevice
  DescriptorSets(const DescriptorSets&) = delete;
  DescriptorSets& operator=(const DescriptorSets&) = delete;

  void add_pool(VkDescriptorPool handle, const VkDescriptorPoolCreateInfo& info);
  void remove_pool(VkDescriptorPool handle);
  void reset_pool(VkDescriptorPool handle);

  // sets: those that the application got.
  void add(const VkDescriptorSetAllocateInfo& info, const VkDescriptorSet* sets,
           const PipelineLayouts& layouts);
  void remove(VkDescriptorSet handle);
  const DescriptorSet* find(VkDescriptorSet handle) const;
  // Counts what may have removed sets of any device: as long as it is the same, what find() returned is
  // valid.
  static uint64_t removals() { return all_removals.load(std::memory_order_acquire); }

  void add_template(VkDescriptorUpdateTemplate handle, const VkDescriptorUpdateTemplateCreateInfo& info);
  void remove_template(VkDescriptorUpdateTemplate handle);
  const UpdateTemplate* find_template(VkDescriptorUpdateTemplate handle) const;

  // To be called before a submission, so that shaders see the updates that the application has made.
  void flush();

 private:
  struct State;
  const DeviceContext& device_;
  std::unique_ptr<State> state_;
  static inline constinit std::atomic<uint64_t> all_removals = 1;
};

}  // namespace shaderqa::layer
#endif
