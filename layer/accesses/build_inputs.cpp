// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/build_inputs.h"

#include "layer/accesses/vertex_input.h"

namespace shaderqa::layer {
namespace {

MemoryRange rows_at(VkDeviceAddress address, uint64_t bytes, uint64_t rows = 1, uint64_t pitch = 0) {
  MemoryRange range;
  range.address = address;
  range.bytes = bytes;
  range.rows = rows;
  range.pitch = pitch;
  return range;
}

void add_triangles(const VkAccelerationStructureGeometryTrianglesDataKHR& triangles,
                   const VkAccelerationStructureBuildRangeInfoKHR& range, bool is_update,
                   std::vector<MemoryRange>& inputs) {
  const uint64_t corners = uint64_t{range.primitiveCount} * 3;
  if (triangles.indexType == VK_INDEX_TYPE_NONE_KHR) {
    const VkDeviceAddress first = triangles.vertexData.deviceAddress + range.primitiveOffset +
                                  triangles.vertexStride * range.firstVertex;
    inputs.push_back(
        rows_at(first, attribute_bytes(triangles.vertexFormat, 3), corners, triangles.vertexStride));
  } else if (!is_update) {
    inputs.push_back(rows_at(triangles.indexData.deviceAddress + range.primitiveOffset,
                             corners * index_bytes(triangles.indexType)));
  }
  if (triangles.transformData.deviceAddress) {
    inputs.push_back(
        rows_at(triangles.transformData.deviceAddress + range.transformOffset, sizeof(VkTransformMatrixKHR)));
  }
}

}  // namespace

std::vector<MemoryRange> build_inputs(const VkAccelerationStructureGeometryKHR& geometry,
                                      const VkAccelerationStructureBuildRangeInfoKHR& range, bool is_update) {
  std::vector<MemoryRange> inputs;
  if (range.primitiveCount == 0) return inputs;
  switch (geometry.geometryType) {
    case VK_GEOMETRY_TYPE_TRIANGLES_KHR:
      add_triangles(geometry.geometry.triangles, range, is_update, inputs);
      break;
    case VK_GEOMETRY_TYPE_AABBS_KHR: {
      const VkAccelerationStructureGeometryAabbsDataKHR& boxes = geometry.geometry.aabbs;
      inputs.push_back(rows_at(boxes.data.deviceAddress + range.primitiveOffset, sizeof(VkAabbPositionsKHR),
                               range.primitiveCount, boxes.stride));
      break;
    }
    case VK_GEOMETRY_TYPE_INSTANCES_KHR: {
      const VkAccelerationStructureGeometryInstancesDataKHR& instances = geometry.geometry.instances;
      const uint64_t bytes =
          instances.arrayOfPointers ? sizeof(VkDeviceAddress) : sizeof(VkAccelerationStructureInstanceKHR);
      inputs.push_back(
          rows_at(instances.data.deviceAddress + range.primitiveOffset, bytes * range.primitiveCount));
      break;
    }
    default:
      break;
  }
  return inputs;
}

}  // namespace shaderqa::layer
