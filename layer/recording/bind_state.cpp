// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/bind_state.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_table.h"
#include "layer/loader/device.h"
#include "layer/memory/record_arena.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/descriptor_pools.h"
#include "layer/resources/descriptor_sets.h"
#include "layer/resources/heap_tables.h"

namespace shaderqa::layer {

void BindState::reset() {
  for (Binds& binds : binds_) {
    const uint64_t changes = binds.changes + 1;
    binds = {};
    binds.changes = changes;
  }
  constants_.clear();
  heaps_.invalidate();
  descriptor_buffers_.clear();
}

void Binds::forget_sets() {
  for (uint32_t left = bound_sets; left; left &= left - 1)
    set_bound(static_cast<uint32_t>(std::countr_zero(left)), VK_NULL_HANDLE, VK_NULL_HANDLE);
  for (const Pushed& one : pushed)
    if (one.set < SQA_MAX_SETS) set_table(one.set, 0);
  pushed.clear();
  in_buffers.fill({});
  buffered = false;
  disturbed = 0;
  layout = constants_layout = disturbs_nothing = moved_to = VK_NULL_HANDLE;
}

void BindState::forget_sets() {
  for (Binds& binds : binds_) binds.forget_sets();
  constants_.clear();
}

void BindState::disturb_sets_and_constants() {
  for (Binds& binds : binds_) {
    binds.disturbed |= binds.bound_sets;
    binds.disturbs_nothing = binds.moved_to = VK_NULL_HANDLE;
  }
  constants_.set_moved(VK_NULL_HANDLE);
}

void BindState::set_pushed_addresses(const Device& device, Binds& binds, const HeapTables& tables) const {
  const std::span<const HeapTable> all = tables.all();
  for (uint32_t number = 0; number < all.size(); ++number) {
    if (!all[number].is_one_buffer()) continue;
    TableEntry entry;
    entry.address = heaps_.buffer_of(all[number]);
    const auto buffer = entry.address ? device.buffers.find_address(entry.address) : std::nullopt;
    const uint64_t left = buffer ? buffer->address + buffer->size - entry.address : 0;
    entry.range = static_cast<uint32_t>(std::min<uint64_t>(left, UINT32_MAX));
    auto found = std::ranges::find(binds.pushed, number, &Binds::Pushed::set);
    if (found == binds.pushed.end()) {
      binds.pushed.push_back({number, nullptr, {}, true});
      found = binds.pushed.end() - 1;
    }
    found->dirty = found->dirty || found->entries.empty() || found->entries[0] != entry;
    found->entries.assign(1, entry);
  }
}

void BindState::write_heap_tables(const HeapTables& tables, uint32_t* dwords) const {
  const std::span<const HeapTable> all = tables.all();
  for (uint32_t number = 0; number < all.size(); ++number) {
    if (all[number].is_one_buffer()) continue;
    const HeapState::Place place = heaps_.place_of(all[number]);
    store_u64(dwords, SQA_ACTION_TABLES + 2 * number, place.address);
    dwords[SQA_ACTION_DYNAMIC + number] = place.bytes;
  }
  const HeapState::Place heap = heaps_.whole();
  store_u64(dwords, SQA_ACTION_HEAP, heap.address);
  dwords[SQA_ACTION_HEAP + 2] = heap.bytes;
}

void BindState::bind_descriptor_buffers(std::span<const VkDescriptorBufferBindingInfoEXT> buffers) {
  leave_heaps();
  descriptor_buffers_.clear();
  for (const VkDescriptorBufferBindingInfoEXT& buffer : buffers)
    descriptor_buffers_.push_back(buffer.address);
}

void BindState::set_buffer_offsets(BindPoint point, uint32_t first, std::span<const uint32_t> buffers,
                                   std::span<const VkDeviceSize> offsets,
                                   std::span<const std::shared_ptr<const SetLayout>> layouts) {
  leave_heaps();
  Binds& binds = at(point);
  binds.buffered = true;
  for (uint32_t i = 0; i < buffers.size() && i < SQA_MAX_SETS && first < SQA_MAX_SETS - i; ++i)
    binds.in_buffers[first + i] = {buffers[i], offsets[i],
                                   first + i < layouts.size() ? layouts[first + i] : nullptr};
}

void BindState::write_buffered_sets(BindPoint point, const PipelineLayout& layout, uint32_t* dwords) const {
  const Binds& binds = binds_[static_cast<size_t>(point)];
  for (uint32_t set = 0; set < layout.sets.size() && set < SQA_MAX_SETS; ++set) {
    if (!layout.sets[set] || !layout.sets[set]->is_buffered()) continue;
    const Binds::InBuffer& place = binds.in_buffers[set];
    const bool known = place.buffer < descriptor_buffers_.size() && descriptor_buffers_[place.buffer];
    store_u64(dwords, SQA_ACTION_TABLES + 2 * set,
              known ? descriptor_buffers_[place.buffer] + place.offset : 0);
  }
}

void BindState::push_constants(VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset,
                               uint32_t size, const void* values) {
  leave_heaps();
  const uint32_t points = bind_points_of(stages);
  for (uint32_t i = 0; i < kBindPoints; ++i) {
    if (points & (1u << i)) binds_[i].constants_layout = layout;
  }
  // Without a layout, vkCmdPushConstants2 has a description of one, which is not kept.
  if (layout) {
    constants_.push(layout, stages, offset, size, values);
  } else {
    constants_.push_unknown();
  }
}

void BindState::bind_any_sets(const Device& device, Binds& binds, VkPipelineLayout layout, uint32_t first,
                              std::span<const VkDescriptorSet> sets,
                              std::span<const uint32_t> dynamic_offsets) {
  const size_t count = std::min<size_t>(sets.size(), SQA_MAX_SETS - std::min(first, uint32_t{SQA_MAX_SETS}));
  for (uint32_t i = 0; i < count; ++i) binds.set_bound(first + i, sets[i], layout);
  if (!binds.pushed.empty()) {
    std::erase_if(binds.pushed, [&](const Binds::Pushed& pushed) {
      return pushed.set >= first && pushed.set - first < count;
    });
  }
  if (layout == binds.layout && dynamic_offsets.empty()) return;
  const PipelineLayout* known = device.pipeline_layouts.peek(layout);
  if (known && known->has_record) binds.layout = layout;
  size_t taken = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t set = first + i;
    if (!known || set >= known->sets.size() || !known->sets[set]) continue;
    for (uint32_t k = 0; k < known->sets[set]->dynamic_count && taken < dynamic_offsets.size();
         ++k, ++taken) {
      const uint32_t flat = known->first_dynamic[set] + k;
      if (flat < SQA_ACTION_MAX_DYNAMIC) binds.dynamic[flat] = dynamic_offsets[taken];
    }
  }
}

