// SPDX-License-Identifier: Apache-2.0
// How findings name commands: with the arguments that the program passed.
#include <cstdio>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "report_reader.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

using Texts = std::vector<std::string>;

class CommandTexts : public CommandTest {
 protected:
  explicit CommandTexts(const char* engine = "bloom")
      : CommandTest({}, {}, engine, {{"SHADERQA_BREADCRUMBS", "1"}}) {}

  // The texts of the commands around that action, which leads to a finding as the device is lost.
  Texts around(const uint32_t* record) {
    null_driver::Config config;
    config.faults = {{"vkQueueWaitIdle", 0, VK_ERROR_DEVICE_LOST}};
    driver().configure(config);
    leave_hazard(1, buffer_->address, record[SQA_ACTION_NUMBER]);
    EXPECT_EQ(vk().vkQueueWaitIdle(device().queue), VK_ERROR_DEVICE_LOST);
    Texts texts;
    for (const auto& finding : testing::read_report(directory() / "report.jsonl")) {
      if (finding.at("kind") != "hazard") continue;
      for (const auto& command : finding.at("commands")) {
        const std::string text = command.get<std::string>();
        texts.push_back(text.substr(text.find(": ") + 2));
      }
    }
    return texts;
  }
  template <typename Handle>
  static std::string hexadecimal(Handle handle) {
    char text[32];
    std::snprintf(text, sizeof text, "%p", static_cast<void*>(handle));
    return text;
  }
};

TEST_F(CommandTexts, OfDispatchesAndDraws) {
  const VkBuffer buffer = buffer_->handle;
  const VkCommandBuffer commands = begin();
  bind(commands);
  bind_graphics(commands);
  vk().vkCmdDispatchBase(commands, 1, 2, 3, 4, 5, 6);
  vk().vkCmdDispatchIndirect(commands, buffer, 16);
  vk().vkCmdDraw(commands, 3, 2, 1, 5);
  vk().vkCmdDrawIndexed(commands, 6, 2, 1, -4, 3);
  vk().vkCmdDrawIndirect(commands, buffer, 4, 2, 16);
  vk().vkCmdDrawIndexedIndirect(commands, buffer, 32, 3, 20);
  vk().vkCmdDrawIndirectCount(commands, buffer, 8, buffer, 64, 3, 16);
  vk().vkCmdDrawIndexedIndirectCount(commands, buffer, 12, buffer, 68, 4, 20);
  end(commands);
  submit({commands});
  ASSERT_EQ(records().size(), 8u);
  const std::string handle = hexadecimal(buffer);
  EXPECT_EQ(around(records()[4]),
            (Texts{"vkCmdDispatchBase(4, 5, 6)", "vkCmdDispatchIndirect(" + handle + ", 16)",
                   "vkCmdDraw(3, 2, 1, 5)", "vkCmdDrawIndexed(6, 2, 1, -4, 3)",
                   "vkCmdDrawIndirect(" + handle + ", 4, 2, 16)",
                   "vkCmdDrawIndexedIndirect(" + handle + ", 32, 3, 20)",
                   "vkCmdDrawIndirectCount(" + handle + ", 8, " + handle + ", 64, 3)",
                   "vkCmdDrawIndexedIndirectCount(" + handle + ", 12, " + handle + ", 68, 4)"}));
}

class TransferTexts : public CommandTexts {
 protected:
  TransferTexts() : CommandTexts("exact") {}
};

TEST_F(TransferTexts, OfCopiesAndFills) {
  const BoundBuffer target(device(), 512, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkBuffer from = buffer_->handle, to = target.handle;
  const VkBufferCopy regions[] = {{4, 8, 16}, {32, 64, 12}};
  const uint32_t words[] = {1, 2};
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 4;
  VkQueryPool pool = VK_NULL_HANDLE;
  check(vk().vkCreateQueryPool(device().handle, &info, nullptr, &pool), "vkCreateQueryPool");
  const VkCommandBuffer commands = begin();
  bind(commands);
  vk().vkCmdCopyBuffer(commands, from, to, 1, regions);
  vk().vkCmdCopyBuffer(commands, from, to, 2, regions);
  dispatch(commands);
  vk().vkCmdFillBuffer(commands, to, 256, 32, 7);
  vk().vkCmdUpdateBuffer(commands, to, 320, sizeof words, words);
  vk().vkCmdCopyQueryPoolResults(commands, pool, 1, 2, to, 384, 8, VK_QUERY_RESULT_WAIT_BIT);
  end(commands);
  submit({commands});
  ASSERT_EQ(records().size(), 6u);
  const std::string source = hexadecimal(from), filled = hexadecimal(to);
  EXPECT_EQ(around(records()[2]),
            (Texts{"vkCmdCopyBuffer(" + source + ", " + filled + ", 4, 8, 16)",
                   "vkCmdCopyBuffer(" + source + ", " + filled + ", 2)", "vkCmdDispatch(1, 1, 1)",
                   "vkCmdFillBuffer(" + filled + ", 256, 32)", "vkCmdUpdateBuffer(" + filled + ", 320, 8)",
                   "vkCmdCopyQueryPoolResults(" + hexadecimal(pool) + ", 1, 2, " + filled + ", 384)"}));
  vk().vkDestroyQueryPool(device().handle, pool, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
