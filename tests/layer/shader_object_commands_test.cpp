// SPDX-License-Identifier: Apache-2.0
// Actions of shader objects: which have records, and that what is bound is bound again behind the layer's own
// dispatches.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/layer/command_kit.h"
#include "tests/support/shader_object_info.h"

namespace shaderqa::layer_tests {
namespace {

class ShaderObjectCommands : public CommandTest {
 protected:
  explicit ShaderObjectCommands(const char* engine = "bloom")
      : CommandTest({nullptr, nullptr, {"VK_EXT_shader_object"}}, {}, engine) {
    checked_ = create(shaders::accesses_comp);
    silent_ = create(shaders::silent_comp);
  }
  void TearDown() override {
    for (const VkShaderEXT shader : {checked_, silent_})
      vk().vkDestroyShaderEXT(device().handle, shader, nullptr);
    CommandTest::TearDown();
  }
  VkShaderEXT create(const Words& words) {
    const auto info = testing::shader_object_info(VK_SHADER_STAGE_COMPUTE_BIT, words, {&set_layout_, 1});
    VkShaderEXT shader = VK_NULL_HANDLE;
    check(vk().vkCreateShadersEXT(device().handle, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
    return shader;
  }
  void bind_shader(VkCommandBuffer commands, VkShaderEXT shader) {
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    vk().vkCmdBindShadersEXT(commands, 1, &stage, &shader);
  }

  VkShaderEXT checked_ = VK_NULL_HANDLE, silent_ = VK_NULL_HANDLE;
};

const Stream kBindShaders{"CmdBindShadersEXT"};

TEST_F(ShaderObjectCommands, OnlyThoseOfCheckedShadersHaveRecords) {
  const VkCommandBuffer commands = begin();
  bind_shader(commands, silent_);
  dispatch(commands);
  bind_shader(commands, checked_);
  dispatch(commands);
  bind_shader(commands, silent_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({kBindShaders, {"CmdDispatch"}, kBindShaders, kAction, kBindShaders, {"CmdDispatch"}}));
  EXPECT_EQ(records().size(), 1u);
}

TEST_F(ShaderObjectCommands, WhatIsBoundLastCounts) {
  const VkCommandBuffer commands = begin();
  bind_shader(commands, checked_);
  bind(commands);
  dispatch(commands);
  bind_shader(commands, silent_);
  dispatch(commands);
  bind_shader(commands, checked_);
  bind_shader(commands, VK_NULL_HANDLE);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(records().size(), 1u) << "that of the pipeline";
}

// A stage's shader is unbound by null, and also by no array of shaders.
TEST_F(ShaderObjectCommands, NoArrayUnbinds) {
  const VkCommandBuffer commands = begin();
  bind_shader(commands, checked_);
  const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  vk().vkCmdBindShadersEXT(commands, 1, &stage, nullptr);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(records().size(), 0u);
}

class ExactShaderObjectCommands : public ShaderObjectCommands {
 protected:
  ExactShaderObjectCommands() : ShaderObjectCommands("exact") {}
};

TEST_F(ExactShaderObjectCommands, AreBoundAgainBehindACommandOfTheLayers) {
  const BoundBuffer target(device(), 128, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  for (const VkShaderEXT shader : {checked_, silent_}) {
    const VkCommandBuffer commands = begin();
    bind_shader(commands, shader);
    vk().vkCmdFillBuffer(commands, target.handle, 0, 16, 7);
    vk().vkCmdDispatch(commands, 1, 1, 1);
    end(commands);
    const Stream stream = stream_of(commands);
    EXPECT_EQ(std::ranges::count(stream, "CmdBindShadersEXT"), 2);
    EXPECT_EQ(std::ranges::count(stream, "CmdBindPipeline"), 1) << "the layer's own";
    std::vector<std::vector<uint64_t>> bound;
    for (const null_driver::CommandRecord& record : driver().log().commands)
      if (record.command == "CmdBindShadersEXT" &&
          record.command_buffer == reinterpret_cast<uint64_t>(commands))
        bound.push_back(record.values);
    ASSERT_EQ(bound.size(), 2u);
    EXPECT_EQ(bound[0], bound[1]);
  }
}

}  // namespace
}  // namespace shaderqa::layer_tests
