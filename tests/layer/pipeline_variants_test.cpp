// Pipelines that are more than stages with modules: libraries, identifiers, names, several entry points.
#include "tests/layer/layer_test.h"

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
