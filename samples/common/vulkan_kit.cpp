// SPDX-License-Identifier: Apache-2.0
#include "vulkan_kit.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "layer/vk/handle_value.h"

namespace kit {

void check(VkResult result, const char* call) {
  if (result < 0) throw std::runtime_error(std::string(call) + " returned " + std::to_string(result));
}

void memory_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags made,
                    VkPipelineStageFlags to, VkAccessFlags seen) {
  const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .pNext = nullptr,
                                .srcAccessMask = made,
                                .dstAccessMask = seen};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void bind_descriptor_buffer(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
                            VkDeviceAddress address) {
  VkDescriptorBufferBindingInfoEXT bound{};
  bound.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT;
  bound.address = address;
  bound.usage =
      VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  vkCmdBindDescriptorBuffersEXT(commands, 1, &bound);
  const uint32_t index = 0;
  const VkDeviceSize offset = 0;
  vkCmdSetDescriptorBufferOffsetsEXT(commands, point, layout, 0, 1, &index, &offset);
}

void compute_barrier(VkCommandBuffer commands) {
  memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<uint32_t> read_spirv(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<uint32_t> words(static_cast<size_t>(file.tellg()) / 4);
  file.seekg(0).read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
  return words;
}

uint64_t checksum(std::span<const uint32_t> words, uint64_t hash) {
  for (const uint32_t word : words) hash = (hash ^ word) * 0x100000001b3u;
  return hash;
}

Device::Device(const DeviceOptions& options) {
  try {
    create_instance(options);
    create_device(options);
  } catch (...) {
    for (auto it = cleanup_.rbegin(); it != cleanup_.rend(); ++it) (*it)();
    throw;
  }
}

Device::~Device() {
  vkDeviceWaitIdle(handle);
  for (auto it = cleanup_.rbegin(); it != cleanup_.rend(); ++it) (*it)();
}

void Device::create_instance(const DeviceOptions& options) {
  check(volkInitialize(), "loading libvulkan.so.1");
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pNext = nullptr,
                                      .pApplicationName = "shaderqa vulkan kit",
                                      .applicationVersion = 1,
                                      .pEngineName = nullptr,
                                      .engineVersion = 0,
                                      .apiVersion = options.api_version};
  const VkInstanceCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pNext = options.instance_next,
      .flags = 0,
      .pApplicationInfo = &application,
      .enabledLayerCount = 0,
      .ppEnabledLayerNames = nullptr,
      .enabledExtensionCount = static_cast<uint32_t>(options.instance_extensions.size()),
      .ppEnabledExtensionNames = options.instance_extensions.data()};
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  volkLoadInstance(instance);
  later([this] { vkDestroyInstance(instance, nullptr); });

  uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> gpus(count);
  check(vkEnumeratePhysicalDevices(instance, &count, gpus.data()), "vkEnumeratePhysicalDevices");
  if (options.device_index >= count)
    throw std::runtime_error("no Vulkan device " + std::to_string(options.device_index) +
                             ", this machine has " + std::to_string(count));
  gpu = gpus[options.device_index];
  vkGetPhysicalDeviceProperties(gpu, &properties);
}

