// SPDX-License-Identifier: Apache-2.0
// Makes the pipeline of shaders that some program has (.spv files, as dump_dir writes them), and dispatches
// one workgroup, or draws one triangle:
//   shader_bench COMPUTE.spv [DEVICE]
//   shader_bench VERTEX.spv FRAGMENT.spv [DEVICE]
// prints how long both took. Descriptors are null (VK_EXT_robustness2), constants that can be specialised
// have their defaults, push constants and vertices are 0; so it says what the shaders cost to make, and not
// what they cost to run.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "instrument/ir/shader_interface.h"
#include "milliseconds.h"
#include "shader_bench.h"
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

// By set. Several variables, also of several stages, may name one binding.
using SetBindings = std::map<uint32_t, Bindings>;

void add_bindings(std::span<const uint32_t> words, VkShaderStageFlags stages, SetBindings& found) {
  const auto add = [&](const shaderqa::ShaderBinding& binding, VkDescriptorType type) {
    Bindings& set = found[binding.set];
    if (std::ranges::find(set, binding.binding, &VkDescriptorSetLayoutBinding::binding) != set.end()) return;
    const uint32_t count = binding.count == UINT32_MAX ? kUnknownCount : binding.count;
    set.push_back({binding.binding, type, count, stages, nullptr});
  };
  const shaderqa::ShaderInterface interface = shaderqa::read_interface(words);
  for (const shaderqa::ShaderBinding& binding : interface.bindings) add(binding, descriptor_type(binding));
  for (const shaderqa::ShaderBinding& sampler : interface.samplers) add(sampler, VK_DESCRIPTOR_TYPE_SAMPLER);
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

// What shaders of engines ask for.
kit::DeviceOptions device_options(uint32_t device_index, void* next) {
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_3;
  options.device_index = device_index;
  options.device_extensions = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
  options.device_next = next;
  VkPhysicalDeviceFeatures& features = options.features;
  features.shaderStorageImageReadWithoutFormat = features.shaderStorageImageWriteWithoutFormat = VK_TRUE;
  features.shaderImageGatherExtended = features.shaderStorageImageExtendedFormats = VK_TRUE;
  features.fragmentStoresAndAtomics = features.vertexPipelineStoresAndAtomics = VK_TRUE;
  features.shaderClipDistance = features.shaderCullDistance = features.imageCubeArray = VK_TRUE;
  features.sampleRateShading = features.independentBlend = VK_TRUE;
  return options;
}

// Null descriptors for all that shaders name.
struct Descriptors {
  Descriptors(kit::Device& device, const SetBindings& bindings, VkShaderStageFlags shader_stages)
      : stages(shader_stages), sampler(make_sampler(device)) {
    std::vector<VkDescriptorSetLayout> layouts(bindings.empty() ? 0 : bindings.rbegin()->first + 1);
    for (uint32_t set = 0; set < layouts.size(); ++set) {
      const auto found = bindings.find(set);
      layouts[set] = device.set_layout(found == bindings.end() ? Bindings() : found->second);
      if (found == bindings.end()) continue;
      sets[set] = device.descriptor_set(layouts[set], found->second);
      write_nulls(device, sets[set], found->second, sampler);
    }
    layout = device.pipeline_layout(layouts, stages, kPushBytes);
  }
  void bind(VkCommandBuffer commands, VkPipelineBindPoint point) const {
    for (const auto& [number, set] : sets)
      vkCmdBindDescriptorSets(commands, point, layout, number, 1, &set, 0, nullptr);
    const std::vector<uint8_t> push(kPushBytes);
    vkCmdPushConstants(commands, layout, stages, 0, kPushBytes, push.data());
  }

  VkShaderStageFlags stages;
  VkSampler sampler;
  std::map<uint32_t, VkDescriptorSet> sets;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

// what: dispatch or draw. make(): the pipeline; execute(VkCommandBuffer) uses it.
template <typename Make, typename Execute>
void measure(kit::Device& device, const Descriptors& descriptors, VkPipelineBindPoint point, const char* what,
             const Make& make, const Execute& execute) {
  auto start = std::chrono::steady_clock::now();
  const VkPipeline pipeline = make();
  std::printf("pipeline [ms]\t%.0f\n", bench::milliseconds_since(start));
  std::fflush(stdout);
  // Some drivers compile only now.
  start = std::chrono::steady_clock::now();
  const VkCommandBuffer commands = device.begin();
  vkCmdBindPipeline(commands, point, pipeline);
  descriptors.bind(commands, point);
  execute(commands);
  device.run(commands);
  std::printf("first %s [ms]\t%.0f\n", what, bench::milliseconds_since(start));
}

void compute(kit::Device& device, std::span<const uint32_t> words) {
  SetBindings bindings;
  add_bindings(words, VK_SHADER_STAGE_COMPUTE_BIT, bindings);
  const Descriptors descriptors(device, bindings, VK_SHADER_STAGE_COMPUTE_BIT);
  measure(
      device, descriptors, VK_PIPELINE_BIND_POINT_COMPUTE, "dispatch",
      [&] { return device.compute_pipeline(words, descriptors.layout); },
      [](VkCommandBuffer commands) { vkCmdDispatch(commands, 1, 1, 1); });
}

void draw(kit::Device& device, std::span<const uint32_t> vertex, std::span<const uint32_t> fragment) {
  constexpr VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  SetBindings bindings;
  add_bindings(vertex, stages, bindings);
  add_bindings(fragment, stages, bindings);
  const Descriptors descriptors(device, bindings, stages);
  const shader_bench::Target target(device, vertex, fragment);
  measure(
      device, descriptors, VK_PIPELINE_BIND_POINT_GRAPHICS, "draw",
      [&] { return target.pipeline(descriptors.layout); },
      [&](VkCommandBuffer commands) { target.draw(commands); });
}

std::vector<uint32_t> read_module(const char* path) {
  std::vector<uint32_t> words = kit::read_spirv(path);
  if (words.empty() || words[0] != spv::MagicNumber)
    throw std::runtime_error(std::string(path) + ": the file is no SPIR-V");
  return words;
}

void run(std::span<const char* const> paths, uint32_t device_index) {
  std::vector<std::vector<uint32_t>> modules;
  for (const char* const path : paths) modules.push_back(read_module(path));
  VkPhysicalDeviceRobustness2FeaturesEXT robustness{};
  robustness.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT;
  robustness.nullDescriptor = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12{};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.pNext = &robustness;
  features12.storageBuffer8BitAccess = features12.shaderFloat16 = features12.shaderInt8 = VK_TRUE;
  features12.runtimeDescriptorArray = features12.bufferDeviceAddress = VK_TRUE;
  features12.shaderSampledImageArrayNonUniformIndexing = VK_TRUE;
  VkPhysicalDeviceVulkan11Features features11{};
  features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  features11.pNext = &features12;
  features11.storageBuffer16BitAccess = features11.uniformAndStorageBuffer16BitAccess = VK_TRUE;
  features11.multiview = features11.shaderDrawParameters = VK_TRUE;
  kit::Device device(device_options(device_index, &features11));
  if (modules.size() == 1)
    compute(device, modules[0]);
  else
    draw(device, modules[0], modules[1]);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<const char*> paths(argv + 1, argv + argc);
  uint32_t device = 0;
  if (paths.size() > 1 && std::strspn(paths.back(), "0123456789") == std::strlen(paths.back())) {
    device = static_cast<uint32_t>(std::strtoul(paths.back(), nullptr, 10));
    paths.pop_back();
  }
  if (paths.empty() || paths.size() > 2) {
    std::fprintf(stderr, "usage: %s COMPUTE.spv [DEVICE]\n       %s VERTEX.spv FRAGMENT.spv [DEVICE]\n",
                 argv[0], argv[0]);
    return 2;
  }
  try {
    run(paths, device);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
