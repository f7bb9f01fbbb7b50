// SPDX-License-Identifier: Apache-2.0
// Command buffers of the layer's own for one queue, and barriers in them.
#ifndef SHADERQA_LAYER_MEMORY_QUEUE_COMMANDS_H
#define SHADERQA_LAYER_MEMORY_QUEUE_COMMANDS_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shaderqa::layer {

class Device;

// Externally synchronised, as the queue is.
class QueueCommands {
 public:
  QueueCommands(Device& device, uint32_t family) : device_(device), family_(family) {}
  QueueCommands(const QueueCommands&) = delete;
  QueueCommands& operator=(const QueueCommands&) = delete;
  void destroy();  // before the next layer's vkDestroyDevice

  // A primary command buffer, not begun.
  VkResult allocate(VkCommandBuffer& made);

 private:
  Device& device_;
  const uint32_t family_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

// Barriers of the layer's own, which no engine sees. Each orders the execution of everything. The memory
// dependency is for `buffers` alone, buffers of the layer's own that are accessed on both sides, so that it
// hides no dependency that the application has left out; none: for all memory.
using BarrierBuffers = std::span<const VkBuffer>;
// What comes behind it does not overlap what is before it.
void record_separation(const Device& device, VkCommandBuffer command_buffer, BarrierBuffers buffers);
// Around the layer's own dispatches that enter what commands access.
void record_barrier_before_ranges(const Device& device, VkCommandBuffer command_buffer,
                                  BarrierBuffers buffers);
void record_barrier_behind_ranges(const Device& device, VkCommandBuffer command_buffer,
                                  BarrierBuffers buffers);
// Around what the layer writes by transfers.
void record_barrier_before_transfers(const Device& device, VkCommandBuffer command_buffer,
                                     BarrierBuffers buffers);
void record_barrier_behind_transfers(const Device& device, VkCommandBuffer command_buffer,
                                     BarrierBuffers buffers);

}  // namespace shaderqa::layer
#endif
