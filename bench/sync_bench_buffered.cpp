// SPDX-License-Identifier: Apache-2.0
#include "sync_bench_buffered.h"

#include <array>
#include <chrono>

#include "sync_bench.h"

namespace sync_bench {
namespace {

size_t storage_buffer_bytes(const kit::Device& device) {
  return device
      .properties_of<VkPhysicalDeviceDescriptorBufferPropertiesEXT>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT)
      .storageBufferDescriptorSize;
}

void get_storage_buffer(VkDevice device, VkDeviceAddress address, VkDeviceSize range, size_t size,
                        void* descriptor) {
  VkDescriptorAddressInfoEXT buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
  buffer.address = address;
  buffer.range = range;
  VkDescriptorGetInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
  info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  info.data.pStorageBuffer = &buffer;
  vkGetDescriptorEXT(device, &info, size, descriptor);
}

}  // namespace

BufferedCompute::BufferedCompute(kit::Device& device, std::span<const uint32_t> words,
                                 const std::vector<kit::Buffer>& buffers, uint32_t push_bytes) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < buffers.size(); ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  const VkDescriptorSetLayout set =
      device.set_layout(bindings, nullptr, VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
  layout = device.pipeline_layout({&set, 1}, VK_SHADER_STAGE_COMPUTE_BIT, push_bytes);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = device.shader(words);
  info.stage.pName = "main";
  info.layout = layout;
  kit::check(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
             "vkCreateComputePipelines");
  device.later([&device, pipeline = pipeline_] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
  write(device, set, buffers);
}

void BufferedCompute::write(kit::Device& device, VkDescriptorSetLayout set,
                            const std::vector<kit::Buffer>& buffers) {
  VkDeviceSize bytes = 0;
  vkGetDescriptorSetLayoutSizeEXT(device.handle, set, &bytes);
  descriptors_ = device.buffer(
      bytes, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
      true);
  address_ = device.address(descriptors_);
  const size_t size = storage_buffer_bytes(device);
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    VkDeviceSize offset = 0;
    vkGetDescriptorSetLayoutBindingOffsetEXT(device.handle, set, i, &offset);
    get_storage_buffer(device.handle, device.address(buffers[i]), buffers[i].size, size,
                       static_cast<char*>(descriptors_.mapped) + offset);
  }
}

void BufferedCompute::bind(VkCommandBuffer commands) const {
  constexpr auto point = VK_PIPELINE_BIND_POINT_COMPUTE;
  vkCmdBindPipeline(commands, point, pipeline_);
  kit::bind_descriptor_buffer(commands, point, layout, address_);
}

DescriptorTimes time_descriptors(kit::Device& device, const kit::Buffer& buffer) {
  constexpr uint32_t kDescriptors = 1000;
  constexpr int kTries = 5;
  const size_t size = storage_buffer_bytes(device);
  std::array<char, 1024> descriptor;
  const VkDeviceAddress address = device.address(buffer);
  const auto all_from = [&](uint64_t first) {
    for (uint64_t i = 0; i < kDescriptors; ++i)
      get_storage_buffer(device.handle, address + 256 * (first + i), 256, size, descriptor.data());
  };
  uint64_t next = 0;
  DescriptorTimes times{};
  times.first = best_of(kTries, [&] { all_from(kDescriptors * next++); }) / kDescriptors;
  times.again = best_of(kTries, [&] { all_from(0); }) / kDescriptors;
  return times;
}

}  // namespace sync_bench
