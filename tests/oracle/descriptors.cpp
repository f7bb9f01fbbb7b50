// SPDX-License-Identifier: Apache-2.0
#include "descriptors.h"

#include <span>

namespace oracle {

void Descriptors::make(const std::vector<VkDescriptorSetLayoutBinding>& bindings,
                       const std::vector<Descriptor>& all) {
  const VkDescriptorSetLayout layout = device_.set_layout(
      bindings, nullptr, in_buffer_ ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0);
  layout_ = device_.pipeline_layout(std::span(&layout, 1), 0, 0);
  if (!in_buffer_) {
    set_ = device_.descriptor_set(layout, bindings);
    for (const Descriptor& descriptor : all) write_to_set(descriptor);
    return;
  }
  VkDeviceSize size = 0;
  vkGetDescriptorSetLayoutSizeEXT(device_.handle, layout, &size);
  bytes_ = device_.buffer(
      size, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const auto sizes = device_.properties_of<VkPhysicalDeviceDescriptorBufferPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT);
  for (const Descriptor& descriptor : all) write_to_buffer(descriptor, layout, sizes);
}

void Descriptors::write_to_set(const Descriptor& descriptor) {
  const VkDescriptorImageInfo image{VK_NULL_HANDLE, descriptor.image, descriptor.layout};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set_;
  write.dstBinding = descriptor.binding;
  write.dstArrayElement = descriptor.element;
  write.descriptorCount = 1;
  write.descriptorType = descriptor.type;
  write.pBufferInfo = &descriptor.buffer;
  write.pImageInfo = &image;
  vkUpdateDescriptorSets(device_.handle, 1, &write, 0, nullptr);
}

void Descriptors::write_to_buffer(const Descriptor& descriptor, VkDescriptorSetLayout layout,
                                  const VkPhysicalDeviceDescriptorBufferPropertiesEXT& sizes) {
  VkDescriptorAddressInfoEXT buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
  buffer.range = descriptor.buffer.range;
  if (descriptor.image == VK_NULL_HANDLE)
    buffer.address = device_.address({.handle = descriptor.buffer.buffer}) + descriptor.buffer.offset;
  const VkDescriptorImageInfo image{VK_NULL_HANDLE, descriptor.image, descriptor.layout};
  VkDescriptorGetInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
  info.type = descriptor.type;
  size_t size = sizes.storageBufferDescriptorSize;
  info.data.pStorageBuffer = &buffer;
  if (descriptor.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER) {
    size = sizes.uniformBufferDescriptorSize;
    info.data.pUniformBuffer = &buffer;
  }
  if (descriptor.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) {
    size = sizes.storageImageDescriptorSize;
    info.data.pStorageImage = &image;
  }
  if (descriptor.type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE) {
    size = sizes.sampledImageDescriptorSize;
    info.data.pSampledImage = &image;
  }
  VkDeviceSize offset = 0;
  vkGetDescriptorSetLayoutBindingOffsetEXT(device_.handle, layout, descriptor.binding, &offset);
  vkGetDescriptorEXT(device_.handle, &info, size,
                     static_cast<char*>(bytes_.mapped) + offset + descriptor.element * size);
}

void Descriptors::bind(VkCommandBuffer commands, VkPipelineBindPoint point) const {
  if (!in_buffer_) {
    vkCmdBindDescriptorSets(commands, point, layout_, 0, 1, &set_, 0, nullptr);
    return;
  }
  kit::bind_descriptor_buffer(commands, point, layout_, device_.address(bytes_));
}

}  // namespace oracle
