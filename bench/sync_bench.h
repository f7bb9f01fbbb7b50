// SPDX-License-Identifier: Apache-2.0
// What the parts of sync_bench share.
#ifndef SHADERQA_BENCH_SYNC_BENCH_H
#define SHADERQA_BENCH_SYNC_BENCH_H

#include <algorithm>
#include <chrono>

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

void barrier(VkCommandBuffer commands);  // compute to compute
// Microseconds for each draw, to record it into a new command buffer or into one that was recorded before,
// and to execute it; and for each descriptor set that is updated by four commands, or by one.
struct DrawTimes {
  double record, record_again, execute, update, update_at_once;
};
// Draws one triangle many times and binds a descriptor set before each. reading: the fragment shader reads a
// buffer.
DrawTimes time_draws(kit::Device& device, bench::WarmUp& warm_up, bool reading, uint32_t draws);

}  // namespace sync_bench
#endif
