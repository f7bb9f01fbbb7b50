// SPDX-License-Identifier: Apache-2.0
// What shader_bench draws with.
#ifndef SHADERQA_BENCH_SHADER_BENCH_H
#define SHADERQA_BENCH_SHADER_BENCH_H

#include <cstdint>
#include <span>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "graphics_kit.h"

namespace shader_bench {

// An input or output of a shader, in one location.
struct Location {
  uint32_t number = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;  // of four components
};

// Those of a storage class, by number. Throws std::runtime_error if the module cannot be read.
std::vector<Location> locations(std::span<const uint32_t> words, spv::StorageClass storage);

// A framebuffer with an image for each output of a fragment shader, and vertices that are 0.
class Target {
 public:
  Target(kit::Device& device, const std::vector<Location>& outputs);
  VkPipeline pipeline(std::span<const uint32_t> vertex, std::span<const uint32_t> fragment,
                      VkPipelineLayout layout);
  void begin(VkCommandBuffer commands) const;  // the render pass
  void draw(VkCommandBuffer commands) const;   // one triangle

 private:
  kit::Device& device_;
  kit::Buffer vertices_;
  uint32_t colours_ = 0, inputs_ = 0;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
};

}  // namespace shader_bench
#endif
