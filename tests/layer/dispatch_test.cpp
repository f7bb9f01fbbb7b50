// SPDX-License-Identifier: Apache-2.0
// Which commands the layer shows and intercepts.
#include <vulkan/vk_layer.h>

#include <dlfcn.h>

#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

using Dispatch = LayerTest;

// Whether the application's call goes to the driver directly.
bool direct(const Device& device, const char* name) {
  return vkGetDeviceProcAddr(device.handle, name) == driver().command(name);
}

// Commands that a device without a printing shader would call most.
const char* const kHot[] = {"vkQueueSubmit",
                            "vkQueueSubmit2",
                            "vkQueueWaitIdle",
                            "vkDeviceWaitIdle",
                            "vkWaitForFences",
                            "vkGetFenceStatus",
                            "vkWaitSemaphores",
                            "vkQueueBindSparse",
                            "vkGetQueryPoolResults",
                            "vkGetSemaphoreCounterValue",
                            "vkCreateComputePipelines",
                            "vkCreateGraphicsPipelines",
                            "vkCreateShaderModule",
                            "vkDestroyPipeline"};

TEST_F(Dispatch, WithPrintfOffNothingIsIntercepted) {
  set("SHADERQA_PRINTF", "false");
  Program program;
  for (const char* name : kHot) EXPECT_TRUE(direct(program.device, name)) << name;
  const null_driver::Log log = driver().log();
  EXPECT_EQ(log.devices.at(0).features, std::set<std::string>());
  EXPECT_EQ(log.allocations.size(), 0u);
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(Dispatch, WithPrintfOnTheyAre) {
  Program program;
  for (const char* name : kHot) EXPECT_FALSE(direct(program.device, name)) << name;
}

TEST_F(Dispatch, CommandsOfRecordingAreNeverIntercepted) {
  Program program;
  for (const char* name : {"vkCmdDispatch", "vkCmdBindPipeline", "vkBeginCommandBuffer", "vkEndCommandBuffer",
                           "vkCreateBuffer", "vkAllocateMemory", "vkMapMemory"}) {
    EXPECT_TRUE(direct(program.device, name)) << name;
  }
}

TEST_F(Dispatch, AnInertDeviceIsNotIntercepted) {
  null_driver::Config config;
  config.missing_features = {"bufferDeviceAddress"};
  driver().reset(config);
  Program program;
  for (const char* name : {"vkQueueSubmit", "vkQueueWaitIdle", "vkWaitForFences", "vkGetFenceStatus"}) {
    EXPECT_TRUE(direct(program.device, name)) << name;
  }
}

TEST_F(Dispatch, WhatTheDriverLacksIsMissing) {
  null_driver::Config config;
  config.missing_commands = {"vkQueueSubmit2", "vkQueueSubmit2KHR", "vkGetFenceStatus", "vkCreateShadersEXT",
                             "vkGetQueryPoolResults"};
  driver().reset(config);
  Program program({}, {nullptr, nullptr, {"VK_EXT_shader_object"}});
  for (const std::string& name : config.missing_commands) {
    EXPECT_EQ(vkGetDeviceProcAddr(program.device.handle, name.c_str()), nullptr) << name;
  }
  create_and_destroy_compute(program.device, shaders::prints_comp);
}

TEST_F(Dispatch, CommandsOfExtensionsThatAreNotEnabledAreMissing) {
  Program program;
  for (const char* name :
       {"vkCreateShadersEXT", "vkDestroyShaderEXT", "vkGetShaderBinaryDataEXT",
        "vkCreateRayTracingPipelinesKHR", "vkCreateRayTracingPipelinesNV", "vkQueuePresentKHR",
        "vkAcquireNextImageKHR", "vkQueueSubmit2KHR", "vkWaitSemaphoresKHR"}) {
    EXPECT_EQ(vkGetDeviceProcAddr(program.device.handle, name), nullptr) << name;
  }
}

// libplacebo calls them if it gets them, and loaders hand them out in any case.
TEST_F(Dispatch, DebugUtilsThatTheInstanceDoesNotHaveDoNothing) {
  set("SHADERQA_SYNC", "bloom");
  null_driver::Config config;
  config.missing_commands = {"vkSetDebugUtilsObjectNameEXT", "vkQueueBeginDebugUtilsLabelEXT",
                             "vkQueueEndDebugUtilsLabelEXT"};
  driver().reset(config);
  Program program;
  const VkDevice device = program.device.handle;
  VkDebugUtilsObjectNameInfoEXT name{};
  name.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  name.objectType = VK_OBJECT_TYPE_DEVICE;
  const auto set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      vkGetDeviceProcAddr(device, "vkSetDebugUtilsObjectNameEXT"));
  if (!set_name) GTEST_SKIP() << "this loader does not hand them out";
  EXPECT_EQ(set_name(device, &name), VK_SUCCESS);
  VkDebugUtilsLabelEXT label{};
  label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  label.pLabelName = "frame";
  const auto begin = reinterpret_cast<PFN_vkQueueBeginDebugUtilsLabelEXT>(
      vkGetDeviceProcAddr(device, "vkQueueBeginDebugUtilsLabelEXT"));
  const auto end = reinterpret_cast<PFN_vkQueueEndDebugUtilsLabelEXT>(
      vkGetDeviceProcAddr(device, "vkQueueEndDebugUtilsLabelEXT"));
  ASSERT_TRUE(begin && end);
  begin(program.device.queue, &label);
  end(program.device.queue);
}

