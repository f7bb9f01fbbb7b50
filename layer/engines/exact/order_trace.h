// SPDX-License-Identifier: Apache-2.0
// What a command buffer does in its order, for the list of redundant barriers (docs/internals/redundant.md):
// the barriers that it passes, what is accessed between them, the command buffers that it executes.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_ORDER_TRACE_H
#define SHADERQA_LAYER_ENGINES_EXACT_ORDER_TRACE_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/order/barrier_ledger.h"

namespace shaderqa::layer {

class Device;
struct RecordedBarrier;
struct RecordedCommands;

// Written by the thread that records; constant from vkEndCommandBuffer on, but for `sites`.
struct OrderTrace {
  struct Execution {
    std::shared_ptr<RecordedCommands> recorded;
    uint32_t offset = 0;
  };
  struct Step {
    enum class Kind : uint8_t { barrier, use, execution } kind;
    uint32_t index = 0;  // in one of the lists
    uint64_t stages = 0;
    uint32_t uses = 0;
  };

  void pass(const RecordedBarrier& barrier);
  void use(VkPipelineStageFlags2 stages, uint32_t uses);
  void execute(const std::shared_ptr<RecordedCommands>& recorded, uint32_t offset);

  // As the ledger compares them: of each of ExactCommands::barriers, which has the same index.
  std::vector<std::shared_ptr<const PassedBarrier>> barriers;
  std::vector<Execution> executions;
  std::vector<Step> steps;
  bool complete = true;       // all that is said to be followed is
  std::vector<size_t> sites;  // of the barriers, once it was submitted; under the lock of RedundantBarriers
};

// "vkCmdPipelineBarrier (COMPUTE_SHADER, SHADER_WRITE -> ...) between ... and ..."
std::string barrier_text(const Device& device, const RecordedCommands& recorded,
                         const RecordedBarrier& barrier);

}  // namespace shaderqa::layer
#endif
