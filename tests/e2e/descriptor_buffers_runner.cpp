// SPDX-License-Identifier: Apache-2.0
// A program whose descriptors lie in a descriptor buffer (descriptor_program.h). In the modes `offsets` and
// `draws` the twins differ in the buffer that is read, in `overlapping` in the buffer that is called "other".
// In the modes `changed` and `moved` the same command buffer runs twice, without a barrier: in between, the
// descriptors of the second dispatch are changed, by the host or by a copy, to those of another buffer, which
// in the racy twin is the one that the first dispatch writes. In the mode `replaced` that happens between the
// two dispatches, within the command buffer, where they led to the other one before. In the mode `ranged` the
// barrier is for one buffer, which in the racy twin is another one. In the mode `earlier` each dispatch has a
// command buffer, a shader (FIRST.spv SECOND.spv) and a layout, and the racy twin runs both twice.
#include <algorithm>

#include "descriptor_inputs.h"

namespace {

using namespace descriptor_program;

constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
constexpr uint32_t kArray = 4;
constexpr uint32_t kOther = 7;  // a binding
// In the mode `earlier`, bytes around what descriptors of "data" lead to: it shares no page with others.
constexpr VkDeviceSize kApart = 1 << 17;
constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
    VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

struct Features {
  VkPhysicalDeviceVulkan13Features vulkan13{};
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT descriptor_buffer{};
  VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT mutable_type{};
  kit::DeviceOptions options;

