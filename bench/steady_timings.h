// SPDX-License-Identifier: Apache-2.0
// Decides when a GPU's clocks have settled, from timings of one and the same dispatch.
#ifndef SHADERQA_BENCH_STEADY_TIMINGS_H
#define SHADERQA_BENCH_STEADY_TIMINGS_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

// Timings are steady if the last kWindow of them are within kTolerance of each other, and the newest is
// within kTolerance of the fastest that was ever added. The second condition matters for a GPU that idles: at
// its lowest clock its timings are close to each other, too.
class SteadyTimings {
 public:
  static constexpr size_t kWindow = 5;
  static constexpr double kTolerance = 0.05;
  // Forgets the window, but not the fastest timing.
  void restart() { recent_.clear(); }
  void add(double microseconds) {
    fastest_ = std::min(fastest_, microseconds);
    if (recent_.size() == kWindow) recent_.erase(recent_.begin());
    recent_.push_back(microseconds);
  }
  bool steady() const {
    if (recent_.size() < kWindow) return false;
    const auto [least, most] = std::ranges::minmax(recent_);
    return most <= least * (1 + kTolerance) && recent_.back() <= fastest_ * (1 + kTolerance);
  }

 private:
  double fastest_ = 1e30;
  std::vector<double> recent_;
};

}  // namespace bench
#endif
