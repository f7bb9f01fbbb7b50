// SPDX-License-Identifier: Apache-2.0
// Vulkan's stages and accesses as the classes of the exact engine (SQA_CLASS_*). Pure functions.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_ACCESS_CLASSES_H
#define SHADERQA_LAYER_ENGINES_EXACT_ACCESS_CLASSES_H

#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "host/order/action_order.h"
#include "layer/accesses/dependency.h"

namespace shaderqa::layer {

// Masks of classes, bit SQA_CLASS_*.
uint32_t classes_before(VkPipelineStageFlags2 source_stages);  // whose accesses a source scope holds
uint32_t classes_behind(VkPipelineStageFlags2 destination_stages);

OrderDependency order_dependency(const Dependency& dependency);

// The same with indirect arguments added wherever there are builds. Builds read their indirect arguments, and
// Vulkan names both stages for that in different places, so either one counts.
OrderDependency with_arguments_of_builds(const Dependency& dependency);
// What comes behind the wait for a semaphore in these stages.
uint32_t waiting_classes(VkPipelineStageFlags2 destination_stages);

// How an access is made, as far as barriers distinguish it.
enum class AccessWay : uint8_t { reads, reads_uniform, reads_input, writes };

// The bit that a barrier for accesses of this class has in its masks, as Vulkan spells it. given: the stages
// that the mask has.
const char* stage_name(uint32_t class_number, VkPipelineStageFlags2 given = 0);
const char* access_name(uint32_t class_number, AccessWay way);

}  // namespace shaderqa::layer
#endif
