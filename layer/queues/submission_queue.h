// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of a VkQueue.
#ifndef SHADERQA_LAYER_QUEUES_SUBMISSION_QUEUE_H
#define SHADERQA_LAYER_QUEUES_SUBMISSION_QUEUE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "layer/memory/queue_commands.h"

namespace shaderqa::layer {

// Externally synchronised, as the queue is.
struct SubmissionQueue {
  SubmissionQueue(Device& device, VkQueue its_handle, uint32_t its_family, uint32_t its_number)
      : handle(its_handle), family(its_family), number(its_number), commands(device, its_family) {}

  std::mutex in_use;  // where the layer gives it work of its own (HostReads)
  const VkQueue handle;
  const uint32_t family;
  const uint32_t number;  // on the device
  std::string name;
  std::vector<std::string> labels;
  QueueCommands commands;

  // With the filter.
  bool needs_clear = true;  // at first the filter holds anything
  uint64_t host_epoch = 0;  // seen
  VkCommandBuffer clear = VK_NULL_HANDLE;
  bool clear_failed = false;

  // With the exact engine: command buffers recorded for one submission each.
  struct OneTimeCommands {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t number = 0;  // when this one is done, so are they
  };
  std::vector<OneTimeCommands> once;
};

}  // namespace shaderqa::layer
#endif
