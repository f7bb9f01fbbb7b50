// SPDX-License-Identifier: Apache-2.0
#include "ray_tracing_kit.h"

#include <algorithm>
#include <cstring>

namespace kit {
namespace {

VkDeviceSize align_up(VkDeviceSize value, VkDeviceSize alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Alignment that scratch memory needs on any device.
constexpr VkDeviceSize kScratchAlignment = 256;

AccelerationStructure build(Device& device, VkAccelerationStructureTypeKHR type,
                            const VkAccelerationStructureGeometryKHR& geometry, uint32_t count) {
  const Build build(device, type, geometry, count);
  VkCommandBuffer commands = device.begin();
  build.record(commands);
  device.run(commands);
  return build.structure;
}

// Input of a build, filled.
template <typename T>
VkDeviceAddress input(Device& device, std::span<const T> data) {
  const Buffer buffer =
      device.buffer(data.size_bytes(), VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
                                           VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  std::ranges::copy(data, buffer.as<T>().begin());
  return device.address(buffer);
}

// In the order of the shader binding table: ray generation, miss, hit, callable.
std::vector<VkRayTracingShaderGroupCreateInfoKHR> groups_of(const RayTracingInfo& info) {
  std::vector<VkRayTracingShaderGroupCreateInfoKHR> groups;
  const auto add = [&](VkRayTracingShaderGroupTypeKHR type, uint32_t general, const HitGroup& hit) {
    VkRayTracingShaderGroupCreateInfoKHR group{};
    group.sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR;
    group.type = type;
    group.generalShader = general;
    group.closestHitShader = hit.closest_hit;
    group.anyHitShader = hit.any_hit;
    group.intersectionShader = hit.intersection;
    groups.push_back(group);
  };
  const auto add_general = [&](uint32_t stage) {
    add(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, stage, {});
  };
  add_general(info.raygen);
  for (const uint32_t miss : info.misses) add_general(miss);
  for (const HitGroup& hit : info.hits)
    add(hit.intersection == VK_SHADER_UNUSED_KHR ? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR
                                                 : VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR,
        VK_SHADER_UNUSED_KHR, hit);
  for (const uint32_t callable : info.callables) add_general(callable);
  return groups;
}

VkPipeline create_pipeline(Device& device, VkPipelineLayout layout, const RayTracingInfo& info,
                           std::span<const VkRayTracingShaderGroupCreateInfoKHR> groups) {
  VkRayTracingPipelineCreateInfoKHR create{};
  create.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
  create.pNext = info.next;
  create.stageCount = static_cast<uint32_t>(info.stages.size());
  create.pStages = info.stages.data();
  create.groupCount = static_cast<uint32_t>(groups.size());
  create.pGroups = groups.data();
  create.maxPipelineRayRecursionDepth = info.recursion;
  create.layout = layout;
  const VkDynamicState stack = VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR;
  VkPipelineDynamicStateCreateInfo dynamic{};
  dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
  dynamic.dynamicStateCount = 1;
  dynamic.pDynamicStates = &stack;
  if (info.dynamic_stack) create.pDynamicState = &dynamic;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(vkCreateRayTracingPipelinesKHR(device.handle, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &create, nullptr,
                                       &pipeline),
        "vkCreateRayTracingPipelinesKHR");
  device.later([handle = device.handle, pipeline] { vkDestroyPipeline(handle, pipeline, nullptr); });
  return pipeline;
}

// The memory of a shader binding table, with the handles of all groups in it.
struct BindingTable {
  VkDeviceAddress base;
  VkDeviceSize stride;
};

BindingTable make_table(Device& device, VkPipeline pipeline, uint32_t groups) {
  const auto limits = device.properties_of<VkPhysicalDeviceRayTracingPipelinePropertiesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR);
  const VkDeviceSize size = limits.shaderGroupHandleSize;
  std::vector<char> handles(groups * size);
  check(vkGetRayTracingShaderGroupHandlesKHR(device.handle, pipeline, 0, groups, handles.size(),
                                             handles.data()),
        "vkGetRayTracingShaderGroupHandlesKHR");
  // Every record is aligned as the first one of a part must be: simple, and allowed.
  const VkDeviceSize stride =
      align_up(size, std::max(limits.shaderGroupBaseAlignment, limits.shaderGroupHandleAlignment));
  const Buffer table =
      device.buffer(stride * (VkDeviceSize{groups} + 1),
                    VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const VkDeviceAddress base = align_up(device.address(table), limits.shaderGroupBaseAlignment);
  const VkDeviceSize before = base - device.address(table);
  for (size_t i = 0; i < groups; ++i)
    std::memcpy(static_cast<char*>(table.mapped) + before + i * stride, &handles[i * size], size);
  return {base, stride};
}

}  // namespace

VkAccelerationStructureGeometryKHR geometry_of(VkGeometryTypeKHR type) {
  VkAccelerationStructureGeometryKHR geometry{};
  geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
  geometry.geometryType = type;
  return geometry;
}

VkAccelerationStructureGeometryKHR box_geometry(VkDeviceAddress boxes, VkDeviceSize stride) {
  auto geometry = geometry_of(VK_GEOMETRY_TYPE_AABBS_KHR);
  auto& data = geometry.geometry.aabbs;
  data.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR;
  data.data.deviceAddress = boxes;
  data.stride = stride;
  return geometry;
}

RayTracingFeatures::RayTracingFeatures(void* next) {
  structure.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR;
  structure.pNext = next;
  structure.accelerationStructure = VK_TRUE;
  pipeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR;
  pipeline.pNext = &structure;
  pipeline.rayTracingPipeline = pipeline.rayTracingPipelineTraceRaysIndirect = VK_TRUE;
  query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR;
  query.pNext = &pipeline;
  query.rayQuery = VK_TRUE;
}

std::vector<const char*> RayTracingFeatures::extensions() {
  return {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
          VK_KHR_RAY_QUERY_EXTENSION_NAME, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME};
}

Build::Build(Device& device, VkAccelerationStructureTypeKHR type,
             const VkAccelerationStructureGeometryKHR& its_geometry, uint32_t count)
    : geometry(its_geometry) {
  info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR;
  info.type = type;
  info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
  info.geometryCount = 1;
  info.pGeometries = &geometry;
  range.primitiveCount = count;
  VkAccelerationStructureBuildSizesInfoKHR sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR;
  vkGetAccelerationStructureBuildSizesKHR(device.handle, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                          &info, &count, &sizes);
  storage =
      device.buffer(sizes.accelerationStructureSize, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                                                         VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  VkAccelerationStructureCreateInfoKHR create{};
  create.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR;
  create.buffer = storage.handle;
  create.size = sizes.accelerationStructureSize;
  create.type = type;
  check(vkCreateAccelerationStructureKHR(device.handle, &create, nullptr, &structure.handle),
        "vkCreateAccelerationStructureKHR");
  device.later([handle = device.handle, made = structure.handle] {
    vkDestroyAccelerationStructureKHR(handle, made, nullptr);
  });
  scratch = device.buffer(sizes.buildScratchSize + kScratchAlignment,
                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  info.dstAccelerationStructure = structure.handle;
  info.scratchData.deviceAddress = align_up(device.address(scratch), kScratchAlignment);
  VkAccelerationStructureDeviceAddressInfoKHR address{};
  address.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR;
  address.accelerationStructure = structure.handle;
  structure.address = vkGetAccelerationStructureDeviceAddressKHR(device.handle, &address);
}

void Build::record(VkCommandBuffer commands) const {
  const VkAccelerationStructureBuildRangeInfoKHR* ranges = &range;
  vkCmdBuildAccelerationStructuresKHR(commands, 1, &info, &ranges);
}

AccelerationStructure triangles(Device& device, std::span<const float> corners) {
  auto geometry = geometry_of(VK_GEOMETRY_TYPE_TRIANGLES_KHR);
  auto& data = geometry.geometry.triangles;
  data.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR;
  data.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
  data.vertexData.deviceAddress = input(device, corners);
  data.vertexStride = 12;
  data.maxVertex = static_cast<uint32_t>(corners.size() / 3) - 1;
  data.indexType = VK_INDEX_TYPE_NONE_KHR;
  return build(device, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, geometry,
               static_cast<uint32_t>(corners.size() / 9));
}

AccelerationStructure boxes(Device& device, std::span<const VkAabbPositionsKHR> boxes) {
  return build(device, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
               box_geometry(input(device, boxes), sizeof(VkAabbPositionsKHR)),
               static_cast<uint32_t>(boxes.size()));
}

VkAccelerationStructureInstanceKHR instance(const AccelerationStructure& of, uint32_t hit, uint32_t custom) {
  VkAccelerationStructureInstanceKHR result{};
  result.transform.matrix[0][0] = result.transform.matrix[1][1] = result.transform.matrix[2][2] = 1.0f;
  result.instanceCustomIndex = custom & 0xffffffu;
  result.mask = 0xff;
  result.instanceShaderBindingTableRecordOffset = hit & 0xffffffu;
  result.accelerationStructureReference = of.address;
  return result;
}

AccelerationStructure top_level(Device& device,
                                std::span<const VkAccelerationStructureInstanceKHR> instances) {
  auto geometry = geometry_of(VK_GEOMETRY_TYPE_INSTANCES_KHR);
  auto& data = geometry.geometry.instances;
  data.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR;
  data.data.deviceAddress = input(device, instances);
  return build(device, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, geometry,
               static_cast<uint32_t>(instances.size()));
}

void write_structure(Device& device, VkDescriptorSet set, uint32_t binding,
                     const AccelerationStructure& structure) {
  VkWriteDescriptorSetAccelerationStructureKHR structures{};
  structures.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR;
  structures.accelerationStructureCount = 1;
  structures.pAccelerationStructures = &structure.handle;
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.pNext = &structures;
  write.dstSet = set;
  write.dstBinding = binding;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
  vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
}

RayTracing ray_tracing(Device& device, VkPipelineLayout layout, const RayTracingInfo& info) {
  const std::vector<VkRayTracingShaderGroupCreateInfoKHR> groups = groups_of(info);
  RayTracing result;
  result.pipeline = create_pipeline(device, layout, info, groups);
  const BindingTable table = make_table(device, result.pipeline, static_cast<uint32_t>(groups.size()));
  VkDeviceAddress at = table.base;
  const auto part = [&](size_t count) {
    const VkStridedDeviceAddressRegionKHR region{count == 0 ? 0 : at, count == 0 ? 0 : table.stride,
                                                 count * table.stride};
    at += count * table.stride;
    return region;
  };
  result.raygen = part(1);
  result.miss = part(info.misses.size());
  result.hit = part(info.hits.size());
  result.callable = part(info.callables.size());
  return result;
}

void trace(VkCommandBuffer commands, const RayTracing& with, VkExtent2D extent) {
  vkCmdTraceRaysKHR(commands, &with.raygen, &with.miss, &with.hit, &with.callable, extent.width,
                    extent.height, 1);
}

}  // namespace kit
