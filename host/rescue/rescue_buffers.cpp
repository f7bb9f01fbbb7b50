// SPDX-License-Identifier: Apache-2.0
#include "host/rescue/rescue_buffers.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace shaderqa {
namespace {

constexpr uint64_t kLiving = 1;  // the lowest bit of RescueBufferSlot::change

}  // namespace

RescueBufferSlot* RescueBuffers::place_for(uint64_t handle) {
  if (const auto known = living_.find(handle); known != living_.end()) return &slots_[known->second];
  uint32_t place = used_;
  if (used_ < slots_.size()) {
    ++used_;
  } else if (!destroyed_.empty()) {
    place = destroyed_.front();
    destroyed_.pop_front();
  } else {
    return nullptr;
  }
  living_.emplace(handle, place);
  return &slots_[place];
}

void RescueBuffers::put(uint64_t handle, uint64_t address, uint64_t size, const std::string& name) {
  RescueBufferSlot* slot = place_for(handle);
  if (!slot) return;
  // The process may be killed at any time: a slot that is only half written has no change number.
  const std::atomic_ref change(slot->change);
  change.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot->handle = handle;
  slot->address = address;
  slot->size = size;
  const size_t length = std::min(name.size(), sizeof slot->name - 1);
  std::memcpy(slot->name, name.data(), length);
  std::memset(slot->name + length, 0, sizeof slot->name - length);
  change.store(++changes_ << 1 | kLiving, std::memory_order_release);
}

void RescueBuffers::destroyed(uint64_t handle) {
  const auto known = living_.find(handle);
  if (known == living_.end()) return;
  std::atomic_ref(slots_[known->second].change).store(++changes_ << 1, std::memory_order_release);
  destroyed_.push_back(known->second);
  living_.erase(known);
}

std::optional<BufferOrigin> find_rescued_buffer(std::span<const RescueBufferSlot> slots, uint64_t address) {
  const RescueBufferSlot* best = nullptr;
  const auto better = [&](const RescueBufferSlot& slot) {
    const bool living = slot.change & kLiving;
    if (!best || living != static_cast<bool>(best->change & kLiving)) return !best || living;
    return living ? slot.size < best->size : slot.change > best->change;
  };
  for (const RescueBufferSlot& slot : slots) {
    if (slot.change == 0 || slot.address == 0 || address < slot.address ||
        address - slot.address >= slot.size)
      continue;
    if (better(slot)) best = &slot;
  }
  if (!best) return std::nullopt;
  BufferOrigin place;
  place.name.assign(best->name, strnlen(best->name, sizeof best->name));
  place.handle = best->handle;
  place.offset = address - best->address;
  place.size = best->size;
  place.destroyed = !(best->change & kLiving);
  return place;
}

}  // namespace shaderqa
