// SPDX-License-Identifier: Apache-2.0
// Raises a GPU's clocks before something is measured on it.
#ifndef SHADERQA_BENCH_WARM_UP_H
#define SHADERQA_BENCH_WARM_UP_H

#include <cstdint>
#include <cstdio>
#include <string>

#include "steady_timings.h"
#include "stopwatch.h"
#include "vulkan_kit.h"

namespace bench {

// A GPU lowers its clocks while it has nothing to do, for instance while the driver compiles a shader, and
// takes a while to raise them again. What is measured first is then several times too slow.
// before_measurement() therefore runs a dispatch of arithmetic until its timings are steady or a time limit
// is reached.
class WarmUp {
 public:
  explicit WarmUp(kit::Device& device);
  // Call directly before submitting what is to be measured, after all its commands are recorded.
  void before_measurement();
  uint32_t measurements() const { return seen_.measurements; }  // since the last report
  // Writes what the calls since the last report saw, as one line that begins with "# warm-up".
  void report(FILE* output, const std::string& what);

 private:
  struct Seen {
    uint32_t measurements = 0, dispatches = 0, unsteady = 0;
    double milliseconds = 0;                                  // of the host's time
    double first = 0, slowest = 0, fastest = 1e30, last = 0;  // microseconds of the dispatch
  };
  void record(uint32_t rounds);
  double time_dispatch();
  void calibrate();

  kit::Device& device_;
  const Stopwatch stopwatch_;
  const bool on_cpu_;
  kit::Compute compute_;
  VkFence fence_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  SteadyTimings timings_;
  Seen seen_;
  bool fresh_ = true;  // nothing was measured since the last report: pipelines may have been made
};

}  // namespace bench
#endif
