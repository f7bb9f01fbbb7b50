// SPDX-License-Identifier: Apache-2.0
// Stack sizes that the application computed for its own shaders are raised to what the instrumented ones
// need.
#include <optional>

#include "tests/layer/layer_test.h"
#include "tests/layer/pipelines.h"

namespace shaderqa::layer_tests {
namespace {

class RayTracingStack : public LayerTest {
 protected:
  RayTracingStack() {
    program_.emplace(InstanceOptions{}, DeviceOptions{nullptr, nullptr, pipeline_extensions()});
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    check(vk().vkCreateCommandPool(device().handle, &pool, nullptr, &pool_), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = pool_;
    allocate.commandBufferCount = 1;
    check(vk().vkAllocateCommandBuffers(device().handle, &allocate, &commands_), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    check(vk().vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  }
  // Before LayerTest looks for what was left.
  void TearDown() override {
    for (const VkPipeline pipeline : pipelines_) destroy(pipeline);
    vk().vkDestroyCommandPool(device().handle, pool_, nullptr);
    program_.reset();
    LayerTest::TearDown();
  }
  const Device& device() const { return program_->device; }
  const VolkDeviceTable& vk() const { return program_->device.vk; }
  void destroy(VkPipeline pipeline) { vk().vkDestroyPipeline(device().handle, pipeline, nullptr); }

  // A ray-generation and a miss shader; what a library has is added to it.
  VkPipeline create(bool dynamic, uint32_t depth, VkPipelineCreateFlags flags = 0,
                    std::vector<VkPipeline> libraries = {}) {
    const VkShaderModule modules[] = {create_module(device(), shaders::prints_rgen),
                                      create_module(device(), shaders::prints_rmiss)};
    const VkPipelineShaderStageCreateInfo stages[] = {stage_info(VK_SHADER_STAGE_RAYGEN_BIT_KHR, modules[0]),
                                                      stage_info(VK_SHADER_STAGE_MISS_BIT_KHR, modules[1])};
    VkRayTracingShaderGroupCreateInfoKHR groups[2]{};
    for (uint32_t i = 0; i < 2; ++i) {
      groups[i].sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR;
      groups[i].type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
      groups[i].generalShader = i;
      groups[i].closestHitShader = groups[i].anyHitShader = groups[i].intersectionShader =
          VK_SHADER_UNUSED_KHR;
    }
    VkPipelineLibraryCreateInfoKHR link{};
    link.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
    link.libraryCount = static_cast<uint32_t>(libraries.size());
    link.pLibraries = libraries.data();
    const VkDynamicState stack = VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR;
    VkPipelineDynamicStateCreateInfo states{};
    states.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    states.dynamicStateCount = 1;
    states.pDynamicStates = &stack;
    VkRayTracingPipelineCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
    info.flags = flags;
    info.stageCount = info.groupCount = libraries.empty() ? 2 : 1;
    info.pStages = stages;
    info.pGroups = groups;
    info.maxPipelineRayRecursionDepth = depth;
    info.pLibraryInfo = libraries.empty() ? nullptr : &link;
    info.pDynamicState = dynamic ? &states : nullptr;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vk().vkCreateRayTracingPipelinesKHR(device().handle, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info,
                                              nullptr, &pipeline),
          "vkCreateRayTracingPipelinesKHR");
    for (const VkShaderModule module : modules) vk().vkDestroyShaderModule(device().handle, module, nullptr);
    pipelines_.push_back(pipeline);
    return pipeline;
  }

  // What becomes of a size.
  uint64_t set_size(uint32_t size) {
    vk().vkCmdSetRayTracingPipelineStackSizeKHR(commands_, size);
    return driver().log().commands.back().values.at(0);
  }
  // Words of a stage of the driver's latest pipeline: shaders of the null driver need so many bytes of stack.
  static uint64_t words_of_stage(size_t stage) { return last_stages().at(stage).words.size(); }

  std::optional<Program> program_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  std::vector<VkPipeline> pipelines_;
};

TEST_F(RayTracingStack, ConstantsAreRaised) {
  create(true, 3);
  const uint64_t needed = words_of_stage(0) + 3 * words_of_stage(1);
  ASSERT_GT(words_of_stage(0), shaders::prints_rgen.size());
  EXPECT_EQ(set_size(16), needed);
  EXPECT_EQ(set_size(static_cast<uint32_t>(needed) - 1), needed);
}

TEST_F(RayTracingStack, LargerOnesStay) {
  create(true, 1);
  EXPECT_EQ(set_size(1u << 30), 1u << 30);
}

TEST_F(RayTracingStack, PipelinesThatDoNotSetItRaiseNothing) {
  create(false, 8);
  EXPECT_EQ(set_size(16), 16u);
}

TEST_F(RayTracingStack, TheMostDemandingPipelineCountsWhileItLives) {
  const VkPipeline deep = create(true, 5);
  create(true, 1);
  const uint64_t raygen = words_of_stage(0), miss = words_of_stage(1);
  EXPECT_EQ(set_size(16), raygen + 5 * miss);
  std::erase(pipelines_, deep);
  destroy(deep);
  EXPECT_EQ(set_size(16), raygen + miss);
}

TEST_F(RayTracingStack, ShadersOfLibrariesCount) {
  const VkPipeline library = create(false, 1, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
  const uint64_t raygen = words_of_stage(0), miss = words_of_stage(1);
  EXPECT_EQ(set_size(16), 16u);
  create(true, 2, 0, {library});  // the ray-generation shader is its own
  EXPECT_EQ(set_size(16), raygen + 2 * miss);
}

TEST_F(RayTracingStack, ShadersThatAreLeftAloneRaiseNothing) {
  null_driver::Config config;
  config.accepted_words = {shaders::prints_rgen, shaders::prints_rmiss};
  driver().configure(config);
  create(true, 4);
  EXPECT_EQ(set_size(16), 16u);
}

// Vulkan's formula: the deepest of what a trace calls, in each of its recursions.
TEST_F(RayTracingStack, HitGroupsCountWithTheShadersThatTheyHave) {
  constexpr uint32_t none = VK_SHADER_UNUSED_KHR, depth = 3;
  struct Group {
    uint32_t closest_hit, any_hit, intersection;
    uint32_t traced, once;  // how many times the hit shader counts in the depth, and beside it
  };
  // All hit shaders are the same words, so that each counts as many bytes.
  for (const auto& [closest_hit, any_hit, intersection, traced, once] :
       {Group{1, none, none, depth, 0}, Group{none, 1, none, 0, 1}, Group{none, none, 1, 0, 1},
        Group{none, 1, 1, 0, 2}, Group{1, 1, 1, depth - 1, 2}, Group{1, 1, none, depth, 0}}) {
    const VkShaderModule modules[] = {create_module(device(), shaders::prints_rgen),
                                      create_module(device(), shaders::prints_rmiss)};
    const VkPipelineShaderStageCreateInfo stages[] = {
        stage_info(VK_SHADER_STAGE_RAYGEN_BIT_KHR, modules[0]),
        stage_info(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, modules[1])};
    VkRayTracingShaderGroupCreateInfoKHR groups[2]{};
    groups[0].sType = groups[1].sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR;
    groups[0].type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
    groups[0].closestHitShader = groups[0].anyHitShader = groups[0].intersectionShader = none;
    groups[1].type = VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR;
    groups[1].generalShader = none;
    groups[1].closestHitShader = closest_hit;
    groups[1].anyHitShader = any_hit;
    groups[1].intersectionShader = intersection;
    const VkDynamicState stack = VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR;
    VkPipelineDynamicStateCreateInfo states{};
    states.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    states.dynamicStateCount = 1;
    states.pDynamicStates = &stack;
    VkRayTracingPipelineCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
    info.stageCount = info.groupCount = 2;
    info.pStages = stages;
    info.pGroups = groups;
    info.maxPipelineRayRecursionDepth = depth;
    info.pDynamicState = &states;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vk().vkCreateRayTracingPipelinesKHR(device().handle, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info,
                                              nullptr, &pipeline),
          "vkCreateRayTracingPipelinesKHR");
    const uint64_t raygen = words_of_stage(0), hit = words_of_stage(1);
    EXPECT_EQ(set_size(16), raygen + (traced + once) * hit)
        << closest_hit << " " << any_hit << " " << intersection;
    destroy(pipeline);
    for (const VkShaderModule module : modules) vk().vkDestroyShaderModule(device().handle, module, nullptr);
  }
}

}  // namespace
}  // namespace shaderqa::layer_tests
