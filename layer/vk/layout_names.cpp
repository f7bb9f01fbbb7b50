// SPDX-License-Identifier: Apache-2.0
#include "layer/vk/layout_names.h"

#include <algorithm>
#include <iterator>

namespace shaderqa::layer {

std::string layout_name(VkImageLayout layout) {
#define SHADERQA_LAYOUT(name)  \
  case VK_IMAGE_LAYOUT_##name: \
    return "VK_IMAGE_LAYOUT_" #name;
  switch (layout) {
    SHADERQA_LAYOUT(UNDEFINED)
    SHADERQA_LAYOUT(GENERAL)
    SHADERQA_LAYOUT(COLOR_ATTACHMENT_OPTIMAL)
    SHADERQA_LAYOUT(DEPTH_STENCIL_ATTACHMENT_OPTIMAL)
    SHADERQA_LAYOUT(DEPTH_STENCIL_READ_ONLY_OPTIMAL)
    SHADERQA_LAYOUT(SHADER_READ_ONLY_OPTIMAL)
    SHADERQA_LAYOUT(TRANSFER_SRC_OPTIMAL)
    SHADERQA_LAYOUT(TRANSFER_DST_OPTIMAL)
    SHADERQA_LAYOUT(PREINITIALIZED)
    SHADERQA_LAYOUT(DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL)
    SHADERQA_LAYOUT(DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL)
    SHADERQA_LAYOUT(DEPTH_ATTACHMENT_OPTIMAL)
    SHADERQA_LAYOUT(DEPTH_READ_ONLY_OPTIMAL)
    SHADERQA_LAYOUT(STENCIL_ATTACHMENT_OPTIMAL)
    SHADERQA_LAYOUT(STENCIL_READ_ONLY_OPTIMAL)
    SHADERQA_LAYOUT(READ_ONLY_OPTIMAL)
    SHADERQA_LAYOUT(ATTACHMENT_OPTIMAL)
    SHADERQA_LAYOUT(RENDERING_LOCAL_READ)
    SHADERQA_LAYOUT(PRESENT_SRC_KHR)
    SHADERQA_LAYOUT(SHARED_PRESENT_KHR)
    SHADERQA_LAYOUT(VIDEO_DECODE_DST_KHR)
    SHADERQA_LAYOUT(VIDEO_DECODE_SRC_KHR)
    SHADERQA_LAYOUT(VIDEO_DECODE_DPB_KHR)
    SHADERQA_LAYOUT(FRAGMENT_DENSITY_MAP_OPTIMAL_EXT)
    SHADERQA_LAYOUT(FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR)
    SHADERQA_LAYOUT(ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT)
    default:
      break;
  }
#undef SHADERQA_LAYOUT
  return "VkImageLayout " + std::to_string(static_cast<int64_t>(layout));
}

namespace {

constexpr VkImageLayout kOfDescriptors[] = {VK_IMAGE_LAYOUT_UNDEFINED,
                                            VK_IMAGE_LAYOUT_GENERAL,
                                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                            VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                            VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
                                            VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
                                            VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
                                            VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
                                            VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL,
                                            VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ,
                                            VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR,
                                            VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
                                            VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                            VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL};

}  // namespace

uint32_t descriptor_layout_code(VkImageLayout layout) {
  const auto* const found = std::ranges::find(kOfDescriptors, layout);
  return found == std::end(kOfDescriptors) ? 0 : static_cast<uint32_t>(found - kOfDescriptors);
}

VkImageLayout descriptor_layout(uint32_t code) {
  return code < std::size(kOfDescriptors) ? kOfDescriptors[code] : VK_IMAGE_LAYOUT_UNDEFINED;
}

}  // namespace shaderqa::layer
