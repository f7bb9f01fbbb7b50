// SPDX-License-Identifier: Apache-2.0
#include "host/switch/check_switch.h"

#include <algorithm>
#include <chrono>

#include "host/summary/run_summary.h"
#include "host/switch/toggle_signal.h"

namespace shaderqa {
namespace {

CheckWindow::Time now_of_clock() { return CheckWindow::Time(static_cast<int64_t>(monotonic_ns())); }

CheckWindow::Settings window_of(const Settings& settings) {
  CheckWindow::Settings window;
  window.frames = NumberRanges::parse(settings.frames).value_or(NumberRanges());
  if (!settings.after.empty()) window.after = parse_duration(settings.after);
  window.budget = parse_share(settings.budget).value_or(0);
  return window;
}

}  // namespace

std::string CheckSwitch::selection_of(const Settings& settings) {
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : ", ") + std::string(key) + " = " + value;
  };
  add("frames", settings.frames);
  add("actions", settings.actions);
  add("after", settings.after);
  add("within", settings.within);
  add("budget", settings.budget);
  return text;
}

CheckSwitch::CheckSwitch(const Settings& settings, RunSummary& summary)
    : actions(NumberRanges::parse(settings.actions).value_or(NumberRanges())),
      within(LabelPaths::parse(settings.within).value_or(LabelPaths())),
      selection_(selection_of(settings)),
      counts_frames_(!settings.frames.empty()),
      has_budget_(!settings.budget.empty()),
      fixed_(settings.sync_redundant),
      summary_(summary),
      page_(use_control_page()),
      toggles_(toggle_signals.load()),
      window_(window_of(settings), now_of_clock()) {
  selection_.copy(page_->selection, sizeof page_->selection - 1);
  page_->fixed.store(fixed_);
  if (!settings.switch_signal.empty() && !fixed_)
    signal_problem_ = watch_toggle_signal(settings.switch_signal);
  const std::lock_guard lock(mutex_);
  obey();
  refresh(now_of_clock());
}

CheckSwitch::~CheckSwitch() { release_control_page(); }

bool CheckSwitch::asked_since() const {
  return page_->request.load(std::memory_order_relaxed) != request_.load(std::memory_order_relaxed) ||
         toggle_signals.load(std::memory_order_relaxed) != toggles_.load(std::memory_order_relaxed);
}

void CheckSwitch::obey() {
  if (fixed_) {
    request_ = page_->request.load();
    toggles_ = toggle_signals.load();
    return;
  }
  if (const uint64_t request = page_->request.load(); request != request_) {
    window_.switch_by_user(request & 1);
    request_ = request;
  }
  // Two signals that came together cancel each other.
  if (const uint32_t toggles = toggle_signals.load(); toggles != toggles_) {
    if ((toggles - toggles_) % 2 != 0) window_.switch_by_user(!window_.state(now_of_clock()).open);
    toggles_ = toggles;
  }
}

CheckState CheckSwitch::refresh(CheckWindow::Time now) {
  const CheckState state = window_.state(now);
  const bool timed = !window_.by_user() && window_.depends_on_time(now);
  flags_.store(static_cast<uint8_t>((state.open ? kOpen : 0) | (state.records ? kRecords : 0) |
                                    (state.may_open ? kMayOpen : 0) | (timed ? kTimed : 0) |
                                    (state.next_open ? kNext : 0)),
               std::memory_order_release);
  page_->open.store(state.open, std::memory_order_relaxed);
  page_->answered.store(request_.load(std::memory_order_relaxed), std::memory_order_release);
  return state;
}

CheckState CheckSwitch::look_again() {
  const std::lock_guard lock(mutex_);
  obey();
  return refresh(now_of_clock());
}

bool CheckSwitch::device_made(bool presents) {
  const std::lock_guard lock(mutex_);
  presents_ = presents_ || presents;
  window_.count_submissions(!presents_);
  page_->counts_submissions.store(!presents_, std::memory_order_relaxed);
  refresh(now_of_clock());
  return !presents_;
}

void CheckSwitch::frame_ended() {
  const std::lock_guard lock(mutex_);
  const CheckWindow::Time now = now_of_clock();
  window_.frame_ended(now);
  summary_.add(Tally::frames);
  page_->frames.fetch_add(1, std::memory_order_relaxed);
  if (frame_checked_) {
    summary_.add(Tally::frames_checked);
    page_->frames_checked.fetch_add(1, std::memory_order_relaxed);
  }
  frame_checked_ = false;
  obey();
  refresh(now);
}

CheckSwitch::Submission CheckSwitch::submission_begins() {
  const std::lock_guard lock(mutex_);
  const CheckWindow::Time now = now_of_clock();
  window_.submission_begins(now);
  obey();
  const CheckState state = refresh(now);
  summary_.add(Tally::submissions);
  page_->submissions.fetch_add(1, std::memory_order_relaxed);
  if (!state.open) {
    closed_since_ = true;
    return {false, openings_};
  }
  summary_.add(Tally::submissions_checked);
  page_->submissions_checked.fetch_add(1, std::memory_order_relaxed);
  frame_checked_ = true;
  if (closed_since_) ++openings_;
  closed_since_ = false;
  return {true, openings_};
}

void CheckSwitch::count_actions(uint64_t all, uint64_t checked, uint64_t left_out) {
  page_->actions.fetch_add(all, std::memory_order_relaxed);
  page_->actions_checked.fetch_add(checked, std::memory_order_relaxed);
  page_->actions_left_out.fetch_add(left_out, std::memory_order_relaxed);
}

void CheckSwitch::device_worked(CheckWindow::Time worked, bool checked) {
  const std::lock_guard lock(mutex_);
  window_.device_worked(worked, checked);
}

void CheckSwitch::saw_queue_labels(const LabelPaths::Depths& depths) {
  const std::lock_guard lock(mutex_);
  queue_labels_.resize(depths.size());
  for (size_t i = 0; i < depths.size(); ++i) queue_labels_[i] = std::max(queue_labels_[i], depths[i]);
}

LabelPaths::Depths CheckSwitch::queue_labels() const {
  const std::lock_guard lock(mutex_);
  return queue_labels_;
}

}  // namespace shaderqa
