// SPDX-License-Identifier: Apache-2.0
// Cases with compute shaders.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "runner.h"

namespace runner {
namespace {

void record(VkCommandBuffer commands, const kit::Compute& compute, uint32_t groups) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &compute.set, 0,
                          nullptr);
  vkCmdDispatch(commands, groups, 1, 1);
}

void dispatch(kit::Device& device, const kit::Compute& compute, uint32_t groups, bool free = false) {
  VkCommandBuffer commands = device.begin();
  record(commands, compute, groups);
  device.run(commands);
  if (free) device.free(commands);
}

}  // namespace

int run_compute(const Arguments& arguments) {
  RunnerDevice device(arguments);
  const kit::Buffer io = device->buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const std::string entry_point = arguments.text("entry", "main");
  for (const auto& file : arguments.files) {
    const auto compute = device->compute(kit::read_spirv(file), {io}, 0, entry_point.c_str());
    for (uint32_t i = 0; i < arguments.number("repeat", 1); ++i)
      dispatch(*device, compute, arguments.number("groups", 1), arguments.number("free", 0) != 0);
  }
  print_result(io);
  end_as_asked(arguments);
  return EXIT_SUCCESS;
}

int run_threads(const Arguments& arguments) {
  RunnerDevice device(arguments);
  std::mutex submit_mutex;  // command pool and queue are externally synchronised
  const auto work = [&](uint32_t) {
    const kit::Buffer io = device->buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    for (const auto& file : arguments.files) {
      const auto compute = device->compute(kit::read_spirv(file), {io});
      const std::lock_guard lock(submit_mutex);
      dispatch(*device, compute, arguments.number("groups", 1));
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < arguments.number("threads", 8); ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  std::puts("done");
  return EXIT_SUCCESS;
}

int run_live(const Arguments& arguments) {
  RunnerDevice device(arguments);
  const kit::Buffer io = device->buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, /*on_device=*/true);
  const auto compute = device->compute(kit::read_spirv(arguments.files.at(0)), {io});
  // Whoever started this can end the shader, or the process in the middle of it.
  std::thread switcher([&] {
    std::printf("pid: %d\n", getpid());
    std::fflush(stdout);
    char line[16];
    if (std::fgets(line, sizeof line, stdin) == nullptr) return;
    if (std::strncmp(line, "exit", 4) == 0) {
      // A wait that times out comes back when the layer has noted what it has delivered so far.
      const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
      VkFence never = VK_NULL_HANDLE;
      kit::check(vkCreateFence(device->handle, &info, nullptr, &never), "vkCreateFence");
      vkWaitForFences(device->handle, 1, &never, VK_TRUE, 0);
      _exit(0);
    }
    if (std::strncmp(line, "abort", 5) == 0) std::abort();
    __atomic_store_n(&io.as<uint32_t>()[0], 1u, __ATOMIC_RELEASE);
  });
  dispatch(*device, compute, arguments.number("groups", 1));
  switcher.join();
  std::puts("done");
  return EXIT_SUCCESS;
}

int run_inline(const Arguments& arguments) {
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{};
  maintenance5.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR;
  maintenance5.maintenance5 = VK_TRUE;
  RunnerDevice device(arguments, {}, {VK_KHR_MAINTENANCE_5_EXTENSION_NAME}, &maintenance5);
  const kit::Buffer io = device->buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                             VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  const VkDescriptorSetLayout set_layout = device->set_layout({&binding, 1});
  kit::Compute compute;
  compute.set = device->descriptor_set(set_layout, {&binding, 1});
  device->write_buffer(compute.set, 0, io);
  compute.layout = device->pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, 0);
  const auto words = kit::read_spirv(arguments.files.at(0));
  const VkShaderModuleCreateInfo module{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                        .pNext = nullptr,
                                        .flags = 0,
                                        .codeSize = words.size() * 4,
                                        .pCode = words.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = &module;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = "main";
  info.layout = compute.layout;
  kit::check(vkCreateComputePipelines(device->handle, VK_NULL_HANDLE, 1, &info, nullptr, &compute.pipeline),
             "vkCreateComputePipelines");
  dispatch(*device, compute, arguments.number("groups", 1));
  vkDestroyPipeline(device->handle, compute.pipeline, nullptr);
  print_result(io);
  return EXIT_SUCCESS;
}

namespace {

struct Received {
  std::vector<std::string> texts;
  bool all_on_this_thread = true;
  std::thread::id thread = std::this_thread::get_id();
};

VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  auto& received = *static_cast<Received*>(user);
  received.all_on_this_thread &= received.thread == std::this_thread::get_id();
  received.texts.push_back(data->pMessage);
  return VK_FALSE;
}

void name_object(kit::Device& device, VkObjectType type, uint64_t object, const char* name) {
  const VkDebugUtilsObjectNameInfoEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                           .pNext = nullptr,
                                           .objectType = type,
                                           .objectHandle = object,
                                           .pObjectName = name};
  kit::check(vkSetDebugUtilsObjectNameEXT(device.handle, &info), "vkSetDebugUtilsObjectNameEXT");
}

}  // namespace

int run_messenger(const Arguments& arguments) {
  RunnerDevice device(arguments, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  Received received;
  VkDebugUtilsMessengerCreateInfoEXT messenger_info{};
  messenger_info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger_info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
  messenger_info.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger_info.pfnUserCallback = receive;
  messenger_info.pUserData = &received;
  VkDebugUtilsMessengerEXT messenger;
  kit::check(vkCreateDebugUtilsMessengerEXT(device->instance, &messenger_info, nullptr, &messenger),
             "vkCreateDebugUtilsMessengerEXT");

  const kit::Buffer io = device->buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const auto compute = device->compute(kit::read_spirv(arguments.files.at(0)), {io});
  name_object(*device, VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(compute.pipeline),
              "the named pipeline");
  VkCommandBuffer commands = device->begin();
  record(commands, compute, 1);
  if (arguments.text("wait") == "idle") {
    kit::check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    kit::check(vkQueueSubmit(device->queues[0], 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    kit::check(vkQueueWaitIdle(device->queues[0]), "vkQueueWaitIdle");
  } else {
    device->run(commands);
  }
  // Everything must have been received by now.
  for (const auto& text : received.texts) std::printf("received: %s\n", text.c_str());
  std::printf("on this thread: %s\n", received.all_on_this_thread ? "yes" : "no");
  vkDestroyDebugUtilsMessengerEXT(device->instance, messenger, nullptr);
  return EXIT_SUCCESS;
}

}  // namespace runner
