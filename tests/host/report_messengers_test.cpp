// SPDX-License-Identifier: Apache-2.0
// What debug messengers hear of findings, and what stderr then shows.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/findings/report.h"
#include "tests/host/simple_finding.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

TEST(Report, MessengersGetFindingsWhileOneExists) {
  Settings settings;
  settings.printf_to_stderr = false;
  Reporter reporter(settings);
  reporter.report(simple(FindingKind::printf, "lost"));
  reporter.keep_for_messengers([](const Finding&) { return true; });
  reporter.report(simple(FindingKind::printf, "kept"));
  ASSERT_EQ(reporter.take_for_messengers().size(), 1u);
  EXPECT_TRUE(reporter.take_for_messengers().empty());
  for (int i = 0; i < 70000; ++i) reporter.report(simple(FindingKind::printf, "many"));
  const std::vector<Finding> kept = reporter.take_for_messengers();
  EXPECT_EQ(kept.size(), 65536u);
  EXPECT_EQ(kept.back().kind, FindingKind::note);
}

// What a messenger takes is not written to stderr too, unless it is never heard.
TEST(Report, AMessengerIsInsteadOfStderr) {
  const auto is_hazard = [](const Finding& finding) { return finding.kind == FindingKind::hazard; };
  const auto said = [&](const char* messengers, bool delivered) {
    Settings settings;
    settings.messengers = messengers;
    ::testing::internal::CaptureStderr();
    {
      Reporter reporter(settings);
      reporter.keep_for_messengers(is_hazard);
      reporter.report(simple(FindingKind::hazard, "one"));
      reporter.report(simple(FindingKind::nan, "not taken"));
      const size_t taken = reporter.take_for_messengers().size();
      EXPECT_EQ(taken, std::string(messengers) == "never" ? 0u : 1u) << messengers;
      reporter.report(simple(FindingKind::hazard, "two"));
      if (delivered) reporter.delivered();
      reporter.flush();
      if (delivered) reporter.keep_for_messengers(nullptr);
    }
    return ::testing::internal::GetCapturedStderr();
  };
  const std::string all = "shaderqa: hazard: one\nshaderqa: nan: not taken\nshaderqa: hazard: two\n";
  EXPECT_EQ(said("instead", true), "shaderqa: nan: not taken\nshaderqa: hazard: two\n");
  EXPECT_EQ(said("instead", false),
            "shaderqa: nan: not taken\nshaderqa: hazard: one\nshaderqa: hazard: two\n");
  EXPECT_EQ(said("also", true), all);
  EXPECT_EQ(said("never", true), all);
}

// The parent finds in the folder what was not heard when the process was killed.
TEST(Report, WhatAMessengerWasToHearOutlivesTheProcess) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("shaderqa_undelivered_" + std::to_string(getpid()));
  fs::create_directory(folder);
  const auto left = [&] {
    std::string text;
    for (const auto& entry : fs::directory_iterator(folder)) {
      EXPECT_EQ(entry.path().extension(), kUndeliveredSuffix);
      std::ifstream in(entry.path());
      text.append(std::istreambuf_iterator<char>(in), {});
    }
    return text;
  };
  Settings settings;
  settings.rescue_dir = folder.string();
  {
    Reporter reporter(settings);
    reporter.keep_for_messengers([](const Finding&) { return true; });
    reporter.report(simple(FindingKind::printf, "one"));
    reporter.flush();
    EXPECT_EQ(left(), "shaderqa: printf: one\n");
    reporter.take_for_messengers();
    reporter.report(simple(FindingKind::printf, "two"));
    reporter.delivered();
    EXPECT_EQ(left(), "shaderqa: printf: two\n");
    reporter.take_for_messengers();
    reporter.delivered();
    EXPECT_EQ(left(), "");
  }
  fs::remove_all(folder);
}

TEST(Report, MessengersGetNothingFromBeforeAndANoteOfTheFirstFlood) {
  Settings settings;
  settings.printf_to_stderr = false;
  Reporter without(settings);
  without.report(simple(FindingKind::printf, "nobody listens"));
  EXPECT_TRUE(without.take_for_messengers().empty());
  Reporter reporter(settings);
  reporter.keep_for_messengers([](const Finding&) { return true; });
  for (int i = 0; i < 65537; ++i) reporter.report(simple(FindingKind::printf, "many"));
  const std::vector<Finding> kept = reporter.take_for_messengers();
  ASSERT_EQ(kept.size(), 65536u);
  EXPECT_EQ(kept.back().kind, FindingKind::note);
  EXPECT_EQ(kept[kept.size() - 2].kind, FindingKind::printf);
}

}  // namespace
}  // namespace shaderqa
