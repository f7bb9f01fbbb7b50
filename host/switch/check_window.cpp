// SPDX-License-Identifier: Apache-2.0
#include "host/switch/check_window.h"

#include <utility>

namespace shaderqa {

CheckWindow::CheckWindow(Settings settings, Time now)
    : settings_(std::move(settings)), start_(now), budget_(settings_.budget, now) {}

bool CheckWindow::depends_on_time(Time now) const {
  return settings_.after && *settings_.after != Time::max() && now - start_ < *settings_.after;
}

void CheckWindow::frame_ended(Time now) {
  ++frame_;
  if (has_budget() && !counts_submissions_) budget_.step(now);
}

void CheckWindow::submission_begins(Time now) {
  ++submissions_;
  if (!counts_submissions_) return;
  frame_ = submissions_;
  if (has_budget()) budget_.step(now);
}

CheckState CheckWindow::state(Time now) const {
  if (by_user_) return {*by_user_, *by_user_, true, *by_user_};
  CheckState state;
  if (!settings_.frames.empty()) {
    // Where submissions are counted, what is recorded now belongs to the next one at the earliest.
    const auto next = settings_.frames.next_from(frame_);
    const uint64_t ahead = counts_submissions_ ? kSubmissionsAhead : kFramesAhead;
    state.open = next == frame_;
    state.records = next && *next - frame_ <= ahead;
    state.may_open = next.has_value();
    state.next_open = settings_.frames.contains(counts_submissions_ ? submissions_ + 1 : frame_);
  }
  if (settings_.after) {
    const bool never = *settings_.after == Time::max();
    if (never || now - start_ < *settings_.after) state.open = state.records = state.next_open = false;
  }
  if (has_budget()) {
    state.open = state.open && budget_.open();
    state.records = state.records && budget_.records();
    state.next_open = state.next_open && budget_.open();
  }
  return state;
}

}  // namespace shaderqa
