// SPDX-License-Identifier: Apache-2.0
// Pipeline layouts get the reserved set, where that is possible.
#include "tests/layer/descriptor_kit.h"

namespace shaderqa::layer_tests {
namespace {

using DescriptorLayouts = SyncTest;

VkResult create_layout(const Device& device, const std::vector<VkDescriptorSetLayout>& sets,
                       VkPipelineLayout& layout, VkPipelineLayoutCreateFlags flags = 0) {
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.flags = flags;
  info.setLayoutCount = static_cast<uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  return device.vk.vkCreatePipelineLayout(device.handle, &info, nullptr, &layout);
}

// What the driver was last given for it.
null_driver::PipelineLayoutRecord create_and_destroy(const Device& device,
                                                     const std::vector<VkDescriptorSetLayout>& sets,
                                                     VkPipelineLayoutCreateFlags flags = 0) {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(create_layout(device, sets, layout, flags), "vkCreatePipelineLayout");
  null_driver::PipelineLayoutRecord record;  // the newest one: handles are used again
  for (const auto& made : driver().log().pipeline_layouts)
    if (made.handle == layout) record = made;
  EXPECT_EQ(record.push_constants.size(), 1u);
  device.vk.vkDestroyPipelineLayout(device.handle, layout, nullptr);
  return record;
}

null_driver::SetLayoutRecord record_of(VkDescriptorSetLayout layout) {
  null_driver::SetLayoutRecord found;
  for (const auto& record : driver().log().set_layouts) {
    if (record.handle == layout) found = record;
  }
  return found;
}

// A set layout of the application's for one test.
struct TestLayout {
  TestLayout(const Device& its_device, const std::vector<BindingOptions>& bindings,
             VkDescriptorSetLayoutCreateFlags flags = 0)
      : device(its_device), handle(create_set_layout(its_device, bindings, flags)) {}
  ~TestLayout() { device.vk.vkDestroyDescriptorSetLayout(device.handle, handle, nullptr); }
  TestLayout(const TestLayout&) = delete;
  TestLayout& operator=(const TestLayout&) = delete;
  const Device& device;
  VkDescriptorSetLayout handle;
};

const std::vector<BindingOptions> kOneBuffer = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};

TEST_F(DescriptorLayouts, GetTheReservedSet) {
  Program program;
  const TestLayout sets(program.device, kOneBuffer);
  const auto record = create_and_destroy(program.device, {sets.handle, sets.handle});
  ASSERT_EQ(record.set_layouts.size(), 8u);
  EXPECT_EQ(record.set_layouts[0], sets.handle);
  EXPECT_EQ(record.set_layouts[1], sets.handle);
  for (size_t i = 2; i < 7; ++i) {
    EXPECT_EQ(record.set_layouts[i], record.set_layouts[2]);
    EXPECT_TRUE(record_of(record.set_layouts[i]).bindings.empty());
  }
  const auto reserved = record_of(record.set_layouts[7]);
  ASSERT_EQ(reserved.bindings.size(), 1u);
  EXPECT_EQ(reserved.bindings[0].binding, 0u);
  EXPECT_EQ(reserved.bindings[0].descriptorType, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
  EXPECT_EQ(reserved.bindings[0].descriptorCount, 1u);
  EXPECT_EQ(reserved.bindings[0].stageFlags, VkShaderStageFlags(VK_SHADER_STAGE_ALL));
  EXPECT_EQ(notes_about("some layouts"), std::vector<std::string>());
}

TEST_F(DescriptorLayouts, TheReservedSetIsAtMostNumber15) {
  null_driver::Config config;
  config.max_bound_sets = 32;
  driver().reset(config);
  Program program;
  EXPECT_EQ(create_and_destroy(program.device, {}).set_layouts.size(), 16u);
}

TEST_F(DescriptorLayouts, WithoutSyncNothingChanges) {
  unset("SHADERQA_SYNC");
  Program program;
  const TestLayout sets(program.device, kOneBuffer);
  EXPECT_EQ(create_and_destroy(program.device, {sets.handle}).set_layouts.size(), 1u);
}

null_driver::Config without_constants() {
  null_driver::Config config;
  config.max_push_constants = 0;
  return config;
}

TEST_F(DescriptorLayouts, ThatUseTheReservedSetStayAsTheyAre) {
  driver().reset(without_constants());
  Program program;
  const TestLayout sets(program.device, kOneBuffer);
  const std::vector<VkDescriptorSetLayout> all(8, sets.handle);
  EXPECT_EQ(create_and_destroy(program.device, all).set_layouts, all);
  EXPECT_EQ(create_and_destroy(program.device, all).set_layouts, all);
  const auto notes = notes_about("descriptor set 7");
  EXPECT_EQ(notes.size(), 1u);
  const std::vector<VkDescriptorSetLayout> seven(7, sets.handle);
  EXPECT_EQ(create_and_destroy(program.device, seven).set_layouts.size(), 8u);
}

TEST_F(DescriptorLayouts, OfDescriptorBuffersStayAsTheyAre) {
  Program program;
  const TestLayout sets(program.device, kOneBuffer,
                        VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
  EXPECT_EQ(create_and_destroy(program.device, {sets.handle}).set_layouts.size(), 1u);
  EXPECT_EQ(notes_about("descriptor buffers").size(), 1u);
}

TEST_F(DescriptorLayouts, AtALimitOfTheDeviceStayAsTheyAre) {
  null_driver::Config config;
  config.max_dynamic_uniform_buffers = 4;
  config.max_stage_uniform_buffers = 6;
  driver().reset(config);
  Program program;
  const TestLayout dynamic(program.device, {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 3}});
  const TestLayout one_more(program.device, {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1}});
  const TestLayout several(program.device, {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 6}});
  EXPECT_EQ(create_and_destroy(program.device, {dynamic.handle}).set_layouts.size(), 8u);
  EXPECT_EQ(create_and_destroy(program.device, {dynamic.handle, one_more.handle}).set_layouts.size(), 2u);
  EXPECT_EQ(create_and_destroy(program.device, {several.handle}).set_layouts.size(), 1u);
}

