// SPDX-License-Identifier: Apache-2.0
// What the parts of sync_bench share.
#ifndef SHADERQA_BENCH_SYNC_BENCH_H
#define SHADERQA_BENCH_SYNC_BENCH_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "stopwatch.h"
#include "vulkan_kit.h"
#include "warm_up.h"

namespace sync_bench {

// Microseconds of the fastest of several tries: slower ones were disturbed by other programs.
template <typename Work>
double best_of(int tries, const Work& work) {
  double best = 1e30;
  for (int i = 0; i < tries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

// Writes the time of the fastest of several runs.
class Timer {
 public:
  Timer(kit::Device& device, FILE* output)
      : device_(device), output_(output), stopwatch_(device), warm_up_(device) {}

  template <typename Record>
  void time(const std::string& name, const Record& record) {
    double best = 1e30;
    for (int tries = 0; tries < 5; ++tries) {
      VkCommandBuffer commands = device_.begin();
      stopwatch_.start(commands);
      record(commands);
      stopwatch_.stop(commands);
      warm_up_.before_measurement();
      device_.run(commands);
      best = std::min(best, stopwatch_.microseconds());
    }
    warm_up_.report(output_, name);
    std::fprintf(output_, "%s\t%.3f\n", name.c_str(), best);
    std::fflush(output_);
  }

 private:
  kit::Device& device_;
  FILE* output_;
  const bench::Stopwatch stopwatch_;
  bench::WarmUp warm_up_;
};

// A pool with one command buffer that can be recorded again.
class Recordable {
 public:
  explicit Recordable(const kit::Device& device) : device_(device.handle) {
    const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                       VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, device.queue_family};
    kit::check(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                           VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    kit::check(vkAllocateCommandBuffers(device_, &info, &commands), "vkAllocateCommandBuffers");
  }
  ~Recordable() { vkDestroyCommandPool(device_, pool_, nullptr); }
  Recordable(const Recordable&) = delete;
  Recordable& operator=(const Recordable&) = delete;

  void begin() const {
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
    kit::check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  }
  void end() const { kit::check(vkEndCommandBuffer(commands), "vkEndCommandBuffer"); }

  VkCommandBuffer commands = VK_NULL_HANDLE;

 private:
  VkDevice device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

void barrier(VkCommandBuffer commands);  // compute to compute
// Microseconds for each draw, to record it into a new command buffer or into one that was recorded before,
// and to execute it; and for each descriptor set that is updated by four commands, or by one.
struct DrawTimes {
  double record, record_again, execute, update, update_at_once;
};
// Draws one triangle many times and binds a descriptor set before each. reading: the fragment shader reads a
// buffer. warm_up: null if nothing is to be executed.
DrawTimes time_draws(kit::Device& device, bench::WarmUp* warm_up, bool reading, uint32_t draws);

// What a device needs for run_images(); the structure lives as long as this.
struct ImageFeatures {
  VkPhysicalDeviceVulkan13Features vulkan13{};
  explicit ImageFeatures(kit::DeviceOptions& options);
  ImageFeatures(const ImageFeatures&) = delete;
  ImageFeatures& operator=(const ImageFeatures&) = delete;
};
// Storage images of 2^log2 texels, a frame of 1920 x 1080 without any, and updates of descriptors of images.
void run_images(kit::Device& device, FILE* output, uint32_t log2);
// What of that, and of the draws, the host does, on any driver: nothing is executed.
void run_host(kit::Device& device, FILE* output);

}  // namespace sync_bench
#endif
