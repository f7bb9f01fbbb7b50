// SPDX-License-Identifier: Apache-2.0
// Pipelines that are more than stages with modules: libraries, identifiers, names, several entry points.
#include "tests/layer/layer_test.h"
#include "tests/layer/pipelines.h"

namespace shaderqa::layer_tests {
namespace {

using PipelineVariants = LayerTest;

TEST_F(PipelineVariants, ALibrarysChainAndFlagsReachTheDriver) {
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT;
  features.graphicsPipelineLibrary = VK_TRUE;
  Program program({}, {&features, nullptr, {"VK_KHR_pipeline_library", "VK_EXT_graphics_pipeline_library"}});
  const Device& device = program.device;
  const VkShaderModuleCreateInfo code = module_info(shaders::prints_vert);
  VkPipelineShaderStageCreateInfo stage = stage_info(VK_SHADER_STAGE_VERTEX_BIT, VK_NULL_HANDLE);
  stage.pNext = &code;
  VkGraphicsPipelineLibraryCreateInfoEXT library{};
  library.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;
  library.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &library;
  info.flags =
      VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
  info.stageCount = 1;
  info.pStages = &stage;
  VkPipeline part = VK_NULL_HANDLE;
  ASSERT_EQ(device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &part),
            VK_SUCCESS);
  null_driver::PipelineRecord record = driver().log().pipelines.at(0);
  EXPECT_EQ(record.chain, null_driver::Chain{library.sType});
  EXPECT_EQ(record.flags, info.flags);
  EXPECT_NE(record.stages.at(0).words, shaders::prints_vert);

  // Linked: no stages, nothing to do.
  VkPipelineLibraryCreateInfoKHR libraries{};
  libraries.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
  libraries.libraryCount = 1;
  libraries.pLibraries = &part;
  VkGraphicsPipelineCreateInfo link{};
  link.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  link.pNext = &libraries;
  VkPipeline linked = VK_NULL_HANDLE;
  ASSERT_EQ(device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &link, nullptr, &linked),
            VK_SUCCESS);
  EXPECT_EQ(driver().log().pipelines.at(1).stages.size(), 0u);
  device.vk.vkDestroyPipeline(device.handle, linked, nullptr);
  device.vk.vkDestroyPipeline(device.handle, part, nullptr);
}

// Where an application gives only an identifier there are no words.
TEST_F(PipelineVariants, AStageWithoutCodeIsPassedOn) {
  Program program;
  const Device& device = program.device;
  const uint8_t identifier[4] = {1, 2, 3, 4};
  VkPipelineShaderStageModuleIdentifierCreateInfoEXT by_identifier{};
  by_identifier.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT;
  by_identifier.identifierSize = sizeof identifier;
  by_identifier.pIdentifier = identifier;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE);
  info.stage.pNext = &by_identifier;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  EXPECT_EQ(last_stages().at(0).chain, null_driver::Chain{by_identifier.sType});
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
}

