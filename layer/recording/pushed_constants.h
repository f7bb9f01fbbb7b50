// SPDX-License-Identifier: Apache-2.0
// The push constants that a command buffer has set, to set them again behind a dispatch of the layer's own.
#ifndef SHADERQA_LAYER_RECORDING_PUSHED_CONSTANTS_H
#define SHADERQA_LAYER_RECORDING_PUSHED_CONSTANTS_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shaderqa::layer {

class PushedConstants {
 public:
  struct Range {
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkShaderStageFlags stages = 0;
    uint32_t offset = 0;
    std::vector<std::byte> values;
    uint32_t end() const { return offset + static_cast<uint32_t>(values.size()); }
  };

  void push(VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, uint32_t size,
            const void* values);
  void clear() { ranges_.clear(); }
  // Pushed one after the other, as the application did, these give compute shaders what they had. Empty: no
  // compute shader had any.
  std::vector<const Range*> for_compute() const;

 private:
  std::vector<Range>
      ranges_;  // in the order in which they were pushed; later ones have replaced earlier ones
};

}  // namespace shaderqa::layer
#endif
