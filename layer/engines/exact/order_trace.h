// SPDX-License-Identifier: Apache-2.0
// What a command buffer does in its order, for the list of redundant barriers (docs/redundant.md): the
// barriers that it passes, what is accessed between them, the command buffers that it executes.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_ORDER_TRACE_H
#define SHADERQA_LAYER_ENGINES_EXACT_ORDER_TRACE_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/order/barrier_ledger.h"
#include "layer/engines/filter/barrier_effects.h"

namespace shaderqa::layer {

class Device;
struct RecordedCommands;

// A command with dependencies, where it stands.
struct OrderingCommand {
  const char* name = "";
  uint32_t actions = 0;         // as many of the command buffer's actions come before it
  uint32_t label = 0;           // as RecordedAction has it
  const char* not_judged = "";  // as BarrierSite has it
  bool from_earlier = false;    // as PassedBarrier has it
};

// Written by the thread that records; constant from vkEndCommandBuffer on, but for `sites`.
struct OrderTrace {
  struct Barrier {
    OrderingCommand command;
    uint32_t position = 0;  // sequence numbers before it
    std::vector<Dependency> dependencies;
    std::shared_ptr<const PassedBarrier> passed;
  };
  struct Execution {
    std::shared_ptr<RecordedCommands> recording;
    uint32_t offset = 0;
  };
  struct Step {
    enum class Kind : uint8_t { barrier, use, execution } kind;
    uint32_t index = 0;  // in one of the lists
    uint64_t stages = 0;
    uint32_t uses = 0;
  };

  void pass(const OrderingCommand& command, const std::vector<Dependency>& dependencies, uint32_t position);
  void use(VkPipelineStageFlags2 stages, uint32_t uses);
  void execute(const std::shared_ptr<RecordedCommands>& recording, uint32_t offset);

  std::vector<Barrier> barriers;
  std::vector<Execution> executions;
  std::vector<Step> steps;
  bool complete = true;       // all that is said to be followed is
  std::vector<size_t> sites;  // of the barriers, once it was submitted; under the lock of RedundantBarriers
};

// "vkCmdPipelineBarrier (COMPUTE_SHADER, SHADER_WRITE -> ...) between ... and ..."
std::string barrier_text(const Device& device, const RecordedCommands& recording,
                         const OrderTrace::Barrier& barrier);

}  // namespace shaderqa::layer
#endif
