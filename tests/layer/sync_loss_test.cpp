// SPDX-License-Identifier: Apache-2.0
// A device that is lost: the hazards found before it was come out, with the commands around their action.
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "report_reader.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

struct Command {
  const char* name;  // at which the loss is noticed
  void (*call)(const Device&, VkFence, VkSemaphore);
};

void submit_nothing(const Device& device, VkFence, VkSemaphore) {
  EXPECT_EQ(device.vk.vkQueueSubmit(device.queue, 0, nullptr, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
}
void submit2_nothing(const Device& device, VkFence, VkSemaphore) {
  EXPECT_EQ(device.vk.vkQueueSubmit2(device.queue, 0, nullptr, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
}
void wait_for_fence(const Device& device, VkFence fence, VkSemaphore) {
  EXPECT_EQ(device.vk.vkWaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX), VK_ERROR_DEVICE_LOST);
}
void ask_fence(const Device& device, VkFence fence, VkSemaphore) {
  EXPECT_EQ(device.vk.vkGetFenceStatus(device.handle, fence), VK_ERROR_DEVICE_LOST);
}
void wait_for_queue(const Device& device, VkFence, VkSemaphore) {
  EXPECT_EQ(device.vk.vkQueueWaitIdle(device.queue), VK_ERROR_DEVICE_LOST);
}
void wait_for_device(const Device& device, VkFence, VkSemaphore) {
  EXPECT_EQ(device.vk.vkDeviceWaitIdle(device.handle), VK_ERROR_DEVICE_LOST);
}
void ask_timeline(const Device& device, VkFence, VkSemaphore timeline) {
  uint64_t value = 0;
  EXPECT_EQ(device.vk.vkGetSemaphoreCounterValue(device.handle, timeline, &value), VK_ERROR_DEVICE_LOST);
}

class LostDevice : public CommandTest, public ::testing::WithParamInterface<Command> {
 protected:
  LostDevice()
      : CommandTest({nullptr, nullptr, {"VK_KHR_timeline_semaphore", "VK_KHR_synchronization2"}}, {}, "bloom",
                    {{"SHADERQA_BREADCRUMBS", "1"}}) {}
};

TEST_P(LostDevice, HazardsComeOutWithTheCommandsAround) {
  const VkFence fence = create_fence(device());
  const VkSemaphore timeline = create_semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
  const VkCommandBuffer commands = begin();
  bind(commands);
  for (uint32_t i = 1; i <= 12; ++i) vk().vkCmdDispatch(commands, i, 1, 1);
  end(commands);
  submit({commands});
  const uint32_t seventh = records().at(6)[SQA_ACTION_NUMBER];

  // Not announced, so that nobody reads it before the loss.
  null_driver::Config config;
  config.faults = {{GetParam().name, 0, VK_ERROR_DEVICE_LOST}};
  driver().configure(config);
  leave_hazard(10, buffer_->address + 8, seventh);
  GetParam().call(device(), fence, timeline);

  nlohmann::json found;
  for (const auto& finding : testing::read_report(directory() / "report.jsonl")) {
    if (finding.at("kind") == "hazard") found.push_back(finding);
  }
  ASSERT_EQ(found.size(), 1u);
  const auto action = found[0].at("action");
  EXPECT_EQ(action.value("command", ""), "vkCmdDispatch(7, 1, 1)");
  EXPECT_EQ(found[0].at("buffer").value("offset", 0u), 8u);
  std::vector<std::string> around;
  for (const auto& command : found[0].at("commands")) {
    const std::string text = command.get<std::string>();
    around.push_back(text.substr(text.find(": ") + 2));
  }
  std::vector<std::string> expected;
  for (uint32_t i = 2; i <= 10; ++i) expected.push_back("vkCmdDispatch(" + std::to_string(i) + ", 1, 1)");
  EXPECT_EQ(around, expected);
  vk().vkDestroyFence(device().handle, fence, nullptr);
}

INSTANTIATE_TEST_SUITE_P(At, LostDevice,
                         ::testing::Values(Command{"vkQueueSubmit", submit_nothing},
                                           Command{"vkQueueSubmit2", submit2_nothing},
                                           Command{"vkWaitForFences", wait_for_fence},
                                           Command{"vkGetFenceStatus", ask_fence},
                                           Command{"vkQueueWaitIdle", wait_for_queue},
                                           Command{"vkDeviceWaitIdle", wait_for_device},
                                           Command{"vkGetSemaphoreCounterValue", ask_timeline}),
                         [](const auto& command) { return std::string(command.param.name); });

}  // namespace
}  // namespace shaderqa::layer_tests
