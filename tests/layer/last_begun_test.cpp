// SPDX-License-Identifier: Apache-2.0
// Which checked action began last: said while the application waits for the device, and when that is lost.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "host/summary/process_record.h"
#include "host/summary/run_summary.h"
#include "instrument/instrument.h"
#include "instrument/runtime/abi_action.h"
#include "report_reader.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Made before the settings that name it.
struct SharedMemory {
  const shaderqa::testing::TemporaryDirectory memory{true};
};

class LastBegun : SharedMemory, public CommandTest {
 protected:
  LastBegun()
      : CommandTest({nullptr, nullptr, {"VK_KHR_timeline_semaphore"}}, {}, "exact",
                    {{"SHADERQA_RESCUE_DIR", memory.path()}},
                    {VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr}) {
    commands_ = begin();
    const VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, "probes", {}};
    vkCmdBeginDebugUtilsLabelEXT(commands_, &label);
    bind(commands_);
    for (uint32_t i = 1; i <= 3; ++i) vk().vkCmdDispatch(commands_, i, 1, 1);
    end(commands_);
    submit({commands_});
  }
  // As the dispatch's first invocation does: of the one of these three.
  void begin_on_device(uint32_t index) {
    abi::BegunAction& begun = find_report_block().root->begun;
    const uint64_t hash = shader_hash(shaders::accesses_comp);
    write(begun.shader_hash[0], static_cast<uint32_t>(hash));
    write(begun.shader_hash[1], static_cast<uint32_t>(hash >> 32));
    write(begun.number, records().at(index)[SQA_ACTION_NUMBER]);
  }
  static void write(uint32_t& word, uint32_t value) {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
  }
  std::string seen() const { return read_progress(memory.path(), monotonic_ns()).last_begun; }
  // What the parent sees during a wait in which `meanwhile` happens.
  template <typename Meanwhile>
  std::string seen_while_waiting(const Meanwhile& meanwhile) {
    std::string text;
    null_driver::Config config;
    config.while_waiting = [&] {
      meanwhile();
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      while (std::chrono::steady_clock::now() < end) {
        text = seen();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    };
    driver().configure(config);
    EXPECT_EQ(vk().vkDeviceWaitIdle(device().handle), VK_SUCCESS);
    driver().configure({});
    return text;
  }
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

TEST_F(LastBegun, IsSeenByTheParentWhileTheApplicationWaits) {
  EXPECT_EQ(seen_while_waiting([] {}), "") << "none has begun";
  const std::string text = seen_while_waiting([&] { begin_on_device(1); });
  EXPECT_THAT(text, StartsWith("vkCmdDispatch(2, 1, 1), action 2 of command buffer 0x"));
  EXPECT_THAT(text, AllOf(HasSubstr(" in probes, shader "), EndsWith(" (compute, main)")));
  EXPECT_EQ(seen(), "") << "the wait is over";
  EXPECT_THAT(seen_while_waiting([&] { begin_on_device(2); }),
              StartsWith("vkCmdDispatch(3, 1, 1), action 3 "));
}

TEST_F(LastBegun, OfAnActionThatIsNotKnownNothingIsSaid) {
  EXPECT_EQ(seen_while_waiting([] { write(find_report_block().root->begun.number, 0x7fffffff); }), "");
}

TEST_F(LastBegun, IsSaidWhenTheDeviceIsLost) {
  begin_on_device(0);
  null_driver::Config config;
  config.faults = {{"vkDeviceWaitIdle", 0, VK_ERROR_DEVICE_LOST}};
  driver().configure(config);
  EXPECT_EQ(vk().vkDeviceWaitIdle(device().handle), VK_ERROR_DEVICE_LOST);
  EXPECT_THAT(
      shaderqa::testing::texts_of(shaderqa::testing::read_report(directory() / "report.jsonl"), "note"),
      ElementsAre(HasSubstr("the device was lost: what ran last was not checked to its end. The last "
                            "checked action to begin was vkCmdDispatch(1, 1, 1), action 1 of ")));
}

}  // namespace
}  // namespace shaderqa::layer_tests
