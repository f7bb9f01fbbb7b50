// SPDX-License-Identifier: Apache-2.0
// Ray tracing pipelines of a ray generation shader and a callable one: whole, linked from libraries,
// deferred.
#include <cstring>

#include "path_program.h"

namespace path_programs {
namespace {

void ray_tracing_features(Features& features) {
  for (const char* name :
       {VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
        VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME})
    features.extension(name);
  features
      .chain<VkPhysicalDeviceAccelerationStructureFeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR)
      .accelerationStructure = VK_TRUE;
  features
      .chain<VkPhysicalDeviceRayTracingPipelineFeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR)
      .rayTracingPipeline = VK_TRUE;
}

constexpr VkRayTracingPipelineInterfaceCreateInfoKHR kInterface{
    VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR, nullptr, 16, 8};

// One pipeline or library, in all its structures.
struct Info {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  std::vector<VkRayTracingShaderGroupCreateInfoKHR> groups;
  std::vector<VkPipeline> parts;
  VkPipelineLibraryCreateInfoKHR libraries{};
  VkRayTracingPipelineCreateInfoKHR info{};

  void add(const VkPipelineShaderStageCreateInfo& stage) {
    VkRayTracingShaderGroupCreateInfoKHR group{};
    group.sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR;
    group.type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
    group.generalShader = static_cast<uint32_t>(stages.size());
    group.closestHitShader = group.anyHitShader = group.intersectionShader = VK_SHADER_UNUSED_KHR;
    stages.push_back(stage);
    groups.push_back(group);
  }
  const VkRayTracingPipelineCreateInfoKHR& finish(VkPipelineLayout layout, VkPipelineCreateFlags flags) {
    libraries.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
    libraries.libraryCount = static_cast<uint32_t>(parts.size());
    libraries.pLibraries = parts.data();
    info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
    info.flags = flags;
    info.stageCount = info.groupCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pGroups = groups.data();
    info.maxPipelineRayRecursionDepth = 1;
    const bool library = flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    if (!parts.empty()) info.pLibraryInfo = &libraries;
    if (library || !parts.empty()) info.pLibraryInterface = &kInterface;
    info.layout = layout;
    info.basePipelineIndex = -1;
    return info;
  }
};

VkPipeline create(Program& program, const VkRayTracingPipelineCreateInfoKHR& info, bool deferred) {
  const VkDevice device = program.device.handle;
  VkDeferredOperationKHR operation = VK_NULL_HANDLE;
  if (deferred)
    kit::check(vkCreateDeferredOperationKHR(device, nullptr, &operation), "vkCreateDeferredOperationKHR");
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkResult result =
      vkCreateRayTracingPipelinesKHR(device, operation, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  if (result == VK_OPERATION_DEFERRED_KHR) {
    while (vkDeferredOperationJoinKHR(device, operation) == VK_THREAD_IDLE_KHR) {
    }
    result = vkGetDeferredOperationResultKHR(device, operation);
  }
  kit::check(result, "vkCreateRayTracingPipelinesKHR");
  if (deferred) vkDestroyDeferredOperationKHR(device, operation, nullptr);
  return program.keep(pipeline);
}

constexpr uint32_t kGroupBytes = 256;  // room for a handle at the alignment that any device asks for

void trace_twice(Program& program, VkPipeline pipeline) {
  const auto properties = program.device.properties_of<VkPhysicalDeviceRayTracingPipelinePropertiesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR);
  const uint32_t size = properties.shaderGroupHandleSize;
  std::vector<char> handles(2 * size);
  kit::check(vkGetRayTracingShaderGroupHandlesKHR(program.device.handle, pipeline, 0, 2, handles.size(),
                                                  handles.data()),
             "vkGetRayTracingShaderGroupHandlesKHR");
  const kit::Buffer table =
      program.device.buffer(4 * kGroupBytes, VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR |
                                                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  char* mapped = static_cast<char*>(table.mapped);
  const VkDeviceAddress address = program.device.address(table);
  const uint64_t padding = (kGroupBytes - address % kGroupBytes) % kGroupBytes;
  std::memcpy(mapped + padding, handles.data(), size);
  std::memcpy(mapped + padding + kGroupBytes, handles.data() + size, size);
  const VkStridedDeviceAddressRegionKHR generate{address + padding, kGroupBytes, kGroupBytes};
  const VkStridedDeviceAddressRegionKHR callable{address + padding + kGroupBytes, kGroupBytes, kGroupBytes};
  const VkStridedDeviceAddressRegionKHR none{};
  program.twice([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
    program.bind_set(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
    vkCmdTraceRaysKHR(commands, &generate, &none, &none, &callable, 8, 1, 1);
  });
}

VkPipelineShaderStageCreateInfo generate(Program& program) {
  return program.stage(VK_SHADER_STAGE_RAYGEN_BIT_KHR, ".rgen");
}
VkPipelineShaderStageCreateInfo callable(Program& program) {
  return program.stage(VK_SHADER_STAGE_CALLABLE_BIT_KHR, ".rcall");
}

void whole(Program& program, bool deferred) {
  Info info;
  info.add(generate(program));
  info.add(callable(program));
  trace_twice(program, create(program, info.finish(program.layout, 0), deferred));
}

void linked(Program& program, bool deferred) {
  Info generating, called, info;
  generating.add(generate(program));
  called.add(callable(program));
  constexpr VkPipelineCreateFlags library = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  info.parts = {create(program, generating.finish(program.layout, library), deferred),
                create(program, called.finish(program.layout, library), deferred)};
  trace_twice(program, create(program, info.finish(program.layout, 0), deferred));
}

}  // namespace

std::vector<Path> ray_tracing_paths() {
  return {{"rays", ray_tracing_features, [](Program& program) { whole(program, false); }},
          {"rays_deferred", ray_tracing_features, [](Program& program) { whole(program, true); }},
          {"rays_linked", ray_tracing_features, [](Program& program) { linked(program, false); }},
          {"rays_linked_deferred", ray_tracing_features, [](Program& program) { linked(program, true); }}};
}

}  // namespace path_programs
