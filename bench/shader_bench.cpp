// SPDX-License-Identifier: Apache-2.0
// Makes the pipeline of a compute shader that some program has (a .spv file, as dump_dir writes them), and
// dispatches one workgroup:
//   shader_bench FILE [DEVICE]
// prints how long both took. Its descriptors are null (VK_EXT_robustness2), constants that can be specialised
// have their defaults, and push constants are 0; so it says what the shader costs to make, and not what it
// costs to run.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "instrument/ir/shader_interface.h"
#include "milliseconds.h"
#include "vulkan_kit.h"

namespace {

constexpr uint32_t kPushBytes = 128;
constexpr uint32_t kUnknownCount = 16;  // descriptors of an array whose size the module does not say

using Bindings = std::vector<VkDescriptorSetLayoutBinding>;

VkDescriptorType descriptor_type(const shaderqa::ShaderBinding& binding) {
  switch (binding.resource) {
    case shaderqa::kUniformBuffer:
      return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case shaderqa::kStorageBuffer:
      return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    case shaderqa::kCombinedImage:
      return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case shaderqa::kStorageImage:
      return binding.image ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    default:
      return binding.image ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  }
}

// By set. Several variables may name one binding.
std::map<uint32_t, Bindings> bindings_of(std::span<const uint32_t> words) {
  std::map<uint32_t, Bindings> found;
  const auto add = [&](const shaderqa::ShaderBinding& binding, VkDescriptorType type) {
    Bindings& set = found[binding.set];
    if (std::ranges::find(set, binding.binding, &VkDescriptorSetLayoutBinding::binding) != set.end()) return;
    const uint32_t count = binding.count == UINT32_MAX ? kUnknownCount : binding.count;
    set.push_back({binding.binding, type, count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  };
  const shaderqa::ShaderInterface interface = shaderqa::read_interface(words);
  for (const shaderqa::ShaderBinding& binding : interface.bindings) add(binding, descriptor_type(binding));
  for (const shaderqa::ShaderBinding& sampler : interface.samplers) add(sampler, VK_DESCRIPTOR_TYPE_SAMPLER);
  return found;
}

VkSampler make_sampler(kit::Device& device) {
  VkSamplerCreateInfo create_info{};
  create_info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  create_info.maxLod = VK_LOD_CLAMP_NONE;
  VkSampler sampler = VK_NULL_HANDLE;
  kit::check(vkCreateSampler(device.handle, &create_info, nullptr, &sampler), "vkCreateSampler");
  device.later([&device, sampler] { vkDestroySampler(device.handle, sampler, nullptr); });
  return sampler;
}

void write_nulls(kit::Device& device, VkDescriptorSet set,
                 std::span<const VkDescriptorSetLayoutBinding> bindings, VkSampler sampler) {
  for (const VkDescriptorSetLayoutBinding& binding : bindings) {
    const std::vector<VkDescriptorImageInfo> images(binding.descriptorCount,
                                                    {sampler, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL});
    const std::vector<VkDescriptorBufferInfo> buffers(binding.descriptorCount,
                                                      {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE});
    const std::vector<VkBufferView> views(binding.descriptorCount, VK_NULL_HANDLE);
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = binding.binding;
    write.descriptorCount = binding.descriptorCount;
    write.descriptorType = binding.descriptorType;
    write.pImageInfo = images.data();
    write.pBufferInfo = buffers.data();
    write.pTexelBufferView = views.data();
    vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
  }
}

void run(const char* path, uint32_t device_index) {
  const std::vector<uint32_t> words = kit::read_spirv(path);
  if (words.empty() || words[0] != spv::MagicNumber) throw std::runtime_error("the file is no SPIR-V");
  const std::map<uint32_t, Bindings> bindings = bindings_of(words);
  VkPhysicalDeviceRobustness2FeaturesEXT robustness{};
  robustness.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT;
  robustness.nullDescriptor = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12{};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.pNext = &robustness;
  features12.storageBuffer8BitAccess = features12.shaderFloat16 = features12.shaderInt8 = VK_TRUE;
  VkPhysicalDeviceVulkan11Features features11{};
  features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  features11.pNext = &features12;
  features11.storageBuffer16BitAccess = VK_TRUE;
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_3;
  options.device_index = device_index;
  options.device_extensions = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
  options.device_next = &features11;
  options.features.shaderStorageImageReadWithoutFormat =
      options.features.shaderStorageImageWriteWithoutFormat = VK_TRUE;
  options.features.shaderImageGatherExtended = VK_TRUE;
  kit::Device device(options);

  const VkSampler sampler = make_sampler(device);
  std::vector<VkDescriptorSetLayout> layouts(bindings.empty() ? 0 : bindings.rbegin()->first + 1);
  std::map<uint32_t, VkDescriptorSet> sets;
  for (uint32_t set = 0; set < layouts.size(); ++set) {
    const auto found = bindings.find(set);
    layouts[set] = device.set_layout(found == bindings.end() ? Bindings() : found->second);
    if (found == bindings.end()) continue;
    sets[set] = device.descriptor_set(layouts[set], found->second);
    write_nulls(device, sets[set], found->second, sampler);
  }
  const VkPipelineLayout layout = device.pipeline_layout(layouts, VK_SHADER_STAGE_COMPUTE_BIT, kPushBytes);

  auto start = std::chrono::steady_clock::now();
  const VkPipeline pipeline = device.compute_pipeline(words, layout);
  std::printf("pipeline [ms]\t%.0f\n", bench::milliseconds_since(start));
  std::fflush(stdout);
  // Some drivers compile only now.
  start = std::chrono::steady_clock::now();
  const VkCommandBuffer commands = device.begin();
  const std::vector<uint8_t> push(kPushBytes);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  for (const auto& [number, set] : sets)
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, number, 1, &set, 0, nullptr);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes, push.data());
  vkCmdDispatch(commands, 1, 1, 1);
  device.run(commands);
  std::printf("first dispatch [ms]\t%.0f\n", bench::milliseconds_since(start));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s FILE.spv [DEVICE]\n", argv[0]);
    return 2;
  }
  try {
    run(argv[1], argc == 3 ? static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 0);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s: %s\n", argv[0], argv[1], error.what());
    return EXIT_FAILURE;
  }
}
