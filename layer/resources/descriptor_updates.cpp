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
  struct Run {
    uint32_t slot = kNoSlot;  // of the first one; kNoSlot: they have none
    uint32_t count = 0;       // descriptors that follow each other; 0: there are no more
  };

  SlotCursor(const SetLayout& layout, uint32_t binding, uint32_t element)
      : at_(layout.find(binding)), end_(layout.bindings.data() + layout.bindings.size()), element_(element) {
    if (!at_) at_ = end_;
  }
  const BindingSlots* binding() const { return at_ == end_ ? nullptr : at_; }
  // Returns the current descriptor and at most so many from it on, and advances.
  Run next(uint32_t most) {
    while (at_ != end_ && element_ >= at_->count) element_ -= at_++->count;
    if (at_ == end_) return {};
    const uint32_t count = std::min(most, at_->count - element_);
    const Run run{at_->slot == kNoSlot ? kNoSlot : at_->slot + element_, count};
    element_ += count;
    return run;
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

// Whatever is rare stays out of the way of what is not.
[[gnu::noinline]] void look_up_set(LastLookups& last, const Device& device, VkDescriptorSet handle) {
  last.removals = DescriptorSets::removals();
  last.set = device.descriptor_sets.find(handle);
  // A set that is not known yet may be by the next time.
  last.handle = last.set ? handle : VK_NULL_HANDLE;
  last.device = &device;
}

[[gnu::noinline]] void look_up_place(LastLookups& last, const Device& device, VkBuffer handle) {
  last.changes = BufferTable::changes();
  last.place = device.buffers.place(handle);
  last.buffer = handle;
  last.device_of_buffer = &device;
}

const DescriptorSet* find_set(const Device& device, VkDescriptorSet handle) {
  LastLookups& last = last_lookups;
  if (last.handle != handle || last.removals != DescriptorSets::removals() || last.device != &device)
    look_up_set(last, device, handle);
  return last.set;
}

const BufferTable::BoundRange& find_place(const Device& device, VkBuffer handle) {
  LastLookups& last = last_lookups;
  if (last.buffer != handle || last.changes != BufferTable::changes() || last.device_of_buffer != &device)
    look_up_place(last, device, handle);
  return last.place;
}

[[gnu::always_inline]] inline TableEntry entry_of(const Device& device, VkDescriptorType type,
                                                  const VkDescriptorBufferInfo& info) {
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

// Many descriptors that are written at once name one view, or one layout.
class ImageEntries {
 public:
  explicit ImageEntries(const Device& device) : images_(device.images) {}

  const TableEntry& of(const VkDescriptorImageInfo& info) {
    if (info.imageView == view_ && info.imageLayout == layout_) return entry_;
    if (info.imageLayout != layout_) {
      layout_ = info.imageLayout;
      code_ = descriptor_layout_code(layout_);
    }
    view_ = info.imageView;
    entry_ = view_ ? images_.entry(view_) : TableEntry();
    if (entry_.address) entry_.meta |= code_;
    return entry_;
  }

 private:
  const ImageTable& images_;
  VkImageView view_ = VK_NULL_HANDLE;
  VkImageLayout layout_ = VK_IMAGE_LAYOUT_UNDEFINED;
  uint32_t code_ = descriptor_layout_code(VK_IMAGE_LAYOUT_UNDEFINED);
  TableEntry entry_{};  // of these
};

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

template <typename Info>
Info read(const Source& source, uint32_t index) {
  Info info;
  std::memcpy(&info, source.data + index * source.stride, sizeof info);
  return info;
}

// The descriptors from `first` on, as many as the run has. image: they are of images that have slots.
template <typename Store>
void write_run(const Device& device, const Source& source, uint32_t first, const SlotCursor::Run& run,
               bool image, Store& store) {
  if (is_texel_buffer(source.type)) {
    for (uint32_t i = 0; i < run.count; ++i)
      store(run.slot + i, entry_of(device, read<VkBufferView>(source, first + i)));
  } else if (has_slots(source.type)) {
    for (uint32_t i = 0; i < run.count; ++i)
      store(run.slot + i, entry_of(device, source.type, read<VkDescriptorBufferInfo>(source, first + i)));
  } else if (image) {
    // Action records cannot leave those behind out that the render pass writes.
    const uint32_t end = source.type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT ? SQA_WATCHED_SLOTS : UINT32_MAX;
    ImageEntries entries(device);
    for (uint32_t i = 0; i < run.count; ++i) {
      const uint32_t slot = run.slot + i;
      store(slot, slot < end ? entries.of(read<VkDescriptorImageInfo>(source, first + i)) : TableEntry());
    }
  } else {
    for (uint32_t i = 0; i < run.count; ++i) store(run.slot + i, TableEntry());
  }
}

// Calls store(slot, entry) for each descriptor that has a slot.
template <typename Store>
void write_slots(const Device& device, const SetLayout& layout, const Source& source, Store&& store) {
  // Array element and count of an inline uniform block are bytes.
  if (source.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) return;
  SlotCursor cursor(layout, source.binding, source.element);
  const BindingSlots* binding = cursor.binding();
  if (!binding) return;
  const bool image = layout.images && has_image_slots(source.type);
  // An image in a mutable binding may replace a buffer.
  if (!has_slots(source.type) && !image && binding->type != VK_DESCRIPTOR_TYPE_MUTABLE_EXT) return;
  for (uint32_t done = 0; done < source.count;) {
    const SlotCursor::Run run = cursor.next(source.count - done);
    if (run.count == 0) return;
    if (run.slot != kNoSlot) write_run(device, source, done, run, image, store);
    done += run.count;
  }
}

template <typename Store>
void write_template(const Device& device, const SetLayout& layout, VkDescriptorUpdateTemplate update_template,
                    const void* data, Store&& store) {
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

auto store_in(SetWriter& writer) {
  return [&writer](uint32_t slot, const TableEntry& entry) { writer.store(slot, entry); };
}

[[gnu::noinline]] void change(const DescriptorSet& set, uint32_t slot, const TableEntry& entry) {
  SetWriter(set).store(slot, entry);
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
  const uint32_t slot = binding.slot + write.dstArrayElement;
  const TableEntry entry = entry_of(device, type, *write.pBufferInfo);
  if (set.load(slot) != entry) change(set, slot, entry);
  return true;
}

[[gnu::noinline]] void write_any(const Device& device, const DescriptorSet& set,
                                 const VkWriteDescriptorSet& write) {
  SetWriter writer(set);
  write_slots(device, *set.layout, source_of(write), store_in(writer));
}

void copy_slots(const DescriptorSet* from, const DescriptorSet& to, const VkCopyDescriptorSet& copy) {
  SlotCursor target(*to.layout, copy.dstBinding, copy.dstArrayElement);
  const BindingSlots* binding = target.binding();
  if (!binding || binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) return;
  std::optional<SlotCursor> source;
  if (from) source.emplace(*from->layout, copy.srcBinding, copy.srcArrayElement);
  SetWriter writer(to);
  for (uint32_t i = 0; i < copy.descriptorCount; ++i) {
    const uint32_t from_slot = source ? source->next(1).slot : kNoSlot;
    const uint32_t slot = target.next(1).slot;
    if (slot != kNoSlot) writer.store(slot, from_slot == kNoSlot ? TableEntry() : from->load(from_slot));
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
      if (set && set->slots && !write_one_buffer(device, *set, write)) write_any(device, *set, write);
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
    SetWriter writer(*set);
    write_template(device, *set->layout, descriptorUpdateTemplate, pData, store_in(writer));
  });
}

}  // namespace shaderqa::layer
