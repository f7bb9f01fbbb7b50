// SPDX-License-Identifier: Apache-2.0
// Failed checks have arrived when the command that says that the work is done returns, as printed messages
// have: in the report, and in the application's debug messengers.
#include <algorithm>
#include <atomic>

#include "instrument/instrument.h"
#include "instrument/runtime/abi_report.h"
#include "report_reader.h"
#include "tests/layer/layer_test.h"
#include "tests/layer/messenger.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kAll = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                      VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;

class CheckDelivery : public LayerTest {
 protected:
  CheckDelivery() { set("SHADERQA_ASSUME", "1"); }

  // The record of that shader's assumption; some words of it are the same at every call.
  static abi::Report failure() {
    InstrumentOptions options;
    options.root_address = 4096;
    options.assume = true;
    const InstrumentResult result = instrument(shaders::assumes_comp, options);
    const CheckSite& site = result.record.check_sites.at(0);
    abi::Report record{};
    record.shader_hash[0] = static_cast<uint32_t>(result.record.shader_hash);
    record.shader_hash[1] = static_cast<uint32_t>(result.record.shader_hash >> 32);
    record.instruction = site.instruction;
    record.kind = site.check | static_cast<uint32_t>(Stage::compute) << 8;
    record.invocation[0] = 7;
    return record;
  }

  nlohmann::json only(const std::string& kind) const {
    nlohmann::json found;
    for (const auto& finding : testing::read_report(directory() / "report.jsonl")) {
      if (finding.at("kind") != kind) continue;
      EXPECT_TRUE(found.is_null()) << finding;
      found = finding;
    }
    return found;
  }

  ptrdiff_t notes_with(const std::string& words) const {
    const std::vector<std::string> all = notes();
    return std::count_if(all.begin(), all.end(),
                         [&](const std::string& note) { return note.find(words) != std::string::npos; });
  }

  const InstanceOptions instance_options_ = {VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr};
};

TEST_F(CheckDelivery, ByMessengerAndReport) {
  Program program(instance_options_);
  Messenger messenger(program.instance, kAll);
  const VkPipeline pipeline = create_compute(program.device, shaders::assumes_comp);
  const ReportBlock block = find_report_block();
  EXPECT_TRUE(fail(block, failure()));
  check(program.device.vk.vkQueueWaitIdle(program.device.queue), "vkQueueWaitIdle");
  const nlohmann::json finding = only("assume");
  EXPECT_EQ(finding.value("check", ""), "assume");
  EXPECT_EQ(finding.value("stage", ""), "compute");
  EXPECT_EQ(finding.value("invocation", ""), "global invocation 7,0,0");
  ASSERT_EQ(messenger.messages.size(), 1u);
  EXPECT_EQ(messenger.messages[0].id_name, "SHADERQA-assume");
  EXPECT_EQ(messenger.messages[0].severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT);
  EXPECT_NE(messenger.messages[0].text.find("  by global invocation 7,0,0"), std::string::npos)
      << messenger.messages[0].text;
  // The slot is free again, and the same failure is no news.
  EXPECT_TRUE(fail(block, failure()));
  check(program.device.vk.vkQueueWaitIdle(program.device.queue), "vkQueueWaitIdle");
  EXPECT_EQ(messenger.messages.size(), 1u);
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

TEST_F(CheckDelivery, WithoutAWaitAndCountedWhenTheDeviceIsDestroyed) {
  {
    Program program;
    const VkPipeline pipeline = create_compute(program.device, shaders::assumes_comp);
    const ReportBlock block = find_report_block();
    for (int i = 0; i < 5; ++i) fail(block, failure());
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  EXPECT_FALSE(only("assume").is_null());
  EXPECT_EQ(notes_with("failed 5 times in all"), 1);
}

TEST_F(CheckDelivery, AccessesThatAQueueHadNoRoomForAreSaid) {
  {
    Program program;
    const VkPipeline pipeline = create_compute(program.device, shaders::assumes_comp);
    std::atomic_ref(find_report_block().control->unqueued).store(3);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  EXPECT_EQ(notes_with("3 accesses of shaders were not checked"), 1);
}

TEST_F(CheckDelivery, WhenTheDeviceIsLost) {
  Program program;
  const VkPipeline pipeline = create_compute(program.device, shaders::assumes_comp);
  const ReportBlock block = find_report_block();
  fail(block, failure());
  // What was written but not counted any more is there as well.
  block.records[4000] = failure();
  block.records[4000].kind = SQA_CHECK_NAN;
  std::atomic_ref(block.records[4000].ticket).store(1, std::memory_order_release);
  null_driver::Config config;
  config.faults.push_back({"vkQueueWaitIdle", 0, VK_ERROR_DEVICE_LOST});
  driver().configure(config);
  EXPECT_EQ(program.device.vk.vkQueueWaitIdle(program.device.queue), VK_ERROR_DEVICE_LOST);
  EXPECT_FALSE(only("assume").is_null());
  EXPECT_EQ(notes_with("where nothing is checked"), 1) << "a check that this instruction has not";
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

TEST_F(CheckDelivery, GarbageIsSaidAndTheProgramGoesOn) {
  Program program;
  const VkPipeline pipeline = create_compute(program.device, shaders::assumes_comp);
  const ReportBlock block = find_report_block();
  for (uint32_t i = 0; i < SQA_REPORT_SLOTS; ++i) {
    auto words = reinterpret_cast<uint32_t*>(&block.records[i]);
    for (uint32_t w = 0; w < SQA_REPORT_DWORDS; ++w)
      std::atomic_ref(words[w]).store((i * 2654435761u) ^ (w * 40503u));
  }
  std::atomic_ref(block.control->published).store(0x12345678);
  check(program.device.vk.vkDeviceWaitIdle(program.device.handle), "vkDeviceWaitIdle");
  EXPECT_TRUE(reported("assume").empty());
  EXPECT_GE(notes_with("such reports are ignored"), 1);
  EXPECT_LE(notes_with("such reports are ignored"), 6);
  EXPECT_TRUE(fail(block, failure()));
  check(program.device.vk.vkQueueWaitIdle(program.device.queue), "vkQueueWaitIdle");
  EXPECT_EQ(reported("assume").size(), 1u);
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
