// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/watched_slots.h"

#include <algorithm>

#include "instrument/runtime/abi_exact.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/recording/bind_state.h"

namespace shaderqa::layer {
namespace {

BoundSlots::Watched watch(const ExactEngine& engine, const Device& device, const Binds& bound, uint32_t set,
                          UnwatchedSlots& unwatched) {
  const BoundTable table = bound_table(device, bound, set);
  // A descriptor that may be updated after it is bound is not known yet.
  if (!table || table.updated_after_bind()) return {};
  // A slot without an address is not checked: its bit must not send others the slow way.
  BoundSlots::Watched watched{0, 0, static_cast<uint32_t>(unwatched.slots.size()), 0};
  for (uint32_t slot = 0; slot < std::min<uint32_t>(table.slots(), SQA_WATCHED_SLOTS); ++slot) {
    const TableEntry entry = table.load(slot);
    if (entry.address == 0) continue;
    const AddressSpan memory = memory_of(device, entry);
    if (engine.may_be_written(memory.begin, memory.end - memory.begin)) {
      watched.mask |= 1u << slot;
    } else {
      unwatched.slots.push_back({memory, 1u << slot});
      ++watched.count;
    }
  }
  return watched;
}

// Above this size any element of an array may be written: then everything may.
constexpr uint32_t kMostDescriptors = 64;

}  // namespace

void mark_written(ExactEngine& engine, const Device& device, const Binds& bound) {
  if (!bound.checked) return engine.mark_everything_written();  // shader objects
  for (const DescriptorSlots& slots : bound.checked->layout->written->slots()) {
    if (slots.count > kMostDescriptors) return engine.mark_everything_written();
    const BoundTable table = bound_table(device, bound, slots.set);
    for (uint32_t i = slots.slot; i < slots.slot + slots.count && i < table.slots(); ++i) {
      if (const VkDeviceAddress address = table.load(i).address) engine.mark_written(address);
    }
  }
}

void watch_slots(const ExactEngine& engine, const Device& device, const Binds& bound, BoundSlots& slots,
                 UnwatchedSlots& unwatched, const ActionRecord& record) {
  const uint64_t generation = engine.written_generation();
  if (slots.written_generation != generation) {
    for (BoundSlots::Watched& watched : slots.watched) watched.changed = BoundSlots::kNever;
    slots.written_generation = generation;
  }
  if (unwatched.uses.empty()) unwatched.generation = generation;
  for (uint32_t set = 0; set < SQA_MAX_SETS; ++set) {
    BoundSlots::Watched& watched = slots.watched[set];
    if (watched.changed != bound.changed[set]) {
      watched = bound.tables[set] ? watch(engine, device, bound, set, unwatched) : BoundSlots::Watched();
      watched.changed = bound.changed[set];
    }
    const uint32_t dword = SQA_ACTION_WATCHED + set;
    record.dwords[dword] = watched.mask;
    if (watched.count)
      unwatched.uses.push_back({record.place + dword, watched.mask, watched.first, watched.count});
  }
}

void mend_unwatched(const ExactEngine& engine, UnwatchedSlots& unwatched) {
  const uint64_t generation = engine.written_generation();
  if (unwatched.uses.empty() || unwatched.generation == generation) return;
  std::vector<uint32_t> written(unwatched.slots.size());
  for (size_t i = 0; i < written.size(); ++i) {
    const UnwatchedSlot& slot = unwatched.slots[i];
    if (engine.may_be_written(slot.memory.begin, slot.memory.end - slot.memory.begin)) written[i] = slot.bit;
  }
  for (UnwatchedSlots::Use& use : unwatched.uses) {
    uint32_t mask = use.mask;
    for (uint32_t i = use.first; i < use.first + use.count; ++i) mask |= written[i];
    if (mask != use.mask) *use.dword = use.mask = mask;
  }
  unwatched.generation = generation;
}

}  // namespace shaderqa::layer
