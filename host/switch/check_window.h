// SPDX-License-Identifier: Apache-2.0
// Whether checks are on at this moment, by the settings `frames`, `after` and `budget`, and by what a user
// said meanwhile. Time is given by the caller. Not thread-safe: CheckSwitch is.
#ifndef SHADERQA_HOST_SWITCH_CHECK_WINDOW_H
#define SHADERQA_HOST_SWITCH_CHECK_WINDOW_H

#include <chrono>
#include <cstdint>
#include <optional>

#include "host/settings/value_forms.h"
#include "host/switch/check_budget.h"

namespace shaderqa {

// What is checked now. Command buffers are recorded before they are submitted, so there are several answers.
struct CheckState {
  bool open = true;       // what is submitted is checked
  bool records = true;    // what is recorded gets its checks: it may be submitted while `open`
  bool may_open = true;   // what is recorded may be submitted while `open`, but much later
  bool next_open = true;  // what is recorded and submitted next is checked
  bool operator==(const CheckState&) const = default;
};

class CheckWindow {
 public:
  using Time = std::chrono::nanoseconds;  // of any clock that does not go back
  struct Settings {
    NumberRanges frames;        // empty: all
    std::optional<Time> after;  // max(): only by a user
    double budget = 0;          // 0: no limit
  };
  // Frames before a window in which command buffers get their checks: many programs record some frames ahead,
  // on other threads. The same for submissions, where these are counted.
  static constexpr uint64_t kFramesAhead = 2, kSubmissionsAhead = 64;

  CheckWindow(Settings settings, Time now);

  // Nothing will be presented: a submission counts as a frame.
  void count_submissions(bool counts) { counts_submissions_ = counts; }
  bool counts_submissions() const { return counts_submissions_; }
  bool counts_frames() const { return !settings_.frames.empty(); }
  bool has_budget() const { return settings_.budget > 0; }
  // Whether the state may change although nothing happens.
  bool depends_on_time(Time now) const;

  void frame_ended(Time now);
  void submission_begins(Time now);  // the state that follows is this submission's
  // The device's own time for what ended meanwhile.
  void device_worked(Time worked, bool checked) { budget_.device_worked(worked, checked); }
  void switch_by_user(bool on) { by_user_ = on; }
  std::optional<bool> by_user() const { return by_user_; }

  CheckState state(Time now) const;
  uint64_t frame() const { return frame_; }  // the current one, from 1 on
  uint64_t submissions() const { return submissions_; }
  const CheckBudget& budget() const { return budget_; }

 private:
  const Settings settings_;
  const Time start_;
  CheckBudget budget_;
  bool counts_submissions_ = false;
  uint64_t frame_ = 1, submissions_ = 0;
  std::optional<bool> by_user_;
};

}  // namespace shaderqa
#endif