void Device::create_device(const DeviceOptions& options) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(gpu, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(gpu, &count, families.data());
  const VkQueueFlags wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const auto& f) { return (f.queueFlags & wanted) == wanted; });
  if (family == families.end()) throw std::runtime_error("no queue family with graphics and compute");
  queue_family = static_cast<uint32_t>(family - families.begin());
  const uint32_t queue_count = std::min(options.queue_count, family->queueCount);
  const std::vector<float> priorities(queue_count, 1.0f);
  std::vector<VkDeviceQueueCreateInfo> queue_infos;
  queue_infos.push_back({.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                         .pNext = nullptr,
                         .flags = 0,
                         .queueFamilyIndex = queue_family,
                         .queueCount = queue_count,
                         .pQueuePriorities = priorities.data()});
  for (uint32_t i = 0; options.other_family && queue_infos.size() == 1 && i < count; ++i) {
    if (i == queue_family || (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    other_queue_family = i;
    queue_infos.push_back(queue_infos[0]);
    queue_infos[1].queueFamilyIndex = i;
    queue_infos[1].queueCount = 1;
  }
  auto extensions = options.device_extensions;
  // debugPrintfEXT is an instruction of a non-semantic set: before Vulkan 1.3 the device must be told.
  if (options.api_version < VK_API_VERSION_1_3 &&
      has_extension(VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME))
    extensions.push_back(VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME);
  const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = options.device_next,
                                .flags = 0,
                                .queueCreateInfoCount = static_cast<uint32_t>(queue_infos.size()),
                                .pQueueCreateInfos = queue_infos.data(),
                                .enabledLayerCount = 0,
                                .ppEnabledLayerNames = nullptr,
                                .enabledExtensionCount = static_cast<uint32_t>(extensions.size()),
                                .ppEnabledExtensionNames = extensions.data(),
                                .pEnabledFeatures = &options.features};
  check(vkCreateDevice(gpu, &info, nullptr, &handle), "vkCreateDevice");
  volkLoadDevice(handle);
  later([this] { vkDestroyDevice(handle, nullptr); });
  queues.resize(queue_count);
  for (uint32_t i = 0; i < queue_count; ++i) vkGetDeviceQueue(handle, queue_family, i, &queues[i]);
  if (queue_infos.size() > 1) vkGetDeviceQueue(handle, other_queue_family, 0, &other_queue);
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .pNext = nullptr,
                                          .flags = 0,
                                          .queueFamilyIndex = queue_family};
  check(vkCreateCommandPool(handle, &pool_info, nullptr, &pool_), "vkCreateCommandPool");
  later([this] { vkDestroyCommandPool(handle, pool_, nullptr); });
}

bool Device::has_extension(const char* name) const {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(gpu, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(gpu, nullptr, &count, extensions.data());
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

std::optional<uint32_t> Device::memory_type(const VkMemoryRequirements& requirements,
                                            VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(gpu, &memory);
  for (uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    if ((requirements.memoryTypeBits >> type & 1u) &&
        (memory.memoryTypes[type].propertyFlags & wanted) == wanted)
      return type;
  }
  return std::nullopt;
}

VkDeviceMemory Device::allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags wanted,
                                bool with_address) {
  const std::optional<uint32_t> type = memory_type(requirements, wanted);
  if (!type) throw std::runtime_error("no memory type fits");
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .pNext = nullptr,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
                                        .deviceMask = 0};
  const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = with_address ? &flags : nullptr,
                                  .allocationSize = requirements.size,
                                  .memoryTypeIndex = *type};
  VkDeviceMemory result;
  check(vkAllocateMemory(handle, &info, nullptr, &result), "vkAllocateMemory");
  later([this, result] { vkFreeMemory(handle, result, nullptr); });
  return result;
}

void Device::query(void* extending_properties) const {
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = extending_properties;
  vkGetPhysicalDeviceProperties2(gpu, &all);
}

Buffer Device::buffer(VkDeviceSize size, VkBufferUsageFlags usage, bool on_device, const void* next) {
  return mapped_buffer(size, usage, on_device ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT : 0, next);
}

Buffer Device::readback_buffer(VkDeviceSize size) {
  return mapped_buffer(size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, nullptr);
}

Buffer Device::mapped_buffer(VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags preferred,
                             const void* next) {
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .pNext = next,
                                .flags = 0,
                                .size = size,
                                .usage = usage,
                                .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
                                .queueFamilyIndexCount = 0,
                                .pQueueFamilyIndices = nullptr};
  Buffer result{.size = size};
  check(vkCreateBuffer(handle, &info, nullptr, &result.handle), "vkCreateBuffer");
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(handle, result.handle, &requirements);
  VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (memory_type(requirements, wanted | preferred)) wanted |= preferred;
  result.memory = allocate(requirements, wanted, (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0);
  // Added after its memory, so destroyed before it.
  later([this, buffer = result.handle] { vkDestroyBuffer(handle, buffer, nullptr); });
  check(vkBindBufferMemory(handle, result.handle, result.memory, 0), "vkBindBufferMemory");
  check(vkMapMemory(handle, result.memory, 0, VK_WHOLE_SIZE, 0, &result.mapped), "vkMapMemory");
  std::memset(result.mapped, 0, size);
  return result;
}

VkDeviceAddress Device::address(const Buffer& buffer) const {
  const VkBufferDeviceAddressInfo info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .pNext = nullptr, .buffer = buffer.handle};
  return vkGetBufferDeviceAddress(handle, &info);
}

