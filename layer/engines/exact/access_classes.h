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
uint32_t with_arguments_of_builds(uint32_t classes);
OrderDependency with_arguments_of_builds(const Dependency& dependency);

// The bit that a barrier for accesses of this class has in its masks, as Vulkan spells it.
const char* stage_name(uint32_t class_number);
const char* access_name(uint32_t class_number, bool write);

}  // namespace shaderqa::layer
#endif
