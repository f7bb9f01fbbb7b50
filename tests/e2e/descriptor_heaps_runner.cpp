// SPDX-License-Identifier: Apache-2.0
// A program whose descriptors lie in a descriptor heap (descriptor_program.h). In the modes `moved` and
// `draws` the twins differ in the buffer that is read.
#include <algorithm>
#include <stdexcept>

#include "descriptor_inputs.h"
#include "layer/vk/descriptor_heap.h"
#include "ray_tracing_kit.h"

namespace {

using namespace descriptor_program;

constexpr VkFlags kHeapUsage = 0x10000000;  // VK_BUFFER_USAGE_DESCRIPTOR_HEAP_BIT_EXT
constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
    VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// Push data: the shader's {step, which}, then what mappings read.
constexpr uint32_t kIndexAt = 8, kAddressAt = 16, kMemoryAt = 24;
// What lies in that memory: an index of sets, one of a descriptor for each element, an address. In bytes.
constexpr uint32_t kSetIndex = 4, kElements = 16, kPointer = 32;
// The heap's own data begins so many bytes behind what a mapping says.
constexpr uint32_t kPushedOffset = 64;
// Descriptors of a "set" in the heap.
enum Slot : uint32_t { kIo, kData, kUniform = 5, kTexels, kStored, kPicture, kSeen, kInput, kSlots };

struct Features {
  VkPhysicalDeviceVulkan13Features vulkan13{};
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{};
  VkPhysicalDeviceShaderObjectFeaturesEXT shader_object{};
  VkPhysicalDeviceDescriptorHeapFeaturesEXT heaps{};
  std::optional<kit::RayTracingFeatures> rays;
  kit::DeviceOptions options;

