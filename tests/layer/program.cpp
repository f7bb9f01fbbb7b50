// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/program.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "tests/layer/fake_gpu.h"

namespace shaderqa::layer_tests {

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS)
    throw std::runtime_error(std::string(what) + ": VkResult " + std::to_string(result));
}

Instance::Instance(const InstanceOptions& options) {
  check(volkInitialize(), "volkInitialize");
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = options.api_version;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = options.next;
  info.pApplicationInfo = options.application_info ? &application : nullptr;
  info.enabledExtensionCount = static_cast<uint32_t>(options.extensions.size());
  info.ppEnabledExtensionNames = options.extensions.data();
  check(vkCreateInstance(&info, nullptr, &handle), "vkCreateInstance");
  volkLoadInstanceOnly(handle);
  uint32_t count = 1;
  check(vkEnumeratePhysicalDevices(handle, &count, &physical_device), "vkEnumeratePhysicalDevices");
}

VkResult Device::create(const Instance& instance, const DeviceOptions& options, VkDevice& device) {
  const std::vector<float> priorities(*std::ranges::max_element(options.queues), 1.0f);
  std::vector<VkDeviceQueueCreateInfo> queue_infos;
  for (const uint32_t count : options.queues) {
    VkDeviceQueueCreateInfo queue_info{};
    queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue_info.queueFamilyIndex = static_cast<uint32_t>(queue_infos.size());
    queue_info.queueCount = count;
    queue_info.pQueuePriorities = priorities.data();
    queue_infos.push_back(queue_info);
  }
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = options.next;
  info.queueCreateInfoCount = static_cast<uint32_t>(queue_infos.size());
  info.pQueueCreateInfos = queue_infos.data();
  info.pEnabledFeatures = options.features;
  info.enabledExtensionCount = static_cast<uint32_t>(options.extensions.size());
  info.ppEnabledExtensionNames = options.extensions.data();
  return vkCreateDevice(instance.physical_device, &info, nullptr, &device);
}

Device::Device(const Instance& instance, const DeviceOptions& options) {
  check(create(instance, options, handle), "vkCreateDevice");
  volkLoadDeviceTable(&vk, handle);
  vk.vkGetDeviceQueue(handle, 0, 0, &queue);
}

VkShaderModuleCreateInfo module_info(const Words& words) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  return info;
}

VkShaderModule create_module(const Device& device, const Words& words) {
  const VkShaderModuleCreateInfo info = module_info(words);
  VkShaderModule module = VK_NULL_HANDLE;
  check(device.vk.vkCreateShaderModule(device.handle, &info, nullptr, &module), "vkCreateShaderModule");
  return module;
}

VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage, VkShaderModule module) {
  VkPipelineShaderStageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage = stage;
  info.module = module;
  info.pName = "main";
  return info;
}

bool first_use_is_tested() {
  const char* start = std::getenv("TESTED_START");
  return start && start == std::string("first_use");
}

VkPipeline create_compute(const Device& device, const Words& words, VkResult* result) {
  const VkShaderModule module = create_module(device, words);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult created =
      device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
  if (pipeline && first_use_is_tested()) use(device, pipeline);
  if (result) {
    *result = created;
  } else {
    check(created, "vkCreateComputePipelines");
  }
  return pipeline;
}

VkPipeline use(const Device& device, VkPipeline pipeline, VkPipelineBindPoint point) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  VkCommandPool pool = VK_NULL_HANDLE;
  check(device.vk.vkCreateCommandPool(device.handle, &info, nullptr, &pool), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(device.vk.vkAllocateCommandBuffers(device.handle, &allocate, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(device.vk.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  device.vk.vkCmdBindPipeline(commands, point, pipeline);
  check(device.vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkPipeline bound = VK_NULL_HANDLE;
  const null_driver::Log log = driver().log();
  for (const null_driver::CommandRecord& record : log.commands) {
    if (record.command == "CmdBindPipeline" && record.command_buffer == reinterpret_cast<uint64_t>(commands))
      bound = reinterpret_cast<VkPipeline>(record.values.at(1));
  }
  device.vk.vkDestroyCommandPool(device.handle, pool, nullptr);
  return bound;
}

void create_and_destroy_compute(const Device& device, const Words& words) {
  device.vk.vkDestroyPipeline(device.handle, create_compute(device, words), nullptr);
}

VkFence create_fence(const Device& device, VkFenceCreateFlags flags) {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  info.flags = flags;
  VkFence fence = VK_NULL_HANDLE;
  check(device.vk.vkCreateFence(device.handle, &info, nullptr, &fence), "vkCreateFence");
  return fence;
}

}  // namespace shaderqa::layer_tests
