// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what records say of the draws of one render pass, which are unordered
// (docs/internals/exact.md#draws-of-one-render-pass).
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class PassDraws : public CommandTest {
 protected:
  PassDraws() : CommandTest({}, {}, "exact") {}
  void begin_rendering(VkCommandBuffer commands) {
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    vk().vkCmdBeginRendering(commands, &info);
  }
  static uint32_t dword(size_t i) { return records().at(i)[SQA_ACTION_SEQUENCE]; }
  // The highest number of the draws that are unordered with this one; 0: none is.
  static uint32_t unordered(size_t i) { return sqa_sequence_last(dword(i)); }
};

TEST_F(PassDraws, AreUnorderedUntilABarrier) {
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  const auto draw_some = [&](uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) draw(commands);
  };
  begin_rendering(commands);
  draw_some(3);
  barrier(commands, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0);
  draw_some(2);
  vk().vkCmdEndRendering(commands);
  begin_rendering(commands);
  draw_some(1);
  vk().vkCmdEndRendering(commands);
  end(commands);
  ASSERT_EQ(records().size(), 6u);
  EXPECT_EQ(sqa_sequence_number(dword(2)), 8u);
  EXPECT_EQ(unordered(0), 11u);
  EXPECT_EQ(unordered(1), 11u);
  EXPECT_EQ(unordered(2), 0u) << "the last one before the barrier";
  EXPECT_EQ(unordered(3), 19u);
  EXPECT_EQ(unordered(4), 0u);
  EXPECT_EQ(unordered(5), 0u);
  EXPECT_EQ(sqa_sequence_own(dword(0)), 4u);
}

TEST_F(PassDraws, IndicesAreUnorderedWithLaterDraws) {
  constexpr VkPipelineStageFlags kVertexStage = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT;
  const VkCommandBuffer commands = begin();
  vk().vkCmdFillBuffer(commands, buffer_->handle, 0, 64, 7);
  vk().vkCmdBindIndexBuffer(commands, buffer_->handle, 8, VK_INDEX_TYPE_UINT16);
  begin_rendering(commands);
  vk().vkCmdDrawIndexed(commands, 3, 1, 0, 0, 0);  // nothing is bound: it has no numbers of its own
  bind_graphics(commands);
  draw(commands);
  barrier(commands, kVertexStage, 0, kVertexStage, 0);
  vk().vkCmdDrawIndexed(commands, 3, 1, 3, 0, 0);
  draw(commands);
  vk().vkCmdEndRendering(commands);
  end(commands);
  std::vector<uint32_t> sequences;
  for (const uint32_t* const record : records()) sequences.push_back(record[SQA_ACTION_SEQUENCE]);
  // By number of the action: the fill, reads of indices as they are drawn, draws.
  EXPECT_EQ(sequences,
            (std::vector<uint32_t>{0, sqa_sequence_dword(1u, 1u, 5u), 2, sqa_sequence_dword(6u, 4u, 14u),
                                   sqa_sequence_dword(10u, 1u, 14u), 11}));
}

}  // namespace
}  // namespace shaderqa::layer_tests
