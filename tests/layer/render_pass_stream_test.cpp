// SPDX-License-Identifier: Apache-2.0
// Inside render passes nothing can be cleared: the salt of the hash changes there, and the clear comes
// behind.
#include <string>
#include <vector>

#include "instrument/runtime/abi_filter.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr VkPipelineStageFlags kFragmentStage = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
constexpr uint32_t kFirstResumedSalt = 0x800;

class RenderPassStream : public CommandTest {
 protected:
  RenderPassStream()
      : CommandTest({nullptr, nullptr, {"VK_KHR_dynamic_rendering", "VK_KHR_create_renderpass2"}}) {}
  void TearDown() override {
    for (const VkRenderPass pass : passes_) vk().vkDestroyRenderPass(device().handle, pass, nullptr);
    CommandTest::TearDown();
  }

  void begin_rendering(VkCommandBuffer commands, VkRenderingFlags flags = 0) {
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    info.flags = flags;
    vk().vkCmdBeginRenderingKHR(commands, &info);
  }
  void end_rendering(VkCommandBuffer commands) { vk().vkCmdEndRenderingKHR(commands); }
  void fragment_barrier(VkCommandBuffer commands) {
    barrier(commands, kFragmentStage, VK_ACCESS_SHADER_WRITE_BIT, kFragmentStage, VK_ACCESS_SHADER_READ_BIT);
  }

  static VkSubpassDependency dependency(uint32_t from, uint32_t to,
                                        VkAccessFlags made = VK_ACCESS_SHADER_WRITE_BIT,
                                        VkAccessFlags seen = VK_ACCESS_SHADER_READ_BIT) {
    return {from, to, kFragmentStage, kFragmentStage, made, seen, 0};
  }
  VkRenderPass create_pass(const std::vector<VkSubpassDependency>& dependencies, uint32_t subpasses) {
    const std::vector<VkSubpassDescription> descriptions(subpasses);
    VkRenderPassCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
    info.subpassCount = subpasses;
    info.pSubpasses = descriptions.data();
    info.dependencyCount = static_cast<uint32_t>(dependencies.size());
    info.pDependencies = dependencies.data();
    passes_.emplace_back();
    check(vk().vkCreateRenderPass(device().handle, &info, nullptr, &passes_.back()), "vkCreateRenderPass");
    return passes_.back();
  }
  VkRenderPass create_pass2(const std::vector<VkSubpassDependency2>& dependencies, uint32_t subpasses) {
    VkSubpassDescription2 description{};
    description.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
    const std::vector<VkSubpassDescription2> descriptions(subpasses, description);
    VkRenderPassCreateInfo2 info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
    info.subpassCount = subpasses;
    info.pSubpasses = descriptions.data();
    info.dependencyCount = static_cast<uint32_t>(dependencies.size());
    info.pDependencies = dependencies.data();
    passes_.emplace_back();
    check(vk().vkCreateRenderPass2KHR(device().handle, &info, nullptr, &passes_.back()),
          "vkCreateRenderPass2KHR");
    return passes_.back();
  }
  void begin_pass(VkCommandBuffer commands, VkRenderPass pass) {
    VkRenderPassBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    info.renderPass = pass;
    vk().vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
  }

  using Salts = std::vector<uint32_t>;
  static Salts salts() {
    Salts all;
    for (const uint32_t* record : records()) all.push_back(record[SQA_ACTION_SALT]);
    return all;
  }
  static Salts flags() {
    Salts all;
    for (const uint32_t* record : records()) all.push_back(record[SQA_ACTION_FLAGS]);
    return all;
  }

  static inline const Stream kBegin{"CmdBeginRendering"}, kEnd{"CmdEndRendering"};
  static inline const Stream kBarrier{"CmdPipelineBarrier"};
  std::vector<VkRenderPass> passes_;
};

