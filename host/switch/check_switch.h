// SPDX-License-Identifier: Apache-2.0
// Which part of a run is checked (docs/internals/switch.md): by the settings, by `shaderqa attach`, by a
// signal. One for each instance.
#ifndef SHADERQA_HOST_SWITCH_CHECK_SWITCH_H
#define SHADERQA_HOST_SWITCH_CHECK_SWITCH_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "host/settings/settings.h"
#include "host/settings/value_forms.h"
#include "host/switch/check_window.h"
#include "host/switch/control_page.h"

namespace shaderqa {

class RunSummary;

// Thread-safe.
class CheckSwitch {
 public:
  // Settings have been checked; `summary` outlives the switch.
  CheckSwitch(const Settings& settings, RunSummary& summary);
  ~CheckSwitch();
  CheckSwitch(const CheckSwitch&) = delete;
  CheckSwitch& operator=(const CheckSwitch&) = delete;

  // By the settings; empty: everything is checked. "frames = 100-110, after = 30s".
  static std::string selection_of(const Settings& settings);
  bool has_selection() const { return !selection_.empty(); }
  bool counts_frames() const { return counts_frames_; }
  bool has_budget() const { return has_budget_; }
  // Why the signal does not switch anything; empty: it does, or there is none.
  const std::string& signal_problem() const { return signal_problem_; }

  // Among the actions of what is recorded with checks.
  const NumberRanges actions;
  const LabelPaths within;
  bool selects_actions() const { return !actions.empty() || !within.empty(); }

  // Costs two loads where nothing depends on the time.
  CheckState state() {
    const uint8_t flags = flags_.load(std::memory_order_acquire);
    if (flags & kTimed || asked_since()) return look_again();
    return {(flags & kOpen) != 0, (flags & kRecords) != 0, (flags & kMayOpen) != 0, (flags & kNext) != 0};
  }
  // presents: it can. Returns whether submissions take the place of frames from now on.
  bool device_made(bool presents);
  void frame_ended();
  struct Submission {
    bool open = true;
    // Changes when checks begin again: what ran before is unknown then.
    uint64_t opening = 0;
  };
  Submission submission_begins();
  void count_actions(uint64_t all, uint64_t checked, uint64_t left_out);
  void device_worked(CheckWindow::Time worked, bool checked);

  // Labels of queues are known when command buffers are submitted. Those that are recorded later are taken to
  // be submitted within the same ones.
  void saw_queue_labels(const LabelPaths::Depths& depths);
  LabelPaths::Depths queue_labels() const;

 private:
  static constexpr uint8_t kOpen = 1, kRecords = 2, kMayOpen = 4, kTimed = 8, kNext = 16;

  bool asked_since() const;
  CheckState look_again();
  void obey();                                // mutex_ is held
  CheckState refresh(CheckWindow::Time now);  // mutex_ is held

  const std::string selection_;
  const bool counts_frames_, has_budget_, fixed_;
  RunSummary& summary_;
  ControlPage* const page_;
  std::string signal_problem_;
  std::atomic<uint8_t> flags_ = kOpen | kRecords | kMayOpen | kNext;
  std::atomic<uint64_t> request_ = 0;
  std::atomic<uint32_t> toggles_;

  mutable std::mutex mutex_;  // around what follows
  CheckWindow window_;
  bool presents_ = false;
  bool frame_checked_ = false;  // something of the current frame was submitted while checks were on
  bool closed_since_ = false;   // something was submitted while they were off
  uint64_t openings_ = 0;
  LabelPaths::Depths queue_labels_;
};

}  // namespace shaderqa
#endif
