// SPDX-License-Identifier: Apache-2.0
// An abstract program's descriptors: one set, or the same in a descriptor buffer.
#ifndef SHADERQA_TESTS_ORACLE_DESCRIPTORS_H
#define SHADERQA_TESTS_ORACLE_DESCRIPTORS_H

#include <vector>

#include "vulkan_kit.h"

namespace oracle {

struct Descriptor {
  uint32_t binding = 0, element = 0;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  VkDescriptorBufferInfo buffer = {};  // with a device address; its range is no VK_WHOLE_SIZE
  VkImageView image = VK_NULL_HANDLE;  // instead
  VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
};

class Descriptors {
 public:
  // in_buffer: the device has VK_EXT_descriptor_buffer.
  Descriptors(kit::Device& device, bool in_buffer) : device_(device), in_buffer_(in_buffer) {}

  // Makes the layout, whose bindings they are of, and writes all.
  void make(const std::vector<VkDescriptorSetLayoutBinding>& bindings, const std::vector<Descriptor>& all);
  void bind(VkCommandBuffer commands, VkPipelineBindPoint point) const;
  VkPipelineLayout layout() const { return layout_; }
  VkPipelineCreateFlags pipeline_flags() const {
    return in_buffer_ ? VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0;
  }

 private:
  void write_to_set(const Descriptor& descriptor);
  void write_to_buffer(const Descriptor& descriptor, VkDescriptorSetLayout layout,
                       const VkPhysicalDeviceDescriptorBufferPropertiesEXT& sizes);

  kit::Device& device_;
  const bool in_buffer_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  kit::Buffer bytes_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

}  // namespace oracle
#endif
