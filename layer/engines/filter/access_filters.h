// SPDX-License-Identifier: Apache-2.0
// The filters of the sync check, one a queue family, and the commands that clear them.
#ifndef SHADERQA_LAYER_ENGINES_FILTER_ACCESS_FILTERS_H
#define SHADERQA_LAYER_ENGINES_FILTER_ACCESS_FILTERS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "instrument/runtime/abi_filter.h"
#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;

// Thread-safe.
class AccessFilters {
 public:
  class Family {
   public:
    VkDeviceAddress state_address() const { return state_->address(); }
    bool has_filter() const { return filter_ != nullptr; }
    // From now on shaders mark and check, because a clear precedes them. Before, the content is undefined.
    void activate();
    // Recorded outside of render passes: actions behind it find an empty filter, whose number is
    // `dispatch_id`.
    void record_clear(Device& device, VkCommandBuffer command_buffer, uint32_t dispatch_id) const;

   private:
    friend class AccessFilters;
    abi::FamilyState* state() const { return reinterpret_cast<abi::FamilyState*>(state_->mapped()); }
    std::unique_ptr<DeviceBuffer> state_, filter_;
    std::atomic<bool> active_ = false;
  };

  explicit AccessFilters(Device& device) : device_(device) {}
  ~AccessFilters();
  AccessFilters(const AccessFilters&) = delete;
  AccessFilters& operator=(const AccessFilters&) = delete;

  // Made by the first call for this family; null where there is no memory even for its state. Without memory
  // for the filter nothing is checked, which one note says.
  // The lock is not held while it is made; other threads that need the same family wait for the first.
  Family* require(uint32_t queue_family);
  // Null where there is none yet.
  Family* find(uint32_t queue_family) const;
  uint32_t next_dispatch_id() { return dispatch_ids_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  struct Slot {
    std::once_flag made;
    std::unique_ptr<Family> family;
    std::atomic<Family*> known = nullptr;  // `family`, once it is made
  };

  std::unique_ptr<Family> make();

  Device& device_;
  mutable std::mutex mutex_;        // around slots_, not what is in them
  std::map<uint32_t, Slot> slots_;  // by queue family
  std::atomic<uint32_t> dispatch_ids_ = 0;
};

}  // namespace shaderqa::layer
#endif
