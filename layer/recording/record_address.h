// SPDX-License-Identifier: Apache-2.0
// Pipelines whose layout has no room for the reserved set find the record by a push constant
// (docs/internals/checks.md). Their checked versions have a layout of ours, which is compatible with none of
// the application's: sets and push constants are set again with it, and later with the application's.
#ifndef SHADERQA_LAYER_RECORDING_RECORD_ADDRESS_H
#define SHADERQA_LAYER_RECORDING_RECORD_ADDRESS_H

#include <vulkan/vulkan_core.h>

#include "layer/recording/bind_state.h"

namespace shaderqa::layer {

// binds: of a pipeline with CheckedPipeline::by_constant().
void push_record_address(const Device& device, VkCommandBuffer commands, VkPipelineBindPoint point,
                         Binds& binds, PushedConstants& constants, VkDeviceAddress record);
void restore_constants(const Device& device, VkCommandBuffer commands, PushedConstants& constants);

}  // namespace shaderqa::layer
#endif
