// SPDX-License-Identifier: Apache-2.0
// Every command of a whole program fails, one call after the other, with all checks on and with every engine:
// the program sees the failures of its own calls, and failures of the layer's own calls break nothing.
#include <algorithm>
#include <map>
#include <string>

#include "tests/layer/engine_test.h"
#include "tests/layer/whole_program.h"

namespace shaderqa::layer_tests {
namespace {

using Calls = std::map<std::string, uint64_t>;

// Whether the command has a result and the layer passes each failure of it on to the program.
bool has_result(const std::string& command) {
  if (command == "vkGetFenceStatus") return true;
  // If the driver rejects what the layer made of these, the layer calls again with what the program passed.
  if (command.ends_with("Pipelines") || command == "vkCreatePipelineLayout" || command == "vkCreateDevice")
    return false;
  constexpr const char* kWithout[] = {
      "vkCmd", "vkDestroy", "vkFreeMemory", "vkFreeCommandBuffers", "vkFreeDescriptorSets",
      "vkGet", "vkUpdate",  "vkUnmap",      "vkEnumerate"};
  return std::ranges::none_of(kWithout, [&](const char* prefix) { return command.starts_with(prefix); });
}

class FaultSweep : public EngineTest {
 protected:
  FaultSweep() { set("SHADERQA_QUIET_NOTES", "1"); }
  static Calls calls_of_a_life() {
    Instance instance;
    driver().reset({});
    EXPECT_EQ(live(instance).result, VK_SUCCESS);
    return driver().log().calls;
  }
};

TEST_P(FaultSweep, EveryCallFailsOnce) {
  const Calls with_layer = calls_of_a_life();
  unset("SHADERQA");
  const Calls alone = calls_of_a_life();
  set("SHADERQA", "1");
  EXPECT_GT(with_layer.at("vkCreateBuffer"), alone.at("vkCreateBuffer"));

  Instance instance;
  size_t lives = 0, seen = 0;
  constexpr VkResult kFailures[] = {VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_HOST_MEMORY,
                                    VK_ERROR_OUT_OF_DEVICE_MEMORY};
  for (const auto& [command, calls] : with_layer) {
    const auto own = alone.find(command);
    // 0: all its calls fail.
    for (uint64_t call = 0; call <= calls; ++call) {
      const VkResult failure = kFailures[(lives + call) % std::size(kFailures)];
      null_driver::Config config;
      config.faults.push_back({command, call, failure});
      driver().configure(config);
      const Ending ending = live(instance);
      ++lives;
      seen += ending.result != VK_SUCCESS;
      // Whatever the program sees is what the driver said.
      EXPECT_TRUE(ending.result == VK_SUCCESS || ending.result == failure)
          << command << " call " << call << ": " << ending.command << " gives " << ending.result;
      // (The loader asks for extensions when it makes a device, and fails where it cannot.)
      const bool by_loader =
          command == "vkEnumerateDeviceExtensionProperties" && ending.command == "vkCreateDevice";
      EXPECT_TRUE(ending.result == VK_SUCCESS || ending.command == command || by_loader)
          << command << " call " << call << " makes " << ending.command << " fail";
      // Where the layer makes no such calls, the program sees each of its failures.
      if (own != alone.end() && own->second == calls && call != 0 && has_result(command)) {
        EXPECT_EQ(ending.command, command) << "call " << call;
      }
      null_driver::Log log = driver().log();
      // If memory with device addresses is refused, the layer asks again without, so that the program gets
      // its memory.
      std::erase(log.violations, "a buffer with a device address in memory without");
      ASSERT_EQ(log.violations, std::vector<std::string>()) << command << " call " << call;
      // One instance serves all lives.
      for (const auto& [type, count] : log.live)
        ASSERT_EQ(count, type == "VkInstance" ? 1 : 0) << type << ", " << command << " " << call;
    }
  }
  driver().reset({});
  EXPECT_GT(lives, 100u);
  EXPECT_GT(seen, 20u);
  EXPECT_EQ(live(instance).result, VK_SUCCESS);
}

SHADERQA_WITH_EVERY_ENGINE(FaultSweep);

}  // namespace
}  // namespace shaderqa::layer_tests
