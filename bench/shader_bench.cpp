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

#include "vulkan_kit.h"

namespace {

constexpr uint32_t kPushBytes = 128;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The instructions of a module that say what its descriptors are.
class Interface {
 public:
  explicit Interface(std::span<const uint32_t> words) {
    if (words.size() < 5 || words[0] != spv::MagicNumber) throw std::runtime_error("the file is no SPIR-V");
    for (size_t at = 5; at < words.size();) {
      const size_t length = words[at] >> 16;
      if (length == 0 || at + length > words.size()) throw std::runtime_error("the file is damaged");
      read(static_cast<spv::Op>(words[at] & 0xffff), words.subspan(at + 1, length - 1));
      at += length;
    }
  }

  // By set; the bindings of each are in order.
  std::map<uint32_t, std::vector<VkDescriptorSetLayoutBinding>> bindings() const {
    std::map<uint32_t, std::vector<VkDescriptorSetLayoutBinding>> found;
    for (const auto& [id, pointer] : variables_) {
      const auto place = places_.find(id);
      if (place == places_.end()) continue;
      uint32_t count = 1;
      const uint32_t type = element(types_.at(pointer).operands.at(2), count);
      found[place->second.set].push_back({place->second.binding, descriptor_type(pointer, type), count,
                                          VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    }
    // Several variables may name one binding.
    for (auto& [set, list] : found) {
      std::ranges::stable_sort(list, {}, &VkDescriptorSetLayoutBinding::binding);
      const auto same = [](const auto& one, const auto& other) { return one.binding == other.binding; };
      list.erase(std::unique(list.begin(), list.end(), same), list.end());
    }
    return found;
  }

 private:
  struct Type {
    spv::Op op{};
    std::vector<uint32_t> operands;  // from the result on
  };
  struct Place {
    uint32_t set = 0, binding = 0;
  };

  void read(spv::Op op, std::span<const uint32_t> operands) {
    if (op == spv::Op::OpDecorate && operands.size() >= 2) {
      const auto decoration = static_cast<spv::Decoration>(operands[1]);
      if (decoration == spv::Decoration::DescriptorSet) places_[operands[0]].set = operands[2];
      if (decoration == spv::Decoration::Binding) places_[operands[0]].binding = operands[2];
      if (decoration == spv::Decoration::BufferBlock) storage_[operands[0]] = true;
    } else if (op == spv::Op::OpVariable) {
      variables_[operands[1]] = operands[0];
    } else if (op == spv::Op::OpConstant || op == spv::Op::OpSpecConstant) {
      constants_[operands[1]] = operands[2];
    } else if (op >= spv::Op::OpTypeVoid && op <= spv::Op::OpTypePointer) {
      types_[operands[0]] = {op, {operands.begin(), operands.end()}};
    }
  }

  uint32_t element(uint32_t type, uint32_t& count) const {
    const auto found = types_.find(type);
    if (found == types_.end()) return type;
    if (found->second.op == spv::Op::OpTypeRuntimeArray) return found->second.operands[1];
    if (found->second.op != spv::Op::OpTypeArray) return type;
    count = constants_.at(found->second.operands[2]);
    return found->second.operands[1];
  }

  VkDescriptorType descriptor_type(uint32_t pointer, uint32_t type) const {
    const auto storage = static_cast<spv::StorageClass>(types_.at(pointer).operands[1]);
    if (storage == spv::StorageClass::StorageBuffer || storage_.contains(type))
      return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    if (storage == spv::StorageClass::Uniform) return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    const Type& named = types_.at(type);
    if (named.op == spv::Op::OpTypeSampler) return VK_DESCRIPTOR_TYPE_SAMPLER;
    if (named.op == spv::Op::OpTypeSampledImage) {
      const bool texels = static_cast<spv::Dim>(types_.at(named.operands[1]).operands[2]) == spv::Dim::Buffer;
      return texels ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    }
    if (named.op != spv::Op::OpTypeImage)
      throw std::runtime_error("it has descriptors of a kind that this program does not know");
    const bool texels = static_cast<spv::Dim>(named.operands[2]) == spv::Dim::Buffer;
    if (named.operands[6] == 2)
      return texels ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    return texels ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
  }

  std::map<uint32_t, Type> types_;
  std::map<uint32_t, uint32_t> variables_;  // and their types
  std::map<uint32_t, uint32_t> constants_;
  std::map<uint32_t, Place> places_;
  std::map<uint32_t, bool> storage_;  // structures with BufferBlock
};

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
  const auto bindings = Interface(words).bindings();
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
    layouts[set] = device.set_layout(found == bindings.end() ? std::vector<VkDescriptorSetLayoutBinding>()
                                                             : found->second);
    if (found == bindings.end()) continue;
    sets[set] = device.descriptor_set(layouts[set], found->second);
    write_nulls(device, sets[set], found->second, sampler);
  }
  const VkPipelineLayout layout = device.pipeline_layout(layouts, VK_SHADER_STAGE_COMPUTE_BIT, kPushBytes);

  auto start = std::chrono::steady_clock::now();
  const VkPipeline pipeline = device.compute_pipeline(words, layout);
  std::printf("pipeline [ms]\t%.0f\n", milliseconds_since(start));
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
  std::printf("first dispatch [ms]\t%.0f\n", milliseconds_since(start));
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