TEST_F(RenderPassStream, BarriersInsideChangeTheSalt) {
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  begin_rendering(commands);
  draw(commands);
  fragment_barrier(commands);
  draw(commands);
  barrier(commands, kFragmentStage, 0, kFragmentStage, 0);
  draw(commands);
  fragment_barrier(commands);
  draw(commands);
  end_rendering(commands);
  begin_rendering(commands);
  draw(commands);
  end_rendering(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kBegin, kDraw, kBarrier, kDraw, kBarrier, kDraw, kBarrier,
                                         kDraw, kEnd, kClear, kBegin, kDraw, kEnd}));
  EXPECT_EQ(salts(), (Salts{0, 1, 1, 2, 0}));
  EXPECT_EQ(flags(), (Salts{0, 0, SQA_ACTION_FLAG_READS_ORDERED, 0, 0}));
}

TEST_F(RenderPassStream, WithoutABarrierPassesAreOnlyKeptApart) {
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  for (int i = 0; i < 2; ++i) {
    begin_rendering(commands);
    draw(commands);
    end_rendering(commands);
  }
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kBegin, kDraw, kEnd, kSeparation, kBegin, kDraw, kEnd}));
  EXPECT_EQ(salts(), (Salts{0, 0}));
}

TEST_F(RenderPassStream, ABarrierInFrontOfTheFirstPassCanWait) {
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  fragment_barrier(commands);
  begin_rendering(commands);
  draw(commands);
  end_rendering(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kBarrier, kBegin, kDraw, kEnd}));
  EXPECT_EQ(salts(), Salts{1});
  // Behind it comes the clear.
  const VkCommandBuffer next = checked_commands();
  submit({commands, next});
  EXPECT_EQ(last_batch({commands, next}), (Stream{"clear", "0", "clear", "1"}));
}

TEST_F(RenderPassStream, SubpassDependenciesChangeTheSalt) {
  // Between the first two alone, the last one from a subpass to itself.
  const VkRenderPass pass = create_pass({dependency(0, 1), dependency(1, 2, 0, 0), dependency(2, 2)}, 3);
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  begin_pass(commands, pass);
  for (int subpass = 0; subpass < 3; ++subpass) {
    if (subpass > 0) vk().vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
    draw(commands);
  }
  vk().vkCmdEndRenderPass(commands);
  bind(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound,
                                         {"CmdBeginRenderPass"},
                                         kDraw,
                                         {"CmdNextSubpass"},
                                         kDraw,
                                         {"CmdNextSubpass"},
                                         kDraw,
                                         {"CmdEndRenderPass"},
                                         kBound,
                                         kClear,
                                         kActionAfterClear}));
  EXPECT_EQ(salts(), (Salts{0, 1, 1, 0}));
  EXPECT_EQ(flags(), (Salts{0, 0, SQA_ACTION_FLAG_READS_ORDERED, 0}));
}

TEST_F(RenderPassStream, DependenciesWithTheOutsideAreBarriersThere) {
  const VkRenderPass before = create_pass({dependency(VK_SUBPASS_EXTERNAL, 0)}, 1);
  const VkRenderPass after = create_pass({dependency(0, VK_SUBPASS_EXTERNAL)}, 1);
  const Stream begin_one{"CmdBeginRenderPass"}, end_one{"CmdEndRenderPass"};
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  for (const VkRenderPass pass : {before, before, after, after}) {
    begin_pass(commands, pass);
    draw(commands);
    vk().vkCmdEndRenderPass(commands);
  }
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({kBound, begin_one, kDraw, end_one, kClear, begin_one, kDraw, end_one, kSeparation,
                    begin_one, kDraw, end_one, kClear, begin_one, kDraw, end_one}));
  // What the first one synchronises with is in other command buffers: it does without a clear.
  EXPECT_EQ(salts(), (Salts{1, 0, 0, 0}));
}

// One command begins the pass: what its dependencies order does not chain.
TEST_F(RenderPassStream, DependenciesOfOneBeginDoNotChain) {
  VkSubpassDependency to_transfer = dependency(VK_SUBPASS_EXTERNAL, 0);
  to_transfer.dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
  to_transfer.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  VkSubpassDependency from_transfer = dependency(VK_SUBPASS_EXTERNAL, 0);
  from_transfer.srcStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
  from_transfer.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  const VkRenderPass pass = create_pass({to_transfer, from_transfer}, 1);
  const Stream begin_one{"CmdBeginRenderPass"}, end_one{"CmdEndRenderPass"};
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  begin_rendering(commands);
  draw(commands);
  end_rendering(commands);
  for (int i = 0; i < 2; ++i) {
    begin_pass(commands, pass);
    draw(commands);
    vk().vkCmdEndRenderPass(commands);
  }
  end(commands);
  // The first begin's "to transfer" chains to the second's "from transfer".
  EXPECT_EQ(stream_of(commands), joined({kBound, kBegin, kDraw, kEnd, kSeparation, begin_one, kDraw, end_one,
                                         kClear, begin_one, kDraw, end_one}));
}

