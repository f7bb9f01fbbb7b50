// SPDX-License-Identifier: Apache-2.0
// Pipelines in two versions, from many threads: created, bound, destroyed while workers make them.
#include <atomic>
#include <exception>
#include <thread>

#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

class StartThreads : public LayerTest, public ::testing::WithParamInterface<const char*> {
 protected:
  StartThreads() {
    set("SHADERQA_START", GetParam());
    set("SHADERQA_PRINTF", "1");
    set("SHADERQA_SYNC", "exact");
  }
};

TEST_P(StartThreads, CreateBindAndDestroy) {
  null_driver::Config config;
  config.pipeline_ms = 2;
  config.quick_words = {shaders::prints_comp, shaders::accesses_comp, shaders::silent_comp};
  driver().reset(config);
  std::atomic<int> failures = 0;
  {
    Program program;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        try {
          std::vector<VkPipeline> kept;
          for (int round = 0; round < 30; ++round) {
            const Words& words = round % 3 == 0   ? shaders::prints_comp
                                 : round % 3 == 1 ? shaders::accesses_comp
                                                  : shaders::silent_comp;
            kept.push_back(create_compute(program.device, words));
            if ((round + thread) % 4 == 0) use(program.device, kept[static_cast<size_t>(round) / 2]);
            if (round % 5 == 4) {
              program.device.vk.vkDestroyPipeline(program.device.handle, kept.back(), nullptr);
              kept.back() = create_compute(program.device, words);
            }
          }
          for (const VkPipeline pipeline : kept)
            program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
        } catch (const std::exception&) {
          ++failures;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(failures, 0);
}

// One pipeline that several threads bind first.
TEST_P(StartThreads, BindTheSameOne) {
  null_driver::Config config;
  config.pipeline_ms = 20;
  config.quick_words = {shaders::prints_comp};
  driver().reset(config);
  Program program;
  const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back([&] { use(program.device, pipeline); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(driver().log().pipelines.size(), 2u) << "it was made more than once";
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, StartThreads, ::testing::Values("first_use", "background", "creation"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace shaderqa::layer_tests
