// SPDX-License-Identifier: Apache-2.0
// While an application waits for the device, its parent can see it.
#include <map>
#include <string>

#include "host/summary/process_record.h"
#include "host/summary/run_summary.h"
#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

using DeviceWaits = LayerTest;

TEST_F(DeviceWaits, AreSeenByTheParentWhileTheyLast) {
  const shaderqa::testing::TemporaryDirectory memory(true);
  set("SHADERQA_RESCUE_DIR", memory.path());
  const auto waited = [&] { return read_progress(memory.path(), monotonic_ns() + 1'000'000).waiting_ns; };
  Program program;
  const Device& device = program.device;
  const VkFence fence = create_fence(device, VK_FENCE_CREATE_SIGNALED_BIT);
  std::map<std::string, uint64_t> seen;
  std::string command;
  null_driver::Config config;
  config.while_waiting = [&] { seen[command] = waited(); };
  driver().configure(config);

  const auto during = [&](const char* name, auto call) {
    command = name;
    EXPECT_GE(call(), VK_SUCCESS) << name;
    EXPECT_GT(seen[name], 0u) << name;
    EXPECT_EQ(waited(), 0u) << name;
  };
  during("vkWaitForFences",
         [&] { return device.vk.vkWaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX); });
  during("vkQueueWaitIdle", [&] { return device.vk.vkQueueWaitIdle(device.queue); });
  during("vkDeviceWaitIdle", [&] { return device.vk.vkDeviceWaitIdle(device.handle); });
  const VkSemaphoreWaitInfo none{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 0, nullptr, nullptr};
  during("vkWaitSemaphores", [&] { return device.vk.vkWaitSemaphores(device.handle, &none, 0); });
  const VkQueryPoolCreateInfo info{
      VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_OCCLUSION, 1, 0};
  VkQueryPool pool{};
  check(device.vk.vkCreateQueryPool(device.handle, &info, nullptr, &pool), "vkCreateQueryPool");
  uint64_t result = 0;
  during("vkGetQueryPoolResults", [&] {
    return device.vk.vkGetQueryPoolResults(device.handle, pool, 0, 1, sizeof result, &result, sizeof result,
                                           VK_QUERY_RESULT_WAIT_BIT);
  });
  driver().configure({});
  device.vk.vkDestroyQueryPool(device.handle, pool, nullptr);
  device.vk.vkDestroyFence(device.handle, fence, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