// The reserved set is one more.
TEST_F(DescriptorLayouts, OneBelowALimitOfUniformBuffersGetTheReservedSet) {
  const auto sets_beside = [](uint32_t per_stage, uint32_t buffers) {
    null_driver::Config config;
    config.max_stage_uniform_buffers = per_stage;
    config.max_stage_resources = 1 << 20;
    driver().reset(config);
    Program program;
    const TestLayout layout(program.device, {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, buffers}});
    return create_and_destroy(program.device, {layout.handle}).set_layouts.size();
  };
  EXPECT_EQ(sets_beside(6, 5), 8u);
  EXPECT_EQ(sets_beside(6, 6), 1u);
  EXPECT_EQ(sets_beside(1024, 1023), 8u);
  EXPECT_EQ(sets_beside(4096, 1023), 8u) << "of the whole layout";
  EXPECT_EQ(sets_beside(4096, 1024), 1u);
}

TEST_F(DescriptorLayouts, AtTheLimitOfAStagesResourcesStayAsTheyAre) {
  null_driver::Config config = without_constants();
  config.max_stage_resources = 4;
  driver().reset(config);
  Program program;
  const TestLayout three(program.device, {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2},
                                          {1, VK_DESCRIPTOR_TYPE_SAMPLER, 8},
                                          {2, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 64}});
  const TestLayout one_more(program.device, {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}});
  const TestLayout not_counted(program.device, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1000}},
                               VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT);
  EXPECT_EQ(create_and_destroy(program.device, {three.handle}).set_layouts.size(), 8u);
  EXPECT_EQ(create_and_destroy(program.device, {three.handle, not_counted.handle}).set_layouts.size(), 8u);
  const std::vector<VkDescriptorSetLayout> full{three.handle, one_more.handle};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(create_and_destroy(program.device, full).set_layouts, full);
  EXPECT_EQ(notes_about("as many resources as the device allows").size(), 1u);
}

