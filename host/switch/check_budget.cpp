// SPDX-License-Identifier: Apache-2.0
#include "host/switch/check_budget.h"

#include <algorithm>

namespace shaderqa {
namespace {

// The first window tells what checks cost. Until then, a step of it is taken to add so many steps.
constexpr int kFirstGuess = 8;

}  // namespace

void CheckBudget::Mean::add(Time time, double least_weight) {
  ++count;
  value += (static_cast<double>(time.count()) - value) * std::max(1.0 / count, least_weight);
}

void CheckBudget::device_worked(Time worked, bool checked) {
  if (!checked) return plain_on_device_.add(worked, 0.05);
  by_device_ += std::max(worked - plain_on_device_.time(), Time{});
}

// Steps ahead of a window and behind it may have some of its cost, as the host runs ahead of the device.
void CheckBudget::account(Time took, Time now) {
  if (phase_ == Phase::closed) {
    plain_.add(took, 0.05);
  } else {
    by_host_ += std::max(took - plain_.time(), Time{});
  }
  open_steps_ += phase_ == Phase::open ? 1 : 0;
  const Time more = std::max(by_host_, by_device_) - counted_;
  if (more <= Time{}) return;
  counted_ += more;
  added_ += more;
  spent_.push_back({now, more});
}

void CheckBudget::begin_cycle() {
  if (open_steps_ != 0) cost_.add(counted_ / open_steps_, 0.3);
  by_host_ = by_device_ = counted_ = {};
  open_steps_ = 0;
  ++windows_;
}

CheckBudget::Time CheckBudget::spent_recently(Time now) {
  while (!spent_.empty() && now - spent_.front().when >= kSpan) spent_.pop_front();
  Time sum{};
  for (const Spent& one : spent_) sum += one.added;
  return sum;
}

// added <= share * (span - added): the program's own time is what is left of the span.
CheckBudget::Time CheckBudget::allowed(Time now) const {
  const auto span = static_cast<double>(std::min(kSpan, now - began_).count());
  return Time(static_cast<int64_t>(span * share_ / (1 + share_)));
}

CheckBudget::Time CheckBudget::estimated_step() const {
  if (cost_.count != 0) return cost_.time();
  // In the first window itself, what it cost so far.
  return open_steps_ != 0 ? counted_ / open_steps_ : plain_.time() * kFirstGuess;
}

// A small share may never allow for the first guess. After ten seconds a first step is tried all the same, to
// know.
CheckBudget::Time CheckBudget::needed(Time now) const {
  if (windows_ == 0 && now - began_ >= kSpan) return Time{};
  return estimated_step() * (kLeastChecked + 1);
}

void CheckBudget::enter(Phase phase) {
  phase_ = phase;
  steps_ = 0;
}

void CheckBudget::step(Time now) {
  account(now - last_, now);
  last_ = now;
  ++steps_;
  const Time left = allowed(now) - spent_recently(now);
  switch (phase_) {
    case Phase::closed:
      if (steps_ < kApart || left < needed(now)) break;
      begin_cycle();
      enter(Phase::ahead);
      break;
    case Phase::ahead:
      if (steps_ >= kAhead) enter(Phase::open);
      break;
    case Phase::open:
      // The estimate may be wrong: what is left says so at once.
      if (steps_ >= kMostChecked || left < Time{} || (steps_ >= kLeastChecked && left < estimated_step() * 2))
        enter(Phase::tail);
      break;
    case Phase::tail:
      if (steps_ >= kTail) enter(Phase::closed);
      break;
  }
}

}  // namespace shaderqa
