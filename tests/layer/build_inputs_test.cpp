// SPDX-License-Identifier: Apache-2.0
// Which memory acceleration structures are taken to be built from.
#include "layer/accesses/build_inputs.h"

#include <gtest/gtest.h>

#include <vector>

namespace shaderqa::layer {
namespace {

using Ranges = std::vector<MemoryRange>;

VkAccelerationStructureGeometryKHR triangles(VkIndexType indices, VkDeviceAddress transform = 0) {
  VkAccelerationStructureGeometryKHR geometry{};
  geometry.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
  auto& data = geometry.geometry.triangles;
  data.vertexFormat = VK_FORMAT_R32G32B32A32_SFLOAT;
  data.vertexData.deviceAddress = 0x10000;
  data.vertexStride = 20;
  data.indexType = indices;
  data.indexData.deviceAddress = 0x20000;
  data.transformData.deviceAddress = transform;
  return geometry;
}

TEST(BuildInputs, CornersOfTriangles) {
  EXPECT_EQ(build_inputs(triangles(VK_INDEX_TYPE_NONE_KHR), {4, 40, 7, 0}, false),
            (Ranges{{0x10000 + 40 + 7 * 20, 12, 12, 1, 20}}))
      << "three components of four";
}

TEST(BuildInputs, IndicesAndTheTransform) {
  EXPECT_EQ(build_inputs(triangles(VK_INDEX_TYPE_UINT16, 0x30000), {4, 40, 7, 96}, false),
            (Ranges{{0x20000 + 40, 24}, {0x30000 + 96, 48}}))
      << "which vertices they name is not known";
  EXPECT_EQ(build_inputs(triangles(VK_INDEX_TYPE_UINT32, 0x30000), {4, 40, 7, 96}, true),
            (Ranges{{0x30000 + 96, 48}}))
      << "indices of an update are those of the build";
}

TEST(BuildInputs, Boxes) {
  VkAccelerationStructureGeometryKHR geometry{};
  geometry.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
  geometry.geometry.aabbs.data.deviceAddress = 0x10000;
  geometry.geometry.aabbs.stride = 32;
  EXPECT_EQ(build_inputs(geometry, {5, 64, 9, 0}, false), (Ranges{{0x10000 + 64, 24, 5, 1, 32}}));
  EXPECT_TRUE(build_inputs(geometry, {0, 64, 9, 0}, false).empty());
}

TEST(BuildInputs, Instances) {
  VkAccelerationStructureGeometryKHR geometry{};
  geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
  geometry.geometry.instances.data.deviceAddress = 0x10000;
  EXPECT_EQ(build_inputs(geometry, {3, 16, 0, 0}, false), (Ranges{{0x10010, 192}}));
  geometry.geometry.instances.arrayOfPointers = VK_TRUE;
  EXPECT_EQ(build_inputs(geometry, {3, 16, 0, 0}, false), (Ranges{{0x10010, 24}}));
}

TEST(BuildInputs, NothingOfWhatIsNotKnown) {
  VkAccelerationStructureGeometryKHR geometry{};
  geometry.geometryType = VK_GEOMETRY_TYPE_MAX_ENUM_KHR;
  EXPECT_TRUE(build_inputs(geometry, {3, 16, 0, 0}, false).empty());
}

}  // namespace
}  // namespace shaderqa::layer
