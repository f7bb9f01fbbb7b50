// SPDX-License-Identifier: Apache-2.0
// Whole programs with all checks on and with every engine, one after the other and many at once; objects are
// destroyed as early as the specification allows.
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/layer/engine_test.h"
#include "tests/layer/whole_program.h"

namespace shaderqa::layer_tests {
namespace {

class WholeProgram : public EngineTest {
 protected:
  template <typename Work>
  static void on_sixteen_threads(const Work& work) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_P(WholeProgram, MayDestroyWhatItNeedsNoMore) {
  Instance instance;
  // Handles come again: what was destroyed must not be remembered as something else.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(live(instance).result, VK_SUCCESS);
  const null_driver::Log log = driver().log();
  // Both compute shaders and both of the graphics pipeline are rewritten; without an engine, the one that
  // prints nothing is left as it is.
  size_t left = 0;
  for (const auto& pipeline : log.pipelines)
    for (const auto& stage : pipeline.stages) {
      left += stage.words == shaders::accesses_comp;
      for (const Words* original : {&shaders::prints_comp, &shaders::prints_vert, &shaders::prints_frag})
        EXPECT_NE(stage.words, *original);
    }
  EXPECT_EQ(left, GetParam() == std::string("none") ? 3u : 0u);
  EXPECT_EQ(log.pipelines.size(), 9u);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_P(WholeProgram, SixteenOnOneDevice) {
  Program program;
  std::mutex queue_mutex;
  on_sixteen_threads([&] {
    for (int i = 0; i < 4; ++i) {
      const Ending ending =
          live_on(program.device.handle, program.device.vk, program.device.queue, queue_mutex);
      EXPECT_EQ(ending.result, VK_SUCCESS) << ending.command;
    }
  });
  std::set<Words> words;
  for (const auto& pipeline : driver().log().pipelines)
    for (const auto& stage : pipeline.stages) words.insert(stage.words);
  EXPECT_EQ(words.size(), 4u) << "threads were given different shaders";
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_P(WholeProgram, SixteenWithDevicesOfTheirOwnAndOneShaderCache) {
  set("SHADERQA_CACHE_DIR", directory() / "cache");
  null_driver::Config config;
  config.device_type = VK_PHYSICAL_DEVICE_TYPE_CPU;
  config.missing_features = {"bufferDeviceAddressCaptureReplay"};  // as lavapipe
  driver().reset(config);
  Instance instance;
  on_sixteen_threads([&] {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(live(instance).result, VK_SUCCESS);
  });
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_P(WholeProgram, SixteenInInstancesOfTheirOwn) {
  for (int i = 0; i < 2; ++i) {
    std::vector<std::unique_ptr<Instance>> instances;
    for (int t = 0; t < 16; ++t) instances.push_back(std::make_unique<Instance>());
    std::atomic<size_t> next = 0;
    on_sixteen_threads([&] {
      std::unique_ptr<Instance>& instance = instances[next.fetch_add(1)];
      EXPECT_EQ(live(*instance).result, VK_SUCCESS);
      instance.reset();
    });
  }
}

SHADERQA_WITH_EVERY_ENGINE(WholeProgram);

}  // namespace
}  // namespace shaderqa::layer_tests
