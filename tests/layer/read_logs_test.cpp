// SPDX-License-Identifier: Apache-2.0
// Behind a render pass whose shaders log what they read, a dispatch of the layer's own checks it
// (docs/internals/exact.md#reads-of-draws).
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/layer/images_kit.h"

namespace shaderqa::layer_tests {
namespace {

class ReadLogs : public Images {
 protected:
  ReadLogs() : Images("1", "", {"VK_KHR_dynamic_rendering"}) {
    const std::vector<BindingOptions> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, 0, {}}};
    set_.emplace(device(), bindings);
    own_set_layout_ = create_set_layout(device(), bindings);
    own_layout_ = create_pipeline_layout(device(), {own_set_layout_});
    write_views(*set_, {create_view(bound_image())});
    reader_ = create_graphics_with(device(), shaders::loads_frag, own_layout_);
  }
  void TearDown() override {
    vk().vkDestroyPipeline(device().handle, reader_, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, own_layout_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, own_set_layout_, nullptr);
    set_.reset();
    Images::TearDown();
  }

  void begin_rendering(VkCommandBuffer commands, VkRenderingFlags flags = 0, VkExtent2D area = {64, 64}) {
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    info.flags = flags;
    info.renderArea = {{0, 0}, area};
    vk().vkCmdBeginRenderingKHR(commands, &info);
  }
  void end_rendering(VkCommandBuffer commands) { vk().vkCmdEndRenderingKHR(commands); }
  void draw_reading(VkCommandBuffer commands) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, reader_);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, own_layout_, 0, 1, &set_->handle,
                                 0, nullptr);
    draw(commands);
  }
  // From a command of the program on, without what separates passes and actions.
  static Stream behind(VkCommandBuffer commands, const std::string& command) {
    Stream stream = stream_of(commands);
    stream.erase(stream.begin(), std::ranges::find(stream, command));
    return stream;
  }
  static const abi::ExactState& engine() {
    return *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
  }

  static inline const Stream kChecked{"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase",
                                      "CmdPipelineBarrier"};
  std::optional<OneSet> set_;
  VkDescriptorSetLayout own_set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout own_layout_ = VK_NULL_HANDLE;
  VkPipeline reader_ = VK_NULL_HANDLE;
};

Stream with(Stream begin, const Stream& end) {
  begin.insert(begin.end(), end.begin(), end.end());
  return begin;
}

TEST_F(ReadLogs, AreCheckedOnceBehindThePass) {
  const VkCommandBuffer commands = begin();
  begin_rendering(commands);
  draw_reading(commands);
  draw_reading(commands);
  end_rendering(commands);
  begin_rendering(commands);
  bind_graphics(commands);
  draw(commands);
  end_rendering(commands);
  end(commands);
  const Stream stream = behind(commands, "CmdEndRendering");
  EXPECT_TRUE(
      std::ranges::equal(with({"CmdEndRendering"}, kChecked), Stream(stream.begin(), stream.begin() + 5)))
      << ::testing::PrintToString(stream);
  EXPECT_EQ(count(commands, kEntered), 1u) << "the other pass reads no image";
}

TEST_F(ReadLogs, ThoseOfSecondariesAreCheckedByWhoExecutesThem) {
  const VkCommandBuffer secondary =
      begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
  draw_reading(secondary);
  end(secondary);
  EXPECT_EQ(count(secondary, kEntered), 0u);
  const VkCommandBuffer commands = begin();
  begin_rendering(commands, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
  vk().vkCmdExecuteCommands(commands, 1, &secondary);
  end_rendering(commands);
  end(commands);
  EXPECT_EQ(behind(commands, "CmdEndRendering"),
            with(with({"CmdEndRendering"}, kChecked), {"EndCommandBuffer"}));
}

TEST_F(ReadLogs, NothingIsInsertedIntoASuspendedPass) {
  const VkCommandBuffer commands = begin();
  begin_rendering(commands, VK_RENDERING_SUSPENDING_BIT);
  draw_reading(commands);
  end_rendering(commands);
  begin_rendering(commands, VK_RENDERING_RESUMING_BIT);
  end_rendering(commands);
  end(commands);
  EXPECT_EQ(behind(commands, "CmdEndRendering"),
            with(with({"CmdEndRendering", "CmdBeginRendering", "CmdEndRendering"}, kChecked),
                 {"EndCommandBuffer"}));
}

TEST_F(ReadLogs, AQueryOfStatisticsCountsNothingOfOurs) {
  const VkQueryPool pool = create_statistics(device());
  const VkCommandBuffer commands = begin();
  vk().vkCmdBeginQuery(commands, pool, 0, 0);
  begin_rendering(commands);
  draw_reading(commands);
  end_rendering(commands);
  vk().vkCmdEndQuery(commands, pool, 0);
  end(commands);
  EXPECT_EQ(behind(commands, "CmdEndRendering"),
            with(with({"CmdEndRendering", "CmdEndQuery"}, kChecked), {"EndCommandBuffer"}));
  vk().vkDestroyQueryPool(device().handle, pool, nullptr);
}

TEST_F(ReadLogs, OfLargePassesSomeTilesLog) {
  const auto tiles = [&](VkExtent2D area) {
    const VkCommandBuffer commands = begin();
    begin_rendering(commands, 0, area);
    draw_reading(commands);
    end_rendering(commands);
    end(commands);
    return records().back()[SQA_ACTION_SPARSE_PLACES];
  };
  EXPECT_EQ(tiles({127, 128}), 0u);
  EXPECT_EQ(tiles({128, 128}), 3u);
  EXPECT_EQ(tiles({256, 256}), 15u);
  EXPECT_EQ(tiles({1920, 1080}), 63u);
  const VkCommandBuffer secondary =
      begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
  draw_reading(secondary);
  const uint32_t* const record = records().back();
  EXPECT_EQ(record[SQA_ACTION_SPARSE_PLACES], 15u) << "its pass is not known";
  end(secondary);
  for (const auto& [area, expected] : {std::pair{VkExtent2D{64, 64}, 0u}, {VkExtent2D{1920, 1080}, 63u}}) {
    const VkCommandBuffer commands = begin();
    begin_rendering(commands, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT, area);
    vk().vkCmdExecuteCommands(commands, 1, &secondary);
    end_rendering(commands);
    end(commands);
    EXPECT_EQ(record[SQA_ACTION_SPARSE_PLACES], expected);
  }
}

TEST_F(ReadLogs, AQueueHasOneFromItsFirstSuchSubmission) {
  const VkCommandBuffer other = checked_commands();
  submit({other});
  const auto address = [](uint32_t queue) { return engine().read_logs[queue].address; };
  for (uint32_t queue = 0; queue < SQA_READ_QUEUES; ++queue) EXPECT_EQ(address(queue), 0u) << queue;
  const VkCommandBuffer commands = begin();
  begin_rendering(commands);
  draw_reading(commands);
  end_rendering(commands);
  end(commands);
  EXPECT_EQ(address(0), 0u);
  submit({commands});
  const uint64_t first = address(0);
  EXPECT_NE(first, 0u);
  submit({commands});
  EXPECT_EQ(address(0), first);
  for (uint32_t queue = 1; queue < SQA_READ_QUEUES; ++queue) EXPECT_EQ(address(queue), 0u) << queue;
}

}  // namespace
}  // namespace shaderqa::layer_tests
