// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/pushed_constants.h"

#include <algorithm>
#include <cstring>

namespace shaderqa::layer {

void PushedConstants::push(VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                           const void* values) {
  const auto* const bytes = static_cast<const std::byte*>(values);
  moved_to_ = VK_NULL_HANDLE;
  // Most often the same range is pushed again, or the next part of a structure.
  if (!ranges_.empty()) {
    Range& last = ranges_.back();
    if (last.layout == layout && last.stages == stages && offset >= last.offset && offset <= last.end()) {
      const size_t at = offset - last.offset;
      last.values.resize(std::max(last.values.size(), at + size));
      std::memcpy(last.values.data() + at, bytes, size);
      return;
    }
  }
  std::erase_if(ranges_, [&](const Range& range) {
    return !(range.stages & ~stages) && range.offset >= offset && range.end() <= offset + size;
  });
  ranges_.push_back({layout, stages, offset, {bytes, bytes + size}});
}

std::vector<const PushedConstants::Range*> PushedConstants::for_compute() const {
  std::vector<const Range*> ranges;
  for (const Range& range : ranges_) {
    // Whatever came after a range with compute comes again, too: a stage may share bytes with it.
    if (!ranges.empty() || (range.stages & VK_SHADER_STAGE_COMPUTE_BIT)) ranges.push_back(&range);
  }
  return ranges;
}

}  // namespace shaderqa::layer
