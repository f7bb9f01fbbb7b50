// SPDX-License-Identifier: Apache-2.0
// Actions, binds and stages of vendors' extensions: what is checked gets its record, what is unknown is left
// alone.
#include <initializer_list>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class VendorCommands : public CommandTest {
 protected:
  VendorCommands()
      : CommandTest(
            {nullptr, nullptr, {"VK_NV_device_generated_commands", "VK_HUAWEI_cluster_culling_shader"}}) {}
  void TearDown() override {
    for (const VkPipeline pipeline : pipelines_) vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    CommandTest::TearDown();
  }

  // groups: of a pipeline without shaders of its own that are checked.
  VkPipeline create(std::initializer_list<std::pair<VkShaderStageFlagBits, const Words*>> shaders,
                    const void* groups = nullptr) {
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (const auto& [stage, shader] : shaders)
      stages.push_back(stage_info(stage, create_module(device(), *shader)));
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = groups;
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.layout = layout_;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vk().vkCreateGraphicsPipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
    for (const auto& stage : stages) vk().vkDestroyShaderModule(device().handle, stage.module, nullptr);
    pipelines_.push_back(pipeline);
    return pipeline;
  }

  static inline const Stream kFirstDraw{"CmdPipelineBarrier", "bind record", "CmdDraw"};
  std::vector<VkPipeline> pipelines_;
};

TEST_F(VendorCommands, ClustersGetTheirRecords) {
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  vk().vkCmdDrawClusterHUAWEI(commands, 1, 2, 3);
  vk().vkCmdDrawClusterIndirectHUAWEI(commands, buffer_->handle, 16);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({kBound,
                    {"CmdPipelineBarrier", "bind record", "CmdDrawClusterHUAWEI"},
                    {"CmdPipelineBarrier", "bind record", "CmdDrawClusterIndirectHUAWEI"}}));
  ASSERT_EQ(records().size(), 2u);
  EXPECT_EQ(address_at(records()[1], SQA_ACTION_INDIRECT), buffer_->address + 16);
  EXPECT_EQ(records()[1][SQA_ACTION_INDIRECT_BYTES], 12u);
}

// The groups of a pipeline may be another pipeline's, with its checks.
TEST_F(VendorCommands, ABoundShaderGroupGetsARecord) {
  const VkPipeline checked = create({{VK_SHADER_STAGE_VERTEX_BIT, &shaders::silent_vert},
                                     {VK_SHADER_STAGE_FRAGMENT_BIT, &shaders::accesses_frag}});
  VkGraphicsPipelineShaderGroupsCreateInfoNV groups{};
  groups.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV;
  groups.pipelineCount = 1;
  groups.pPipelines = &checked;
  const VkPipeline silent = create({{VK_SHADER_STAGE_VERTEX_BIT, &shaders::silent_vert}});
  const VkPipeline grouped = create({{VK_SHADER_STAGE_VERTEX_BIT, &shaders::silent_vert}}, &groups);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipelineShaderGroupNV(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, silent, 0);
  draw(commands);
  vk().vkCmdBindPipelineShaderGroupNV(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, grouped, 1);
  draw(commands);
  end(commands);
  EXPECT_EQ(
      stream_of(commands),
      joined({{"CmdBindPipelineShaderGroupNV", "CmdDraw", "CmdBindPipelineShaderGroupNV"}, kFirstDraw}));
}

// Bound at a point where nothing is checked, it takes nothing from the others.
TEST_F(VendorCommands, AnUnknownBindPointChangesNothing) {
  const VkPipeline silent = create_compute(device(), shaders::silent_comp);
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_SUBPASS_SHADING_HUAWEI, silent);
  draw(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, {"CmdBindPipeline"}, kFirstDraw}));
  vk().vkDestroyPipeline(device().handle, silent, nullptr);
}

TEST_F(VendorCommands, AShaderOfAnUnknownStageIsLeftAloneWithOneNote) {
  for (int i = 0; i < 2; ++i) {
    create({{VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI, &shaders::accesses_comp}});
    EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  }
  EXPECT_EQ(notes_about("its stage is none that shaderqa knows").size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
