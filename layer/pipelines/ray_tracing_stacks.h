// SPDX-License-Identifier: Apache-2.0
// Ray-tracing pipelines whose stack size the application sets itself
// (VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR): instrumented shaders may need a larger stack.
#ifndef SHADERQA_LAYER_PIPELINES_RAY_TRACING_STACKS_H
#define SHADERQA_LAYER_PIPELINES_RAY_TRACING_STACKS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace shaderqa::layer {

class DeviceContext;

// An application that asks the driver for stack sizes gets those of the instrumented shaders, and needs no
// help. This class is for sizes that were computed elsewhere. Thread-safe.
class RayTracingStacks {
 public:
  // Every pipeline is added after its creation, because others may link it. instrumented: some of its shaders
  // are.
  void add(const DeviceContext& device, VkPipeline pipeline, const VkRayTracingPipelineCreateInfoKHR& info,
           bool instrumented);
  void remove(VkPipeline pipeline);
  // The largest stack that an instrumented pipeline with dynamic stack size needs, by Vulkan's formula for
  // the default size. 0: there is no such pipeline.
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
  static uint32_t default_size(const DeviceContext& device, VkPipeline pipeline,
                               const std::vector<uint32_t>& groups, uint32_t depth);

  std::atomic<uint32_t> needed_ = 0;
  std::mutex mutex_;
  std::unordered_map<VkPipeline, Known> pipelines_;
};

}  // namespace shaderqa::layer
#endif
