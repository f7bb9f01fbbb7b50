// SPDX-License-Identifier: Apache-2.0
// Descriptor updates: by writes, copies and templates, into the sets' tables.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "instrument/runtime/abi_table.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/descriptor_entries.h"
#include "layer/resources/descriptor_pools.h"
#include "layer/resources/descriptor_sets.h"
#include "layer/resources/image_table.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/fast_thread_local.h"
#include "layer/vk/guarded.h"
#include "layer/vk/layout_names.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kNoSlot = UINT32_MAX;

// Walks over the descriptors from one array element on; the last one of a binding is followed by the next
// binding's first.
class SlotCursor {
 public:
  SlotCursor(const SetLayout& layout, uint32_t binding, uint32_t element)
      : at_(layout.find(binding)), end_(layout.bindings.data() + layout.bindings.size()), element_(element) {
    if (!at_) at_ = end_;
  }
  const BindingSlots* binding() const { return at_ == end_ ? nullptr : at_; }
  // Returns the slot of the current descriptor, or kNoSlot if it has none, and advances.
  uint32_t next() {
    while (at_ != end_ && element_ >= at_->count) element_ -= at_++->count;
    if (at_ == end_) return kNoSlot;
    const uint32_t element = element_++;
    return at_->slot == UINT32_MAX ? kNoSlot : at_->slot + element;
  }

 private:
  const BindingSlots* at_;
  const BindingSlots* end_;
  uint32_t element_;
};

uint32_t clamp_range(VkDeviceSize range) {
  return static_cast<uint32_t>(std::min<VkDeviceSize>(range, UINT32_MAX));
}

// What this thread looked up last. Programs write the descriptors of a set one after the other, and often
// parts of one buffer into many sets.
struct LastLookups {
  uint64_t removals = 0;  // DescriptorSets::removals() at that time
  VkDescriptorSet handle = VK_NULL_HANDLE;
  const Device* device = nullptr;
  const DescriptorSet* set = nullptr;
  uint64_t changes = 0;  // BufferTable::changes()
  VkBuffer buffer = VK_NULL_HANDLE;
  const Device* device_of_buffer = nullptr;
  BufferTable::BoundRange place{};
};
SHADERQA_THREAD_LOCAL LastLookups last_lookups;

const DescriptorSet* find_set(const Device& device, VkDescriptorSet handle) {
  LastLookups& last = last_lookups;
  const uint64_t removals = DescriptorSets::removals();
  if (last.handle != handle || last.removals != removals || last.device != &device) {
    last.set = device.descriptor_sets.find(handle);
    // A set that is not known yet may be by the next time.
    last.handle = last.set ? handle : VK_NULL_HANDLE;
    last.device = &device;
    last.removals = removals;
  }
  return last.set;
}

const BufferTable::BoundRange& find_place(const Device& device, VkBuffer handle) {
  LastLookups& last = last_lookups;
  const uint64_t changes = BufferTable::changes();
  if (last.buffer != handle || last.changes != changes || last.device_of_buffer != &device) {
    last.place = device.buffers.place(handle);
    last.buffer = handle;
    last.device_of_buffer = &device;
    last.changes = changes;
  }
  return last.place;
}

TableEntry entry_of(const Device& device, VkDescriptorType type, const VkDescriptorBufferInfo& info) {
  if (!info.buffer) return {};
  const BufferTable::BoundRange& place = find_place(device, info.buffer);
  if (!place.address || info.offset > place.size) return {};
  const VkDeviceSize range = info.range == VK_WHOLE_SIZE ? place.size - info.offset : info.range;
  return {place.address + info.offset, clamp_range(range),
          (is_dynamic(type) ? SQA_TABLE_DYNAMIC : 0u) | (place.read_only ? SQA_TABLE_READ_ONLY : 0u)};
}

TableEntry entry_of(const Device& device, VkBufferView handle) {
  if (!handle) return {};
  const BufferTable::TexelView view = device.buffers.view(handle);
  if (!view.address) return {};
  return {view.address, clamp_range(view.range),
          view.texel_size | (view.read_only ? SQA_TABLE_READ_ONLY : 0u)};
}

TableEntry entry_of(const Device& device, const VkDescriptorImageInfo& info) {
  TableEntry entry = info.imageView ? device.images.entry(info.imageView) : TableEntry();
  if (entry.address) entry.meta |= descriptor_layout_code(info.imageLayout);
  return entry;
}

