// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_VK_TEXEL_SIZE_H
#define SHADERQA_LAYER_VK_TEXEL_SIZE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <optional>
#include <string>

namespace shaderqa::layer {

// The size of a texel in a buffer view of this format; 0 if buffer views cannot have it.
uint32_t texel_size(VkFormat format);

// A plane of a format that has several: the format of its texels, and by what its width and height are less
// than the image's. Nothing for any other format, or plane.
struct FormatPlane {
  VkFormat compatible = VK_FORMAT_UNDEFINED;
  uint32_t width_divisor = 1, height_divisor = 1;
};
std::optional<FormatPlane> format_plane(VkFormat format, uint32_t plane);

// "VK_FORMAT_R8G8B8A8_UNORM", or a number.
std::string format_name(VkFormat format);

}  // namespace shaderqa::layer
#endif
