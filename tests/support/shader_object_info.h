// SPDX-License-Identifier: Apache-2.0
// What programs and tests pass to vkCreateShadersEXT.
#ifndef SHADERQA_TESTS_SUPPORT_SHADER_OBJECT_INFO_H
#define SHADERQA_TESTS_SUPPORT_SHADER_OBJECT_INFO_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <span>

namespace shaderqa::testing {

// SPIR-V with the entry point "main". Both spans are referred to, not copied.
inline VkShaderCreateInfoEXT shader_object_info(VkShaderStageFlagBits stage, std::span<const uint32_t> words,
                                                std::span<const VkDescriptorSetLayout> layouts = {}) {
  VkShaderCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
  info.stage = stage;
  info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  info.pName = "main";
  info.setLayoutCount = static_cast<uint32_t>(layouts.size());
  info.pSetLayouts = layouts.data();
  return info;
}

}  // namespace shaderqa::testing
#endif
