// SPDX-License-Identifier: Apache-2.0
// Commands that the device generates: those of what is bound get a record, what is in execution sets does
// not.
#include <string>
#include <vector>

#include "tests/layer/command_kit.h"
#include "tests/support/shader_object_info.h"

namespace shaderqa::layer_tests {
namespace {

class GeneratedCommands : public CommandTest {
 protected:
  GeneratedCommands()
      : CommandTest({nullptr, nullptr, {"VK_EXT_device_generated_commands", "VK_EXT_shader_object"}}) {}

  // The pipeline layout that the driver gets.
  VkPipelineLayout indirect_layout(bool with_execution_set) {
    VkIndirectCommandsExecutionSetTokenEXT set{};
    set.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
    VkIndirectCommandsLayoutTokenEXT tokens[2]{};
    tokens[0].sType = tokens[1].sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT;
    tokens[0].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT;
    tokens[0].data.pExecutionSet = &set;
    tokens[1].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT;
    tokens[1].offset = with_execution_set ? 4 : 0;
    VkIndirectCommandsLayoutCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT;
    info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
    info.indirectStride = 16;
    info.pipelineLayout = layout_;
    info.tokenCount = with_execution_set ? 2 : 1;
    info.pTokens = with_execution_set ? tokens : tokens + 1;
    VkIndirectCommandsLayoutEXT made = VK_NULL_HANDLE;
    check(vk().vkCreateIndirectCommandsLayoutEXT(device().handle, &info, nullptr, &made),
          "vkCreateIndirectCommandsLayoutEXT");
    vk().vkDestroyIndirectCommandsLayoutEXT(device().handle, made, nullptr);
    return driver().log().indirect_commands_layouts.back();
  }

  // How many sets the driver was told of for it.
  static size_t sets_of(VkPipelineLayout layout) {
    size_t sets = 0;
    for (const auto& record : driver().log().pipeline_layouts)
      if (record.handle == layout) sets = record.set_layouts.size();
    return sets;
  }

  null_driver::PipelineRecord create_pipeline(VkPipelineCreateFlags2 flags) {
    VkPipelineCreateFlags2CreateInfo flags2{};
    flags2.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    flags2.flags = flags;
    const VkShaderModule module = create_module(device(), shaders::accesses_comp);
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.pNext = &flags2;
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
    info.layout = layout_;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vk().vkCreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
    vk().vkDestroyShaderModule(device().handle, module, nullptr);
    vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    return driver().log().pipelines.back();
  }
};

TEST_F(GeneratedCommands, OfTheBoundPipelineGetARecord) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  VkGeneratedCommandsInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT;
  info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
  vk().vkCmdExecuteGeneratedCommandsEXT(commands, VK_FALSE, &info);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({kBound, {"CmdPipelineBarrier", "bind record", "CmdExecuteGeneratedCommandsEXT"}}));
  EXPECT_EQ(records().size(), 1u);
  EXPECT_EQ(sets_of(indirect_layout(false)), 8u);
  EXPECT_EQ(notes_about("execution sets"), std::vector<std::string>());
}

TEST_F(GeneratedCommands, OfOtherStagesGetNone) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  VkGeneratedCommandsInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT;
  info.shaderStages = VK_SHADER_STAGE_VERTEX_BIT;
  vk().vkCmdExecuteGeneratedCommandsEXT(commands, VK_FALSE, &info);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, {"CmdExecuteGeneratedCommandsEXT"}}));
}

// They must not have dynamic descriptors.
TEST_F(GeneratedCommands, OfExecutionSetsAreWithoutTheReservedSet) {
  EXPECT_EQ(sets_of(indirect_layout(true)), 1u);
  const auto bindable = create_pipeline(VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT);
  EXPECT_EQ(sets_of(bindable.layout), 1u);
  EXPECT_EQ(bindable.stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(notes_about("execution sets").size(), 1u);
  const auto ordinary = create_pipeline(0);
  EXPECT_EQ(sets_of(ordinary.layout), 8u);
  EXPECT_NE(ordinary.stages.at(0).words, shaders::accesses_comp);
}

TEST_F(GeneratedCommands, ShaderObjectsOfExecutionSetsAreNotChecked) {
  for (const bool indirect : {true, false}) {
    auto info =
        testing::shader_object_info(VK_SHADER_STAGE_COMPUTE_BIT, shaders::accesses_comp, {&set_layout_, 1});
    if (indirect) info.flags = VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT;
    const size_t before = driver().log().pipelines.size();
    VkShaderEXT shader = VK_NULL_HANDLE;
    check(vk().vkCreateShadersEXT(device().handle, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
    vk().vkDestroyShaderEXT(device().handle, shader, nullptr);
    // The first one is the application's, another its twin.
    const Words made = driver().log().pipelines.at(before).stages.at(0).words;
    EXPECT_EQ(made == shaders::accesses_comp, indirect);
  }
  EXPECT_EQ(notes_about("execution sets").size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
