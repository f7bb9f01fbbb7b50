// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/ray_tracing_stacks.h"

#include <algorithm>
#include <array>
#include <span>

#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"

namespace shaderqa::layer {
namespace {

bool sets_stack_size_by_command(const VkRayTracingPipelineCreateInfoKHR& info) {
  if (!info.pDynamicState) return false;
  const std::span states(info.pDynamicState->pDynamicStates, info.pDynamicState->dynamicStateCount);
  return std::ranges::find(states, VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR) != states.end();
}

}  // namespace

uint32_t RayTracingStacks::shaders_of(const VkRayTracingPipelineCreateInfoKHR& info,
                                      const VkRayTracingShaderGroupCreateInfoKHR& group) {
  if (group.type == VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR) {
    // The stage of a library can be any of the general ones.
    if (group.generalShader >= info.stageCount) return kRaygen | kMiss | kCallable;
    switch (info.pStages[group.generalShader].stage) {
      case VK_SHADER_STAGE_RAYGEN_BIT_KHR:
        return kRaygen;
      case VK_SHADER_STAGE_MISS_BIT_KHR:
        return kMiss;
      default:
        return kCallable;
    }
  }
  uint32_t shaders = 0;
  if (group.closestHitShader != VK_SHADER_UNUSED_KHR) shaders |= kClosestHit;
  if (group.anyHitShader != VK_SHADER_UNUSED_KHR) shaders |= kAnyHit;
  if (group.intersectionShader != VK_SHADER_UNUSED_KHR) shaders |= kIntersection;
  return shaders;
}

uint32_t RayTracingStacks::default_size(const DeviceContext& device, VkPipeline pipeline,
                                        const std::vector<uint32_t>& groups, uint32_t depth) {
  constexpr std::array<VkShaderGroupShaderKHR, 6> parts = {
      VK_SHADER_GROUP_SHADER_GENERAL_KHR, VK_SHADER_GROUP_SHADER_GENERAL_KHR,
      VK_SHADER_GROUP_SHADER_GENERAL_KHR, VK_SHADER_GROUP_SHADER_CLOSEST_HIT_KHR,
      VK_SHADER_GROUP_SHADER_ANY_HIT_KHR, VK_SHADER_GROUP_SHADER_INTERSECTION_KHR};
  std::array<VkDeviceSize, parts.size()> most{};  // in the order of Shaders
  for (uint32_t group = 0; group < groups.size(); ++group) {
    for (uint32_t i = 0; i < parts.size(); ++i) {
      if (groups[group] >> i & 1u)
        most[i] = std::max(most[i], device.next.GetRayTracingShaderGroupStackSizeKHR(device.handle, pipeline,
                                                                                     group, parts[i]));
    }
  }
  const auto [raygen, miss, callable, closest_hit, any_hit, intersection] = most;
  const VkDeviceSize traced = std::max(closest_hit, miss);
  VkDeviceSize size = raygen + 2 * callable;
  if (depth > 0) size += std::max(traced, intersection + any_hit) + (depth - 1) * traced;
  return static_cast<uint32_t>(std::min<VkDeviceSize>(size, UINT32_MAX));
}

void RayTracingStacks::add(const DeviceContext& device, VkPipeline pipeline,
                           const VkRayTracingPipelineCreateInfoKHR& info, bool instrumented) {
  Known known;
  for (uint32_t i = 0; i < info.groupCount; ++i) known.groups.push_back(shaders_of(info, info.pGroups[i]));
  if (info.pLibraryInfo) {
    const std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < info.pLibraryInfo->libraryCount; ++i) {
      const auto library = pipelines_.find(info.pLibraryInfo->pLibraries[i]);
      // It was made by a deferred operation, so the number of its groups is not known.
      if (library == pipelines_.end()) break;
      known.groups.insert(known.groups.end(), library->second.groups.begin(), library->second.groups.end());
    }
  }
  const bool library = (info.flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
  if (!library && !sets_stack_size_by_command(info)) return;
  if (!library && instrumented && device.next.GetRayTracingShaderGroupStackSizeKHR)
    known.needed = default_size(device, pipeline, known.groups, info.maxPipelineRayRecursionDepth);
  const std::lock_guard lock(mutex_);
  needed_.store(std::max(needed(), known.needed), std::memory_order_relaxed);
  pipelines_.insert_or_assign(pipeline, std::move(known));
}

void RayTracingStacks::remove(VkPipeline pipeline) {
  const std::lock_guard lock(mutex_);
  if (pipelines_.erase(pipeline) == 0) return;
  uint32_t most = 0;
  for (const auto& [handle, known] : pipelines_) most = std::max(most, known.needed);
  needed_.store(most, std::memory_order_relaxed);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdSetRayTracingPipelineStackSizeKHR(VkCommandBuffer commandBuffer,
                                                                       uint32_t pipelineStackSize) {
  Device& device = device_of(commandBuffer);
  // The pipeline may be bound later, so the largest stack that any of them needs is set.
  device.next.CmdSetRayTracingPipelineStackSizeKHR(
      commandBuffer, std::max(pipelineStackSize, device.ray_tracing_stacks.needed()));
}

}  // namespace shaderqa::layer
