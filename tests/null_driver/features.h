// SPDX-License-Identifier: Apache-2.0
// Which structures hold device features, and by which names their members are known.
#ifndef SHADERQA_TESTS_NULL_DRIVER_FEATURES_H
#define SHADERQA_TESTS_NULL_DRIVER_FEATURES_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <vector>

namespace shaderqa::null_driver {

struct FeatureMember {
  const char* name;
  size_t offset;
};

struct FeatureStructure {
  VkStructureType type;
  uint32_t version;       // of the core that has it; UINT32_MAX: none
  const char* extension;  // that has it; null: none
  // The structure of a core version that has the same members: a chain with both is invalid.
  VkStructureType gathered_in;
  std::vector<FeatureMember> members;
};

// Members of VkPhysicalDeviceFeatures, offsets in it.
const std::vector<FeatureMember>& core_features();
// Null for a type that holds no features or is not known.
const FeatureStructure* find_feature_structure(VkStructureType type);

}  // namespace shaderqa::null_driver
#endif
