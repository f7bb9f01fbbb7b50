// SPDX-License-Identifier: Apache-2.0
// Objects come and go, several at once, again and again, on many threads.
#include <dlfcn.h>

#include <fstream>
#include <memory>
#include <thread>

#include "instrument/runtime/abi_root.h"
#include "tests/layer/layer_test.h"
#include "tests/layer/pipelines.h"

namespace shaderqa::layer_tests {
namespace {

using Lifetime = LayerTest;

// Lets the device's root block print one message with this number.
void print_on(const Device& device, uint32_t number) {
  const VkPipeline pipeline = create_compute(device, shaders::prints_comp);
  abi::Root* root = root_of(last_stages().at(0).words);
  ASSERT_NE(root, nullptr);
  EXPECT_TRUE(print(*root, site_id(shaders::prints_comp), {&number, 1}));
  EXPECT_EQ(device.vk.vkQueueWaitIdle(device.queue), VK_SUCCESS);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
}

uint32_t threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "Threads:") {
      uint32_t count = 0;
      status >> count;
      return count;
    }
  }
  return 0;
}

bool layer_is_mapped() {
  void* library = dlopen(SHADERQA_LAYER_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  if (library) dlclose(library);
  return library != nullptr;
}

TEST_F(Lifetime, TwoDevicesOfOneInstancePrintSeparately) {
  Instance instance;
  auto first = std::make_unique<Device>(instance);
  auto second = std::make_unique<Device>(instance);
  print_on(*first, 1);
  print_on(*second, 2);
  EXPECT_NE(find_roots().at(0), find_roots().at(1));
  first.reset();
  print_on(*second, 3);
  second.reset();
  const std::vector<std::string> expected = {"compute 1", "compute 2", "compute 3"};
  EXPECT_EQ(messages(), expected);
}

TEST_F(Lifetime, TwoInstancesInterleaved) {
  auto instance_a = std::make_unique<Instance>();
  auto instance_b = std::make_unique<Instance>();
  auto device_a = std::make_unique<Device>(*instance_a);
  auto device_b = std::make_unique<Device>(*instance_b);
  print_on(*device_a, 1);
  print_on(*device_b, 2);
  device_a.reset();
  instance_a.reset();
  print_on(*device_b, 3);
  instance_a = std::make_unique<Instance>();
  device_a = std::make_unique<Device>(*instance_a);
  device_b.reset();
  print_on(*device_a, 4);
  instance_b.reset();
  print_on(*device_a, 5);
  device_a.reset();
  instance_a.reset();
  const std::vector<std::string> expected = {"compute 1", "compute 2", "compute 3", "compute 4", "compute 5"};
  EXPECT_EQ(messages(), expected);
}

TEST_F(Lifetime, DevicesAreRecreatedWithReusedHandles) {
  Instance instance;
  for (uint32_t i = 0; i < 20; ++i) {
    Device device(instance);
    print_on(device, i);
  }
  EXPECT_EQ(messages().size(), 20u);
}

TEST_F(Lifetime, InstancesAreRecreated) {
  for (uint32_t i = 0; i < 10; ++i) {
    Program program;
    print_on(program.device, i);
  }
  EXPECT_EQ(messages().size(), 10u);
}

TEST_F(Lifetime, ADestroyedDeviceLeavesNoThread) {
  const auto live_once = [this] {
    Program program;
    print_on(program.device, 1);
  };
  live_once();  // a sanitizer's run time starts a thread of its own with the first one
  const uint32_t before = threads_of_this_process();
  live_once();
  EXPECT_EQ(threads_of_this_process(), before);
}

TEST_F(Lifetime, WithTheLoaderUnloadedAndLoadedAgain) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(volkInitialize(), VK_SUCCESS);
    {
      Program program;
      print_on(program.device, 1);
      EXPECT_TRUE(layer_is_mapped());
    }
    volkFinalize();
#ifndef SHADERQA_SANITIZED
    EXPECT_FALSE(layer_is_mapped());
#endif
  }
  EXPECT_EQ(messages().size(), 3u);
}

TEST_F(Lifetime, SixteenThreadsCreatePipelines) {
  Program program({}, {nullptr, nullptr, pipeline_extensions()});
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&program, t] {
      const Kind kinds[] = {Kind::compute, Kind::graphics, Kind::ray_tracing, Kind::shader_objects};
      for (int i = 0; i < 12; ++i) {
        const Kind kind = kinds[(t + i) % 4];
        PipelineMaker maker(program.device, kind, i % 2 ? Code::module : Code::inline_in_chain);
        EXPECT_EQ(maker.create(printing_stages(kind)), VK_SUCCESS);
        EXPECT_EQ(vkGetDeviceProcAddr(program.device.handle, "vkNothing"), nullptr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Every thread got the same words.
  const null_driver::Log log = driver().log();
  std::set<Words> all;
  for (const auto& pipeline : log.pipelines) {
    for (const auto& stage : pipeline.stages) all.insert(stage.words);
  }
  // Five shaders, rewritten; of shader objects the originals of two as well.
  EXPECT_EQ(all.size(), 5u + 2u);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_F(Lifetime, SixteenThreadsWithDevicesOfTheirOwn) {
  Instance instance;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&instance] {
      for (int i = 0; i < 4; ++i) {
        Device device(instance);
        create_and_destroy_compute(device, shaders::prints_comp);
        EXPECT_EQ(device.vk.vkDeviceWaitIdle(device.handle), VK_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(driver().log().devices.size(), 64u);
}

TEST_F(Lifetime, ThreadsPrintWhileOthersWait) {
  Program program;
  const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
  // The fence is of other work: shaders go on.
  const VkFence done = create_fence(program.device, VK_FENCE_CREATE_SIGNALED_BIT);
  abi::Root* root = find_roots().at(0);
  const uint64_t site = site_id(shaders::prints_comp);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([root, site, t] {
      for (uint32_t i = 0; i < 200; ++i) {
        const uint32_t number = t * 1000 + i;
        EXPECT_TRUE(print(*root, site, {&number, 1}));
      }
    });
    threads.emplace_back([&program, done] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(program.device.vk.vkGetFenceStatus(program.device.handle, done), VK_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(program.device.vk.vkDeviceWaitIdle(program.device.handle), VK_SUCCESS);
  const std::vector<std::string> texts = messages();
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 800u);
  EXPECT_EQ(texts.size(), 800u);
  program.device.vk.vkDestroyFence(program.device.handle, done, nullptr);
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

TEST_F(Lifetime, WithoutAPrintingShaderThereIsOnlyTheRootBlock) {
  Program program;
  const uint32_t threads = threads_of_this_process();
  create_and_destroy_compute(program.device, shaders::silent_comp);
  EXPECT_EQ(program.device.vk.vkQueueSubmit(program.device.queue, 0, nullptr, VK_NULL_HANDLE), VK_SUCCESS);
  const null_driver::Log log = driver().log();
  ASSERT_EQ(log.allocations.size(), 1u);
  EXPECT_EQ(log.allocations[0].size, 4096u);
  EXPECT_EQ(threads_of_this_process(), threads);
}

}  // namespace
}  // namespace shaderqa::layer_tests
