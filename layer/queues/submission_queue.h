// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of a VkQueue.
#ifndef SHADERQA_LAYER_QUEUES_SUBMISSION_QUEUE_H
#define SHADERQA_LAYER_QUEUES_SUBMISSION_QUEUE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "layer/engines/engine.h"
#include "layer/memory/queue_commands.h"
#include "layer/queues/device_time.h"

namespace shaderqa::layer {

// Externally synchronised, as the queue is, or else by in_use.
struct SubmissionQueue {
  SubmissionQueue(Device& device, std::unique_ptr<EngineQueue> its_engine, VkQueue its_handle,
                  uint32_t its_family, uint32_t its_number, bool is_synchronised)
      : handle(its_handle),
        family(its_family),
        number(its_number),
        synchronised(is_synchronised),
        engine(std::move(its_engine)),
        commands(device, its_family),
        time(device, commands, its_family) {}

  // Held while the queue is used, where the engine submits work of its own (EngineNeeds::host_reads); and
  // while something is submitted to a queue that several threads may use at once.
  std::mutex in_use;
  const VkQueue handle;
  const uint32_t family;
  const uint32_t number;    // on the device
  const bool synchronised;  // by Vulkan itself (VK_KHR_internally_synchronized_queues)
  std::string name;
  std::vector<std::string> labels;
  const std::unique_ptr<EngineQueue> engine;
  QueueCommands commands;  // of the layer's own
  DeviceTime time;
};

}  // namespace shaderqa::layer
#endif