void Device::name(const Buffer& buffer, const char* name) {
  const VkDebugUtilsObjectNameInfoEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                           .pNext = nullptr,
                                           .objectType = VK_OBJECT_TYPE_BUFFER,
                                           .objectHandle = shaderqa::layer::handle_value(buffer.handle),
                                           .pObjectName = name};
  check(vkSetDebugUtilsObjectNameEXT(handle, &info), "vkSetDebugUtilsObjectNameEXT");
}

Image Device::image(VkFormat format, VkExtent2D extent, VkImageUsageFlags usage, VkImageAspectFlags aspect,
                    uint32_t layers) {
  const VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .pNext = nullptr,
                               .flags = 0,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = format,
                               .extent = {extent.width, extent.height, 1},
                               .mipLevels = 1,
                               .arrayLayers = layers,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .tiling = VK_IMAGE_TILING_OPTIMAL,
                               .usage = usage,
                               .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
                               .queueFamilyIndexCount = 0,
                               .pQueueFamilyIndices = nullptr,
                               .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
  Image result;
  check(vkCreateImage(handle, &info, nullptr, &result.handle), "vkCreateImage");
  VkMemoryRequirements requirements;
  vkGetImageMemoryRequirements(handle, result.handle, &requirements);
  const VkDeviceMemory memory = allocate(requirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  later([this, image = result.handle] { vkDestroyImage(handle, image, nullptr); });
  check(vkBindImageMemory(handle, result.handle, memory, 0), "vkBindImageMemory");
  const VkImageViewCreateInfo view_info{
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .pNext = nullptr,
      .flags = 0,
      .image = result.handle,
      .viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
      .format = format,
      .components = {},
      .subresourceRange = {aspect, 0, 1, 0, layers}};
  check(vkCreateImageView(handle, &view_info, nullptr, &result.view), "vkCreateImageView");
  later([this, view = result.view] { vkDestroyImageView(handle, view, nullptr); });
  return result;
}

VkShaderModule Device::shader(std::span<const uint32_t> words) {
  const VkShaderModuleCreateInfo info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .pNext = nullptr,
                                      .flags = 0,
                                      .codeSize = words.size_bytes(),
                                      .pCode = words.data()};
  VkShaderModule result;
  check(vkCreateShaderModule(handle, &info, nullptr, &result), "vkCreateShaderModule");
  later([this, result] { vkDestroyShaderModule(handle, result, nullptr); });
  return result;
}

VkDescriptorSetLayout Device::set_layout(std::span<const VkDescriptorSetLayoutBinding> bindings,
                                         const void* next, VkDescriptorSetLayoutCreateFlags flags) {
  const VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                             .pNext = next,
                                             .flags = flags,
                                             .bindingCount = static_cast<uint32_t>(bindings.size()),
                                             .pBindings = bindings.data()};
  VkDescriptorSetLayout result;
  check(vkCreateDescriptorSetLayout(handle, &info, nullptr, &result), "vkCreateDescriptorSetLayout");
  later([this, result] { vkDestroyDescriptorSetLayout(handle, result, nullptr); });
  return result;
}

VkDescriptorSet Device::descriptor_set(VkDescriptorSetLayout layout,
                                       std::span<const VkDescriptorSetLayoutBinding> bindings) {
  std::vector<VkDescriptorPoolSize> sizes;
  for (const auto& binding : bindings) sizes.push_back({binding.descriptorType, binding.descriptorCount});
  const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .pNext = nullptr,
                                             .flags = 0,
                                             .maxSets = 1,
                                             .poolSizeCount = static_cast<uint32_t>(sizes.size()),
                                             .pPoolSizes = sizes.data()};
  VkDescriptorPool pool;
  check(vkCreateDescriptorPool(handle, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
  later([this, pool] { vkDestroyDescriptorPool(handle, pool, nullptr); });
  const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                         .pNext = nullptr,
                                         .descriptorPool = pool,
                                         .descriptorSetCount = 1,
                                         .pSetLayouts = &layout};
  VkDescriptorSet result;
  check(vkAllocateDescriptorSets(handle, &info, &result), "vkAllocateDescriptorSets");
  return result;
}

void Device::write_buffer(VkDescriptorSet set, uint32_t binding, const Buffer& buffer,
                          VkDescriptorType type) {
  const VkDescriptorBufferInfo range{.buffer = buffer.handle, .offset = 0, .range = VK_WHOLE_SIZE};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .pNext = nullptr,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .dstArrayElement = 0,
                                   .descriptorCount = 1,
                                   .descriptorType = type,
                                   .pImageInfo = nullptr,
                                   .pBufferInfo = &range,
                                   .pTexelBufferView = nullptr};
  vkUpdateDescriptorSets(handle, 1, &write, 0, nullptr);
}

