// SPDX-License-Identifier: Apache-2.0
// What shader_bench draws with.
#ifndef SHADERQA_BENCH_SHADER_BENCH_H
#define SHADERQA_BENCH_SHADER_BENCH_H

#include <cstdint>
#include <span>
#include <vector>

#include "graphics_kit.h"

namespace shader_bench {

// An input or output of a shader, in one location.
struct Location {
  uint32_t number = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;  // of four components
};

// A pipeline's shaders, a framebuffer with an image for each output of the last one, and vertices that are 0.
class Target {
 public:
  // The words outlive it. Throws std::runtime_error if they cannot be read.
  Target(kit::Device& device, std::span<const uint32_t> vertex, std::span<const uint32_t> fragment);
  VkPipeline pipeline(VkPipelineLayout layout) const;
  void draw(VkCommandBuffer commands) const;  // a render pass with one triangle

 private:
  kit::Device& device_;
  std::span<const uint32_t> vertex_, fragment_;
  std::vector<Location> inputs_;
  kit::Buffer vertices_;
  uint32_t colours_ = 0;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
};

}  // namespace shader_bench
#endif
