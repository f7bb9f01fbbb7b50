// SPDX-License-Identifier: Apache-2.0
// Rules that suppress findings, and the findings of an earlier report.
#include "host/summary/known_bugs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/json_schema.h"

namespace shaderqa::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReportLine race() {
  ReportLine line;
  line.kind = FindingKind::hazard;
  line.fingerprint = "0123456789abcdef";
  line.shader = "00000000000000aa";
  line.shader_name = "blur pass";
  line.entry_point = "main";
  line.source = {"src/a.comp", "", 12, 3};
  line.other.emplace().source = {"C:\\x\\b.comp", "", 7, 0};
  line.buffer = LineBuffer{"bins", "0x1", 0, 4};
  line.action.emplace().labels = {"frame", "shadow pass"};
  return line;
}

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> problems;
  Suppressions::parse(text, "rules", problems);
  return problems;
}

bool matches(const std::string& patterns, const ReportLine& line = race()) {
  std::vector<std::string> problems;
  Suppressions rules = Suppressions::parse(patterns + " # known", "rules", problems);
  EXPECT_THAT(problems, IsEmpty()) << patterns;
  const std::string* const reason = rules.reason(line);
  if (reason) {
    EXPECT_EQ(*reason, "known");
  }
  EXPECT_EQ(rules.unused().size(), reason ? 0u : 1u);
  return reason != nullptr;
}

TEST(Suppressions, MatchByEachKey) {
  for (const char* rule :
       {"kind=hazard", "kind=h*", "fingerprint=0123*", "shader=*aa", "shader=\"blur pass\"", "shader=main",
        "source=a.comp", "source=a.comp:12", "source=src/a.comp", "source=src/*:12", "source=b.comp:7",
        "buffer=bi?s", "label=frame", "label=\"shadow pass\"", "kind=hazard\tbuffer=bins  label=frame",
        "buffer=\"bins\" kind=hazard"})
    EXPECT_TRUE(matches(rule)) << rule;
  for (const char* rule :
       {"kind=nan", "fingerprint=123*", "shader=aa", "shader=blur", "source=a.comp:1", "source=a.comp:7",
        "source=comp", "buffer=bin", "label=shadow", "kind=hazard buffer=other", "kind=nan buffer=bins"})
    EXPECT_FALSE(matches(rule)) << rule;
}

TEST(Suppressions, NothingMatchesWhatAFindingDoesNotHave) {
  ReportLine line;
  line.kind = FindingKind::assume;
  EXPECT_TRUE(matches("kind=*", line));
  for (const char* rule : {"fingerprint=*", "shader=*", "source=*", "buffer=*", "label=*"})
    EXPECT_FALSE(matches(rule, line)) << rule;
}

TEST(Suppressions, TheFirstRuleThatMatchesCounts) {
  std::vector<std::string> problems;
  Suppressions rules = Suppressions::parse(
      "# of the project\n\n  kind=nan # one\nkind=hazard # two # and more\r\nbuffer=bins # three\n", "file",
      problems);
  EXPECT_THAT(problems, IsEmpty());
  const std::string* const reason = rules.reason(race());
  ASSERT_NE(reason, nullptr);
  EXPECT_EQ(*reason, "two # and more");
  EXPECT_THAT(rules.unused(), ElementsAre("file:3: kind=nan", "file:5: buffer=bins"));
}

TEST(Suppressions, AHashMayBeInQuotes) {
  ReportLine line = race();
  line.shader_name = "pass #1";
  EXPECT_TRUE(matches("shader=\"pass #1\"", line));
  EXPECT_FALSE(matches("shader=\"pass #2\"", line));
}

TEST(Suppressions, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_THAT(problems_of("kind=nan # x\nkind=nan\n"),
              ElementsAre("rules:2: the reason is missing; write it behind # at the end of the line"));
  EXPECT_THAT(problems_of("kind=nan #  \t"), ElementsAre(HasSubstr("the reason is missing")));
  EXPECT_THAT(problems_of("nan # x"), ElementsAre("rules:1: \"nan\" is not of the form KEY=PATTERN"));
  EXPECT_THAT(problems_of("kind =nan # x"), ElementsAre("rules:1: \"kind\" is not of the form KEY=PATTERN"));
  EXPECT_THAT(problems_of("knd=nan # x"),
              ElementsAre(HasSubstr("there is no key \"knd\"; there are kind, ")));
  EXPECT_THAT(problems_of("kind= # x"), ElementsAre("rules:1: the pattern of kind is empty"));
  EXPECT_THAT(problems_of("buffer=\"\" # x"), ElementsAre("rules:1: the pattern of buffer is empty"));
  EXPECT_THAT(problems_of("kind=nann # x"), ElementsAre("rules:1: there is no kind \"nann\" of findings"));
  EXPECT_THAT(problems_of("kind=nan?n # x\nkind=[ab]* # y\n"), IsEmpty()) << "a pattern need not be a kind";
  EXPECT_THAT(problems_of("a # x\nb # x\n"), ElementsAre(HasSubstr("rules:1:"), HasSubstr("rules:2:")));
}