VkPipelineLayout Device::pipeline_layout(std::span<const VkDescriptorSetLayout> sets,
                                         VkShaderStageFlags push_stages, uint32_t push_bytes) {
  const VkPushConstantRange range{.stageFlags = push_stages, .offset = 0, .size = push_bytes};
  const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        .pNext = nullptr,
                                        .flags = 0,
                                        .setLayoutCount = static_cast<uint32_t>(sets.size()),
                                        .pSetLayouts = sets.data(),
                                        .pushConstantRangeCount = push_bytes != 0 ? 1u : 0u,
                                        .pPushConstantRanges = &range};
  VkPipelineLayout result;
  check(vkCreatePipelineLayout(handle, &info, nullptr, &result), "vkCreatePipelineLayout");
  later([this, result] { vkDestroyPipelineLayout(handle, result, nullptr); });
  return result;
}

VkPipeline Device::compute_pipeline(std::span<const uint32_t> words, VkPipelineLayout layout,
                                    const char* entry_point) {
  const VkComputePipelineCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .pNext = nullptr,
      .flags = 0,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = nullptr,
                .flags = 0,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = shader(words),
                .pName = entry_point,
                .pSpecializationInfo = nullptr},
      .layout = layout,
      .basePipelineHandle = VK_NULL_HANDLE,
      .basePipelineIndex = -1};
  VkPipeline result;
  check(vkCreateComputePipelines(handle, VK_NULL_HANDLE, 1, &info, nullptr, &result),
        "vkCreateComputePipelines");
  later([this, result] { vkDestroyPipeline(handle, result, nullptr); });
  return result;
}

Compute Device::compute(std::span<const uint32_t> words, const std::vector<Buffer>& buffers,
                        uint32_t push_bytes, const char* entry_point, uint32_t uniforms) {
  Compute result;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < buffers.size(); ++i)
    bindings.push_back({i,
                        i + uniforms < buffers.size() ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                                      : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                        1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  std::vector<VkDescriptorSetLayout> sets;
  if (!bindings.empty()) {
    sets.push_back(set_layout(bindings));
    result.set = descriptor_set(sets[0], bindings);
    for (uint32_t i = 0; i < buffers.size(); ++i)
      write_buffer(result.set, i, buffers[i], bindings[i].descriptorType);
  }
  result.layout = pipeline_layout(sets, VK_SHADER_STAGE_COMPUTE_BIT, push_bytes);
  result.pipeline = compute_pipeline(words, result.layout, entry_point);
  return result;
}

VkCommandBuffer Device::begin() {
  const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                         .pNext = nullptr,
                                         .commandPool = pool_,
                                         .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                         .commandBufferCount = 1};
  VkCommandBuffer result;
  check(vkAllocateCommandBuffers(handle, &info, &result), "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .pNext = nullptr,
                                            .flags = 0,
                                            .pInheritanceInfo = nullptr};
  check(vkBeginCommandBuffer(result, &begin_info), "vkBeginCommandBuffer");
  return result;
}

void Device::free(VkCommandBuffer commands) { vkFreeCommandBuffers(handle, pool_, 1, &commands); }

void Device::run(VkCommandBuffer commands, uint32_t queue) {
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  const VkFenceCreateInfo fence_info{
      .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .pNext = nullptr, .flags = 0};
  VkFence fence;
  check(vkCreateFence(handle, &fence_info, nullptr, &fence), "vkCreateFence");
  const VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                            .pNext = nullptr,
                            .waitSemaphoreCount = 0,
                            .pWaitSemaphores = nullptr,
                            .pWaitDstStageMask = nullptr,
                            .commandBufferCount = 1,
                            .pCommandBuffers = &commands,
                            .signalSemaphoreCount = 0,
                            .pSignalSemaphores = nullptr};
  VkResult result = vkQueueSubmit(queues[queue], 1, &submit, fence);
  if (result == VK_SUCCESS) result = vkWaitForFences(handle, 1, &fence, VK_TRUE, UINT64_MAX);
  vkDestroyFence(handle, fence, nullptr);
  check(result, "submitting and waiting");
}

}  // namespace kit
