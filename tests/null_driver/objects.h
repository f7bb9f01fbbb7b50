// SPDX-License-Identifier: Apache-2.0
// The driver's objects. Dispatchable ones begin with the word in which the loader keeps its dispatch table.
#ifndef SHADERQA_TESTS_NULL_DRIVER_OBJECTS_H
#define SHADERQA_TESTS_NULL_DRIVER_OBJECTS_H

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan_core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace shaderqa::null_driver {

struct Dispatchable {
  VK_LOADER_DATA loader_data{};
  Dispatchable() { set_loader_magic_value(&loader_data); }
};

struct Instance;
struct PhysicalDevice : Dispatchable {
  Instance* instance = nullptr;
};
struct Instance : Dispatchable {
  uint32_t api_version = VK_API_VERSION_1_0;  // what the application asked for
  std::set<std::string> extensions;
  PhysicalDevice physical_device;
};

struct Device;
struct Queue : Dispatchable {
  Device* device = nullptr;
  uint32_t family = 0;
};
struct Device : Dispatchable {
  Instance* instance = nullptr;
  uint32_t api_version = VK_API_VERSION_1_0;  // the lesser of the application's and the driver's
  std::set<std::string> extensions;
  std::set<std::string> features;
  std::vector<std::unique_ptr<Queue>> queues;
};
struct CommandBuffer : Dispatchable {
  Device* device = nullptr;
};

struct Object {
  const char* type_name = "";
  Device* owner = nullptr;
  Object() = default;
  Object(Object&&) = default;
  Object& operator=(Object&&) = default;
  virtual ~Object() = default;
};

struct Memory : Object {
  static constexpr const char* kName = "VkDeviceMemory";
  std::unique_ptr<std::byte[], void (*)(std::byte*)> owned{nullptr, [](std::byte*) {}};
  std::byte* bytes = nullptr;
  uint64_t size = 0;
  uint32_t type = 0;
  VkMemoryAllocateFlags flags = 0;
  bool mapped = false;
};
struct Buffer : Object {
  static constexpr const char* kName = "VkBuffer";
  uint64_t size = 0;
  VkBufferUsageFlags2 usage = 0;
  std::byte* address = nullptr;
};
struct Image : Object {
  static constexpr const char* kName = "VkImage";
  uint64_t size = 0;
};
struct ImageView : Object {
  static constexpr const char* kName = "VkImageView";
};
struct Swapchain : Object {
  static constexpr const char* kName = "VkSwapchainKHR";
  std::vector<VkImage> images;
};
struct Framebuffer : Object {
  static constexpr const char* kName = "VkFramebuffer";
};
struct ShaderModule : Object {
  static constexpr const char* kName = "VkShaderModule";
  std::vector<uint32_t> words;
};
struct Pipeline : Object {
  static constexpr const char* kName = "VkPipeline";
  std::vector<std::array<uint32_t, 4>> stack_sizes;  // of the shader groups' parts
};
struct Shader : Object {
  static constexpr const char* kName = "VkShaderEXT";
  std::vector<uint32_t> words;
};
struct PipelineLayout : Object {
  static constexpr const char* kName = "VkPipelineLayout";
};
struct PipelineCache : Object {
  static constexpr const char* kName = "VkPipelineCache";
};
struct DescriptorSetLayout : Object {
  static constexpr const char* kName = "VkDescriptorSetLayout";
};
struct BufferView : Object {
  static constexpr const char* kName = "VkBufferView";
};
struct DescriptorPool : Object {
  static constexpr const char* kName = "VkDescriptorPool";
  std::set<VkDescriptorSet> sets;
};
struct DescriptorSet : Object {
  static constexpr const char* kName = "VkDescriptorSet";
};
struct IndirectCommandsLayout : Object {
  static constexpr const char* kName = "VkIndirectCommandsLayoutEXT";
};
struct UpdateTemplate : Object {
  static constexpr const char* kName = "VkDescriptorUpdateTemplate";
  uint64_t descriptors = 0;
};
struct Fence : Object {
  static constexpr const char* kName = "VkFence";
  bool signaled = false;
};
struct Semaphore : Object {
  static constexpr const char* kName = "VkSemaphore";
  uint64_t value = 0;
};
struct Sampler : Object {
  static constexpr const char* kName = "VkSampler";
};
struct QueryPool : Object {
  static constexpr const char* kName = "VkQueryPool";
};
struct AccelerationStructure : Object {
  static constexpr const char* kName = "VkAccelerationStructureKHR";
};
struct RenderPass : Object {
  static constexpr const char* kName = "VkRenderPass";
};
struct CommandPool : Object {
  static constexpr const char* kName = "VkCommandPool";
  std::vector<std::unique_ptr<CommandBuffer>> buffers;
};
// Until it is joined, the application's structures are all there is of the pipelines.
struct DeferredOperation : Object {
  static constexpr const char* kName = "VkDeferredOperationKHR";
  VkResult result = VK_SUCCESS;
  uint32_t count = 0;
  const VkRayTracingPipelineCreateInfoKHR* create_infos = nullptr;
  VkPipeline* pipelines = nullptr;
};

}  // namespace shaderqa::null_driver
#endif
