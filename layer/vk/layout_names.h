// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_VK_LAYOUT_NAMES_H
#define SHADERQA_LAYER_VK_LAYOUT_NAMES_H

#include <vulkan/vulkan_core.h>

#include <string>

namespace shaderqa::layer {

// "VK_IMAGE_LAYOUT_GENERAL", or a number.
std::string layout_name(VkImageLayout layout);

// A small number that stands for a layout of descriptors, below 256; 0: another one.
uint32_t descriptor_layout_code(VkImageLayout layout);
// VK_IMAGE_LAYOUT_UNDEFINED for 0.
VkImageLayout descriptor_layout(uint32_t code);

}  // namespace shaderqa::layer
#endif
