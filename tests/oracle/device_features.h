// SPDX-License-Identifier: Apache-2.0
// What the oracle's programs need of a device.
#ifndef SHADERQA_TESTS_ORACLE_DEVICE_FEATURES_H
#define SHADERQA_TESTS_ORACLE_DEVICE_FEATURES_H

#include "program.h"
#include "vulkan_kit.h"

namespace oracle {

struct Features {
  VkPhysicalDeviceVulkan11Features vulkan11{};
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceVulkan13Features vulkan13{};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers{};
  kit::DeviceOptions options;

  explicit Features(bool with_descriptor_buffers) {
    vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    vulkan11.storageBuffer16BitAccess = VK_TRUE;
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    vulkan12.pNext = &vulkan11;
    vulkan12.storageBuffer8BitAccess = vulkan12.shaderInt8 = vulkan12.bufferDeviceAddress = VK_TRUE;
    vulkan12.shaderBufferInt64Atomics = vulkan12.scalarBlockLayout = VK_TRUE;
    vulkan12.shaderSharedInt64Atomics = VK_TRUE;
    vulkan12.vulkanMemoryModel = vulkan12.vulkanMemoryModelDeviceScope = VK_TRUE;
    vulkan13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    vulkan13.pNext = &vulkan12;
    vulkan13.synchronization2 = vulkan13.dynamicRendering = VK_TRUE;
    options.api_version = VK_API_VERSION_1_3;
    options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    options.device_next = &vulkan13;
    options.queue_count = kQueues;
    buffers.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT;
    buffers.descriptorBuffer = VK_TRUE;
    if (with_descriptor_buffers) {
      vulkan11.pNext = &buffers;
      options.device_extensions.push_back(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
    }
    options.features.shaderInt64 = options.features.shaderInt16 = VK_TRUE;
    options.features.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
    options.features.vertexPipelineStoresAndAtomics = options.features.fragmentStoresAndAtomics = VK_TRUE;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
};

}  // namespace oracle
#endif
