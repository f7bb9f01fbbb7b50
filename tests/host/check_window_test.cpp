// SPDX-License-Identifier: Apache-2.0
// Which part of a run is checked, by a clock of the test's own.
#include "host/switch/check_window.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <vector>

#include "host/summary/run_summary.h"
#include "host/switch/check_switch.h"

namespace shaderqa {
namespace {

using namespace std::chrono_literals;
using Time = CheckWindow::Time;

CheckWindow::Settings frames(const char* text) {
  CheckWindow::Settings settings;
  settings.frames = *NumberRanges::parse(text);
  return settings;
}

TEST(CheckWindow, WithoutSettingsEverythingIsChecked) {
  CheckWindow window({}, 0s);
  EXPECT_EQ(window.state(0s), (CheckState{true, true, true, true}));
  window.switch_by_user(false);
  EXPECT_EQ(window.state(0s), (CheckState{false, false, true, false}));
  window.switch_by_user(true);
  EXPECT_EQ(window.state(0s), (CheckState{true, true, true, true}));
}

TEST(CheckWindow, FramesAreRecordedAhead) {
  CheckWindow window(frames("5-6"), 0s);
  std::vector<bool> open, records, may_open;
  for (int frame = 1; frame <= 8; ++frame) {
    const CheckState state = window.state(0s);
    open.push_back(state.open), records.push_back(state.records), may_open.push_back(state.may_open);
    window.submission_begins(0s);
    window.frame_ended(0s);
  }
  EXPECT_EQ(open, (std::vector<bool>{0, 0, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(records, (std::vector<bool>{0, 0, 1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(may_open, (std::vector<bool>{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(CheckWindow, SubmissionsWhereNothingIsPresented) {
  CheckWindow window(frames("2"), 0s);
  window.count_submissions(true);
  EXPECT_TRUE(window.state(0s).records);
  std::vector<bool> open, next;
  for (int i = 0; i < 3; ++i) {
    next.push_back(window.state(0s).next_open);
    window.submission_begins(0s);
    open.push_back(window.state(0s).open);
  }
  EXPECT_EQ(open, (std::vector<bool>{0, 1, 0}));
  EXPECT_EQ(next, open) << "what is recorded and submitted one after the other";
}

TEST(CheckWindow, AfterATime) {
  CheckWindow::Settings settings;
  settings.after = 30s;
  CheckWindow window(settings, 100s);
  EXPECT_EQ(window.state(129s), (CheckState{false, false, true, false}));
  EXPECT_TRUE(window.depends_on_time(129s));
  EXPECT_EQ(window.state(130s), (CheckState{true, true, true, true}));
  EXPECT_FALSE(window.depends_on_time(130s));
  settings.after = Time::max();
  CheckWindow never(settings, 100s);
  EXPECT_EQ(never.state(1000h), (CheckState{false, false, true, false}));
  EXPECT_FALSE(never.depends_on_time(1000h));
  never.switch_by_user(true);
  EXPECT_TRUE(never.state(1000h).open);
}

// A program whose frames take `plain`, and `checked` with checks. What checks add over any ten seconds.
struct Simulated {
  double worst = 0;  // share of the program's own time
  double share_checked = 0;
  uint64_t windows = 0;
};

Simulated simulate(double share, Time plain, Time checked, double noise) {
  CheckWindow::Settings settings;
  settings.budget = share;
  CheckWindow window(settings, 0s);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> around(1 - noise, 1 + noise);
  struct Frame {
    Time begin, own, added;
  };
  std::vector<Frame> all;
  Time now = 0s;
  uint64_t with_checks = 0;
  while (now < 60s) {
    const bool open = window.state(now).open;
    with_checks += open;
    const double factor = around(random);
    const Time own(static_cast<int64_t>(static_cast<double>(plain.count()) * factor));
    const Time took = open ? Time(static_cast<int64_t>(static_cast<double>(checked.count()) * factor)) : own;
    all.push_back({now, own, took - own});
    now += took;
    window.frame_ended(now);
  }
  Simulated result;
  result.share_checked = static_cast<double>(with_checks) / static_cast<double>(all.size());
  result.windows = window.budget().windows();
  size_t first = 0;
  Time own{}, added{};
  for (const Frame& frame : all) {
    own += frame.own, added += frame.added;
    while (frame.begin - all[first].begin >= CheckBudget::kSpan) {
      own -= all[first].own, added -= all[first].added;
      ++first;
    }
    if (frame.begin >= CheckBudget::kSpan)
      result.worst =
          std::max(result.worst, static_cast<double>(added.count()) / static_cast<double>(own.count()));
  }
  return result;
}

TEST(CheckBudget, KeepsWithinItsShare) {
  for (const double share : {0.01, 0.05, 0.1, 0.5}) {
    for (const int factor : {2, 4, 20}) {
      for (const double noise : {0.0, 0.1}) {
        const Simulated result = simulate(share, 10ms, 10ms * factor, noise);
        // One step is the least that can be checked, to know what checks cost.
        const double step = static_cast<double>((factor - 1) * 10) / 10000;
        EXPECT_LE(result.worst, std::max(share, step * 1.2) * 1.1) << share << " " << factor << " " << noise;
        EXPECT_GT(result.windows, 0u) << share << " " << factor << " " << noise;
      }
    }
  }
}

TEST(CheckBudget, UsesWhatItHas) {
  EXPECT_GT(simulate(0.1, 10ms, 20ms, 0.0).share_checked, 0.05) << "a tenth would be all of it";
  EXPECT_GT(simulate(0.1, 10ms, 10ms, 0.0).share_checked, 0.4) << "checks that cost nothing";
}

TEST(CheckBudget, WhatTheDeviceTakesCounts) {
  CheckBudget budget(0.1, 0s);
  Time now = 0s;
  // The host only submits: it never waits, and sees nothing of what the device does.
  Time own{}, added{};
  for (int i = 0; i < 20000; ++i) {
    const bool open = budget.open();
    budget.device_worked(open ? 5ms : 1ms, open);
    own += 1ms;
    added += open ? 4ms : 0ms;
    now += 1ms;
    budget.step(now);
  }
  EXPECT_GT(budget.windows(), 0u);
  EXPECT_LT(static_cast<double>(added.count()), 0.11 * static_cast<double>(own.count()));
}

TEST(CheckSwitch, IsAskedByItsPage) {
  std::string problem;
  RunSummary summary("", problem);
  CheckSwitch checks(Settings(), summary);
  EXPECT_TRUE(checks.state().open);
  AttachedProcess self = AttachedProcess::find(static_cast<uint32_t>(getpid()), problem);
  ASSERT_TRUE(self) << problem;
  EXPECT_EQ(self.process(), static_cast<uint32_t>(getpid()));
  const uint64_t opening = checks.submission_begins().opening;
  self.ask(false);
  EXPECT_FALSE(checks.state().open);
  EXPECT_TRUE(self.wait());
  EXPECT_FALSE(checks.submission_begins().open);
  self.ask(true);
  const CheckSwitch::Submission again = checks.submission_begins();
  EXPECT_TRUE(again.open);
  EXPECT_GT(again.opening, opening) << "what ran in between is unknown";
  EXPECT_EQ(checks.submission_begins().opening, again.opening);
  EXPECT_EQ(self.page().submissions.load() - self.page().submissions_checked.load(), 1u);
}

TEST(CheckSwitch, WhatNeedsTheWholeRunIsNotSwitched) {
  std::string problem;
  RunSummary summary("", problem);
  Settings settings;
  settings.sync_redundant = true;
  CheckSwitch checks(settings, summary);
  AttachedProcess self = AttachedProcess::find(static_cast<uint32_t>(getpid()), problem);
  ASSERT_TRUE(self);
  self.ask(false);
  EXPECT_TRUE(checks.state().open);
  EXPECT_EQ(self.page().fixed.load(), 1u);
}

TEST(AttachedProcess, SaysWhyNot) {
  std::string problem;
  EXPECT_FALSE(AttachedProcess::find(0x7ffffff0, problem));
  EXPECT_EQ(problem, "there is no process 2147483632");
  EXPECT_FALSE(AttachedProcess::find(static_cast<uint32_t>(getpid()), problem));
  EXPECT_NE(problem.find("the layer is not loaded in process "), std::string::npos) << problem;
}

}  // namespace
}  // namespace shaderqa
