// SPDX-License-Identifier: Apache-2.0
// Several threads that record, update sets and submit on one device, as Vulkan lets them: each gets what it
// would get alone. The thread sanitizer says whether they share more than they should.
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr uint32_t kThreads = 4;
constexpr uint32_t kRounds = 30;

class SyncThreads : public CommandTest {
 protected:
  explicit SyncThreads(const null_driver::Config& config = {}, const char* engine = "bloom",
                       const std::map<std::string, std::string>& settings = {})
      : CommandTest({nullptr, nullptr, {"VK_KHR_timeline_semaphore"}, {kThreads}}, config, engine, settings) {
  }

  static void on_threads(const std::function<void(uint32_t)>& work) {
    std::atomic<uint32_t> failures = 0;
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        try {
          work(i);
        } catch (const std::exception&) {
          ++failures;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0u);
  }

  // Each thread with a queue and a buffer of its own.
  void record_update_and_submit(bool maps);

  VkQueue queue(uint32_t index) {
    VkQueue found = VK_NULL_HANDLE;
    vk().vkGetDeviceQueue(device().handle, 0, index, &found);
    return found;
  }
};

// The layer gives the queues work of its own when a thread has waited.
class HostReadThreads : public SyncThreads {
 protected:
  HostReadThreads() : SyncThreads(host_visible(), "exact", {{"SHADERQA_SYNC_HOST", "waits"}}) {}
};