TEST_F(RenderPassStream, OfTheSecondKind) {
  VkMemoryBarrier2 newer{};
  newer.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  newer.srcStageMask = newer.dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
  newer.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  newer.dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  VkSubpassDependency2 inner{};
  inner.sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2;
  inner.pNext = &newer;  // its own masks do not count then
  inner.dstSubpass = 1;
  VkSubpassDependency2 plain{};
  plain.sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2;
  plain.srcSubpass = 1;
  plain.dstSubpass = 2;
  plain.srcStageMask = plain.dstStageMask = kFragmentStage;
  plain.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  plain.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  const VkRenderPass pass = create_pass2({inner, plain}, 3);
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  VkRenderPassBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  info.renderPass = pass;
  VkSubpassBeginInfo begin_info{};
  begin_info.sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO;
  VkSubpassEndInfo end_info{};
  end_info.sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO;
  vk().vkCmdBeginRenderPass2KHR(commands, &info, &begin_info);
  for (int subpass = 0; subpass < 3; ++subpass) {
    if (subpass > 0) vk().vkCmdNextSubpass2KHR(commands, &begin_info, &end_info);
    draw(commands);
  }
  vk().vkCmdEndRenderPass2KHR(commands, &end_info);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound,
                                         {"CmdBeginRenderPass2"},
                                         kDraw,
                                         {"CmdNextSubpass2"},
                                         kDraw,
                                         {"CmdNextSubpass2"},
                                         kDraw,
                                         {"CmdEndRenderPass2"}}));
  EXPECT_EQ(salts(), (Salts{0, 1, 2}));
}

// Between the halves of a suspended pass nothing may be recorded.
TEST_F(RenderPassStream, ResumedInTheSameCommandBuffer) {
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  begin_rendering(commands, VK_RENDERING_SUSPENDING_BIT);
  fragment_barrier(commands);
  draw(commands);
  end_rendering(commands);
  begin_rendering(commands, VK_RENDERING_RESUMING_BIT | VK_RENDERING_SUSPENDING_BIT);
  draw(commands);
  end_rendering(commands);
  begin_rendering(commands, VK_RENDERING_RESUMING_BIT);
  draw(commands);
  end_rendering(commands);
  begin_rendering(commands);
  draw(commands);
  end_rendering(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kBegin, kBarrier, kDraw, kEnd, kBegin, kDraw, kEnd, kBegin,
                                         kDraw, kEnd, kClear, kBegin, kDraw, kEnd}));
  EXPECT_EQ(salts(), (Salts{1, 1, 1, 0}));
}

TEST_F(RenderPassStream, ResumedInAnotherCommandBuffer) {
  const VkCommandBuffer first = begin();
  bind_graphics(first);
  begin_rendering(first, VK_RENDERING_SUSPENDING_BIT);
  draw(first);
  end_rendering(first);
  end(first);
  std::vector<VkCommandBuffer> all{first};
  for (int i = 0; i < 2; ++i) {
    const VkCommandBuffer next = begin();
    bind_graphics(next);
    begin_rendering(
        next, i == 0 ? VK_RENDERING_RESUMING_BIT | VK_RENDERING_SUSPENDING_BIT : VK_RENDERING_RESUMING_BIT);
    draw(next);
    end_rendering(next);
    if (i == 1) {
      begin_rendering(next);
      draw(next);
      end_rendering(next);
    }
    end(next);
    all.push_back(next);
  }
  EXPECT_EQ(stream_of(all[1]), joined({kBound, kBegin, kDraw, kEnd}));
  EXPECT_EQ(stream_of(all[2]), joined({kBound, kBegin, kDraw, kEnd, kClear, kBegin, kDraw, kEnd}));
  EXPECT_EQ(salts(), (Salts{0, kFirstResumedSalt, kFirstResumedSalt + 1, 0}));
  submit(all);
  EXPECT_EQ(last_batch(all), (Stream{"clear", "0", "1", "2"})) << "nothing in front of what resumes";
  const VkCommandBuffer behind = checked_commands();
  submit({behind});
  EXPECT_EQ(last_batch({behind}), (Stream{"clear", "0"}));
  // A submission that only resumes leaves the clear to the next one.
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  submit({all[1]});
  EXPECT_EQ(last_batch(all), Stream{"1"});
  submit({behind});
  EXPECT_EQ(last_batch({behind}), (Stream{"clear", "0"}));
}

