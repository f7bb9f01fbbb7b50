// SPDX-License-Identifier: Apache-2.0
// A driver that fails: the application sees what it would see without the layer, and can go on.
#include <stdexcept>

#include "tests/layer/layer_test.h"
#include "tests/layer/pipelines.h"

namespace shaderqa::layer_tests {
namespace {

using null_driver::Config;

Config failing(const std::string& command, VkResult result, uint64_t call = 1) {
  Config config;
  config.faults.push_back({command, call, result});
  return config;
}

using Faults = LayerTest;

TEST_F(Faults, AFailedInstanceLeavesNothing) {
  ASSERT_EQ(volkInitialize(), VK_SUCCESS);
  driver().reset(failing("vkCreateInstance", VK_ERROR_OUT_OF_HOST_MEMORY, 0));
  EXPECT_THROW(Instance(), std::runtime_error);
  driver().reset({});
  Program program;
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(Faults, AFailedDeviceLeavesNothing) {
  Instance instance;
  for (const VkResult result :
       {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_DEVICE_LOST, VK_ERROR_TOO_MANY_OBJECTS}) {
    driver().reset(failing("vkCreateDevice", result, 0));
    VkDevice device = VK_NULL_HANDLE;
    EXPECT_EQ(Device::create(instance, {}, device), result);
  }
  driver().reset({});
  Device device(instance);
  create_and_destroy_compute(device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(Faults, AFailedModuleLeavesNothing) {
  Program program;
  driver().configure(failing("vkCreateShaderModule", VK_ERROR_OUT_OF_DEVICE_MEMORY));
  EXPECT_THROW(create_module(program.device, shaders::prints_comp), std::runtime_error);
  create_and_destroy_compute(program.device, shaders::silent_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::silent_comp);
}

TEST_F(Faults, AFailedPipelineFailsForTheApplicationToo) {
  Program program;
  driver().configure(failing("vkCreateComputePipelines", VK_ERROR_OUT_OF_HOST_MEMORY, 0));
  VkResult result = VK_SUCCESS;
  EXPECT_EQ(create_compute(program.device, shaders::prints_comp, &result), VkPipeline(VK_NULL_HANDLE));
  EXPECT_EQ(result, VK_ERROR_OUT_OF_HOST_MEMORY);
  driver().configure({});
  create_and_destroy_compute(program.device, shaders::prints_comp);
}

// The temporary module for the instrumented words is refused.
TEST_F(Faults, ARefusedModuleIsReplacedByTheOriginal) {
  Program program;
  driver().configure(failing("vkCreateShaderModule", VK_ERROR_INVALID_SHADER_NV, 2));
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
}

TEST_F(Faults, ABatchWithARefusedRewriteIsComplete) {
  Config config;
  config.accepted_words = {shaders::prints_comp, shaders::silent_comp};
  driver().reset(config);
  Program program;
  const Device& device = program.device;
  const VkShaderModule modules[] = {create_module(device, shaders::silent_comp),
                                    create_module(device, shaders::prints_comp)};
  VkComputePipelineCreateInfo infos[2] = {};
  for (int i = 0; i < 2; ++i) {
    infos[i].sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    infos[i].stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, modules[i]);
  }
  VkPipeline pipelines[2] = {};
  EXPECT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 2, infos, nullptr, pipelines),
            VK_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(pipelines[i], VkPipeline(VK_NULL_HANDLE));
    device.vk.vkDestroyPipeline(device.handle, pipelines[i], nullptr);
    device.vk.vkDestroyShaderModule(device.handle, modules[i], nullptr);
  }
  EXPECT_EQ(driver().log().live["VkPipeline"], 0) << "pipelines of the first attempt are left";
}

TEST_F(Faults, CompileRequiredIsTheApplicationsResult) {
  Program program;
  driver().configure(failing("vkCreateComputePipelines", VK_PIPELINE_COMPILE_REQUIRED, 0));
  VkResult result = VK_SUCCESS;
  EXPECT_EQ(create_compute(program.device, shaders::prints_comp, &result), VkPipeline(VK_NULL_HANDLE));
  EXPECT_EQ(result, VK_PIPELINE_COMPILE_REQUIRED);
}

TEST_F(Faults, ALostDeviceAtASubmitIsReportedWithWhatItPrinted) {
  Program program;
  const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
  print(site_id(shaders::prints_comp), 4);
  driver().configure(failing("vkQueueSubmit", VK_ERROR_DEVICE_LOST));
  EXPECT_EQ(program.device.vk.vkQueueSubmit(program.device.queue, 0, nullptr, VK_NULL_HANDLE),
            VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 4"});
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

TEST_F(Faults, ALostDeviceAtASubmit2IsReportedWithWhatItPrinted) {
  for (const bool alias : {false, true}) {
    Program program({}, {nullptr, nullptr, {"VK_KHR_synchronization2"}});
    const auto submit = alias ? program.device.vk.vkQueueSubmit2KHR : program.device.vk.vkQueueSubmit2;
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    print(site_id(shaders::prints_comp), alias);
    driver().configure(failing("vkQueueSubmit2", VK_ERROR_DEVICE_LOST));
    EXPECT_EQ(submit(program.device.queue, 0, nullptr, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
    EXPECT_EQ(messages().size(), alias ? 2u : 1u);
  }
}

TEST_F(Faults, ALostDeviceAtOtherCommandsIsReportedWithWhatItPrinted) {
  Program program({}, {nullptr, nullptr, {"VK_KHR_swapchain"}});
  const Device& device = program.device;
  const VkPipeline pipeline = create_compute(device, shaders::prints_comp);
  VkQueryPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  VkQueryPool pool = VK_NULL_HANDLE;
  check(device.vk.vkCreateQueryPool(device.handle, &pool_info, nullptr, &pool), "vkCreateQueryPool");
  Config config;
  for (const char* name :
       {"vkQueueBindSparse", "vkQueuePresentKHR", "vkGetQueryPoolResults", "vkAcquireNextImageKHR"}) {
    config.faults.push_back({name, 0, VK_ERROR_DEVICE_LOST});
  }
  driver().configure(config);
  print(site_id(shaders::prints_comp), 0);
  uint64_t value = 0;
  EXPECT_EQ(device.vk.vkGetQueryPoolResults(device.handle, pool, 0, 1, sizeof value, &value, sizeof value, 0),
            VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 0"});
  // The same device again: no harm.
  VkPresentInfoKHR present{};
  present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  uint32_t index = 0;
  EXPECT_EQ(device.vk.vkQueuePresentKHR(device.queue, &present), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(device.vk.vkQueueBindSparse(device.queue, 0, nullptr, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(device.vk.vkAcquireNextImageKHR(device.handle, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, VK_NULL_HANDLE,
                                            &index),
            VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(messages().size(), 1u);
  device.vk.vkDestroyQueryPool(device.handle, pool, nullptr);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
}

// Each of the layer's own calls fails once, at each of the first times that it is made.
TEST_F(Faults, NoFailureOfTheLayersOwnCallsBreaksTheApplication) {
  for (const char* command : {"vkCreateBuffer", "vkAllocateMemory", "vkBindBufferMemory", "vkMapMemory"}) {
    for (uint64_t call = 1; call <= 8; ++call) {
      driver().reset(failing(command, VK_ERROR_OUT_OF_DEVICE_MEMORY, call));
      Program program;
      create_and_destroy_compute(program.device, shaders::prints_comp);
    }
    driver().reset(failing(command, VK_ERROR_OUT_OF_DEVICE_MEMORY, 0));
    Program program;
    create_and_destroy_compute(program.device, shaders::prints_comp);
    EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp) << command;
  }
}

TEST_F(Faults, AFailedShaderObjectFailsForTheApplicationToo) {
  for (const VkResult result : {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_UNKNOWN}) {
    driver().reset({});
    Program program({}, {nullptr, nullptr, pipeline_extensions()});
    driver().configure(failing("vkCreateShadersEXT", result, 0));
    PipelineMaker maker(program.device, Kind::shader_objects, Code::module);
    EXPECT_EQ(maker.create(printing_stages(Kind::shader_objects)), result);
    EXPECT_EQ(driver().log().calls["vkCreateShadersEXT"], 3u)
        << "with both rewritten, without the first one, as the application has them";
    driver().configure({});
    EXPECT_EQ(maker.create(printing_stages(Kind::shader_objects)), VK_SUCCESS);
  }
}

}  // namespace
}  // namespace shaderqa::layer_tests