TEST(Baselines, AreReadWithTheLinesThatAreNone) {
  std::vector<std::string> problems;
  const std::vector<ReportLine> lines = read_report_text(
      "{\"kind\":\"hazard\",\"text\":\"x\",\"fingerprint\":\"f1\"}\n\nno report\n"
      "{\"kind\":\"nan\",\"text\":\"y\",\"fingerprint\":\"f2\"}",
      "old.jsonl", problems);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].fingerprint, "f2");
  EXPECT_THAT(problems,
              ElementsAre("old.jsonl:3: this is no line of a report; give a file that --report wrote"));
}

TEST(Baselines, AreTheFingerprintsOfBugs) {
  std::vector<std::string> problems;
  ReportLine bug = race(), note, message;
  note.kind = FindingKind::note;
  note.fingerprint = "of a count";
  message.kind = FindingKind::printf;
  EXPECT_THAT(fingerprints_of({bug, note, message}, "old.jsonl", problems), ElementsAre(bug.fingerprint));
  EXPECT_THAT(problems, IsEmpty());
  bug.fingerprint.clear();
  EXPECT_THAT(fingerprints_of({bug, bug}, "old.jsonl", problems), IsEmpty());
  EXPECT_THAT(problems, ElementsAre(HasSubstr("old.jsonl: has findings without a fingerprint")));
}

TEST(Baselines, RulesAreAskedFirst) {
  std::vector<std::string> problems;
  Suppressions rules = Suppressions::parse("kind=hazard # known", "rules", problems);
  Verdict verdict;
  ReportLine nan = race(), assume = race();
  nan.kind = FindingKind::nan;
  assume.kind = FindingKind::assume;
  assume.fingerprint = "another";
  verdict.bugs = {{race(), 1, {}}, {nan, 1, {}}, {assume, 1, {}}};
  set_known_aside(verdict, rules, {nan.fingerprint});
  ASSERT_EQ(verdict.bugs.size(), 1u);
  EXPECT_EQ(verdict.bugs[0].line.kind, FindingKind::assume);
  ASSERT_EQ(verdict.suppressed.size(), 1u);
  EXPECT_EQ(verdict.suppressed[0].line.kind, FindingKind::hazard);
  ASSERT_EQ(verdict.in_baseline.size(), 1u);
  EXPECT_EQ(verdict.in_baseline[0].line.kind, FindingKind::nan);
}

// A line of what was checked is written and read back; processes are told apart by their numbers.
TEST(ReportFiles, SayWhoWroteThemAndWhatWasChecked) {
  ProcessRecord record;
  record.program = "app";
  record.checks = "values, sync";
  record.ended = true;
  record.devices = {{"a", "1.2", ""}, {"b", "", "it is too old"}};
  record.tallies[static_cast<size_t>(Tally::devices)] = 2;
  record.tallies[static_cast<size_t>(Tally::shaders_checked)] = 3;
  record.tallies[static_cast<size_t>(Tally::actions)] = 7;
  record.tallies[static_cast<size_t>(Tally::actions_late)] = 2;
  const std::vector<ProcessRecord> records{record};
  const Verdict verdict = judge(records, {}, {});
  const std::string line = checked_line(records, verdict);
  const nlohmann::json object = nlohmann::json::parse(line);
  EXPECT_EQ(testing::report_schema().problem(object), "");
  EXPECT_EQ(object["shaders"]["checked"], 3);
  EXPECT_EQ(object["actions"]["unchecked"], 2);
  EXPECT_FALSE(object["complete"]);

  const std::string text =
      R"({"kind":"note","text":"x","process":7,"version":"1.0.0","program":"one","host":"h","run":"r"})"
      "\n"
      R"({"kind":"note","text":"y","process":8,"version":"1.0.0","program":"two","host":"h","run":"r"})"
      "\n"
      R"({"kind":"note","text":"z","process":7})"
      "\n" +
      line;
  std::vector<std::string> problems;
  std::vector<CheckedRun> checked;
  const std::vector<ReportLine> lines = read_report_text(text, "f", problems, &checked);
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[2].program, "one");
  EXPECT_EQ(lines[1].program, "two");
  ASSERT_EQ(checked.size(), 1u);
  EXPECT_EQ(checked[0].programs, std::vector<std::string>{"app"});
  EXPECT_EQ(checked[0].checks, (std::vector<std::string>{"sync", "values"}));
  ASSERT_EQ(checked[0].devices.size(), 2u);
  EXPECT_EQ(checked[0].devices[1].inert_reason, "it is too old");
  EXPECT_EQ(checked[0].gaps.size(), verdict.gaps.size());
  EXPECT_EQ(checked[0].text, verdict_text(records, verdict));
}

}  // namespace
}  // namespace shaderqa::test