// The driver may find the application's own shader in its caches, which nobody could check. What such a
// pipeline must be prepared for is VK_PIPELINE_COMPILE_REQUIRED: the application then brings the code.
TEST_F(PipelineVariants, AnIdentifierIsNotEnough) {
  Program program;
  const Device& device = program.device;
  const uint8_t identifier[4] = {1, 2, 3, 4};
  VkPipelineShaderStageModuleIdentifierCreateInfoEXT by_identifier{};
  by_identifier.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT;
  by_identifier.identifierSize = sizeof identifier;
  by_identifier.pIdentifier = identifier;
  VkComputePipelineCreateInfo infos[2]{};
  infos[0].sType = infos[1].sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  infos[0].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  infos[0].stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE);
  infos[0].stage.pNext = &by_identifier;
  const VkShaderModule module = create_module(device, shaders::prints_comp);
  infos[1].stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
  VkPipeline pipelines[2] = {};
  const auto create = [&] {
    return device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 2, infos, nullptr, pipelines);
  };
  EXPECT_EQ(create(), VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_EQ(pipelines[0], VkPipeline(VK_NULL_HANDLE));
  ASSERT_NE(pipelines[1], VkPipeline(VK_NULL_HANDLE));
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
  device.vk.vkDestroyPipeline(device.handle, pipelines[1], nullptr);

  infos[0].flags |= VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  EXPECT_EQ(create(), VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_EQ(pipelines[0], VkPipeline(VK_NULL_HANDLE));
  EXPECT_EQ(pipelines[1], VkPipeline(VK_NULL_HANDLE));
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

TEST_F(PipelineVariants, PipelinesFromBinariesAreLeftAloneAndSaidOnce) {
  Program program;
  const Device& device = program.device;
  const VkPipelineBinaryKHR binary{};
  VkPipelineBinaryInfoKHR binaries{};
  binaries.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR;
  binaries.binaryCount = 1;
  binaries.pPipelineBinaries = &binary;
  const VkShaderModule module = create_module(device, shaders::prints_comp);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.pNext = &binaries;
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
  for (int i = 0; i < 2; ++i) {
    VkPipeline pipeline = VK_NULL_HANDLE;
    ASSERT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
              VK_SUCCESS);
    EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
    device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
  }
  EXPECT_EQ(notes().size(), 1u);
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

// The binary that the application takes of it is loaded by other runs.
TEST_F(PipelineVariants, ACapturedPipelineIsLeftAlone) {
  Program program({}, {nullptr, nullptr, {"VK_KHR_maintenance5"}});
  const Device& device = program.device;
  VkPipelineCreateFlags2CreateInfoKHR flags{};
  flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR;
  flags.flags = VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR;
  const VkShaderModule module = create_module(device, shaders::prints_comp);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.pNext = &flags;
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

// Nobody looks at what such flags make the driver keep for tools.
TEST_F(PipelineVariants, FlagsForExecutablePropertiesReachTheDriver) {
  Program program;
  const Device& device = program.device;
  const VkShaderModule module = create_module(device, shaders::prints_comp);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
               VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  EXPECT_EQ(driver().log().pipelines.at(0).flags, info.flags);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

// A pipeline of instrumented libraries and nothing else: what is remembered of it must be known before it
// runs.
TEST_F(PipelineVariants, LinkingInstrumentedLibrariesIsNotDeferred) {
  Program program({}, {nullptr, nullptr, pipeline_extensions()});
  const Device& device = program.device;
  const VkShaderModule module = create_module(device, shaders::prints_rgen);
  const VkPipelineShaderStageCreateInfo stage = stage_info(VK_SHADER_STAGE_RAYGEN_BIT_KHR, module);
  VkDeferredOperationKHR operation = VK_NULL_HANDLE;
  check(device.vk.vkCreateDeferredOperationKHR(device.handle, nullptr, &operation),
        "vkCreateDeferredOperationKHR");
  VkRayTracingPipelineCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
  info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  info.stageCount = 1;
  info.pStages = &stage;
  VkPipeline part = VK_NULL_HANDLE, linked = VK_NULL_HANDLE;
  const auto create = [&](VkPipeline* pipeline) {
    return device.vk.vkCreateRayTracingPipelinesKHR(device.handle, operation, VK_NULL_HANDLE, 1, &info,
                                                    nullptr, pipeline);
  };
  EXPECT_EQ(create(&part), VK_OPERATION_NOT_DEFERRED_KHR);
  VkPipelineLibraryCreateInfoKHR libraries{};
  libraries.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
  libraries.libraryCount = 1;
  libraries.pLibraries = &part;
  info.flags = 0;
  info.stageCount = 0;
  info.pLibraryInfo = &libraries;
  EXPECT_EQ(create(&linked), VK_OPERATION_NOT_DEFERRED_KHR);
  EXPECT_NE(linked, VkPipeline(VK_NULL_HANDLE));
  device.vk.vkDestroyDeferredOperationKHR(device.handle, operation, nullptr);
  device.vk.vkDestroyPipeline(device.handle, linked, nullptr);
  device.vk.vkDestroyPipeline(device.handle, part, nullptr);
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

TEST_F(PipelineVariants, WordsThatAreNoSpirvArePassedOn) {
  Program program;
  Words broken = shaders::prints_comp;
  broken[0] = 0xdeadbeef;
  create_and_destroy_compute(program.device, broken);
  EXPECT_EQ(last_stages().at(0).words, broken);
  broken = shaders::prints_comp;
  broken.resize(broken.size() / 2);
  create_and_destroy_compute(program.device, broken);
  EXPECT_EQ(last_stages().at(0).words, broken);
}

TEST_F(PipelineVariants, AnEntryPointThatIsNotThereIsPassedOn) {
  Program program;
  const Device& device = program.device;
  const VkShaderModule module = create_module(device, shaders::prints_comp);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
  info.stage.pName = "elsewhere";
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).entry_point, "elsewhere");
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

TEST_F(PipelineVariants, NoPipelinesIsNoWork) {
  Program program;
  const Device& device = program.device;
  EXPECT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 0, nullptr, nullptr, nullptr),
            VK_SUCCESS);
  EXPECT_EQ(device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 0, nullptr, nullptr, nullptr),
            VK_SUCCESS);
}

}  // namespace
}  // namespace shaderqa::layer_tests
