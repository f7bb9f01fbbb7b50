// SPDX-License-Identifier: Apache-2.0
// Maps dispatchable handles to the layer's objects. Handles are not wrapped: the key is the first word of the
// dispatchable object, which points to the loader's dispatch table. A VkInstance shares its table with its
// physical devices, a VkDevice with its queues and command buffers.
#ifndef SHADERQA_LAYER_LOADER_DISPATCH_H
#define SHADERQA_LAYER_LOADER_DISPATCH_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <type_traits>
#include <utility>

namespace shaderqa::layer {

class Device;
struct Instance;

// A list of {key, object}. Lookups take no lock; insertion and removal do. It is trivially destructible
// because a thread may still look up while the process exits. Slots are reused; further chunks are freed with
// the last object, when nothing can be looked up any more.
template <typename Object>
class DispatchMap {
 public:
  Object* find(const void* key) const {
    for (const Chunk* chunk = &first_; chunk; chunk = chunk->more.load(std::memory_order_acquire)) {
      for (const Slot& slot : chunk->slots) {
        if (slot.key.load(std::memory_order_acquire) == key) return slot.object;
      }
    }
    return nullptr;
  }

  void insert(const void* key, Object* object) {
    const std::lock_guard lock(mutex_);
    for (Chunk* chunk = &first_;; chunk = chunk->more.load(std::memory_order_relaxed)) {
      for (Slot& slot : chunk->slots) {
        if (slot.key.load(std::memory_order_relaxed)) continue;
        slot.object = object;
        slot.key.store(key, std::memory_order_release);
        return;
      }
      if (!chunk->more.load(std::memory_order_relaxed))
        chunk->more.store(new Chunk, std::memory_order_release);
    }
  }

  // To be called before the object's handle is destroyed, because its key may be reused afterwards.
  Object* erase(const void* key) {
    const std::lock_guard lock(mutex_);
    Object* erased = nullptr;
    bool any = false;
    for (Chunk* chunk = &first_; chunk; chunk = chunk->more.load(std::memory_order_relaxed)) {
      for (Slot& slot : chunk->slots) {
        const void* const own = slot.key.load(std::memory_order_relaxed);
        if (own == key && !erased) {
          erased = slot.object;
          slot.key.store(nullptr, std::memory_order_release);
        } else {
          any |= own != nullptr;
        }
      }
    }
    if (erased && !any) {
      Chunk* chunk = first_.more.exchange(nullptr, std::memory_order_acq_rel);
      while (chunk) delete std::exchange(chunk, chunk->more.load(std::memory_order_relaxed));
    }
    return erased;
  }

  // No object is erased meanwhile. False if the lock is taken; then nothing was visited.
  template <typename Visit>
  bool try_for_each(const Visit& visit) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    for (Chunk* chunk = &first_; chunk; chunk = chunk->more.load(std::memory_order_relaxed)) {
      for (Slot& slot : chunk->slots) {
        if (slot.key.load(std::memory_order_relaxed)) visit(*slot.object);
      }
    }
    return true;
  }

 private:
  struct Slot {
    std::atomic<const void*> key = nullptr;
    Object* object = nullptr;
  };
  struct Chunk {
    std::array<Slot, 16> slots;
    std::atomic<Chunk*> more = nullptr;
  };
  Chunk first_;
  std::mutex mutex_;
};

// Defined in the header because each command begins with a lookup.
inline constinit DispatchMap<Device> all_devices;
inline constinit DispatchMap<Instance> all_instances;
static_assert(std::is_trivially_destructible_v<DispatchMap<Device>>);
inline DispatchMap<Device>& devices() { return all_devices; }
inline DispatchMap<Instance>& instances() { return all_instances; }

inline const void* dispatch_key(const void* dispatchable) { return *static_cast<void* const*>(dispatchable); }

// Every handle that reaches a hook belongs to an object whose creation the layer has seen.
inline Device& device_of(VkDevice device) { return *devices().find(dispatch_key(device)); }
inline Device& device_of(VkQueue queue) { return *devices().find(dispatch_key(queue)); }
inline Device& device_of(VkCommandBuffer command_buffer) {
  return *devices().find(dispatch_key(command_buffer));
}
inline Instance& instance_of(VkInstance instance) { return *instances().find(dispatch_key(instance)); }
inline Instance& instance_of(VkPhysicalDevice physical) { return *instances().find(dispatch_key(physical)); }

}  // namespace shaderqa::layer
#endif