// Descriptors of one type, `stride` bytes apart.
struct Source {
  VkDescriptorType type{};
  uint32_t binding = 0;
  uint32_t element = 0;
  uint32_t count = 0;
  const std::byte* data = nullptr;
  size_t stride = 0;
};

Source source_of(const VkWriteDescriptorSet& write) {
  Source source{write.descriptorType, write.dstBinding, write.dstArrayElement, write.descriptorCount, {}, {}};
  if (is_texel_buffer(source.type)) {
    source.data = reinterpret_cast<const std::byte*>(write.pTexelBufferView);
    source.stride = sizeof(VkBufferView);
  } else if (has_slots(source.type)) {
    source.data = reinterpret_cast<const std::byte*>(write.pBufferInfo);
    source.stride = sizeof(VkDescriptorBufferInfo);
  } else if (has_image_slots(source.type)) {
    source.data = reinterpret_cast<const std::byte*>(write.pImageInfo);
    source.stride = sizeof(VkDescriptorImageInfo);
  }
  return source;
}

Source source_of(const VkDescriptorUpdateTemplateEntry& entry, const void* data) {
  return {entry.descriptorType,
          entry.dstBinding,
          entry.dstArrayElement,
          entry.descriptorCount,
          static_cast<const std::byte*>(data) + entry.offset,
          entry.stride};
}

// Calls store(slot, entry) for each descriptor that has a slot.
template <typename Store>
void write_slots(const Device& device, const SetLayout& layout, const Source& source, const Store& store) {
  // Array element and count of an inline uniform block are bytes.
  if (source.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) return;
  SlotCursor cursor(layout, source.binding, source.element);
  const BindingSlots* binding = cursor.binding();
  if (!binding) return;
  const bool image = layout.images && has_image_slots(source.type);
  // An image in a mutable binding may replace a buffer.
  if (!has_slots(source.type) && !image && binding->type != VK_DESCRIPTOR_TYPE_MUTABLE_EXT) return;
  for (uint32_t i = 0; i < source.count; ++i) {
    const uint32_t slot = cursor.next();
    if (slot == kNoSlot) continue;
    const std::byte* data = source.data + i * source.stride;
    if (is_texel_buffer(source.type)) {
      VkBufferView view;
      std::memcpy(&view, data, sizeof view);
      store(slot, entry_of(device, view));
    } else if (has_slots(source.type)) {
      VkDescriptorBufferInfo info;
      std::memcpy(&info, data, sizeof info);
      store(slot, entry_of(device, source.type, info));
    } else if (image) {
      VkDescriptorImageInfo info;
      std::memcpy(&info, data, sizeof info);
      // Action records cannot leave those behind out that the render pass writes.
      const bool is_late = source.type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT && slot >= SQA_WATCHED_SLOTS;
      store(slot, is_late ? TableEntry() : entry_of(device, info));
    } else {
      store(slot, TableEntry());
    }
  }
}

template <typename Store>
void write_template(const Device& device, const SetLayout& layout, VkDescriptorUpdateTemplate update_template,
                    const void* data, const Store& store) {
  const auto found = device.descriptor_sets.find_template(update_template);
  if (!found) return;
  for (const VkDescriptorUpdateTemplateEntry& entry : found->entries) {
    write_slots(device, layout, source_of(entry, data), store);
  }
}

auto store_in(std::span<TableEntry> entries) {
  return [entries](uint32_t slot, const TableEntry& entry) {
    if (slot < entries.size()) entries[slot] = entry;
  };
}

auto store_in(const DescriptorSet& set) {
  return [&set](uint32_t slot, const TableEntry& entry) { set.store(slot, entry); };
}

// Most writes are of one buffer, and most bindings are numbered from 0 on. False: this write is not of that
// kind.
bool write_one_buffer(const Device& device, const DescriptorSet& set, const VkWriteDescriptorSet& write) {
  const VkDescriptorType type = write.descriptorType;
  const std::vector<BindingSlots>& bindings = set.layout->bindings;
  if (write.descriptorCount != 1 || !has_slots(type) || is_texel_buffer(type) ||
      write.dstBinding >= bindings.size())
    return false;
  const BindingSlots& binding = bindings[write.dstBinding];
  if (binding.binding != write.dstBinding || binding.slot == kNoSlot ||
      write.dstArrayElement >= binding.count)
    return false;
  set.store(binding.slot + write.dstArrayElement, entry_of(device, type, *write.pBufferInfo));
  return true;
}

void write_set(const Device& device, const DescriptorSet& set, const VkWriteDescriptorSet& write) {
  if (!write_one_buffer(device, set, write))
    write_slots(device, *set.layout, source_of(write), store_in(set));
}

