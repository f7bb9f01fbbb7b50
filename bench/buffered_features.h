// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_BENCH_BUFFERED_FEATURES_H
#define SHADERQA_BENCH_BUFFERED_FEATURES_H

#include "vulkan_kit.h"

namespace bench {

// What a device needs for descriptor buffers; the structures live as long as this.
struct BufferedFeatures {
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers{};
  explicit BufferedFeatures(kit::DeviceOptions& options) {
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    vulkan12.bufferDeviceAddress = VK_TRUE;
    buffers.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT;
    buffers.pNext = &vulkan12;
    buffers.descriptorBuffer = VK_TRUE;
    options.device_next = &buffers;
    options.device_extensions.push_back(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
  }
  BufferedFeatures(const BufferedFeatures&) = delete;
  BufferedFeatures& operator=(const BufferedFeatures&) = delete;
};

}  // namespace bench
#endif
