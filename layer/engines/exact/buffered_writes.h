// SPDX-License-Identifier: Apache-2.0
// What counts as written because shaders write through descriptors in descriptor buffers
// (docs/internals/descriptor-buffers.md#what-is-written).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_BUFFERED_WRITES_H
#define SHADERQA_LAYER_ENGINES_EXACT_BUFFERED_WRITES_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;
class ExactEngine;

// Thread-safe.
class BufferedWrites {
 public:
  BufferedWrites(Device& device, ExactEngine& engine) : device_(device), engine_(engine) {}
  ~BufferedWrites();

  // Where the device says what it has marked (abi_resolve.h). 0: there is no memory, and all counts as
  // written. Once.
  VkDeviceAddress make_list();

  // A shader may write all that storage descriptors lead to; from now on, at submissions, also what others
  // lead to that are made later.
  void mark_all();
  // The same, but the device marks what is written where it is. Until then only the host counts it as
  // written.
  void suspect_all();
  void before_submission();
  // The device has found cells that do not follow each other, and an action was not checked there.
  bool found_apart() const;

 private:
  void take();         // what storage descriptors lead to by now; mutex_ is held
  void take_marked();  // by the device; mutex_ is held

  Device& device_;
  ExactEngine& engine_;
  std::unique_ptr<DeviceBuffer> list_;
  std::atomic<bool> marks_ = false, suspects_ = false;
  std::mutex mutex_;                               // around what follows
  std::unordered_set<VkDeviceAddress> suspected_;  // while not all are marked
  uint32_t taken_ = 0;                             // of the list
};

}  // namespace shaderqa::layer
#endif
