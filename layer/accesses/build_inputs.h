// SPDX-License-Identifier: Apache-2.0
// Which memory an acceleration structure is built from, as far as the host knows that. Pure functions.
#ifndef SHADERQA_LAYER_ACCESSES_BUILD_INPUTS_H
#define SHADERQA_LAYER_ACCESSES_BUILD_INPUTS_H

#include <vulkan/vulkan_core.h>

#include <vector>

#include "layer/accesses/memory_ranges.h"

namespace shaderqa::layer {

// The input of one geometry, without vertices that indices name and instances behind pointers, which are not
// known. is_update: indices are those of the build before.
std::vector<MemoryRange> build_inputs(const VkAccelerationStructureGeometryKHR& geometry,
                                      const VkAccelerationStructureBuildRangeInfoKHR& range, bool is_update);

inline const VkAccelerationStructureGeometryKHR& geometry_of(
    const VkAccelerationStructureBuildGeometryInfoKHR& info, uint32_t i) {
  return info.pGeometries ? info.pGeometries[i] : *info.ppGeometries[i];
}

}  // namespace shaderqa::layer
#endif
