// SPDX-License-Identifier: Apache-2.0
// Push constant ranges with the action record's address behind the application's (docs/internals/checks.md).
#ifndef SHADERQA_LAYER_RESOURCES_LONGER_CONSTANTS_H
#define SHADERQA_LAYER_RESOURCES_LONGER_CONSTANTS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shaderqa::layer {

struct LongerConstants {
  std::vector<VkPushConstantRange> ranges;
  uint32_t record = 0;  // offset of the address, for all stages

  // What a push of the byte at this offset must name: all stages whose range has it.
  VkShaderStageFlags stages_at(uint32_t offset) const;
};

// Each range is prolonged, since no stage may have two. Those of stages without constants have no bytes, and
// get the address alone. Nothing if that exceeds the device's limit.
std::optional<LongerConstants> lengthen_constants(std::span<const VkPushConstantRange> given, uint32_t limit);

}  // namespace shaderqa::layer
#endif
