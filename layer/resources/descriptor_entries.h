// SPDX-License-Identifier: Apache-2.0
// What descriptor updates mean for the entries of descriptor tables.
#ifndef SHADERQA_LAYER_RESOURCES_DESCRIPTOR_ENTRIES_H
#define SHADERQA_LAYER_RESOURCES_DESCRIPTOR_ENTRIES_H

#include <vulkan/vulkan_core.h>

#include <span>

#include "layer/memory/table_entry.h"

namespace shaderqa::layer {

class Device;
struct SetLayout;

// Stores what a descriptor write says. `entries` are the slots of one set (without the table's header), at
// least layout.slots of them. A write that exceeds its binding continues in the next one, as Vulkan
// specifies.
void write_entries(const Device& device, const SetLayout& layout, const VkWriteDescriptorSet& write,
                   std::span<TableEntry> entries);
// The same from the data of vkUpdateDescriptorSetWithTemplate or vkCmdPushDescriptorSetWithTemplate.
void write_entries_with_template(const Device& device, const SetLayout& layout,
                                 VkDescriptorUpdateTemplate update_template, const void* data,
                                 std::span<TableEntry> entries);

struct AddressSpan {
  VkDeviceAddress begin = 0, end = 0;
};
// The memory that a descriptor can refer to, with any dynamic offset. The entry's address is not 0.
AddressSpan memory_of(const Device& device, const TableEntry& entry);

}  // namespace shaderqa::layer
#endif