Binds::Pushed* BindState::pushed_set(const Device& device, BindPoint point, VkPipelineLayout layout,
                                     uint32_t set) {
  leave_heaps();
  const std::shared_ptr<const PipelineLayout> known = device.pipeline_layouts.find(layout);
  if (!known || set >= known->sets.size() || !known->sets[set] || set >= SQA_MAX_SETS) return nullptr;
  Binds& binds = at(point);
  if (known->has_record) binds.layout = layout;
  auto found = std::ranges::find(binds.pushed, set, &Binds::Pushed::set);
  if (found == binds.pushed.end()) {
    binds.pushed.push_back({set, nullptr, {}, false});
    found = binds.pushed.end() - 1;
  }
  binds.unknown_tables &= ~(1u << set);
  binds.moved_to = VK_NULL_HANDLE;
  // Another layout's descriptors are lost.
  if (found->layout != known->sets[set]) {
    found->layout = known->sets[set];
    found->entries.assign(found->layout->slots, {});
  }
  found->dirty = true;
  return &*found;
}

const SetLayout* BoundTable::layout() const {
  if (pushed_) return pushed_->layout.get();
  return set_ ? set_->layout.get() : nullptr;
}

uint32_t BoundTable::slots() const {
  if (pushed_) return static_cast<uint32_t>(pushed_->entries.size());
  return set_ ? set_->slots : 0;
}

TableEntry BoundTable::load(uint32_t slot) const {
  if (pushed_) return slot < pushed_->entries.size() ? pushed_->entries[slot] : TableEntry();
  return set_ ? set_->load(slot) : TableEntry();
}

uint64_t BoundTable::version() const { return set_ ? set_->version() : 0; }

bool BoundTable::updated_after_bind() const { return set_ && set_->layout->update_after_bind; }

void disturb_sets(const Device& device, Binds& binds, VkPipelineLayout handle, const PipelineLayout& layout) {
  if (binds.disturbs_nothing == handle) return;
  uint32_t disturbed = 0;
  for (uint32_t left = binds.bound_sets; left; left &= left - 1) {
    const auto set = static_cast<uint32_t>(std::countr_zero(left));
    const VkPipelineLayout with = binds.bound_with[set];
    if (with == handle) continue;
    const PipelineLayout* const known = device.pipeline_layouts.peek(with);
    if (known && !are_compatible(*known, layout, set)) disturbed |= 1u << set;
  }
  binds.disturbed |= disturbed;
  if (!disturbed) binds.disturbs_nothing = handle;
}

