// SPDX-License-Identifier: Apache-2.0
// With the exact engine: conditional rendering discards dispatches, those of the layer too, but no copies.
#include <algorithm>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class ConditionalRanges : public CommandTest {
 protected:
  ConditionalRanges() : CommandTest({nullptr, nullptr, {"VK_EXT_conditional_rendering"}}, {}, "exact") {}

  void update(VkCommandBuffer commands, VkDeviceSize offset) {
    const uint32_t words[] = {1, 2, 3};
    vk().vkCmdUpdateBuffer(commands, buffer_->handle, offset, sizeof words, words);
  }
};

TEST_F(ConditionalRanges, AreEnteredWhereNoConditionHolds) {
  const VkCommandBuffer commands = begin();
  update(commands, 16);
  VkConditionalRenderingBeginInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT;
  info.buffer = buffer_->handle;
  vk().vkCmdBeginConditionalRenderingEXT(commands, &info);
  update(commands, 64);
  vk().vkCmdEndConditionalRenderingEXT(commands);
  end(commands);
  const Stream entered{"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase", "CmdPipelineBarrier"};
  EXPECT_EQ(stream_of(commands),
            joined({{"CmdUpdateBuffer"},
                    entered,
                    {"CmdBeginConditionalRenderingEXT", "CmdUpdateBuffer", "CmdEndConditionalRenderingEXT"},
                    entered}));
}

}  // namespace
}  // namespace shaderqa::layer_tests
