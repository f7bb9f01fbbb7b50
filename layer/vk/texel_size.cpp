// SPDX-License-Identifier: Apache-2.0
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {

uint32_t texel_size(VkFormat format) {
  switch (format) {
#define TEXEL_SIZE(name, bytes) \
  case name:                    \
    return bytes;
#include "layer/vk/texel_sizes.inl"
#undef TEXEL_SIZE
    default:
      return 0;
  }
}

std::string format_name(VkFormat format) {
  switch (format) {
#define TEXEL_SIZE(name, bytes) \
  case name:                    \
    return #name;
#include "layer/vk/texel_sizes.inl"
#undef TEXEL_SIZE
    default:
      return "VkFormat " + std::to_string(static_cast<uint32_t>(format));
  }
}

}  // namespace shaderqa::layer
