// SPDX-License-Identifier: Apache-2.0
// An application: an instance and a device made through the loader, with our layer in between.
#ifndef SHADERQA_TESTS_LAYER_PROGRAM_H
#define SHADERQA_TESTS_LAYER_PROGRAM_H

#include <volk.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/layer/shaders.h"

namespace shaderqa::layer_tests {

// Throws where Vulkan says that something went wrong.
void check(VkResult result, const char* what);

struct InstanceOptions {
  uint32_t api_version = VK_API_VERSION_1_3;
  bool application_info = true;
  std::vector<const char*> extensions;
  const void* next = nullptr;
};

struct DeviceOptions {
  const void* next = nullptr;
  const VkPhysicalDeviceFeatures* features = nullptr;
  std::vector<const char*> extensions;
  std::vector<uint32_t> queues = {1};  // how many of each family
};
inline DeviceOptions two_queues() {
  DeviceOptions options;
  options.queues = {2};
  return options;
}

class Instance {
 public:
  explicit Instance(const InstanceOptions& options = {});
  ~Instance() { vkDestroyInstance(handle, nullptr); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
};

class Device {
 public:
  explicit Device(const Instance& instance, const DeviceOptions& options = {});
  ~Device() { vk.vkDestroyDevice(handle, nullptr); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  // As the constructor, for a creation that may fail.
  static VkResult create(const Instance& instance, const DeviceOptions& options, VkDevice& device);

  VkDevice handle = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VolkDeviceTable vk{};  // from vkGetDeviceProcAddr, so without the loader's detours
};

VkShaderModuleCreateInfo module_info(const Words& words);
VkShaderModule create_module(const Device& device, const Words& words);
VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage, VkShaderModule module);

// The variable TESTED_START is the value of the setting `start` that tests run with, or else `creation`. With
// first_use what creates a pipeline also uses it.
bool first_use_is_tested();
// With a shader module of its own that is destroyed again. *result: instead of a throw.
VkPipeline create_compute(const Device& device, const Words& words, VkResult* result = nullptr);
// Binds it in a command buffer, so that its checked version is made where that happens at the first use.
// Returns what the driver was told to bind.
VkPipeline use(const Device& device, VkPipeline pipeline,
               VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_COMPUTE);
// From creation to destruction.
void create_and_destroy_compute(const Device& device, const Words& words);

VkFence create_fence(const Device& device, VkFenceCreateFlags flags = 0);

// Both: an instance, its device.
struct Program {
  explicit Program(const InstanceOptions& instance_options = {}, const DeviceOptions& device_options = {})
      : instance(instance_options), device(instance, device_options) {}
  Instance instance;
  Device device;
};

}  // namespace shaderqa::layer_tests
#endif
