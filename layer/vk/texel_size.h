// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_VK_TEXEL_SIZE_H
#define SHADERQA_LAYER_VK_TEXEL_SIZE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <string>

namespace shaderqa::layer {

// The size of a texel in a buffer view of this format; 0 if buffer views cannot have it.
uint32_t texel_size(VkFormat format);

// "VK_FORMAT_R8G8B8A8_UNORM", or a number.
std::string format_name(VkFormat format);

}  // namespace shaderqa::layer
#endif