TEST_F(DescriptorLayouts, ARefusedLayoutIsReplacedByTheOriginal) {
  Program program;
  const TestLayout sets(program.device, kOneBuffer);
  null_driver::Config config;
  config.faults = {{"vkCreatePipelineLayout", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  EXPECT_EQ(create_and_destroy(program.device, {sets.handle}).set_layouts.size(), 1u);
  EXPECT_EQ(notes_about("refuses the longer layout").size(), 1u);
  EXPECT_EQ(create_and_destroy(program.device, {sets.handle}).set_layouts.size(), 8u);
}

TEST_F(DescriptorLayouts, ThatTheDriverRefusesBothWaysAreRefused) {
  Program program;
  null_driver::Config config;
  config.faults = {{"vkCreatePipelineLayout", 0, VK_ERROR_OUT_OF_HOST_MEMORY}};
  driver().configure(config);
  VkPipelineLayout layout = VK_NULL_HANDLE;
  EXPECT_EQ(create_layout(program.device, {}, layout), VK_ERROR_OUT_OF_HOST_MEMORY);
}

TEST_F(DescriptorLayouts, WithoutTheReservedSetsLayoutStayAsTheyAre) {
  null_driver::Config config = without_constants();
  driver().reset(config);
  Program program;
  const TestLayout sets(program.device, kOneBuffer);
  config.faults = {{"vkCreateDescriptorSetLayout", 2, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  EXPECT_EQ(create_and_destroy(program.device, {sets.handle}).set_layouts.size(), 1u);
  EXPECT_EQ(notes_about("the descriptor set layout that the check needs").size(), 1u);
}

// The reserved set is compatible only where those before it are the same. Libraries leave sets to each other:
// that of the pre-rasterization stages, and that of the fragment stage.
TEST_F(DescriptorLayouts, WithIndependentSetsMayHaveNone) {
  Program program;
  const TestLayout sets(program.device, kOneBuffer);
  const VkDescriptorSetLayout none = VK_NULL_HANDLE;
  const size_t before = driver().log().pipeline_layouts.size();
  const auto record = create_and_destroy(program.device, {none, sets.handle},
                                         VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT);
  ASSERT_EQ(record.set_layouts.size(), 8u);
  const VkDescriptorSetLayout empty = record.set_layouts[0], own = record.set_layouts[7];
  EXPECT_TRUE(record_of(empty).bindings.empty());
  EXPECT_EQ(record.set_layouts, (std::vector{empty, sets.handle, empty, empty, empty, empty, empty, own}));
  EXPECT_EQ(record.flags, VkPipelineLayoutCreateFlags(VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT));
  const auto& made = driver().log().pipeline_layouts;
  ASSERT_EQ(made.size(), before + 3);
  EXPECT_EQ(made[before + 1].set_layouts,
            (std::vector{none, sets.handle, none, none, none, none, none, own}));
  EXPECT_EQ(made[before + 2].set_layouts,
            (std::vector{none, sets.handle, empty, empty, empty, empty, empty, own}));
}

// What is linked with the one must not look for the record where the other has its last set.
TEST_F(DescriptorLayouts, WithIndependentSetsHaveNoRecordAfterOneThatUsesAllSets) {
  constexpr auto independent = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
  Program program;
  const TestLayout sets(program.device, kOneBuffer);
  VkPipelineLayout few = VK_NULL_HANDLE, ordinary = VK_NULL_HANDLE;
  check(create_layout(program.device, {sets.handle}, few, independent), "vkCreatePipelineLayout");
  check(create_layout(program.device, {sets.handle}, ordinary), "vkCreatePipelineLayout");
  const auto is_checked = [&](VkPipelineLayout layout) {
    const VkShaderModule module = create_module(program.device, shaders::accesses_comp);
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
    info.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(program.device.vk.vkCreateComputePipelines(program.device.handle, VK_NULL_HANDLE, 1, &info, nullptr,
                                                     &pipeline),
          "vkCreateComputePipelines");
    program.device.vk.vkDestroyShaderModule(program.device.handle, module, nullptr);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
    return driver().log().pipelines.back().stages.at(0).words != shaders::accesses_comp;
  };
  EXPECT_TRUE(is_checked(few));
  const std::vector<VkDescriptorSetLayout> all(8, sets.handle);
  EXPECT_EQ(create_and_destroy(program.device, all, independent).set_layouts, all);
  EXPECT_FALSE(is_checked(few));
  EXPECT_TRUE(is_checked(ordinary));
  for (const VkPipelineLayout layout : {few, ordinary})
    program.device.vk.vkDestroyPipelineLayout(program.device.handle, layout, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
