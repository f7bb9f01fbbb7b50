// SPDX-License-Identifier: Apache-2.0
// Chooses which frames (or submissions) are checked, so that the time that checks add stays within a share of
// the program's own time over any ten seconds (docs/internals/switch.md). Not thread-safe.
#ifndef SHADERQA_HOST_SWITCH_CHECK_BUDGET_H
#define SHADERQA_HOST_SWITCH_CHECK_BUDGET_H

#include <chrono>
#include <cstdint>
#include <deque>

namespace shaderqa {

class CheckBudget {
 public:
  using Time = std::chrono::nanoseconds;
  static constexpr Time kSpan = std::chrono::seconds(10);
  static constexpr uint32_t kAhead = 2;         // steps in which command buffers get their checks
  static constexpr uint32_t kLeastChecked = 3;  // steps of a window: both sides of a race must lie in it
  static constexpr uint32_t kMostChecked = 16;
  static constexpr uint32_t kTail = 3;   // steps behind a window, in which the host may still wait for it
  static constexpr uint32_t kApart = 8;  // steps between windows, and before the first one

  CheckBudget(double share, Time now) : share_(share), began_(now), last_(now) {}

  // A frame ends, or a submission begins: the next step.
  void step(Time now);
  // How long the device worked for one submission. It may be told some steps later.
  void device_worked(Time worked, bool checked);

  bool open() const { return phase_ == Phase::open; }
  bool records() const { return phase_ == Phase::ahead || phase_ == Phase::open; }

  Time added() const { return added_; }  // by checks, since the begin
  uint64_t windows() const { return windows_; }

 private:
  enum class Phase : uint8_t { closed, ahead, open, tail };
  struct Mean {
    double value = 0;
    uint32_t count = 0;
    void add(Time time, double least_weight);
    Time time() const { return Time(static_cast<int64_t>(value)); }
  };
  struct Spent {
    Time when, added;
  };

  void account(Time took, Time now);
  void begin_cycle();
  Time spent_recently(Time now);
  Time allowed(Time now) const;
  Time estimated_step() const;
  Time needed(Time now) const;  // for a window to begin
  void enter(Phase phase);

  const double share_;
  const Time began_;
  Time last_;
  Phase phase_ = Phase::closed;
  uint32_t steps_ = 0;    // in this phase
  Mean plain_;            // of a step without checks, as the host sees it
  Mean plain_on_device_;  // of a submission without checks
  Mean cost_;             // of a step of a window
  // From one window's begin to the next: what checks added as the host sees it, and as the device does. Each
  // may see what the other does not, so the larger one counts.
  Time by_host_{}, by_device_{}, counted_{};
  uint32_t open_steps_ = 0;
  std::deque<Spent> spent_;  // within kSpan
  Time added_{};
  uint64_t windows_ = 0;
};

}  // namespace shaderqa
#endif
