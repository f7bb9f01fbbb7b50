// SPDX-License-Identifier: Apache-2.0
// With the exact engine: conditional rendering discards dispatches, those of the layer too, but no copies.
#include <cstdint>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_order.h"
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
                    // The update and the predicate, which are not of the same bytes.
                    {"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase", "CmdDispatchBase",
                     "CmdPipelineBarrier"},
                    {"CmdBeginConditionalRenderingEXT", "CmdUpdateBuffer", "CmdEndConditionalRenderingEXT"},
                    entered}));
}

TEST_F(ConditionalRanges, ThePredicateIsReadByItsOwnStage) {
  const VkCommandBuffer commands = begin();
  VkConditionalRenderingBeginInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT;
  info.buffer = buffer_->handle;
  info.offset = 16;
  vk().vkCmdBeginConditionalRenderingEXT(commands, &info);
  vk().vkCmdEndConditionalRenderingEXT(commands);
  end(commands);
  EXPECT_EQ(entered(commands),
            (std::vector<std::vector<EnteredRange>>{{{buffer_->address + 16, sizeof(uint32_t)}}}));
  submit({commands});
  const auto& engine = *reinterpret_cast<const abi::ExactState*>(address_at(records()[0], SQA_ACTION_ENGINE));
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(engine.sequences_address)[1], uint32_t{SQA_CLASS_CONDITION});
}

// The dispatch that would store them might not run.
TEST_F(ConditionalRanges, ArgumentsOfDispatchesAreSaidNotToBeChecked) {
  const std::string note = "what vkCmdDispatchIndirect reads of its arguments is not checked";
  const VkCommandBuffer commands = begin();
  bind(commands);
  vk().vkCmdDispatchIndirect(commands, buffer_->handle, 128);
  EXPECT_EQ(notes_about(note).size(), 0u);
  VkConditionalRenderingBeginInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT;
  info.buffer = buffer_->handle;
  vk().vkCmdBeginConditionalRenderingEXT(commands, &info);
  vk().vkCmdDispatchIndirect(commands, buffer_->handle, 256);
  vk().vkCmdEndConditionalRenderingEXT(commands);
  end(commands);
  EXPECT_EQ(notes_about(note).size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