void restore_sets(const Device& device, VkCommandBuffer commands, VkPipelineBindPoint point, Binds& binds,
                  uint32_t count) {
  const uint32_t wanted = binds.disturbed & ((count < 32 ? 1u << count : 0u) - 1u);
  binds.disturbed &= ~wanted;
  for (uint32_t left = wanted; left; left &= left - 1) {
    const auto set = static_cast<uint32_t>(std::countr_zero(left));
    const PipelineLayout* const layout = device.pipeline_layouts.peek(binds.bound_with[set]);
    if (!layout || set >= layout->sets.size() || !layout->sets[set]) continue;
    // If the application's own binds have disturbed it, too, it is left as it is.
    bool valid = true;
    for (uint32_t other = 0; other < SQA_MAX_SETS && valid; ++other) {
      const bool later = binds.sets[other] && binds.bound_at[other] > binds.bound_at[set];
      if (!later || binds.bound_with[other] == binds.bound_with[set]) continue;
      const PipelineLayout* const known = device.pipeline_layouts.peek(binds.bound_with[other]);
      valid = known && are_compatible(*known, *layout, std::min(set, other));
    }
    const uint32_t first = layout->first_dynamic[set], offsets = layout->sets[set]->dynamic_count;
    if (!valid || first + offsets > SQA_ACTION_MAX_DYNAMIC) continue;
    device.next.CmdBindDescriptorSets(commands, point, binds.bound_with[set], set, 1, &binds.sets[set],
                                      offsets, binds.dynamic.data() + first);
    binds.disturbs_nothing = binds.moved_to = VK_NULL_HANDLE;
  }
}

BoundTable bound_table(const Device& device, const Binds& bound, uint32_t set) {
  if (!bound.pushed.empty()) {
    const auto pushed = std::ranges::find(bound.pushed, set, &Binds::Pushed::set);
    if (pushed != bound.pushed.end()) return BoundTable(&*pushed);
  }
  if (set >= bound.sets.size()) return {};
  const bool valid =
      bound.removals == device.descriptor_sets.removals() && !(bound.unknown_tables >> set & 1);
  const DescriptorSet* const known =
      valid ? bound.known_sets[set] : device.descriptor_sets.find(bound.sets[set]);
  return known && known->table_address() ? BoundTable(known) : BoundTable();
}

void find_tables(const Device& device, Binds& binds) {
  const uint64_t removals = device.descriptor_sets.removals();
  if (binds.removals != removals) {
    for (uint32_t left = binds.bound_sets; left; left &= left - 1) {
      const auto set = static_cast<uint32_t>(std::countr_zero(left));
      binds.known_sets[set] = device.descriptor_sets.find(binds.sets[set]);
    }
    binds.removals = removals;
  }
  for (uint32_t unknown = binds.unknown_tables; unknown; unknown &= unknown - 1) {
    const auto set = static_cast<uint32_t>(std::countr_zero(unknown));
    const DescriptorSet* const known = device.descriptor_sets.find(binds.sets[set]);
    binds.known_sets[set] = known;
    binds.set_table(set, known ? known->table_address() : 0);
  }
  binds.unknown_tables = 0;
}

void write_pushed_tables(Binds& binds, RecordArena& arena) {
  for (Binds::Pushed& pushed : binds.pushed) {
    if (!pushed.dirty) continue;
    const auto slots = static_cast<uint32_t>(pushed.entries.size());
    const RecordAllocation place = arena.allocate((slots + 1) * sizeof(TableEntry));
    binds.set_table(pushed.set, place.address);  // 0 without memory: not checked
    if (!place.memory) continue;
    const uint32_t header[SQA_TABLE_ENTRY_DWORDS] = {slots, 0, 0, 0};
    std::memcpy(place.memory, header, sizeof header);
    std::memcpy(place.memory + sizeof header, pushed.entries.data(), slots * sizeof(TableEntry));
    pushed.dirty = false;
  }
}

uint32_t bind_points_of(VkShaderStageFlags stages) {
  constexpr VkShaderStageFlags ray_tracing =
      VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
      VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
  constexpr VkShaderStageFlags graphics =
      VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
  uint32_t points = 0;
  if (stages & graphics) points |= 1u << static_cast<uint32_t>(BindPoint::graphics);
  if (stages & VK_SHADER_STAGE_COMPUTE_BIT) points |= 1u << static_cast<uint32_t>(BindPoint::compute);
  if (stages & ray_tracing) points |= 1u << static_cast<uint32_t>(BindPoint::ray_tracing);
  return points;
}

}  // namespace shaderqa::layer