TEST_F(RenderPassStream, SecondariesGetTheSaltOfWhereTheyAreExecuted) {
  const VkCommandBuffer secondary =
      begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
  bind_graphics(secondary);
  draw(secondary);
  fragment_barrier(secondary);
  draw(secondary);
  end(secondary);
  EXPECT_EQ(stream_of(secondary), joined({kBound, kDraw, kBarrier, kDraw}));
  EXPECT_EQ(salts(), (Salts{0, 1}));
  const VkCommandBuffer primary = begin();
  bind_graphics(primary);
  begin_rendering(primary);
  draw(primary);
  fragment_barrier(primary);
  vk().vkCmdExecuteCommands(primary, 1, &secondary);
  bind_graphics(primary);
  draw(primary);
  end_rendering(primary);
  bind(primary);
  dispatch(primary);
  end(primary);
  EXPECT_EQ(stream_of(primary), joined({kBound,
                                        kBegin,
                                        kDraw,
                                        kBarrier,
                                        {"CmdExecuteCommands"},
                                        kBound,
                                        kDraw,
                                        kEnd,
                                        kBound,
                                        kClear,
                                        kActionAfterClear}));
  EXPECT_EQ(salts(), (Salts{1, 2, 0, 2, 0})) << "the secondary's two, then the primary's";
}

TEST_F(RenderPassStream, SecondariesGetTheFlagsOfWhereTheyAreExecuted) {
  const VkCommandBuffer secondary =
      begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
  bind_graphics(secondary);
  draw(secondary);
  end(secondary);
  const auto execute_behind = [&](VkAccessFlags made) {
    const VkCommandBuffer primary = begin();
    bind_graphics(primary);
    begin_rendering(primary);
    draw(primary);
    if (made)
      fragment_barrier(primary);
    else
      barrier(primary, kFragmentStage, 0, kFragmentStage, 0);
    vk().vkCmdExecuteCommands(primary, 1, &secondary);
    end_rendering(primary);
    end(primary);
    return std::pair{flags().at(0), salts().at(0)};
  };
  using Expected = std::pair<uint32_t, uint32_t>;
  EXPECT_EQ(execute_behind(0), Expected(SQA_ACTION_FLAG_READS_ORDERED, 0));
  EXPECT_EQ(execute_behind(VK_ACCESS_SHADER_WRITE_BIT), Expected(0, 1));
  EXPECT_EQ(execute_behind(0), Expected(SQA_ACTION_FLAG_READS_ORDERED, 0));
}

// A secondary command buffer's own barriers count for what comes behind it.
TEST_F(RenderPassStream, BehindASecondaryThatHasABarrierIsAnotherSaltAndAClear) {
  for (const bool ordered : {false, true}) {
    const VkCommandBuffer secondary =
        begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
    bind_graphics(secondary);
    draw(secondary);
    if (ordered) fragment_barrier(secondary);
    end(secondary);
    const VkCommandBuffer primary = begin();
    begin_rendering(primary);
    vk().vkCmdExecuteCommands(primary, 1, &secondary);
    end_rendering(primary);
    bind(primary);
    dispatch(primary);
    end(primary);
    const Stream executed = joined({kBegin, {"CmdExecuteCommands"}, kEnd, kBound});
    Stream expected(executed.begin(), executed.end() - 1);
    for (const std::string& command : ordered ? kClear : kSeparation) expected.push_back(command);
    expected.insert(expected.end(), {"bind record", "CmdDispatch", "EndCommandBuffer"});
    EXPECT_EQ(stream_of(primary), expected) << ordered;
  }
}

}  // namespace
}  // namespace shaderqa::layer_tests
