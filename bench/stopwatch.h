// SPDX-License-Identifier: Apache-2.0
// Measures time on the device, by its own clock.
#ifndef SHADERQA_BENCH_STOPWATCH_H
#define SHADERQA_BENCH_STOPWATCH_H

#include <cstdint>

#include "vulkan_kit.h"

namespace bench {

// The time on the device between two places of a command buffer, without the cost of submitting and waiting.
class Stopwatch {
 public:
  explicit Stopwatch(kit::Device& device) : device_(device) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    kit::check(vkCreateQueryPool(device.handle, &info, nullptr, &pool_), "vkCreateQueryPool");
  }
  ~Stopwatch() { vkDestroyQueryPool(device_.handle, pool_, nullptr); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  void start(VkCommandBuffer commands) const {
    vkCmdResetQueryPool(commands, pool_, 0, 2);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, pool_, 0);
  }
  void stop(VkCommandBuffer commands) const {
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, pool_, 1);
  }
  double microseconds() const {
    uint64_t ticks[2];
    kit::check(vkGetQueryPoolResults(device_.handle, pool_, 0, 2, sizeof ticks, ticks, sizeof ticks[0],
                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "vkGetQueryPoolResults");
    return static_cast<double>(ticks[1] - ticks[0]) * device_.properties.limits.timestampPeriod / 1000;
  }

 private:
  kit::Device& device_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
};

}  // namespace bench
#endif