TEST_F(Dispatch, AliasesAreInterceptedToo) {
  Program program({}, {nullptr, nullptr, {"VK_KHR_synchronization2", "VK_KHR_timeline_semaphore"}});
  for (const char* name : {"vkQueueSubmit2KHR", "vkWaitSemaphoresKHR", "vkGetSemaphoreCounterValueKHR"}) {
    EXPECT_NE(vkGetDeviceProcAddr(program.device.handle, name), nullptr) << name;
    EXPECT_FALSE(direct(program.device, name)) << name;
  }
}

TEST_F(Dispatch, WithOnlyTheAliasesInTheDriverTheyWork) {
  null_driver::Config config;
  config.missing_commands = {"vkQueueSubmit2", "vkWaitSemaphores", "vkGetSemaphoreCounterValue",
                             "vkGetBufferDeviceAddress"};
  driver().reset(config);
  Program program({},
                  {nullptr,
                   nullptr,
                   {"VK_KHR_synchronization2", "VK_KHR_timeline_semaphore", "VK_KHR_buffer_device_address"}});
  EXPECT_EQ(program.device.vk.vkQueueSubmit2KHR(program.device.queue, 0, nullptr, VK_NULL_HANDLE),
            VK_SUCCESS);
  EXPECT_EQ(driver().log().calls["vkQueueSubmit2"], 1u);
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

// The layer alone, without the loader: what its own vkGet*ProcAddr answer.
class Negotiation : public LayerTest {
 protected:
  Negotiation() : library_(dlopen(SHADERQA_LAYER_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
    negotiate_ = reinterpret_cast<PFN_vkNegotiateLoaderLayerInterfaceVersion>(
        dlsym(library_, "vkNegotiateLoaderLayerInterfaceVersion"));
  }
  ~Negotiation() override { dlclose(library_); }

  static VkNegotiateLayerInterface offer(uint32_t version) {
    VkNegotiateLayerInterface offered{};
    offered.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT;
    offered.loaderLayerInterfaceVersion = version;
    return offered;
  }

  void* library_;
  PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate_ = nullptr;
};

TEST_F(Negotiation, AcceptsItsVersionAndClampsNewerOnes) {
  for (const uint32_t version : {2u, 3u, 100u}) {
    VkNegotiateLayerInterface offered = offer(version);
    EXPECT_EQ(negotiate_(&offered), VK_SUCCESS);
    EXPECT_EQ(offered.loaderLayerInterfaceVersion, 2u);
    EXPECT_NE(offered.pfnGetInstanceProcAddr, nullptr);
    EXPECT_NE(offered.pfnGetDeviceProcAddr, nullptr);
  }
}

TEST_F(Negotiation, RejectsWhatItDoesNotUnderstand) {
  for (const uint32_t version : {0u, 1u}) {
    VkNegotiateLayerInterface offered = offer(version);
    EXPECT_EQ(negotiate_(&offered), VK_ERROR_INITIALIZATION_FAILED);
    EXPECT_EQ(offered.pfnGetInstanceProcAddr, nullptr);
  }
  VkNegotiateLayerInterface wrong_type = offer(2);
  wrong_type.sType = LAYER_NEGOTIATE_UNINTIALIZED;
  EXPECT_EQ(negotiate_(&wrong_type), VK_ERROR_INITIALIZATION_FAILED);
  EXPECT_EQ(negotiate_(nullptr), VK_ERROR_INITIALIZATION_FAILED);
}

TEST_F(Negotiation, ItsProcAddressesKnowGlobalCommandsWithoutAnInstance) {
  VkNegotiateLayerInterface offered = offer(2);
  ASSERT_EQ(negotiate_(&offered), VK_SUCCESS);
  const auto get = offered.pfnGetInstanceProcAddr;
  for (const char* name : {"vkCreateInstance", "vkGetInstanceProcAddr",
                           "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties"}) {
    EXPECT_NE(get(VK_NULL_HANDLE, name), nullptr) << name;
  }
  // Layers above ask for it without an instance (RenderDoc's).
  EXPECT_NE(get(VK_NULL_HANDLE, "vkCreateDevice"), nullptr);
  EXPECT_EQ(get(VK_NULL_HANDLE, "vkDestroyInstance"), nullptr);
  EXPECT_EQ(get(VK_NULL_HANDLE, "vkQueueSubmit"), nullptr);
  EXPECT_EQ(offered.pfnGetDeviceProcAddr(VK_NULL_HANDLE, "vkQueueSubmit"), nullptr);
}

TEST_F(Negotiation, EnumerationsAnswerForTheLayerOnly) {
  VkNegotiateLayerInterface offered = offer(2);
  ASSERT_EQ(negotiate_(&offered), VK_SUCCESS);
  const auto extensions = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      offered.pfnGetInstanceProcAddr(VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties"));
  uint32_t count = 99;
  EXPECT_EQ(extensions("VK_LAYER_SHADERQA_instrument", &count, nullptr), VK_SUCCESS);
  EXPECT_NE(count, 99u);
  EXPECT_EQ(extensions("VK_LAYER_of_someone_else", &count, nullptr), VK_ERROR_LAYER_NOT_PRESENT);
  EXPECT_EQ(extensions(nullptr, &count, nullptr), VK_ERROR_LAYER_NOT_PRESENT);
  const auto layers = reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(
      offered.pfnGetInstanceProcAddr(VK_NULL_HANDLE, "vkEnumerateInstanceLayerProperties"));
  VkLayerProperties properties{};
  count = 1;
  EXPECT_EQ(layers(&count, &properties), VK_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_STREQ(properties.layerName, "VK_LAYER_SHADERQA_instrument");
}

TEST_F(Dispatch, ADeviceHasNoInstanceCommands) {
  Program program;
  for (const char* name :
       {"vkCreateInstance", "vkDestroyInstance", "vkCreateDevice", "vkEnumeratePhysicalDevices",
        "vkEnumerateDeviceExtensionProperties", "vkCreateDebugUtilsMessengerEXT"}) {
    EXPECT_EQ(vkGetDeviceProcAddr(program.device.handle, name), nullptr) << name;
  }
}

using Arguments = LayerTest;

TEST_F(Arguments, NoApplicationInfoAndNoFeatures) {
  Program program({0, false, {}, nullptr});
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(driver().log().devices.at(0).result, VK_SUCCESS);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(Arguments, ApiVersionZeroIs10) {
  Program program({0, true, {}, nullptr});
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(Arguments, AnApplicationsOwnVersionIsKeptWhereItSuffices) {
  { Instance instance({VK_API_VERSION_1_3, true, {}, nullptr}); }
  EXPECT_EQ(driver().log().instances.at(0).api_version, VK_API_VERSION_1_3);
}

TEST_F(Arguments, DestroyingNullIsNothing) {
  Program program;
  const Device& device = program.device;
  device.vk.vkDestroyPipeline(device.handle, VK_NULL_HANDLE, nullptr);
  device.vk.vkDestroyShaderModule(device.handle, VK_NULL_HANDLE, nullptr);
  vkDestroyInstance(VK_NULL_HANDLE, nullptr);
}

TEST_F(Arguments, NamesOfObjectsReachTheDriver) {
  Program program({VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr});
  const VkShaderModule module = create_module(program.device, shaders::prints_comp);
  VkDebugUtilsObjectNameInfoEXT name{};
  name.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  name.objectType = VK_OBJECT_TYPE_SHADER_MODULE;
  name.objectHandle = reinterpret_cast<uint64_t>(module);
  name.pObjectName = "my shader";
  const auto set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      vkGetDeviceProcAddr(program.device.handle, "vkSetDebugUtilsObjectNameEXT"));
  ASSERT_NE(set_name, nullptr);
  EXPECT_EQ(set_name(program.device.handle, &name), VK_SUCCESS);
  EXPECT_EQ(driver().log().names.begin()->second, "my shader");
  program.device.vk.vkDestroyShaderModule(program.device.handle, module, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
