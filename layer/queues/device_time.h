// SPDX-License-Identifier: Apache-2.0
// How long the device works for each submission to one queue, for the budget of checks
// (docs/internals/switch.md).
#ifndef SHADERQA_LAYER_QUEUES_DEVICE_TIME_H
#define SHADERQA_LAYER_QUEUES_DEVICE_TIME_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>

#include "layer/memory/device_buffer.h"
#include "layer/memory/queue_commands.h"

namespace shaderqa::layer {

class Device;

// Externally synchronised, as the queue is. Timestamps are written by command buffers around the
// application's, and copied to memory that the host looks at.
class DeviceTime {
 public:
  DeviceTime(Device& device, QueueCommands& commands, uint32_t family)
      : device_(device), commands_(commands), family_(family) {}
  ~DeviceTime();
  DeviceTime(const DeviceTime&) = delete;
  DeviceTime& operator=(const DeviceTime&) = delete;

  struct Around {
    VkCommandBuffer before = VK_NULL_HANDLE, behind = VK_NULL_HANDLE;
  };
  // For the next submission. Null where the queue cannot tell, or too much is on its way.
  Around next(bool checked);
  // Tells CheckSwitch what is known by now.
  void collect();

 private:
  static constexpr uint32_t kSlots = 32;
  struct Slot {
    Around around;
    bool pending = false, checked = false;
  };

  // As the device writes them.
  struct Result {
    uint64_t begin, begin_available, end, end_available;
  };

  bool make();
  VkCommandBuffer begin_commands();
  Around record(uint32_t slot);
  Result& result_of(uint32_t slot);

  Device& device_;
  QueueCommands& commands_;
  const uint32_t family_;
  bool made_ = false, usable_ = false;
  VkQueryPool pool_ = VK_NULL_HANDLE;
  std::unique_ptr<DeviceBuffer> results_;
  std::array<Slot, kSlots> slots_;
  uint32_t oldest_ = 0, next_ = 0;  // they are used in turn
  uint64_t mask_ = 0;               // of a timestamp's valid bits
  uint64_t last_end_ = 0;
};

}  // namespace shaderqa::layer
#endif
