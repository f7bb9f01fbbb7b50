// SPDX-License-Identifier: Apache-2.0
// Ray-tracing pipelines whose stack size the application sets itself
// (VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_ KHR): instrumented shaders may need more than its own
// did.
#ifndef SHADERQA_LAYER_PIPELINES_RAY_TRACING_STACKS_H
#define SHADERQA_LAYER_PIPELINES_RAY_TRACING_STACKS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace shaderqa::layer {

class Device;

// Drivers say what the stack of each shader group is, of the shaders that they got; who asks them gets the
// right answer without help. This is for values that were computed elsewhere. Thread-safe.
class RayTracingStacks {
 public:
  // After creation; any pipeline, because others may link it.
  void add(const Device& device, VkPipeline pipeline, const VkRayTracingPipelineCreateInfoKHR& info);
  void remove(VkPipeline pipeline);
  // What all instrumented pipelines that leave the size to commands need, by the formula that Vulkan has for
  // pipelines that do not; 0: there are none.
  uint32_t needed() const { return needed_.load(std::memory_order_relaxed); }

 private:
  enum Shaders : uint32_t {
    kRaygen = 1u << 0,
    kMiss = 1u << 1,
    kCallable = 1u << 2,
    kClosestHit = 1u << 3,
    kAnyHit = 1u << 4,
    kIntersection = 1u << 5,
  };
  struct Known {
    std::vector<uint32_t> groups;  // Shaders of each, its libraries' included
    uint32_t needed = 0;
  };
  static uint32_t shaders_of(const VkRayTracingPipelineCreateInfoKHR& info,
                             const VkRayTracingShaderGroupCreateInfoKHR& group);
  static uint32_t default_size(const Device& device, VkPipeline pipeline, const std::vector<uint32_t>& groups,
                               uint32_t depth);

  std::atomic<uint32_t> needed_ = 0;
  std::mutex mutex_;
  std::unordered_map<VkPipeline, Known> pipelines_;
};

}  // namespace shaderqa::layer
#endif