  explicit Features(const Mode& mode) {
    options.api_version = VK_API_VERSION_1_3;
    options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    options.device_extensions = {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME};
    options.features.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
    options.features.fragmentStoresAndAtomics = VK_TRUE;
    void* next = nullptr;
    const auto chain = [&](auto& structure, VkStructureType type) {
      structure.sType = type;
      structure.pNext = next;
      next = &structure;
    };
    chain(vulkan13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    vulkan13.synchronization2 = VK_TRUE;
    chain(vulkan12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    vulkan12.bufferDeviceAddress = vulkan12.descriptorIndexing = VK_TRUE;
    vulkan12.shaderStorageBufferArrayNonUniformIndexing = VK_TRUE;
    vulkan12.shaderUniformTexelBufferArrayDynamicIndexing = VK_TRUE;
    chain(descriptor_buffer, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT);
    descriptor_buffer.descriptorBuffer = VK_TRUE;
    if (mode.is("mutable")) {
      chain(mutable_type, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT);
      mutable_type.mutableDescriptorType = VK_TRUE;
      options.device_extensions.push_back(VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME);
    }
    options.device_next = next;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
};

// Freed when the program says so, so that its memory is used again.
class ShortBuffer {
 public:
  explicit ShortBuffer(kit::Device& device) : device_(device) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = kWords * 4;
    info.usage = kUsage;
    kit::check(vkCreateBuffer(device.handle, &info, nullptr, &buffer.handle), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.handle, buffer.handle, &needs);
    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    memory.pNext = &flags;
    memory.allocationSize = needs.size;
    while (!(needs.memoryTypeBits >> memory.memoryTypeIndex & 1)) ++memory.memoryTypeIndex;
    kit::check(vkAllocateMemory(device.handle, &memory, nullptr, &buffer.memory), "vkAllocateMemory");
    kit::check(vkBindBufferMemory(device.handle, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
    buffer.size = info.size;
  }
  ~ShortBuffer() {
    vkDestroyBuffer(device_.handle, buffer.handle, nullptr);
    vkFreeMemory(device_.handle, buffer.memory, nullptr);
  }
  ShortBuffer(const ShortBuffer&) = delete;
  ShortBuffer& operator=(const ShortBuffer&) = delete;
  kit::Buffer buffer;

 private:
  kit::Device& device_;
};

class Program {
 public:
  Program(kit::Device& device, const Mode& mode, const std::vector<std::string>& files)
      : device_(device), mode_(mode) {
    io_ = device_.buffer(kWords * 4, kUsage);
    device_.name(io_, "io");
    first_ = device_.buffer(kWords * 4 + (mode_.is("earlier") ? 2 * kApart : 0), kUsage);
    second_ = device_.buffer(kWords * 4, kUsage);
    third_ = device_.buffer(kWords * 4, kUsage);
    if (mode_.is("image") || mode_.is("inputs") || names_layouts())
      image_ = device_.image(VK_FORMAT_R32_UINT, {8, 8}, image_usage(), VK_IMAGE_ASPECT_COLOR_BIT);
    make_layout();
    if (mode_.is("draws")) {
      make_graphics_pipeline(files);
    } else {
      pipeline_ = make_pipeline(files.at(0), layout_);
      if (mode_.is("earlier"))
        later_pipeline_ = make_pipeline(files.at(1), device_.pipeline_layout({&set_layout_, 1}, kStages, 8));
      if (mode_.is("inputs")) make_input_pipeline({files.at(1), files.at(2)});
    }
    make_descriptor_buffers();
  }

  void run(bool racy) {
    if (runs_twice())
      run_twice(racy);
    else if (mode_.is("replaced"))
      replace_between(racy);
    else if (mode_.is("earlier"))
      run_apart(racy ? 2 : 1);
    else
      run_once(racy);
    print_result(io_, inputs_ ? picture_ : canvas_);
  }

 private:
  void run_once(bool racy) {
    const bool writes_again = mode_.is("overwritten"), reuses = mode_.is("reused");
    if (writes_again || reuses) {
      std::optional<ShortBuffer> gone;
      if (reuses) gone.emplace(device_);
      write_set(0, gone ? gone->buffer : first_);
      submit(false);
    }
    if (reuses) {
      const ShortBuffer again(device_);
      device_.name(again.buffer, "data");
      write_set(0, again.buffer);
      submit(racy);
    } else {
      const kit::Buffer& data = writes_again ? second_ : first_;
      device_.name(data, "data");
      write_set(0, data, mode_.is("overlapping") && racy ? data : second_);
      if (moves()) write_set(set_bytes_, second_);
      submit(racy);
    }
  }

  bool runs_twice() const { return mode_.is("changed") || mode_.is("moved"); }
  // Bindings without arrays.
  bool is_single() const {
    return runs_twice() || mode_.is("replaced") || mode_.is("ranged") || mode_.is("earlier") ||
           mode_.is("shifted") || mode_.is("single") || mode_.is("overlapping");
  }
  bool copies_later() const { return mode_.is("moved") || mode_.is("replaced"); }
  uint32_t array() const { return is_single() ? 1 : kArray; }

  void run_twice(bool racy) {
    device_.name(first_, "data");
    write_set(0, first_);
    write_set(set_bytes_, second_);
    if (mode_.is("moved")) copy_now();
    const VkCommandBuffer commands = device_.begin();
    record(commands, true);
    device_.run(commands);
    write_set(set_bytes_, racy ? first_ : third_);
    if (mode_.is("moved")) copy_now();
    kit::check(submit_recorded({commands}), "submitting and waiting");
  }

  void replace_between(bool racy) {
    device_.name(first_, "data");
    write_set(0, first_);
    write_set(set_bytes_, racy ? third_ : first_);
    copy_now();
    write_set(set_bytes_, racy ? first_ : third_);
    const VkCommandBuffer commands = device_.begin();
    bind(commands, pipeline_);
    dispatch(commands, 0, 0);
    copy_descriptors(commands, set_bytes_);
    dispatch(commands, 1, set_bytes_);
    device_.run(commands);
  }

  void run_apart(int times) {
    device_.name(first_, "data");
    write_set(0, first_);
    std::vector<VkCommandBuffer> commands;
    for (uint32_t step = 0; step < 2; ++step) {
      commands.push_back(device_.begin());
      bind(commands.back(), step == 0 ? pipeline_ : later_pipeline_);
      dispatch(commands.back(), step, 0);
      kit::check(vkEndCommandBuffer(commands.back()), "vkEndCommandBuffer");
    }
    for (int i = 0; i < times; ++i) kit::check(submit_recorded(commands), "submitting and waiting");
  }

  VkResult submit_recorded(const std::vector<VkCommandBuffer>& commands) const {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = static_cast<uint32_t>(commands.size());
    info.pCommandBuffers = commands.data();
    const VkResult result = vkQueueSubmit(device_.queues[0], 1, &info, VK_NULL_HANDLE);
    return result == VK_SUCCESS ? vkQueueWaitIdle(device_.queues[0]) : result;
  }

  void copy_now() {
    const VkCommandBuffer commands = device_.begin();
    copy_descriptors(commands);
    device_.run(commands);
  }

  void make_layout() {
    const auto binding = [](uint32_t number, VkDescriptorType type, uint32_t count = 1) {
      return VkDescriptorSetLayoutBinding{number, type, count, kStages, nullptr};
    };
    const VkDescriptorType kinds[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER};
    std::vector<VkMutableDescriptorTypeListEXT> lists(kOther + 1);
    lists[1] = {2, kinds};
    VkMutableDescriptorTypeCreateInfoEXT types{};
    types.sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT;
    types.mutableDescriptorTypeListCount = kOther + 1;
    types.pMutableDescriptorTypeLists = lists.data();
    const bool mutable_type = mode_.is("mutable");
    std::vector<VkDescriptorSetLayoutBinding> bindings = {
        binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
        binding(1, mutable_type ? VK_DESCRIPTOR_TYPE_MUTABLE_EXT : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                array()),
        binding(2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
        binding(3, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER),
        binding(4, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER),
        binding(5, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE),
        binding(6, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE),
        binding(kOther, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)};
    if (mode_.is("inputs"))
      bindings.push_back({8, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr});
    set_layout_ = device_.set_layout(bindings, mutable_type ? &types : nullptr,
                                     VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
    layout_ = device_.pipeline_layout({&set_layout_, 1}, kStages, 8);
  }

  VkPipeline make_pipeline(const std::string& file, VkPipelineLayout layout) {
    VkComputePipelineCreateInfo info{};
    info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.layout = layout;
    return compute_pipeline(device_, file, info);
  }

  void make_graphics_pipeline(const std::vector<std::string>& files) {
    canvas_.emplace(device_, kPixels);
    kit::GraphicsState state(kPixels, graphics_stages(device_, files), layout_, canvas_->pass);
    state.info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    pipeline_ = kit::graphics_pipeline(device_, state.info);
    point_ = VK_PIPELINE_BIND_POINT_GRAPHICS;
  }

  void make_input_pipeline(const std::vector<std::string>& files) {
    picture_.emplace(device_, kPixels);
    inputs_.emplace(device_, *picture_, image_);
    kit::GraphicsState state(kPixels, graphics_stages(device_, files), layout_, inputs_->pass);
    state.info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    drawing_ = kit::graphics_pipeline(device_, state.info);
  }

  void make_descriptor_buffers() {
    sizes_ = device_.properties_of<VkPhysicalDeviceDescriptorBufferPropertiesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT);
    vkGetDescriptorSetLayoutSizeEXT(device_.handle, set_layout_, &set_bytes_);
    const VkDeviceSize alignment = sizes_.descriptorBufferOffsetAlignment;
    set_bytes_ = (set_bytes_ + alignment - 1) / alignment * alignment;
    descriptors_ = device_.buffer(2 * set_bytes_, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                                                      VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    staging_ = device_.buffer(2 * set_bytes_, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  }

  // All that leads to the buffer, from that offset on in the descriptor buffer.
  void write_set(VkDeviceSize offset, const kit::Buffer& data) { write_set(offset, data, second_); }
  void write_set(VkDeviceSize offset, const kit::Buffer& data, const kit::Buffer& other) {
    const auto storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write_descriptor(offset, 0, 0, storage, io_);
    for (uint32_t i = 0; i < array(); ++i) {
      const bool view = mode_.is("mutable") && i % 2 == 1;
      write_descriptor(offset, 1, i, view ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : storage, data);
    }
    write_descriptor(offset, 2, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, data);
    write_descriptor(offset, 3, 0, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, data);
    write_descriptor(offset, 4, 0, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, data);
    write_descriptor(offset, kOther, 0, storage, other);
    if (!image_.view) return;
    write_image(offset, 5, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, sizes_.storageImageDescriptorSize);
    write_image(offset, 6, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, sizes_.sampledImageDescriptorSize);
    if (mode_.is("inputs"))
      write_image(offset, 8, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, sizes_.inputAttachmentDescriptorSize);
    if (mode_.is("layouts"))
      write_image(set_bytes_, 6, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, sizes_.sampledImageDescriptorSize,
                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  }

  VkImageUsageFlags image_usage() const {
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    return mode_.is("inputs")
               ? usage | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
               : usage;
  }

  bool names_layouts() const { return mode_.is("layout") || mode_.is("layouts"); }

  void write_image(VkDeviceSize set, uint32_t binding, VkDescriptorType type, size_t size,
                   VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL) {
    const VkDescriptorImageInfo image{VK_NULL_HANDLE, image_.view, layout};
    VkDescriptorGetInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
    info.type = type;
    info.data.pStorageImage = &image;
    VkDeviceSize offset = 0;
    vkGetDescriptorSetLayoutBindingOffsetEXT(device_.handle, set_layout_, binding, &offset);
    vkGetDescriptorEXT(device_.handle, &info, size, static_cast<char*>(descriptors_.mapped) + set + offset);
  }

  size_t size_of(VkDescriptorType type) const {
    switch (type) {
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        return sizes_.storageBufferDescriptorSize;
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        return sizes_.uniformBufferDescriptorSize;
      case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        return sizes_.uniformTexelBufferDescriptorSize;
      default:
        return sizes_.storageTexelBufferDescriptorSize;
    }
  }

  void write_descriptor(VkDeviceSize set, uint32_t binding, uint32_t element, VkDescriptorType type,
                        const kit::Buffer& buffer) {
    VkDescriptorAddressInfoEXT address{};
    address.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
    const bool apart = buffer.size > kWords * 4;
    address.address = device_.address(buffer) + (apart ? kApart : 0);
    address.range = kWords * 4;
    const bool texels =
        type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    if (texels) address.format = VK_FORMAT_R32_UINT;
    VkDescriptorGetInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
    info.type = type;
    // All of its members are pointers.
    info.data.pStorageBuffer = &address;
    VkDeviceSize offset = 0;
    vkGetDescriptorSetLayoutBindingOffsetEXT(device_.handle, set_layout_, binding, &offset);
    size_t stride = size_of(type);
    if (mode_.is("mutable") && binding == 1)
      stride = std::max(size_of(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
                        size_of(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER));
    const VkDeviceSize at = set + offset + element * stride;
    auto* const there = static_cast<char*>(descriptors_.mapped) + at;
    const bool from_host = mode_.is("memcpy"), by_device = mode_.is("copied") || copies_later();
    if (!from_host && !by_device) return vkGetDescriptorEXT(device_.handle, &info, size_of(type), there);
    std::vector<char> bytes(size_of(type), '\x5a');
    vkGetDescriptorEXT(device_.handle, &info, bytes.size(), bytes.data());
    std::memcpy(by_device ? static_cast<char*>(staging_.mapped) + at : there, bytes.data(), bytes.size());
  }

  void shift_first() {
    VkDeviceSize offset = 0;
    vkGetDescriptorSetLayoutBindingOffsetEXT(device_.handle, set_layout_, 1, &offset);
    shift_descriptor(static_cast<char*>(descriptors_.mapped) + offset, sizes_.storageBufferDescriptorSize,
                     device_.address(first_));
  }

  void submit(bool racy) {
    if (mode_.is("unknown") || mode_.is("shifted")) shift_first();
    VkCommandBuffer commands = device_.begin();
    if (mode_.is("copied")) copy_descriptors(commands);
    if (image_.view) change_layout(commands, image_.handle);
    if (mode_.is("secondary")) {
      const VkCommandBuffer secondary = begin_secondary(device_);
      record(secondary, racy);
      kit::check(vkEndCommandBuffer(secondary), "vkEndCommandBuffer");
      vkCmdExecuteCommands(commands, 1, &secondary);
    } else {
      record(commands, racy);
    }
    device_.run(commands);
  }

  void copy_descriptors(VkCommandBuffer commands, VkDeviceSize from = 0) const {
    const VkBufferCopy rest{from, from, 2 * set_bytes_ - from};
    vkCmdCopyBuffer(commands, staging_.handle, descriptors_.handle, 1, &rest);
    VkMemoryBarrier2 barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT;
    VkDependencyInfo dependency{};
    dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(commands, &dependency);
  }

  bool moves() const { return mode_.is("offsets") || mode_.is("draws"); }

  void record(VkCommandBuffer commands, bool racy) const {
    if (canvas_) canvas_->begin(commands);
    bind(commands, pipeline_);
    dispatch(commands, 0, 0);
    if (inputs_) return draw_inputs(commands, racy);
    // The racy twin's descriptor names another layout than the one that the image is in by then.
    if (names_layouts() && racy) make_read_only(commands, image_.handle);
    if (mode_.is("ranged"))
      order_of(commands, racy ? second_ : first_);
    else if ((!racy || names_layouts()) && !moves())
      order(commands);
    dispatch(commands, 1, (moves() && !racy) || runs_twice() ? set_bytes_ : 0);
    if (canvas_) canvas_->end(commands);
  }

  void bind(VkCommandBuffer commands, VkPipeline pipeline) const {
    vkCmdBindPipeline(commands, point_, pipeline);
    VkDescriptorBufferBindingInfoEXT binding{};
    binding.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT;
    binding.address = device_.address(descriptors_);
    binding.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    vkCmdBindDescriptorBuffersEXT(commands, 1, &binding);
  }

  void draw_inputs(VkCommandBuffer commands, bool racy) const {
    InputPass::order(commands, racy);
    inputs_->begin(commands);
    const uint32_t buffer = 0;
    const VkDeviceSize offset = 0;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, drawing_);
    vkCmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &buffer,
                                       &offset);
    vkCmdDraw(commands, 3, 1, 0, 0);
    inputs_->end(commands);
  }

  void dispatch(VkCommandBuffer commands, uint32_t step, VkDeviceSize offset) const {
    const uint32_t buffer = 0;
    vkCmdSetDescriptorBufferOffsetsEXT(commands, point_, layout_, 0, 1, &buffer, &offset);
    const uint32_t constants[] = {step, 2};
    vkCmdPushConstants(commands, layout_, kStages, 0, sizeof constants, constants);
    if (canvas_) return vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdDispatch(commands, 1, 1, 1);
  }

  kit::Device& device_;
  const Mode mode_;
  kit::Buffer io_, first_, second_, third_, descriptors_, staging_;
  kit::Image image_;
  std::optional<kit::Canvas> canvas_;   // what draws write to
  std::optional<kit::Canvas> picture_;  // the same where they read inputs
  std::optional<InputPass> inputs_;
  VkPipeline drawing_ = VK_NULL_HANDLE;
  VkPipelineBindPoint point_ = VK_PIPELINE_BIND_POINT_COMPUTE;
  VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes_{};
  VkDeviceSize set_bytes_ = 0;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE, later_pipeline_ = VK_NULL_HANDLE;
};

}  // namespace

int main(int argc, char** argv) { return run<Features, Program>(argc, argv); }
