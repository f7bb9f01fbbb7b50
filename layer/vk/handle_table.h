// SPDX-License-Identifier: Apache-2.0
// Maps Vulkan handles to the layer's objects. Lookups take no lock, because many threads look handles up at
// once in hot commands. They rely on Vulkan's rule that a handle is not destroyed while it is used: an object
// is valid until its handle is erased, and a handle is inserted before anybody can look it up.
#ifndef SHADERQA_LAYER_VK_HANDLE_TABLE_H
#define SHADERQA_LAYER_VK_HANDLE_TABLE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "layer/vk/handle_value.h"

namespace shaderqa::layer {

// The objects belong to somebody else.
template <typename Handle, typename Object>
class HandleIndex {
 public:
  HandleIndex() = default;
  HandleIndex(const HandleIndex&) = delete;
  HandleIndex& operator=(const HandleIndex&) = delete;

  Object* find(Handle handle) const noexcept {
    const uint64_t key = key_of(handle);
    const uint64_t hash = hash_of(key);
    const Slot* const slots = shard_of(hash).slots.load(std::memory_order_acquire);
    if (!slots || key <= kGone) return nullptr;
    const size_t mask = mask_of(slots);
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      const Slot& slot = slots[1 + i];
      const uint64_t there = slot.key.load(std::memory_order_acquire);
      if (there == key) return slot.object.load(std::memory_order_acquire);
      if (there == kFree) return nullptr;
    }
  }

  // Returns the object that was there before.
  Object* insert(Handle handle, Object* object) {
    const uint64_t key = key_of(handle);
    if (key <= kGone) return nullptr;
    const uint64_t hash = hash_of(key);
    Shard& shard = shard_of(hash);
    const std::lock_guard lock(shard.mutex);
    if (Slot* known = find_slot(shard, hash, key)) return known->object.exchange(object);
    make_room(shard);
    put(shard.slots.load(std::memory_order_relaxed), hash, key, object, shard.used);
    ++shard.living;
    return nullptr;
  }

  Object* erase(Handle handle) {
    const uint64_t key = key_of(handle);
    const uint64_t hash = hash_of(key);
    Shard& shard = shard_of(hash);
    const std::lock_guard lock(shard.mutex);
    Slot* slot = key <= kGone ? nullptr : find_slot(shard, hash, key);
    if (!slot) return nullptr;
    Object* const object = slot->object.load(std::memory_order_relaxed);
    slot->key.store(kGone, std::memory_order_release);
    --shard.living;
    // The last slot of a run becomes free, so that lookups of unknown handles stay short.
    Slot* const slots = shard.slots.load(std::memory_order_relaxed);
    const size_t mask = mask_of(slots);
    auto i = static_cast<size_t>(slot - slots) - 1;
    if (slots[1 + ((i + 1) & mask)].key.load(std::memory_order_relaxed) != kFree) return object;
    for (; slots[1 + i].key.load(std::memory_order_relaxed) == kGone; i = (i - 1) & mask) {
      slots[1 + i].key.store(kFree, std::memory_order_release);
      --shard.used;
    }
    return object;
  }

  // To be called while no other thread uses the table.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const Shard& shard : shards_) {
      const Slot* const slots = shard.slots.load(std::memory_order_relaxed);
      for (size_t i = 1; slots && i <= mask_of(slots) + 1; ++i) {
        if (slots[i].key.load(std::memory_order_relaxed) > kGone)
          visit(slots[i].object.load(std::memory_order_relaxed));
      }
    }
  }

 private:
  static constexpr uint64_t kFree = 0;  // the end of a run
  static constexpr uint64_t kGone = 1;  // erased; the run continues after it
  static constexpr size_t kShards = 16;
  static constexpr size_t kSmallest = 16;

  struct Slot {
    std::atomic<uint64_t> key = kFree;
    std::atomic<Object*> object = nullptr;
  };
  struct alignas(64) Shard {
    // The key of the first is the mask of indices into those behind it: a lookup reads one array and no
    // other.
    std::atomic<Slot*> slots = nullptr;
    std::mutex mutex;  // held by writers
    size_t living = 0;
    size_t used = 0;  // slots that are not free
    // Each is at least twice as large as the one before. Readers may still use the earlier ones.
    std::vector<std::unique_ptr<Slot[]>> all;
  };

  static uint64_t key_of(Handle handle) { return handle_value(handle); }
  // Handles are addresses or counters. Multiplication spreads both, best in its upper half.
  static uint64_t hash_of(uint64_t key) {
    const uint64_t product = key * 0x9e3779b97f4a7c15u;
    return product >> 32;
  }
  Shard& shard_of(uint64_t hash) { return shards_[hash >> 28]; }
  const Shard& shard_of(uint64_t hash) const { return shards_[hash >> 28]; }

  static size_t mask_of(const Slot* slots) { return slots->key.load(std::memory_order_relaxed); }

  static Slot* find_slot(Shard& shard, uint64_t hash, uint64_t key) {
    Slot* const slots = shard.slots.load(std::memory_order_relaxed);
    if (!slots) return nullptr;
    const size_t mask = mask_of(slots);
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      Slot& slot = slots[1 + i];
      const uint64_t there = slot.key.load(std::memory_order_relaxed);
      if (there == key) return &slot;
      if (there == kFree) return nullptr;
    }
  }

  static void put(Slot* slots, uint64_t hash, uint64_t key, Object* object, size_t& used) {
    const size_t mask = mask_of(slots);
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      Slot& slot = slots[1 + i];
      const uint64_t there = slot.key.load(std::memory_order_relaxed);
      if (there > kGone) continue;
      if (there == kFree) ++used;
      slot.object.store(object, std::memory_order_release);
      slot.key.store(key, std::memory_order_release);
      return;
    }
  }

  static void make_room(Shard& shard) {
    const Slot* const before = shard.slots.load(std::memory_order_relaxed);
    const size_t size = before ? mask_of(before) + 1 : 0;
    if ((shard.used + 1) * 4 <= size * 3) return;
    const size_t larger = size ? size * 2 : kSmallest;
    auto made = std::make_unique<Slot[]>(1 + larger);
    made[0].key.store(larger - 1, std::memory_order_relaxed);
    shard.all.reserve(shard.all.size() + 1);
    size_t used = 0;
    for (size_t i = 1; i <= size; ++i) {
      const uint64_t key = before[i].key.load(std::memory_order_relaxed);
      if (key <= kGone) continue;
      put(made.get(), hash_of(key), key, before[i].object.load(std::memory_order_relaxed), used);
    }
    shard.used = used;
    shard.slots.store(made.get(), std::memory_order_release);
    shard.all.push_back(std::move(made));
  }

  std::array<Shard, kShards> shards_;
};

// The objects belong to the table.
template <typename Handle, typename Object>
class HandleTable {
 public:
  HandleTable() = default;
  ~HandleTable() {
    index_.for_each([](Object* object) { delete object; });
  }
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  Object* find(Handle handle) const noexcept { return index_.find(handle); }
  void insert(Handle handle, std::unique_ptr<Object> object) {
    const std::unique_ptr<Object> before(index_.insert(handle, object.get()));
    static_cast<void>(object.release());
  }  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the index has it
  template <typename... Arguments>
  void emplace(Handle handle, Arguments&&... arguments) {
    insert(handle, std::make_unique<Object>(std::forward<Arguments>(arguments)...));
  }
  // Returns the object that was there.
  std::unique_ptr<Object> erase(Handle handle) { return std::unique_ptr<Object>(index_.erase(handle)); }

 private:
  HandleIndex<Handle, Object> index_;
};

}  // namespace shaderqa::layer
#endif
