// SPDX-License-Identifier: Apache-2.0
// Which pipelines and shader objects with descriptor heaps are checked, and what of them reaches the driver.
#include <string>
#include <vector>

#include "tests/layer/heap_kit.h"

namespace shaderqa::layer_tests {
namespace {

using HeapPipelines = HeapTest;

TEST_F(HeapPipelines, PipelinesAreCheckedAndKeepTheirMappings) {
  const VkPipeline pipeline = create({at_offset(64)});
  const null_driver::PipelineRecord made = driver().log().pipelines.back();
  EXPECT_EQ(made.handle, reinterpret_cast<uint64_t>(pipeline));
  EXPECT_EQ(made.layout, VkPipelineLayout{});
  ASSERT_EQ(made.stages.size(), 1u);
  EXPECT_NE(made.stages[0].words, shaders::accesses_comp);
  EXPECT_EQ(made.stages[0].chain,
            null_driver::Chain{VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT});
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_F(HeapPipelines, ShaderObjectsHaveTheAddressAtTheEnd) {
  const VkShaderEXT shader =
      create_object(VK_SHADER_STAGE_COMPUTE_BIT, shaders::accesses_comp, at_index(4, 512));
  EXPECT_EQ(notes(), std::vector<std::string>());
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 4, {2});
  use(commands, VK_SHADER_STAGE_COMPUTE_BIT, shader);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "4: 2", "filled", "record", "dispatch"}));
  EXPECT_EQ(table_of(0, 0), kHeap + 1024);
}

// The checked version is made later, from a copy.
class HeapPipelinesAtFirstUse : public HeapTest {
 protected:
  HeapPipelinesAtFirstUse() : HeapTest({{"SHADERQA_START", "first_use"}}) {}
};

TEST_F(HeapPipelinesAtFirstUse, TheCheckedVersionHasTheMappings) {
  VkSamplerCreateInfo sampler{};
  sampler.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  Mapping mapped = at_offset(128);
  mapped.sourceData.constantOffset.pEmbeddedSampler = &sampler;
  const VkPipeline pipeline = create({mapped});
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  mapped = {};
  sampler = {};
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  use(commands, pipeline);
  dispatch(commands);
  end(commands);
  // The layer makes others, too, meanwhile.
  const null_driver::PipelineRecord made = record_of(bound_in(commands).at(0));
  EXPECT_NE(made.stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(made.layout, VkPipelineLayout{});
  EXPECT_EQ(made.chain, null_driver::Chain{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO});
  EXPECT_EQ(made.stages[0].chain,
            null_driver::Chain{VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT});
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "pipeline", "filled", "record", "dispatch"}));
  EXPECT_EQ(table_of(0, 0), kHeap);
}

class HeapPipelinesForRays : public HeapTest {
 protected:
  HeapPipelinesForRays()
      : HeapTest({}, {VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME}) {}
  VkPipeline create_rays(const Mapping& mapped, VkPipelineCreateFlags2 more = 0) {
    VkShaderDescriptorSetAndBindingMappingInfoEXT mappings{};
    mappings.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
    mappings.mappingCount = 1;
    mappings.pMappings = &mapped;
    VkPipelineCreateFlags2CreateInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    flags.flags = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT | more;
    const VkShaderModule module = create_module(device(), shaders::accesses_rgen);
    VkPipelineShaderStageCreateInfo stage = stage_info(VK_SHADER_STAGE_RAYGEN_BIT_KHR, module);
    stage.pNext = &mappings;
    VkRayTracingShaderGroupCreateInfoKHR group{};
    group.sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR;
    group.type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
    group.closestHitShader = group.anyHitShader = group.intersectionShader = VK_SHADER_UNUSED_KHR;
    VkRayTracingPipelineCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
    info.pNext = &flags;
    info.stageCount = info.groupCount = 1;
    info.pStages = &stage;
    info.pGroups = &group;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vk().vkCreateRayTracingPipelinesKHR(device().handle, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info,
                                              nullptr, &pipeline),
          "vkCreateRayTracingPipelinesKHR");
    vk().vkDestroyShaderModule(device().handle, module, nullptr);
    pipelines_.push_back(pipeline);
    return pipeline;
  }
  Words words() { return driver().log().pipelines.back().stages.at(0).words; }
};

TEST_F(HeapPipelinesForRays, PipelinesAreChecked) {
  const VkPipeline pipeline = create_rays(at_index(4, 256));
  EXPECT_NE(words(), shaders::accesses_rgen);
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 4, {3});
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
  const VkStridedDeviceAddressRegionKHR table{};
  vk().vkCmdTraceRaysKHR(commands, &table, &table, &table, &table, 1, 1, 1);
  end(commands);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "4: 3", "pipeline", "filled", "record"}));
  EXPECT_EQ(table_of(0, 0), kHeap + 3 * 256);
  EXPECT_EQ(notes_about("descriptor heaps").size(), 0u);
}

// What they say is in memory that the device alone knows.
TEST_F(HeapPipelinesForRays, ShaderRecordsAreSaid) {
  create_rays(mapping(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT));
  EXPECT_EQ(notes_about("where they are is said by a shader record").size(), 1u);
}

TEST_F(HeapPipelinesForRays, LibrariesStayAsTheyAre) {
  create_rays(at_offset(0), VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR);
  EXPECT_EQ(words(), shaders::accesses_rgen);
  EXPECT_EQ(notes_about("they are linked from libraries").size(), 1u);
}

// Where the device generates commands, it pushes data.
class HeapPipelinesWithGeneratedCommands : public HeapTest {
 protected:
  HeapPipelinesWithGeneratedCommands() : HeapTest({}, {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME}) {}
};

TEST_F(HeapPipelinesWithGeneratedCommands, PipelinesStayAsTheyAre) {
  create({at_offset(0)});
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(notes_about("commands that the device generates").size(), 1u);
}

class HeapPipelinesOfTheFilter : public HeapTest {
 protected:
  HeapPipelinesOfTheFilter() : HeapTest({}, {}, "bloom") {}
};

TEST_F(HeapPipelinesOfTheFilter, PipelinesStayAsTheyAre) {
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 8, {5, 6});
  use(commands, create({at_offset(0)}));
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "8: 5 6", "pipeline", "dispatch"}));
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(notes_about("does not follow such descriptors").size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
