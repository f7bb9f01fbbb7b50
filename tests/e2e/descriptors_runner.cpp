// SPDX-License-Identifier: Apache-2.0
// A compute program whose descriptors are not in ordinary sets, or that uses all that the device has of them:
//   e2e_descriptors_runner buffers|embedded|null-layout|all-sets|push-constants correct|racy FILE.spv
// Two dispatches: the first writes through an address in the push constants, the second reads what it wrote.
// The racy twin has no barrier between them.
#include <volk.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "vulkan_kit.h"

namespace {

constexpr VkExtent2D kTexel{1, 1};
constexpr uint32_t kWords = 64;

struct Mode {
  bool descriptor_buffer = false, embedded = false, null_layout = false, all_sets = false,
       all_constants = false;

  explicit Mode(const std::string& name)
      : descriptor_buffer(name == "buffers" || name == "embedded"),
        embedded(name == "embedded"),
        null_layout(name == "null-layout"),
        all_sets(name == "all-sets" || name == "all-of-both"),
        all_constants(name == "push-constants" || name == "all-of-both") {}
};

struct Features {
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceShaderExpectAssumeFeaturesKHR assume{};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT descriptor_buffer{};
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT library{};
  kit::DeviceOptions options;

  explicit Features(const Mode& mode) {
    options.api_version = VK_API_VERSION_1_3;
    options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    options.device_extensions = {VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME};
    options.features.shaderInt64 = VK_TRUE;
    void* next = nullptr;
    const auto chain = [&](auto& structure, VkStructureType type, VkBool32& bit) {
      structure.sType = type;
      structure.pNext = next;
      bit = VK_TRUE;
      next = &structure;
    };
    chain(vulkan12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, vulkan12.bufferDeviceAddress);
    chain(assume, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR,
          assume.shaderExpectAssume);
    if (mode.descriptor_buffer) {
      chain(descriptor_buffer, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
            descriptor_buffer.descriptorBuffer);
      options.device_extensions.push_back(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
    }
    if (mode.null_layout) {
      chain(library, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
            library.graphicsPipelineLibrary);
      options.device_extensions.push_back(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
      options.device_extensions.push_back(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME);
    }
    options.device_next = next;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
};

class Program {
 public:
  Program(kit::Device& device, const Mode& mode, const std::string& file) : device_(device), mode_(mode) {
    constexpr VkBufferUsageFlags addressed =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    data_ = device_.buffer(kWords * 4, addressed);
    device_.name(data_, "data");
    io_ = device_.buffer(kWords * 4, addressed);
    device_.name(io_, "io");
    if (mode_.embedded) {
      image_ = device_.image(VK_FORMAT_R8G8B8A8_UNORM, kTexel,
                             VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                             VK_IMAGE_ASPECT_COLOR_BIT);
    }
    make_layout();
    if (mode_.descriptor_buffer) {
      write_descriptors();
    } else {
      set_ = device_.descriptor_set(io_layout_, {&io_binding_, 1});
      device_.write_buffer(set_, 0, io_);
    }
    make_pipeline(file);
  }

  void run(bool racy) {
    VkCommandBuffer commands = device_.begin();
    if (mode_.embedded) clear_image(commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    bind_descriptors(commands);
    dispatch(commands, 0);
    if (!racy) kit::compute_barrier(commands);
    dispatch(commands, 1);
    device_.run(commands);
    std::printf("result: %016llx\n", static_cast<unsigned long long>(kit::checksum(io_.as<uint32_t>())));
  }

 private:
  VkDescriptorSetLayout make_set_layout(const std::vector<VkDescriptorSetLayoutBinding>& bindings,
                                        VkDescriptorSetLayoutCreateFlags flags) {
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.flags = flags;
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    kit::check(vkCreateDescriptorSetLayout(device_.handle, &info, nullptr, &layout),
               "vkCreateDescriptorSetLayout");
    device_.later(
        [&device = device_, layout] { vkDestroyDescriptorSetLayout(device.handle, layout, nullptr); });
    return layout;
  }

  VkDescriptorSetLayout make_sampler_layout() {
    VkSamplerCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    VkSampler sampler = VK_NULL_HANDLE;
    kit::check(vkCreateSampler(device_.handle, &info, nullptr, &sampler), "vkCreateSampler");
    device_.later([&device = device_, sampler] { vkDestroySampler(device.handle, sampler, nullptr); });
    return make_set_layout({{0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, &sampler}},
                           VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT |
                               VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT);
  }

  void make_layout() {
    std::vector<VkDescriptorSetLayoutBinding> bindings = {io_binding_};
    if (mode_.embedded) {
      bindings.push_back({1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    }
    io_layout_ = make_set_layout(
        bindings, mode_.descriptor_buffer ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0);
    std::vector<VkDescriptorSetLayout> sets = {io_layout_};
    if (mode_.embedded) sets.push_back(make_sampler_layout());
    if (mode_.null_layout) sets.insert(sets.begin(), VK_NULL_HANDLE);
    if (mode_.all_sets) sets.assign(device_.properties.limits.maxBoundDescriptorSets, io_layout_);
    set_count_ = static_cast<uint32_t>(sets.size());

    constants_.resize((mode_.all_constants ? device_.properties.limits.maxPushConstantsSize : 16) / 4);
    for (uint32_t i = 0; i < constants_.size(); ++i) constants_[i] = i;
    const VkDeviceAddress address = device_.address(data_);
    std::memcpy(constants_.data(), &address, sizeof address);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                    static_cast<uint32_t>(constants_.size() * 4)};
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = set_count_;
    info.pSetLayouts = sets.data();
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    kit::check(vkCreatePipelineLayout(device_.handle, &info, nullptr, &layout_), "vkCreatePipelineLayout");
    device_.later(
        [&device = device_, layout = layout_] { vkDestroyPipelineLayout(device.handle, layout, nullptr); });
  }

  void write_descriptors() {
    const auto sizes = device_.properties_of<VkPhysicalDeviceDescriptorBufferPropertiesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT);
    VkDeviceSize size = 0;
    vkGetDescriptorSetLayoutSizeEXT(device_.handle, io_layout_, &size);
    descriptors_ = device_.buffer(
        size, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    VkDescriptorAddressInfoEXT address{};
    address.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
    address.address = device_.address(io_);
    address.range = io_.size;
    write_descriptor(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {.pStorageBuffer = &address},
                     sizes.storageBufferDescriptorSize);
    if (!mode_.embedded) return;
    const VkDescriptorImageInfo image{VK_NULL_HANDLE, image_.view, VK_IMAGE_LAYOUT_GENERAL};
    write_descriptor(1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, {.pSampledImage = &image},
                     sizes.sampledImageDescriptorSize);
  }

  void write_descriptor(uint32_t binding, VkDescriptorType type, VkDescriptorDataEXT data, size_t size) {
    VkDeviceSize offset = 0;
    vkGetDescriptorSetLayoutBindingOffsetEXT(device_.handle, io_layout_, binding, &offset);
    VkDescriptorGetInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
    info.type = type;
    info.data = data;
    vkGetDescriptorEXT(device_.handle, &info, size, static_cast<char*>(descriptors_.mapped) + offset);
  }

  void make_pipeline(const std::string& file) {
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    if (mode_.descriptor_buffer) info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = device_.shader(kit::read_spirv(file));
    info.stage.pName = "main";
    info.layout = layout_;
    kit::check(vkCreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
               "vkCreateComputePipelines");
    device_.later(
        [&device = device_, pipeline = pipeline_] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
  }

  void bind_descriptors(VkCommandBuffer commands) {
    constexpr auto point = VK_PIPELINE_BIND_POINT_COMPUTE;
    if (!mode_.descriptor_buffer) {
      const uint32_t first = mode_.null_layout ? 1 : 0;
      const std::vector<VkDescriptorSet> sets(set_count_ - first, set_);
      vkCmdBindDescriptorSets(commands, point, layout_, first, static_cast<uint32_t>(sets.size()),
                              sets.data(), 0, nullptr);
      return;
    }
    // First: lavapipe 25 crashes in a shader that uses such a sampler where it was bound after the buffers.
    if (mode_.embedded) vkCmdBindDescriptorBufferEmbeddedSamplersEXT(commands, point, layout_, 1);
    kit::bind_descriptor_buffer(commands, point, layout_, device_.address(descriptors_));
  }

  void dispatch(VkCommandBuffer commands, uint32_t step) {
    constants_[2] = step;
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<uint32_t>(constants_.size() * 4), constants_.data());
    vkCmdDispatch(commands, 1, 1, 1);
  }

  void clear_image(VkCommandBuffer commands) const {
    VkImageMemoryBarrier image{};
    image.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    image.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    image.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    image.srcQueueFamilyIndex = image.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    image.image = image_.handle;
    image.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &image);
    const VkClearColorValue white{{1, 1, 1, 1}};
    vkCmdClearColorImage(commands, image_.handle, VK_IMAGE_LAYOUT_GENERAL, &white, 1,
                         &image.subresourceRange);
    image.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    image.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    image.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &image);
  }

  static constexpr VkDescriptorSetLayoutBinding io_binding_{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                            VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  kit::Device& device_;
  const Mode mode_;
  kit::Buffer data_, io_, descriptors_;
  kit::Image image_;
  VkDescriptorSetLayout io_layout_ = VK_NULL_HANDLE;
  uint32_t set_count_ = 0;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  std::vector<uint32_t> constants_;  // the address, the step, and numbers
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s buffers|embedded|null-layout|all-sets|push-constants correct|racy FILE\n",
                 argv[0]);
    return 2;
  }
  try {
    const Mode mode(argv[1]);
    const Features features(mode);
    kit::Device device(features.options);
    Program program(device, mode, argv[3]);
    program.run(std::strcmp(argv[2], "racy") == 0);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
