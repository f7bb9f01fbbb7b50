// SPDX-License-Identifier: Apache-2.0
// A device whose program keeps descriptors in descriptor buffers.
#ifndef SHADERQA_TESTS_LAYER_DESCRIPTOR_BUFFER_KIT_H
#define SHADERQA_TESTS_LAYER_DESCRIPTOR_BUFFER_KIT_H

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {

constexpr auto kInBuffers = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;

// What the program enables. Tests may put more behind it, until the next call.
inline VkPhysicalDeviceDescriptorBufferFeaturesEXT* descriptor_buffer_features() {
  static VkPhysicalDeviceDescriptorBufferFeaturesEXT features{};
  features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT;
  features.descriptorBuffer = VK_TRUE;
  return &features;
}

inline DeviceOptions with_descriptor_buffers() {
  return {descriptor_buffer_features(), nullptr, {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME}};
}

}  // namespace shaderqa::layer_tests
#endif
