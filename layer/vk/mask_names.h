// SPDX-License-Identifier: Apache-2.0
// Masks of stages and accesses as text, for reports: "COMPUTE_SHADER|TRANSFER".
#ifndef SHADERQA_LAYER_VK_MASK_NAMES_H
#define SHADERQA_LAYER_VK_MASK_NAMES_H

#include <vulkan/vulkan_core.h>

#include <string>

namespace shaderqa::layer {

std::string stages_text(VkPipelineStageFlags2 stages);
std::string accesses_text(VkAccessFlags2 accesses);

}  // namespace shaderqa::layer
#endif
