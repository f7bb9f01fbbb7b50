// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/watched_slots.h"

#include <algorithm>

#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/recording/bind_state.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kAll = UINT32_MAX;

Binds::Watched watch(Device& device, const Binds& bound, uint32_t set, UnwatchedSlots& unwatched) {
  const BoundTable table = bound_table(device, bound, set);
  // What is updated after it was bound is not known yet.
  if (!table || table.updated_after_bind()) return {};
  // Where there is no address, or no slot, nothing is checked: such a bit must not send others the long way.
  Binds::Watched watched{0, static_cast<uint32_t>(unwatched.slots.size()), 0};
  for (uint32_t slot = 0; slot < std::min<uint32_t>(table.slots(), SQA_WATCHED_SLOTS); ++slot) {
    const TableEntry entry = table.load(slot);
    if (entry.address == 0) continue;
    const AddressSpan memory = memory_of(device, entry);
    if (device.exact->is_written(memory.begin, memory.end - memory.begin)) {
      watched.mask |= 1u << slot;
    } else {
      unwatched.slots.push_back({memory, 1u << slot});
      ++watched.count;
    }
  }
  return watched;
}

}  // namespace

void watch_slots(Device& device, Binds& bound, UnwatchedSlots& unwatched, uint32_t* dwords,
                 uint32_t* record) {
  const uint64_t generation = device.exact->written_generation();
  if (bound.watched_generation != generation) {
    bound.watched = {};
    bound.unknown_watched = kAll;
    bound.watched_generation = generation;
  }
  if (unwatched.uses.empty()) unwatched.generation = generation;
  for (uint32_t set = 0; set < SQA_MAX_SETS; ++set) {
    Binds::Watched& watched = bound.watched[set];
    if (bound.unknown_watched >> set & 1)
      watched = bound.tables[set] ? watch(device, bound, set, unwatched) : Binds::Watched();
    const uint32_t dword = SQA_ACTION_WATCHED + set;
    dwords[dword] = watched.mask;
    if (watched.count) unwatched.uses.push_back({record + dword, watched.mask, watched.first, watched.count});
  }
  bound.unknown_watched = 0;
}

void mend_unwatched(Device& device, UnwatchedSlots& unwatched) {
  const uint64_t generation = device.exact->written_generation();
  if (unwatched.uses.empty() || unwatched.generation == generation) return;
  std::vector<uint32_t> written(unwatched.slots.size());
  for (size_t i = 0; i < written.size(); ++i) {
    const UnwatchedSlot& slot = unwatched.slots[i];
    if (device.exact->is_written(slot.memory.begin, slot.memory.end - slot.memory.begin))
      written[i] = slot.bit;
  }
  for (UnwatchedSlots::Use& use : unwatched.uses) {
    uint32_t mask = use.mask;
    for (uint32_t i = use.first; i < use.first + use.count; ++i) mask |= written[i];
    if (mask != use.mask) *use.dword = use.mask = mask;
  }
  unwatched.generation = generation;
}

}  // namespace shaderqa::layer
