// SPDX-License-Identifier: Apache-2.0
// Descriptor tables: for each VkDescriptorSet a shadow (instrument/runtime/abi.h, "Descriptor table") that
// shaders read by address, updated in place by the commands that update the set.
#ifndef SHADERQA_LAYER_RESOURCES_DESCRIPTOR_SETS_H
#define SHADERQA_LAYER_RESOURCES_DESCRIPTOR_SETS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>

#include "layer/memory/table_memory.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {

// What a descriptor write means for the table. `entries` are the slots of one set (header excluded), at least
// layout.slots of them; bindings roll over as the specification says.
void write_entries(const Device& device, const SetLayout& layout, const VkWriteDescriptorSet& write,
                   std::span<TableEntry> entries);
// The same from vkUpdateDescriptorSetWithTemplate's or vkCmdPushDescriptorSetWithTemplate's data.
void write_entries_with_template(const Device& device, const SetLayout& layout,
                                 VkDescriptorUpdateTemplate update_template, const void* data,
                                 std::span<TableEntry> entries);

struct AddressSpan {
  VkDeviceAddress begin = 0, end = 0;
};
// What a descriptor leads to, with any dynamic offset. Its address is not 0.
AddressSpan memory_of(const Device& device, const TableEntry& entry);

// Thread-safe between sets; updates of one set are externally synchronised by Vulkan's own rules (those that
// are not, of update-after-bind bindings, touch different entries).
class DescriptorSets {
 public:
  struct Impl;
  explicit DescriptorSets(Device& device);
  ~DescriptorSets();  // before the next layer's vkDestroyDevice
  // 0 where the set is not known or has no table.
  VkDeviceAddress table_of(VkDescriptorSet set) const;
  // Before a submission: shaders see the updates that the application has made.
  void flush();
  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  Device& device_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shaderqa::layer
#endif