// What one thread has for itself.
struct Worker {
  explicit Worker(const Device& its_device) : device(its_device), buffer(device, 128) {
    VkCommandPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    check(device.vk.vkCreateCommandPool(device.handle, &info, nullptr, &pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = pool;
    allocate.commandBufferCount = 1;
    check(device.vk.vkAllocateCommandBuffers(device.handle, &allocate, &commands),
          "vkAllocateCommandBuffers");
  }
  ~Worker() { device.vk.vkDestroyCommandPool(device.handle, pool, nullptr); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const Device& device;
  BoundBuffer buffer;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
};

void SyncThreads::record_update_and_submit(bool maps) {
  std::vector<VkQueue> queues;
  for (uint32_t i = 0; i < kThreads; ++i) queues.push_back(queue(i));
  on_threads([&](uint32_t index) {
    const Worker worker(device());
    const VkFence fence = create_fence(device());
    void* data = nullptr;
    if (maps) {
      check(vk().vkMapMemory(device().handle, worker.buffer.memory(), 0, VK_WHOLE_SIZE, 0, &data),
            "vkMapMemory");
    }
    for (uint32_t round = 0; round < kRounds; ++round) {
      // Objects that come and go, beside those of other threads.
      const BoundBuffer temporary(device(), 64);
      const OneSet set(device(), {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
      set.write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{temporary.handle, 0, VK_WHOLE_SIZE}});
      set.write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{worker.buffer.handle, 0, VK_WHOLE_SIZE}});
      const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout_);
      begin(worker.commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
      for (int i = 0; i < 10; ++i) {
        vk().vkCmdBindPipeline(worker.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vk().vkCmdBindDescriptorSets(worker.commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1,
                                     &set.handle, 0, nullptr);
        dispatch(worker.commands);
        shader_barrier(worker.commands);
      }
      end(worker.commands);
      VkSubmitInfo info{};
      info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
      info.commandBufferCount = 1;
      info.pCommandBuffers = &worker.commands;
      check(vk().vkQueueSubmit(queues[index], 1, &info, fence), "vkQueueSubmit");
      check(vk().vkWaitForFences(device().handle, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
      check(vk().vkResetFences(device().handle, 1, &fence), "vkResetFences");
      vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    }
    vk().vkDestroyFence(device().handle, fence, nullptr);
  });
}

TEST_F(HostReadThreads, RecordUpdateAndSubmit) {
  record_update_and_submit(true);
  const size_t submitted = kThreads * kRounds;
  EXPECT_GT(driver().log().batches.size(), submitted) << "none of the waits was followed by a look";
}

TEST_F(SyncThreads, RecordUpdateAndSubmit) {
  record_update_and_submit(false);
  uint64_t clears = 0;
  for (const auto& command : driver().log().commands) {
    clears += command.command == "CmdFillBuffer" && command.values.at(0) == kFilterBytes ? 1 : 0;
  }
  // Nine between the ten dispatches of each, and one a queue for submissions.
  EXPECT_EQ(clears, kThreads * (kRounds * 9 + 1));
}

// One queue, one set that binds update-after-bind, one pool of tables: locks are the application's where
// Vulkan asks for them.
TEST_F(SyncThreads, ShareQueueAndReports) {
  std::mutex queue_mutex;
  const VkCommandBuffer shared = checked_commands();
  on_threads([&](uint32_t index) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      switch (index % 4) {
        case 0:
        case 1: {
          const std::lock_guard lock(queue_mutex);
          submit({shared});
          break;
        }
        case 2: {
          const std::lock_guard lock(queue_mutex);
          check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
          break;
        }
        default: {
          // Names and addresses are asked for while reports could come.
          const BoundBuffer buffer(device(), 64);
          const OneSet set(device(), {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
          set.write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{buffer.handle, 0, VK_WHOLE_SIZE}});
        }
      }
    }
  });
  const auto log = driver().log();
  EXPECT_EQ(log.batches.size(), 2u * kRounds);
  for (const auto& batch : log.batches) EXPECT_LE(batch.command_buffers.size(), 2u);
}

// VK_KHR_internally_synchronized_queues: no thread waits for another one before it uses the queue.
class SynchronisedQueue : public SyncThreads {
 protected:
  explicit SynchronisedQueue(const char* engine = "exact") : SyncThreads({}, engine) {
    VkDeviceQueueInfo2 info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2;
    info.flags = 4;  // VK_DEVICE_QUEUE_CREATE_INTERNALLY_SYNCHRONIZED_BIT_KHR
    info.queueIndex = 1;
    vk().vkGetDeviceQueue2(device().handle, &info, &queue_);
  }
  VkQueue queue_ = VK_NULL_HANDLE;
};

class SynchronisedQueueOf : public SynchronisedQueue, public ::testing::WithParamInterface<const char*> {
 protected:
  SynchronisedQueueOf() : SynchronisedQueue(GetParam()) {}
};

TEST_P(SynchronisedQueueOf, IsUsedByAllAtOnce) {
  on_threads([&](uint32_t index) {
    const Worker worker(device());
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &worker.commands;
    for (uint32_t round = 0; round < kRounds; ++round) {
      begin(worker.commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
      bind(worker.commands);
      dispatch(worker.commands);
      end(worker.commands);
      check(vk().vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
      check(index % 2 == 0 ? vk().vkQueueWaitIdle(queue_) : vk().vkDeviceWaitIdle(device().handle), "a wait");
    }
  });
  EXPECT_GE(driver().log().batches.size(), size_t{kThreads} * kRounds);
  EXPECT_EQ(notes(), std::vector<std::string>{});
}

// Numbers that are given to submissions, and to their actions, say in which order the queue got them.
TEST_F(SynchronisedQueue, GetsSubmissionsInTheOrderOfTheirNumbers) {
  const VkCommandBuffer shared =
      begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  bind(shared);
  dispatch(shared);
  end(shared);
  on_threads([&](uint32_t) {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &shared;
    for (uint32_t round = 0; round < 10 * kRounds; ++round)
      check(vk().vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  });
  const auto log = driver().log();
  // What each of the layer's command buffers tells the program's: the submission's number.
  std::map<uint64_t, uint64_t> serial_of;
  for (const auto& command : log.commands)
    if (command.command == "CmdUpdateBuffer") serial_of[command.command_buffer] = command.values.at(2);
  uint64_t last = 0;
  size_t seen = 0;
  for (const auto& batch : log.batches) {
    const auto serial = serial_of.find(batch.command_buffers.at(0));
    if (serial == serial_of.end()) continue;
    EXPECT_GT(serial->second, last);
    last = serial->second;
    ++seen;
  }
  EXPECT_GT(seen, size_t{kThreads});
}

INSTANTIATE_TEST_SUITE_P(Engines, SynchronisedQueueOf, ::testing::Values("exact", "bloom"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace shaderqa::layer_tests
