// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/direct_slots.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "host/order/action_order.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/recording/action.h"
#include "layer/recording/bind_state.h"
#include "layer/resources/image_table.h"

namespace shaderqa::layer {
namespace {

// Above this many descriptors it is not worked out which of them lead to the same memory.
constexpr uint32_t kMostCompared = 64;

struct Compared {
  uint32_t set = 0, slot = 0;
  AddressSpan memory;
  AddressSpan words;  // that it has bytes of
};

// All memory that the action has bound; nothing if that is not known or too much.
std::optional<std::vector<Compared>> all_memory(const Device& device, const Binds& bound,
                                                const PipelineLayout& layout) {
  std::vector<Compared> all;
  uint32_t slots = 0;
  for (uint32_t set = 0; set < layout.sets.size(); ++set) {
    if (!layout.sets[set]) return std::nullopt;
    if (layout.sets[set]->slots == 0) continue;
    const BoundTable table = bound_table(device, bound, set);
    slots += table.slots();
    if (!table || table.updated_after_bind() || slots > kMostCompared) return std::nullopt;
    for (uint32_t slot = 0; slot < table.slots(); ++slot) {
      const TableEntry entry = table.load(slot);
      if (entry.address == 0) continue;
      const AddressSpan span = memory_of(device, entry);
      all.push_back(
          {set, slot, span, {span.begin & ~VkDeviceAddress{3}, (span.end + 3) & ~VkDeviceAddress{3}}});
    }
  }
  return all;
}

// Through which descriptors memory is reached, as SQA_REACH_* have it.
uint32_t reach_of(const AddressSpan& memory, const std::vector<Compared>& all, const PipelineLayout& layout) {
  uint32_t reach = 0;
  for (const Compared& other : all) {
    if (other.words.begin >= memory.end || memory.begin >= other.words.end) continue;
    const auto slots = std::ranges::find_if(layout.descriptors, [&](const DescriptorSlots& each) {
      return each.direct != 0 && each.set == other.set && each.slot == other.slot;
    });
    if (slots == layout.descriptors.end() || other.memory.begin != memory.begin) return SQA_REACH_UNKNOWN;
    reach |= 1U << (slots->direct - 1);
  }
  return reach;
}

// Returns whether the entries say where all cells are.
bool work_out(const ExactEngine& engine, const Device& device, const Binds& bound,
              const PipelineLayout& layout, std::span<uint32_t> dwords,
              std::vector<DirectUses::Memory>& memory) {
  std::ranges::fill(dwords, 0);
  bool complete = true;
  const std::optional<std::vector<Compared>> all = all_memory(device, bound, layout);
  for (const DescriptorSlots& slots : layout.descriptors) {
    if (slots.direct == 0) continue;
    const BoundTable table = bound_table(device, bound, slots.set);
    if (!table || table.updated_after_bind() || slots.slot >= table.slots()) continue;
    const TableEntry entry = table.load(slots.slot);
    const bool is_image = (entry.meta & SQA_TABLE_IMAGE) != 0;
    if (entry.address == 0 || entry.address % 4 != 0 || entry.range == 0) continue;
    const VkDeviceAddress cells = is_image ? 0 : engine.cells_of(entry.address, entry.range);
    if (!is_image && cells == 0 && engine.has_cells(entry.address, entry.range)) complete = false;
    const VkDeviceAddress place = is_image ? device.images.record_address(entry) : entry.address;
    const AddressSpan span = memory_of(device, entry);
    uint32_t* direct = dwords.data() + (slots.direct - 1) * SQA_DIRECT_DWORDS;
    std::memcpy(direct, &place, sizeof place);
    direct[2] = entry.range;
    direct[SQA_DIRECT_REACH] = all ? reach_of(span, *all, layout) : SQA_REACH_UNKNOWN;
    if (is_image) continue;
    std::memcpy(direct + 4, &cells, sizeof cells);
    memory.push_back({slots.direct - 1, {entry.address, entry.address + entry.range}});
  }
  return complete;
}

// Returns whether one region of floors holds for the memory of each slot.
bool write_regions(const OrderState& order, std::span<const DirectUses::Memory> memory, uint32_t* direct) {
  if (!order.has_regions()) return true;
  bool all = true;
  for (const DirectUses::Memory& one : memory) {
    const std::optional<uint32_t> region = order.region_of(one.span.begin, one.span.end);
    all = all && region;
    direct[one.slot * SQA_DIRECT_DWORDS + 6] = region.value_or(0);
  }
  return all;
}

}  // namespace

bool write_direct_slots(const ExactEngine& engine, const Device& device, const Binds& bound,
                        BoundSlots& slots, const Action& action, const OrderState& order,
                        const ActionRecord& record, DirectUses& uses) {
  if (!bound.checked || !bound.checked->layout->has_direct || bound.checked->layout->descriptor_buffers)
    return true;
  const uint64_t parts = engine.parts_generation();
  if (slots.direct_of != bound.checked->layout || slots.direct_changes != bound.changes ||
      slots.direct_parts != parts) {
    slots.direct_first = static_cast<uint32_t>(uses.memory.size());
    slots.direct_complete =
        work_out(engine, device, bound, *bound.checked->layout, slots.direct, uses.memory);
    slots.direct_count = static_cast<uint32_t>(uses.memory.size()) - slots.direct_first;
    slots.direct_of = bound.checked->layout;
    slots.direct_changes = bound.changes;
    slots.direct_parts = parts;
  }
  uint32_t* const dwords = record.dwords + SQA_ACTION_DIRECT;
  std::ranges::copy(slots.direct, dwords);
  for (uint32_t i = 0; i < SQA_DIRECT_SLOTS; ++i)
    dwords[i * SQA_DIRECT_DWORDS + SQA_DIRECT_REACH] |= action.reach;
  if (slots.direct_count == 0) return slots.direct_complete;
  const std::span memory = std::span(uses.memory).subspan(slots.direct_first, slots.direct_count);
  // Bytes of any memory may get cells later, once a shader may store parts of words.
  const bool complete =
      slots.direct_complete && !engine.expects_parts() && write_regions(order, memory, dwords);
  if (uses.uses.empty()) uses.generation = parts;
  uses.uses.push_back(
      {record.place + SQA_ACTION_DIRECT, slots.direct_first, slots.direct_count, bound.direct && complete});
  return complete;
}

void mend_direct(const ExactEngine& engine, const Device& device, DirectUses& uses) {
  if (uses.uses.empty()) return;
  const uint64_t generation = engine.parts_generation();
  if (uses.generation == generation) return;
  bool unchecked = false;
  std::vector<bool> has_parts(uses.memory.size());
  for (size_t i = 0; i < has_parts.size(); ++i) has_parts[i] = engine.has_parts(uses.memory[i].span);
  for (const DirectUses::Use& use : uses.uses) {
    for (uint32_t i = use.first; i < use.first + use.count; ++i) {
      if (!has_parts[i]) continue;
      uint32_t* const direct = use.record + uses.memory[i].slot * SQA_DIRECT_DWORDS;
      unchecked = unchecked || (use.only && (direct[4] | direct[5]) != 0);
      direct[4] = direct[5] = 0;
    }
  }
  if (unchecked)
    device.note(
        "recorded before parts",
        "a command buffer was recorded before shaders stored parts of words in memory that it accesses: "
        "its accesses to that memory are not checked. They are if it is recorded again, or with the "
        "setting start=creation",
        Concern::sync);
  uses.generation = generation;
}

}  // namespace shaderqa::layer
