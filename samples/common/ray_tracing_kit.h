// SPDX-License-Identifier: Apache-2.0
// What programs that trace rays share: the features, acceleration structures, a pipeline with its shader
// binding table. As in vulkan_kit.h, everything lives until the Device goes.
#ifndef SHADERQA_SAMPLES_RAY_TRACING_KIT_H
#define SHADERQA_SAMPLES_RAY_TRACING_KIT_H

#include <cstdint>
#include <span>
#include <vector>

#include "vulkan_kit.h"

namespace kit {

// A chain of features for DeviceOptions::device_next, and the extensions that go with it. Device addresses
// are not among them.
struct RayTracingFeatures {
  explicit RayTracingFeatures(void* next);
  RayTracingFeatures(const RayTracingFeatures&) = delete;
  RayTracingFeatures& operator=(const RayTracingFeatures&) = delete;
  static std::vector<const char*> extensions();
  // Its head; what follows is not written to.
  void* chain() const { return const_cast<VkPhysicalDeviceRayQueryFeaturesKHR*>(&query); }

  VkPhysicalDeviceAccelerationStructureFeaturesKHR structure{};
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipeline{};
  VkPhysicalDeviceRayQueryFeaturesKHR query{};
};

struct AccelerationStructure {
  VkAccelerationStructureKHR handle = VK_NULL_HANDLE;
  VkDeviceAddress address = 0;
};
// A structure of one geometry, and what builds it, in memory of its own.
struct Build {
  Build(Device& device, VkAccelerationStructureTypeKHR type,
        const VkAccelerationStructureGeometryKHR& geometry, uint32_t count);
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;
  void record(VkCommandBuffer commands) const;

  AccelerationStructure structure;
  Buffer storage, scratch;
  VkAccelerationStructureGeometryKHR geometry;
  VkAccelerationStructureBuildGeometryInfoKHR info{};
  VkAccelerationStructureBuildRangeInfoKHR range{};
};
VkAccelerationStructureGeometryKHR geometry_of(VkGeometryTypeKHR type);
VkAccelerationStructureGeometryKHR box_geometry(VkDeviceAddress boxes, VkDeviceSize stride);
// Triangles have nine numbers each; any-hit shaders run for them.
AccelerationStructure triangles(Device& device, std::span<const float> corners);
AccelerationStructure boxes(Device& device, std::span<const VkAabbPositionsKHR> boxes);
// An instance where its structure is; hit: number of its hit group, custom: gl_InstanceCustomIndexEXT.
VkAccelerationStructureInstanceKHR instance(const AccelerationStructure& of, uint32_t hit, uint32_t custom);
AccelerationStructure top_level(Device& device,
                                std::span<const VkAccelerationStructureInstanceKHR> instances);
void write_structure(Device& device, VkDescriptorSet set, uint32_t binding,
                     const AccelerationStructure& structure);

// Numbers of stages; unused ones are VK_SHADER_UNUSED_KHR.
struct HitGroup {
  uint32_t closest_hit = VK_SHADER_UNUSED_KHR;
  uint32_t any_hit = VK_SHADER_UNUSED_KHR;
  uint32_t intersection = VK_SHADER_UNUSED_KHR;
};
struct RayTracingInfo {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  uint32_t raygen = 0;
  std::vector<uint32_t> misses, callables;
  std::vector<HitGroup> hits;
  uint32_t recursion = 1;
  bool dynamic_stack = false;
  const void* next = nullptr;  // chained to the pipeline's structure
};
struct RayTracing {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkStridedDeviceAddressRegionKHR raygen{}, miss{}, hit{}, callable{};
};
RayTracing ray_tracing(Device& device, VkPipelineLayout layout, const RayTracingInfo& info);
void trace(VkCommandBuffer commands, const RayTracing& with, VkExtent2D extent);

}  // namespace kit
#endif