  explicit Features(const Mode& mode) {
    options.api_version = VK_API_VERSION_1_3;
    options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    options.device_extensions = {VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME};
    options.features.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
    options.features.fragmentStoresAndAtomics = VK_TRUE;
    void* next = nullptr;
    const auto chain = [&](auto& structure, VkStructureType type) {
      structure.sType = type;
      structure.pNext = next;
      next = &structure;
    };
    chain(vulkan13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    vulkan13.synchronization2 = vulkan13.dynamicRendering = VK_TRUE;
    chain(vulkan12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    vulkan12.bufferDeviceAddress = vulkan12.descriptorIndexing = vulkan12.runtimeDescriptorArray = VK_TRUE;
    chain(maintenance5, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR);
    maintenance5.maintenance5 = VK_TRUE;
    if (mode.is("object")) {
      chain(shader_object, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT);
      shader_object.shaderObject = VK_TRUE;
      options.device_extensions.push_back(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
    }
    if (mode.is("rays")) {
      next = rays.emplace(next).chain();
      const auto extensions = kit::RayTracingFeatures::extensions();
      options.device_extensions.insert(options.device_extensions.end(), extensions.begin(), extensions.end());
    }
    chain(heaps, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT);
    heaps.descriptorHeap = VK_TRUE;
    options.device_next = next;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
};

// What the loader of this build does not know.
struct Commands {
  PFN_vkWriteResourceDescriptorsEXT write;
  PFN_vkWriteSamplerDescriptorsEXT write_samplers;
  PFN_vkCmdBindResourceHeapEXT bind;
  PFN_vkCmdBindSamplerHeapEXT bind_samplers;
  PFN_vkCmdPushDataEXT push;

  explicit Commands(const kit::Device& device) {
    find(device, write, "vkWriteResourceDescriptorsEXT");
    find(device, write_samplers, "vkWriteSamplerDescriptorsEXT");
    find(device, bind, "vkCmdBindResourceHeapEXT");
    find(device, bind_samplers, "vkCmdBindSamplerHeapEXT");
    find(device, push, "vkCmdPushDataEXT");
  }

 private:
  template <typename Function>
  static void find(const kit::Device& device, Function& function, const char* name) {
    function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device.handle, name));
    if (!function) throw std::runtime_error(std::string("there is no ") + name);
  }
};

class Program {
 public:
  Program(kit::Device& device, const Mode& mode, const std::vector<std::string>& files)
      : device_(device), mode_(mode), commands_(device) {
    io_ = device_.buffer(kWords * 4, kUsage);
    device_.name(io_, "io");
    data_ = device_.buffer(kWords * 4, kUsage);
    device_.name(data_, "data");
    other_ = device_.buffer(kWords * 4, kUsage);
    if (mode_.is("image") || mode_.is("embedded") || mode_.is("again") || mode_.is("picture") ||
        mode_.is("stencil") || mode_.is("layout") || mode_.is("layouts") || mode_.is("inputs"))
      image_ = device_.image(VK_FORMAT_R32_UINT, {8, 8}, image_usage(), VK_IMAGE_ASPECT_COLOR_BIT);
    if (mode_.is("stencil"))
      stencil_ = device_.image(VK_FORMAT_D32_SFLOAT_S8_UINT, {8, 8},
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                               VK_IMAGE_ASPECT_STENCIL_BIT);
    describe_sampler();
    make_heap();
    make_memory();
    map_bindings();
    if (mode_.is("draws")) {
      make_graphics_pipeline(files);
    } else if (mode_.is("rays")) {
      make_rays(files);
    } else if (mode_.is("object")) {
      make_shader_object(files.at(0));
    } else {
      make_pipeline(files.at(0));
      if (mode_.is("inputs")) make_input_pipeline({files.at(1), files.at(2)});
    }
  }

  void run(bool racy) {
    const VkCommandBuffer commands = device_.begin();
    if (inputs_) return run_inputs(commands, racy);
    if (image_.view) change_layout(commands, image_.handle);
    if (stencil_.view)
      change_layout(commands, stencil_.handle, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
    if (canvas_) canvas_->begin(commands);
    bind(commands);
    dispatch(commands, 0, 0, data_);
    // The racy twin's descriptor names another layout than the one that the image is in by then.
    const bool names_layouts = mode_.is("layout") || mode_.is("layouts");
    const bool moves = mode_.is("moved") || mode_.is("draws") || mode_.is("rays");
    if (names_layouts && racy) make_read_only(commands, image_.handle);
    if ((!racy || names_layouts) && !moves) order(commands);
    // The layer follows it with a dispatch of its own.
    if (mode_.is("fill")) vkCmdFillBuffer(commands, other_.handle, 0, VK_WHOLE_SIZE, 7);
    const bool other = moves && !racy;
    dispatch(commands, 1, other ? 1 : 0, other ? other_ : data_);
    if (canvas_) canvas_->end(commands);
    device_.run(commands);
    print_result(io_, canvas_);
  }

 private:
  VkImageUsageFlags image_usage() const {
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    return mode_.is("inputs")
               ? usage | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
               : usage;
  }

  void run_inputs(VkCommandBuffer commands, bool racy) {
    change_layout(commands, image_.handle);
    bind(commands);
    dispatch(commands, 0, 0, data_);
    InputPass::order(commands, racy);
    inputs_->begin(commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, drawing_);
    vkCmdDraw(commands, 3, 1, 0, 0);
    inputs_->end(commands);
    device_.run(commands);
    print_result(io_, picture_);
  }

  void make_heap() {
    properties_ = device_.properties_of<VkPhysicalDeviceDescriptorHeapPropertiesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_PROPERTIES_EXT);
    const auto size = std::max(properties_.bufferDescriptorSize, properties_.imageDescriptorSize);
    const auto alignment =
        std::max(properties_.bufferDescriptorAlignment, properties_.imageDescriptorAlignment);
    stride_ = static_cast<uint32_t>((size + alignment - 1) / alignment * alignment);
    used_ = (VkDeviceSize{2} * kSlots * stride_ + 255) / 256 * 256;
    end_ = used_ + kWords * 4;
    heap_ = device_.buffer(end_ + properties_.minResourceHeapReservedRange, kHeapUsage | kUsage);
    // Where memory says which set it is, it is the second one.
    write_set(0, by_memory() ? other_ : data_);
    // What only an address leads to has no descriptor.
    write_set(1, by_memory() && !mode_.is("pointer") ? data_ : other_);
    if (mode_.is("within")) lead_into_heap();
    if (image_.view) make_sampler_heap();
    // What else is written does not change what the first descriptors mean.
    for (uint32_t i = 0; mode_.is("again") && i < 3000; ++i)
      write_image(1, kSeen, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);
    if (mode_.is("layouts"))
      write_image(1, kSeen, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    for (uint32_t element = 0; mode_.is("unknown") && element < 4; ++element)
      shift_descriptor(place(0, kData + element), properties_.bufferDescriptorSize, device_.address(data_));
  }

  // The descriptor of data leads to what the heap has behind its descriptors.
  void lead_into_heap() const {
    device_.name(heap_, "data");
    write_range(0, kData, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {device_.address(heap_) + used_, kWords * 4});
  }

  void describe_sampler() {
    sampler_.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    sampler_.addressModeU = sampler_.addressModeV = sampler_.addressModeW =
        VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  }

  void make_sampler_heap() {
    samplers_ = device_.buffer(
        properties_.samplerDescriptorSize + properties_.minSamplerHeapReservedRangeWithEmbedded,
        kHeapUsage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    const VkHostAddressRangeEXT there{samplers_.mapped,
                                      static_cast<size_t>(properties_.samplerDescriptorSize)};
    kit::check(commands_.write_samplers(device_.handle, 1, &sampler_, &there),
               "vkWriteSamplerDescriptorsEXT");
  }

  void write_image(uint32_t set, uint32_t slot, VkDescriptorType type,
                   VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL) const {
    VkImageViewCreateInfo view{};
    view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    const bool stencil = stencil_.view && slot == kSeen;
    view.image = stencil ? stencil_.handle : image_.handle;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = stencil ? VK_FORMAT_D32_SFLOAT_S8_UINT : VK_FORMAT_R32_UINT;
    view.subresourceRange = {stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageDescriptorInfoEXT image{};
    image.sType = VK_STRUCTURE_TYPE_IMAGE_DESCRIPTOR_INFO_EXT;
    image.pView = &view;
    image.layout = layout;
    VkResourceDescriptorInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT;
    info.type = type;
    info.data.pImage = &image;
    const VkHostAddressRangeEXT there{place(set, slot), static_cast<size_t>(properties_.imageDescriptorSize)};
    kit::check(commands_.write(device_.handle, 1, &info, &there), "vkWriteResourceDescriptorsEXT");
  }

  char* place(uint32_t set, uint32_t slot) const {
    return static_cast<char*>(heap_.mapped) + (size_t{set} * kSlots + slot) * stride_;
  }

  void write_set(uint32_t set, const kit::Buffer& data) const {
    write_buffer(set, kIo, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, io_);
    for (uint32_t i = 0; i < 4; ++i) write_buffer(set, kData + i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data);
    write_buffer(set, kUniform, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, data);
    write_buffer(set, kTexels, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, data);
    write_buffer(set, kStored, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, data);
    if (!image_.view) return;
    write_image(set, kPicture, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
    write_image(set, kSeen, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);
    if (mode_.is("inputs")) write_image(set, kInput, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT);
  }

  void write_buffer(uint32_t set, uint32_t slot, VkDescriptorType type, const kit::Buffer& buffer) const {
    write_range(set, slot, type, {device_.address(buffer), buffer.size});
  }

  void write_range(uint32_t set, uint32_t slot, VkDescriptorType type,
                   const VkDeviceAddressRangeEXT& range) const {
    VkTexelBufferDescriptorInfoEXT texels{};
    texels.sType = VK_STRUCTURE_TYPE_TEXEL_BUFFER_DESCRIPTOR_INFO_EXT;
    texels.format = VK_FORMAT_R32_UINT;
    texels.addressRange = range;
    const bool is_texels = slot == kTexels || slot == kStored;
    VkResourceDescriptorInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT;
    info.type = type;
    if (is_texels) {
      info.data.pTexelBuffer = &texels;
    } else {
      info.data.pAddressRange = &range;
    }
    const VkHostAddressRangeEXT there{
        place(set, slot),
        static_cast<size_t>(is_texels ? properties_.imageDescriptorSize : properties_.bufferDescriptorSize)};
    kit::check(commands_.write(device_.handle, 1, &info, &there), "vkWriteResourceDescriptorsEXT");
  }

  bool by_memory() const { return mode_.is("memory") || mode_.is("each") || mode_.is("pointer"); }

  void make_memory() {
    memory_ = device_.buffer(64, kUsage);
    auto* const bytes = static_cast<char*>(memory_.mapped);
    const auto write = [&](uint32_t at, uint32_t dword) { std::memcpy(bytes + at, &dword, 4); };
    write(kSetIndex, 1);
    for (uint32_t i = 0; i < 4; ++i) write(kElements + i * 4, kSlots + kData + 3 - i);
    const VkDeviceAddress address = device_.address(data_);
    std::memcpy(bytes + kPointer, &address, sizeof address);
  }

  // What the mode says of this binding, in place of the offset at which its descriptor is.
  void map_specially(uint32_t binding, uint32_t offset, VkDescriptorSetAndBindingMappingEXT& mapping) const {
    auto& data = mapping.sourceData;
    if (mode_.is("address") && binding == 1) {
      mapping.source = VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT;
      data.pushAddressOffset = kAddressAt;
    } else if (mode_.is("pointer") && binding == 1) {
      mapping.source = VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT;
      data.indirectAddress = {kMemoryAt, kPointer};
    } else if (mode_.is("within") && binding == 2) {
      mapping.source = VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT;
      data.heapData = {static_cast<uint32_t>(used_) - kPushedOffset, kIndexAt};
    } else if (mode_.is("each") && binding == 1) {
      mapping.source = VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT;
      auto& index = data.indirectIndexArray;
      index.pushOffset = index.samplerPushOffset = kMemoryAt;
      index.addressOffset = kElements;
      index.heapIndexStride = stride_;
    } else if (mode_.is("memory") || mode_.is("picture")) {
      mapping.source = VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT;
      auto& index = data.indirectIndex;
      index.heapOffset = offset;
      index.pushOffset = index.samplerPushOffset = kMemoryAt;
      index.addressOffset = kSetIndex;
      index.heapIndexStride = kSlots * stride_;
      index.heapArrayStride = stride_;
    } else if (mode_.is("index") || mode_.is("moved") || mode_.is("draws") || mode_.is("rays") ||
               mode_.is("object")) {
      mapping.source = VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT;
      auto& index = data.pushIndex;
      index.heapOffset = offset;
      index.pushOffset = index.samplerPushOffset = kIndexAt;
      index.heapIndexStride = kSlots * stride_;
      index.heapArrayStride = stride_;
    }
  }

  // Binding 0 is io, 1 data, 2 to 4 what else leads to data, and from 5 on what leads to the image.
  void map_bindings() {
    constexpr uint32_t slots[] = {kIo, kData, kUniform, kTexels, kStored, kPicture, kSeen, kSeen, kInput};
    for (uint32_t binding = 0; binding < std::size(slots); ++binding) {
      VkDescriptorSetAndBindingMappingEXT mapping{};
      mapping.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT;
      mapping.descriptorSet = 40;
      mapping.firstBinding = binding;
      mapping.bindingCount = 1;
      mapping.resourceMask = VK_SPIRV_RESOURCE_TYPE_ALL_EXT;
      const uint32_t offset = slots[binding] * stride_;
      mapping.source = VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT;
      map_specially(binding, offset, mapping);
      if (mapping.source == VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT) {
        mapping.sourceData.constantOffset.heapOffset = offset;
        mapping.sourceData.constantOffset.heapArrayStride = stride_;
        if (mode_.is("embedded") && binding == 7)
          mapping.sourceData.constantOffset.pEmbeddedSampler = &sampler_;
      }
      mappings_.push_back(mapping);
    }
    mapped_.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
    mapped_.mappingCount = static_cast<uint32_t>(mappings_.size());
    mapped_.pMappings = mappings_.data();
    flags_.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR;
    flags_.flags = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT;
  }

  void make_pipeline(const std::string& file) {
    VkComputePipelineCreateInfo info{};
    info.pNext = &flags_;
    pipeline_ = compute_pipeline(device_, file, info, &mapped_);
  }

  void make_graphics_pipeline(const std::vector<std::string>& files) {
    canvas_.emplace(device_, kPixels);
    std::vector<VkPipelineShaderStageCreateInfo> stages = graphics_stages(device_, files);
    for (VkPipelineShaderStageCreateInfo& stage : stages) stage.pNext = &mapped_;
    kit::GraphicsState state(kPixels, stages, VK_NULL_HANDLE, canvas_->pass);
    state.info.pNext = &flags_;
    pipeline_ = kit::graphics_pipeline(device_, state.info);
    point_ = VK_PIPELINE_BIND_POINT_GRAPHICS;
  }

  void make_input_pipeline(const std::vector<std::string>& files) {
    picture_.emplace(device_, kPixels);
    inputs_.emplace(device_, *picture_, image_);
    std::vector<VkPipelineShaderStageCreateInfo> stages = graphics_stages(device_, files);
    for (VkPipelineShaderStageCreateInfo& stage : stages) stage.pNext = &mapped_;
    kit::GraphicsState state(kPixels, stages, VK_NULL_HANDLE, inputs_->pass);
    state.info.pNext = &flags_;
    drawing_ = kit::graphics_pipeline(device_, state.info);
  }

  // files: of the ray generation shader, and of the callable one.
  void make_rays(const std::vector<std::string>& files) {
    kit::RayTracingInfo info;
    info.next = &flags_;
    info.callables = {1};
    for (size_t i = 0; i < 2; ++i) {
      info.stages.push_back(
          kit::stage(i == 0 ? VK_SHADER_STAGE_RAYGEN_BIT_KHR : VK_SHADER_STAGE_CALLABLE_BIT_KHR,
                     device_.shader(kit::read_spirv(files.at(i)))));
      info.stages.back().pNext = &mapped_;
    }
    rays_ = kit::ray_tracing(device_, VK_NULL_HANDLE, info);
    pipeline_ = rays_.pipeline;
    point_ = VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
  }

  void make_shader_object(const std::string& file) {
    const std::vector<uint32_t> words = kit::read_spirv(file);
    VkShaderCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
    info.pNext = &mapped_;
    info.flags = VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT;
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = words.size() * 4;
    info.pCode = words.data();
    info.pName = "main";
    kit::check(vkCreateShadersEXT(device_.handle, 1, &info, nullptr, &shader_), "vkCreateShadersEXT");
    device_.later(
        [&device = device_, shader = shader_] { vkDestroyShaderEXT(device.handle, shader, nullptr); });
  }

  void bind(VkCommandBuffer commands) const {
    VkBindHeapInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT;
    info.heapRange = {device_.address(heap_), heap_.size};
    info.reservedRangeOffset = end_;
    info.reservedRangeSize = properties_.minResourceHeapReservedRange;
    commands_.bind(commands, &info);
    if (samplers_.mapped) {
      info.heapRange = {device_.address(samplers_), samplers_.size};
      info.reservedRangeOffset = properties_.samplerDescriptorSize;
      info.reservedRangeSize = properties_.minSamplerHeapReservedRangeWithEmbedded;
      commands_.bind_samplers(commands, &info);
    }
    constexpr VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    if (shader_) {
      vkCmdBindShadersEXT(commands, 1, &stage, &shader_);
    } else {
      vkCmdBindPipeline(commands, point_, pipeline_);
    }
    // In two parts, of which the second one stays as it is.
    push(commands, kAddressAt, {0, 0});
  }

  void push(VkCommandBuffer commands, uint32_t offset, const std::vector<uint32_t>& data) const {
    VkPushDataInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT;
    info.offset = offset;
    info.data = {data.data(), data.size() * 4};
    commands_.push(commands, &info);
  }

  void dispatch(VkCommandBuffer commands, uint32_t step, uint32_t index, const kit::Buffer& data) const {
    const VkDeviceAddress address = device_.address(data);
    push(commands, 0, {step, 2, mode_.is("within") ? kPushedOffset : index});
    if (by_memory() || mode_.is("picture")) {
      const VkDeviceAddress memory = device_.address(memory_);
      push(commands, kMemoryAt, {static_cast<uint32_t>(memory), static_cast<uint32_t>(memory >> 32)});
    }
    if (step == 0 || !mode_.is("fill"))
      push(commands, kAddressAt, {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)});
    if (canvas_) return vkCmdDraw(commands, 3, 1, 0, 0);
    if (rays_.pipeline) return kit::trace(commands, rays_, {kWords, 1});
    vkCmdDispatch(commands, 1, 1, 1);
  }

  kit::Device& device_;
  const Mode mode_;
  const Commands commands_;
  kit::Buffer io_, data_, other_, heap_, samplers_, memory_;
  kit::Image image_, stencil_;
  VkSamplerCreateInfo sampler_{};
  std::optional<kit::Canvas> canvas_;   // what draws write to
  std::optional<kit::Canvas> picture_;  // the same where they read inputs
  std::optional<InputPass> inputs_;
  VkPipeline drawing_ = VK_NULL_HANDLE;
  VkPipelineBindPoint point_ = VK_PIPELINE_BIND_POINT_COMPUTE;
  VkPhysicalDeviceDescriptorHeapPropertiesEXT properties_{};
  uint32_t stride_ = 0;    // from one descriptor to the next
  VkDeviceSize used_ = 0;  // of the heap, by descriptors
  VkDeviceSize end_ = 0;   // of the data behind them
  std::vector<VkDescriptorSetAndBindingMappingEXT> mappings_;
  VkShaderDescriptorSetAndBindingMappingInfoEXT mapped_{};
  VkPipelineCreateFlags2CreateInfoKHR flags_{};
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  kit::RayTracing rays_;
  VkShaderEXT shader_ = VK_NULL_HANDLE;
};

}  // namespace

int main(int argc, char** argv) { return run<Features, Program>(argc, argv); }