void copy_slots(const DescriptorSet* from, const DescriptorSet& to, const VkCopyDescriptorSet& copy) {
  SlotCursor target(*to.layout, copy.dstBinding, copy.dstArrayElement);
  const BindingSlots* binding = target.binding();
  if (!binding || binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) return;
  std::optional<SlotCursor> source;
  if (from) source.emplace(*from->layout, copy.srcBinding, copy.srcArrayElement);
  for (uint32_t i = 0; i < copy.descriptorCount; ++i) {
    const uint32_t from_slot = source ? source->next() : kNoSlot;
    const uint32_t slot = target.next();
    if (slot != kNoSlot) to.store(slot, from_slot == kNoSlot ? TableEntry() : from->load(from_slot));
  }
}

}  // namespace

AddressSpan memory_of(const Device& device, const TableEntry& entry) {
  AddressSpan memory{entry.address, entry.address + std::max(entry.range, 1u)};
  if (!(entry.meta & SQA_TABLE_DYNAMIC) || (entry.meta & SQA_TABLE_IMAGE)) return memory;
  // The dynamic offset comes with each bind.
  if (const auto buffer = device.buffers.find_address(entry.address))
    memory.end = std::max(memory.end, buffer->address + buffer->size);
  return memory;
}

void write_entries(const Device& device, const SetLayout& layout, const VkWriteDescriptorSet& write,
                   std::span<TableEntry> entries) {
  write_slots(device, layout, source_of(write), store_in(entries));
}

void write_entries_with_template(const Device& device, const SetLayout& layout,
                                 VkDescriptorUpdateTemplate update_template, const void* data,
                                 std::span<TableEntry> entries) {
  write_template(device, layout, update_template, data, store_in(entries));
}

VKAPI_ATTR void VKAPI_CALL hooks::UpdateDescriptorSets(VkDevice handle, uint32_t descriptorWriteCount,
                                                       const VkWriteDescriptorSet* pDescriptorWrites,
                                                       uint32_t descriptorCopyCount,
                                                       const VkCopyDescriptorSet* pDescriptorCopies) {
  Device& device = device_of(handle);
  device.next.UpdateDescriptorSets(handle, descriptorWriteCount, pDescriptorWrites, descriptorCopyCount,
                                   pDescriptorCopies);
  guarded([&] {
    for (uint32_t i = 0; i < descriptorWriteCount; ++i) {
      const VkWriteDescriptorSet& write = pDescriptorWrites[i];
      const DescriptorSet* set = find_set(device, write.dstSet);
      if (set && set->slots) write_set(device, *set, write);
    }
    for (uint32_t i = 0; i < descriptorCopyCount; ++i) {
      const VkCopyDescriptorSet& copy = pDescriptorCopies[i];
      const DescriptorSet* set = find_set(device, copy.dstSet);
      if (set && set->slots) copy_slots(device.descriptor_sets.find(copy.srcSet), *set, copy);
    }
  });
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateDescriptorUpdateTemplate(
    VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo,
    const VkAllocationCallbacks* pAllocator, VkDescriptorUpdateTemplate* pDescriptorUpdateTemplate) {
  Device& device = device_of(handle);
  const VkResult result =
      device.next.CreateDescriptorUpdateTemplate(handle, pCreateInfo, pAllocator, pDescriptorUpdateTemplate);
  if (result == VK_SUCCESS)
    guarded([&] { device.descriptor_sets.add_template(*pDescriptorUpdateTemplate, *pCreateInfo); });
  return result;
}

VKAPI_ATTR void VKAPI_CALL
hooks::DestroyDescriptorUpdateTemplate(VkDevice handle, VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                       const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  guarded([&] { device.descriptor_sets.remove_template(descriptorUpdateTemplate); });
  device.next.DestroyDescriptorUpdateTemplate(handle, descriptorUpdateTemplate, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL hooks::UpdateDescriptorSetWithTemplate(
    VkDevice handle, VkDescriptorSet descriptorSet, VkDescriptorUpdateTemplate descriptorUpdateTemplate,
    const void* pData) {
  Device& device = device_of(handle);
  device.next.UpdateDescriptorSetWithTemplate(handle, descriptorSet, descriptorUpdateTemplate, pData);
  guarded([&] {
    const DescriptorSet* set = find_set(device, descriptorSet);
    if (!set || !set->slots) return;
    write_template(device, *set->layout, descriptorUpdateTemplate, pData, store_in(*set));
  });
}

}  // namespace shaderqa::layer
