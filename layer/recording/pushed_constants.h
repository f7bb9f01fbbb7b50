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
  // With a layout that is not known. The values are not kept.
  void push_unknown() { moved_to_ = VK_NULL_HANDLE; }
  void clear() {
    ranges_.clear();
    moved_to_ = VK_NULL_HANDLE;
    disturbed_ = false;
  }
  // Pushed one after the other, as the application did, these give compute shaders what they had. Empty: no
  // compute shader had any.
  std::vector<const Range*> for_compute() const;
  // In the order in which they were pushed; later ones have replaced earlier ones.
  const std::vector<Range>& all() const { return ranges_; }

  // The layout of ours that all of them were pushed with again, until something else is pushed.
  VkPipelineLayout moved_to() const { return moved_to_; }
  void set_moved(VkPipelineLayout layout) {
    moved_to_ = layout;
    disturbed_ = true;
  }
  void forget_move() { moved_to_ = VK_NULL_HANDLE; }
  // They have to be pushed with the application's layouts before one of its own pipelines runs.
  bool disturbed() const { return disturbed_; }
  void set_restored() {
    moved_to_ = VK_NULL_HANDLE;
    disturbed_ = false;
  }

 private:
  std::vector<Range> ranges_;
  VkPipelineLayout moved_to_ = VK_NULL_HANDLE;
  bool disturbed_ = false;
};

}  // namespace shaderqa::layer
#endif
