// SPDX-License-Identifier: Apache-2.0
// Whole programs with all checks on, one after the other and many at once; objects are destroyed as early as
// the specification allows.
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/layer/layer_test.h"
#include "tests/layer/whole_program.h"

namespace shaderqa::layer_tests {
namespace {

class WholeProgram : public LayerTest {
 protected:
  WholeProgram() {
    for (const char* check : {"PRINTF", "ASSUME", "EXPECT"}) set(std::string("SHADERQA_") + check, "1");
    set("SHADERQA_NAN", "full");
    set("SHADERQA_SYNC", "bloom");
    set("SHADERQA_BLOOM_BUFFER_SIZE_LOG2", "12");
  }
  template <typename Work>
  static void on_sixteen_threads(const Work& work) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_F(WholeProgram, MayDestroyWhatItNeedsNoMore) {
  Instance instance;
  // Handles come again: what was destroyed must not be remembered as something else.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(live(instance).result, VK_SUCCESS);
  const null_driver::Log log = driver().log();
  // Both compute shaders and both of the graphics pipeline, rewritten.
  for (const auto& pipeline : log.pipelines)
    for (const auto& stage : pipeline.stages)
      for (const Words* original :
           {&shaders::accesses_comp, &shaders::prints_comp, &shaders::prints_vert, &shaders::prints_frag})
        EXPECT_NE(stage.words, *original);
  EXPECT_EQ(log.pipelines.size(), 9u);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_F(WholeProgram, SixteenOnOneDevice) {
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
  EXPECT_EQ(words.size(), 4u) << "every thread has the same shaders";
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_F(WholeProgram, SixteenWithDevicesOfTheirOwnAndOneShaderCache) {
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

TEST_F(WholeProgram, SixteenInInstancesOfTheirOwn) {
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

}  // namespace
}  // namespace shaderqa::layer_tests
