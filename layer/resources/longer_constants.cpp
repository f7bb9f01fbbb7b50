// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/longer_constants.h"

#include <algorithm>

namespace shaderqa::layer {

VkShaderStageFlags LongerConstants::stages_at(uint32_t offset) const {
  VkShaderStageFlags stages = 0;
  for (const VkPushConstantRange& range : ranges)
    if (offset >= range.offset && offset - range.offset < range.size) stages |= range.stageFlags;
  return stages;
}

std::optional<LongerConstants> lengthen_constants(std::span<const VkPushConstantRange> given,
                                                  uint32_t limit) {
  constexpr uint32_t bytes = sizeof(VkDeviceAddress);
  LongerConstants longer;
  longer.ranges.assign(given.begin(), given.end());
  uint64_t end = 0;
  for (const VkPushConstantRange& range : given) end = std::max(end, uint64_t{range.offset} + range.size);
  end = (end + bytes - 1) / bytes * bytes;
  if (end + bytes > limit) return std::nullopt;
  longer.record = static_cast<uint32_t>(end);
  for (VkPushConstantRange& range : longer.ranges) {
    if (range.size == 0) range.offset = longer.record;
    range.size = longer.record + bytes - range.offset;
  }
  return longer;
}

}  // namespace shaderqa::layer
