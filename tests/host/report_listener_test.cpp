// SPDX-License-Identifier: Apache-2.0
// Who hears of a finding: stderr, as the settings say, and a listener.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/findings/report.h"

namespace shaderqa {
namespace {

Finding simple(FindingKind kind, const std::string& text) {
  Finding finding;
  finding.kind = kind;
  finding.text = text;
  return finding;
}

TEST(ReportListener, WhatIsShownOnStderrIsAsTheSettingsSay) {
  const auto shown = [](bool printfs, bool notes) {
    Settings settings;
    settings.printf_to_stderr = printfs;
    settings.quiet_notes = !notes;
    testing::internal::CaptureStderr();
    {
      Reporter reporter(settings);
      reporter.report(simple(FindingKind::printf, "message"));
      reporter.note("key", "a note");
      reporter.report(simple(FindingKind::nan, "bad"));
    }
    return testing::internal::GetCapturedStderr();
  };
  const std::string message = "shaderqa: printf: message\n", note = "shaderqa: note: a note\n",
                    nan = "shaderqa: nan: bad\n";
  EXPECT_EQ(shown(true, true), message + note + nan);
  EXPECT_EQ(shown(true, false), message + nan);
  EXPECT_EQ(shown(false, true), note + nan);
  EXPECT_EQ(shown(false, false), nan);
}

TEST(ReportListener, AListenerHearsFindingsAndCountsMessages) {
  Settings settings;
  settings.printf_to_stderr = false;
  settings.quiet_notes = true;
  Reporter reporter(settings);
  reporter.report(simple(FindingKind::note, "before anyone listens"));
  int messages = 0;
  std::vector<std::string> heard;
  reporter.listen({[&](const Finding& finding) { heard.push_back(finding.text); }, [&] { ++messages; }});
  EXPECT_TRUE(heard.empty());
  reporter.report(simple(FindingKind::note, "one"));
  for (int i = 0; i < 3; ++i) reporter.report(simple(FindingKind::printf, "x"));
  EXPECT_EQ(heard, std::vector<std::string>{"one"});
  EXPECT_EQ(messages, 3);
  reporter.listen({[&](const Finding&) { heard.clear(); }, nullptr});
  reporter.report(simple(FindingKind::printf, "x"));
  EXPECT_EQ(heard.size(), 1u);
  reporter.listen({nullptr, [&] { ++messages; }});
  reporter.report(simple(FindingKind::note, "two"));
  EXPECT_EQ(heard.size(), 1u);
  EXPECT_EQ(messages, 3);
}

// A report that could not be opened is said before there is anyone who listens.
TEST(ReportListener, AListenerHearsOfTheReportFile) {
  Settings settings;
  settings.report = "/nonexistent/report.jsonl";
  settings.quiet_notes = true;
  Reporter reporter(settings);
  std::vector<Finding> heard;
  const auto hear = [&](const Finding& finding) { heard.push_back(finding); };
  reporter.listen({hear, nullptr});
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_NE(heard[0].text.find("cannot open the report file /nonexistent/report.jsonl"), std::string::npos);
  EXPECT_EQ(heard[0].incomplete, Concern::everything);
  reporter.listen({hear, nullptr});
  EXPECT_EQ(heard.size(), 1u) << "once";
}

TEST(ReportListener, MistakesInFormatsAreSaidOnceEach) {
  Settings settings;
  settings.quiet_notes = true;
  Reporter reporter(settings);
  std::vector<Finding> heard;
  reporter.listen({[&](const Finding& finding) { heard.push_back(finding); }, nullptr});
  for (const char* text : {"a.comp:3: %q", "a.comp:3: %q", "a.comp:4: %q"}) reporter.printf_format(text);
  ASSERT_EQ(heard.size(), 2u);
  for (const Finding& finding : heard) {
    EXPECT_TRUE(finding.printf_format);
    EXPECT_EQ(finding.kind, FindingKind::note);
    EXPECT_EQ(finding.incomplete, Concern::nothing);
  }
  EXPECT_EQ(heard[1].text, "a.comp:4: %q");
}

}  // namespace
}  // namespace shaderqa
