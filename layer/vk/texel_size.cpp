// SPDX-License-Identifier: Apache-2.0
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {

uint32_t texel_size(VkFormat format) {
  switch (format) {
#define FORMAT_PLANE(name, plane, width, height, compatible)
#define TEXEL_SIZE(name, bytes) \
  case name:                    \
    return bytes;
#include "layer/vk/texel_sizes.inl"
#undef TEXEL_SIZE
#undef FORMAT_PLANE
    default:
      return 0;
  }
}

std::optional<FormatPlane> format_plane(VkFormat format, uint32_t plane) {
#define TEXEL_SIZE(name, bytes)
#define FORMAT_PLANE(name, number, width, height, compatible) \
  if (format == name && plane == number) return FormatPlane{compatible, width, height};
#include "layer/vk/texel_sizes.inl"
#undef FORMAT_PLANE
#undef TEXEL_SIZE
  return std::nullopt;
}

std::string format_name(VkFormat format) {
// Each has a first plane.
#define FORMAT_PLANE(name, number, width, height, compatible) \
  if (format == name) return #name;
#define TEXEL_SIZE(name, bytes) \
  if (format == name) return #name;
#include "layer/vk/texel_sizes.inl"
#undef TEXEL_SIZE
#undef FORMAT_PLANE
  return "VkFormat " + std::to_string(static_cast<uint32_t>(format));
}

}  // namespace shaderqa::layer
