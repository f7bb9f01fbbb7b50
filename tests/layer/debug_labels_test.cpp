// SPDX-License-Identifier: Apache-2.0
// Debug labels: a finding names the labels that were open around its action, the outermost first.
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "report_reader.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class DebugLabels : public CommandTest {
 protected:
  DebugLabels() : CommandTest({}, {}, "bloom", {}, {VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}}) {}

  static VkDebugUtilsLabelEXT label(const char* name) {
    VkDebugUtilsLabelEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    info.pLabelName = name;
    return info;
  }
  void open(VkCommandBuffer commands, const char* name) {
    const VkDebugUtilsLabelEXT info = label(name);
    vkCmdBeginDebugUtilsLabelEXT(commands, &info);
  }
  static void close(VkCommandBuffer commands) { vkCmdEndDebugUtilsLabelEXT(commands); }

  // The labels in the finding that the action with that record leads to.
  std::vector<std::string> labels_around(const uint32_t* record) {
    leave_hazard(1, buffer_->address, record[SQA_ACTION_NUMBER]);
    find_report_block().control->published += 1;
    check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
    std::vector<std::string> labels{"no finding"};
    for (const auto& finding : testing::read_report(directory() / "report.jsonl")) {
      if (finding.at("kind") != "hazard") continue;
      labels = finding.at("action").value("labels", std::vector<std::string>{});
    }
    return labels;
  }
};

using Texts = std::vector<std::string>;

// A device reports a site once, so each action has a device of its own.
struct Around {
  uint32_t action;
  Texts labels;
};
class LabelsOfActions : public DebugLabels, public ::testing::WithParamInterface<Around> {};

TEST_P(LabelsOfActions, AreThoseThatAreOpen) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  open(commands, "frame");
  dispatch(commands);
  open(commands, "shadows");
  open(commands, "cascade");
  dispatch(commands);
  close(commands);
  dispatch(commands);
  close(commands);
  open(commands, "lights");
  dispatch(commands);
  close(commands);
  close(commands);
  dispatch(commands);
  end(commands);
  submit({commands});
  const auto all = records();
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(labels_around(all[GetParam().action]), GetParam().labels);
}

INSTANTIATE_TEST_SUITE_P(Nested, LabelsOfActions,
                         ::testing::Values(Around{0, {}}, Around{1, {"frame"}},
                                           Around{2, {"frame", "shadows", "cascade"}},
                                           Around{3, {"frame", "shadows"}}, Around{4, {"frame", "lights"}},
                                           Around{5, {}}),
                         [](const auto& one) { return "Action" + std::to_string(one.param.action); });

TEST_F(DebugLabels, AnEndThatClosesALabelOfAnotherCommandBufferIsIgnored) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  close(commands);
  open(commands, "only");
  dispatch(commands);
  end(commands);
  submit({commands});
  EXPECT_EQ(labels_around(records().at(0)), Texts{"only"});
}

TEST_F(DebugLabels, ThoseOfTheQueueAreOutsideOfThoseOfCommandBuffers) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  open(commands, "inner");
  dispatch(commands);
  close(commands);
  end(commands);
  for (const char* name : {"level", "frame 3"}) {
    const VkDebugUtilsLabelEXT info = label(name);
    vkQueueBeginDebugUtilsLabelEXT(device().queue, &info);
  }
  submit({commands});
  vkQueueEndDebugUtilsLabelEXT(device().queue);
  EXPECT_EQ(labels_around(records().at(0)), (Texts{"level", "frame 3", "inner"}));
  vkQueueEndDebugUtilsLabelEXT(device().queue);
}

}  // namespace
}  // namespace shaderqa::layer_tests
