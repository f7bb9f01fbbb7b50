// SPDX-License-Identifier: Apache-2.0
// The last lines of a run: what was checked, what not, and how many bugs there are.
#include "host/summary/verdict.h"
#include "host/text/count_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace shaderqa::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A process that ended in order, with a device and a checked shader.
ProcessRecord process(uint32_t id = 1) {
  ProcessRecord record;
  record.process = id;
  record.ended = true;
  record.program = "program";
  record.checks = "sync";
  record.devices.push_back({"a device", "a driver", ""});
  const auto set = [&](Tally which, uint64_t number) { record.tallies[static_cast<size_t>(which)] = number; };
  set(Tally::devices, 1);
  set(Tally::shaders_checked, 1);
  set(Tally::actions, 1);
  set(Tally::actions_checked, 1);
  return record;
}

// It ended before it made one.
ProcessRecord without_device(uint32_t id = 1) {
  ProcessRecord record = process(id);
  record.devices.clear();
  record.tallies = {};
  return record;
}

void set(ProcessRecord& record, Tally which, uint64_t number) {
  record.tallies[static_cast<size_t>(which)] = number;
}

ReportLine finding(FindingKind kind, const std::string& fingerprint, uint64_t line = 1) {
  ReportLine one;
  one.kind = kind;
  one.text = "text of " + fingerprint;
  one.fingerprint = fingerprint;
  one.source = {"a.comp", "", line, 0};
  return one;
}

ReportLine race(const std::string& fingerprint, uint64_t line, uint64_t other_line, const std::string& who) {
  ReportLine one = finding(FindingKind::hazard, fingerprint, line);
  one.hazard.emplace().access = "store";
  LineOther& other = one.other.emplace();
  other.access = "load";
  other.who = who;
  other.same_action = true;
  other.source = {"a.comp", "", other_line, 0};
  return one;
}

std::vector<std::string> gaps(const std::vector<ProcessRecord>& records,
                              std::vector<FindingKind> wanted = {}) {
  std::vector<std::string> texts;
  for (const Gap& gap : judge(records, {}, wanted).gaps) texts.push_back(gap.text);
  return texts;
}

std::string text_of(const std::vector<ProcessRecord>& records) {
  return verdict_text(records, judge(records, {}, {}));
}

TEST(VerdictText, NumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(123456), "123,456");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(counted(0, "bug", "bugs"), "0 bugs");
  EXPECT_EQ(counted(1, "bug", "bugs"), "1 bug");
  EXPECT_EQ(counted(2, "bug", "bugs"), "2 bugs");
}

TEST(VerdictText, ACleanRun) {
  EXPECT_EQ(text_of({process()}),
            "shaderqa: loaded in 1 process (program); 1 device (a device); checks: sync\n"
            "shaderqa: shaders: 1 checked, 0 with nothing to check\n"
            "shaderqa: actions submitted: 1 checked, 0 not checked, 0 with nothing to check\n"
            "shaderqa: verdict: no bug found\n");
}

TEST(VerdictText, EachNumberHasItsPlace) {
  ProcessRecord record = process();
  set(record, Tally::devices, 2);
  set(record, Tally::shaders_checked, 3);
  set(record, Tally::shaders_nothing, 4);
  set(record, Tally::shaders_excluded, 5);
  set(record, Tally::shaders_refused, 6);
  set(record, Tally::image_shaders, 7);
  set(record, Tally::pipelines_begun, 30);
  set(record, Tally::pipelines_done, 28);
  set(record, Tally::pipeline_ns, 1'290'000'000);
  set(record, Tally::actions, 100);
  set(record, Tally::actions_checked, 60);
  set(record, Tally::actions_unchecked, 30);
  set(record, Tally::messages, 1);
  EXPECT_EQ(
      text_of({record}),
      "shaderqa: loaded in 1 process (program); 2 devices (a device); checks: sync\n"
      "shaderqa: shaders: 3 checked, 4 with nothing to check, 5 left alone by only, skip or hashes, 6 left "
      "alone (the reasons are below); 28 pipelines made in 1.2 s, 2 not finished\n"
      "shaderqa: images are not checked: 7 shaders read or write storage images\n"
      "shaderqa: actions submitted: 60 checked, 30 not checked, 10 with nothing to check\n"
      "shaderqa: verdict: no bug found, 1 message printed\n");
}

TEST(VerdictText, SaysOnceThatImagesAreChecked) {
  ProcessRecord record = process();
  EXPECT_THAT(text_of({record}), Not(HasSubstr("images")));
  record.checks += kWithImages;
  const std::string text = text_of({record});
  EXPECT_THAT(text, HasSubstr("checks: sync with images\n"));
  EXPECT_EQ(text.find("images"), text.rfind("images")) << text;
}

TEST(VerdictText, SeveralProcessesAreSummed) {
  ProcessRecord second = process(2), again = process(1), third = without_device(3);
  second.program = "another";
  second.checks = "printf";
  second.devices[0].name = "other device";
  third.checks = "values";
  third.program.clear();
  EXPECT_THAT(
      text_of({process(), second, again, third}),
      HasSubstr("shaderqa: loaded in 3 processes (another, program); 3 devices (a device, other device); "
                "checks: printf, sync\n"
                "shaderqa: shaders: 3 checked, "));
}

TEST(VerdictText, WithoutADeviceNothingIsSaidOfShaders) {
  EXPECT_EQ(text_of({without_device()}),
            "shaderqa: loaded in 1 process (program); 0 devices\n"
            "shaderqa: not complete: the program made no Vulkan device under the layer: nothing was checked\n"
            "shaderqa: verdict: no bug found; NOT CHECKED\n");
}

TEST(VerdictText, WhatRanWithMoreChecksThanActionsIsNoHugeNumber) {
  ProcessRecord record = process();
  set(record, Tally::actions, 1);
  set(record, Tally::actions_checked, 1);
  set(record, Tally::actions_unchecked, 1);
  EXPECT_THAT(text_of({record}), HasSubstr("1 checked, 1 not checked, 0 with nothing to check"));
}

TEST(VerdictText, TheSlowestPipelineIsNamedFromTenSecondsOn) {
  ProcessRecord fast = process(1), slow = process(2);
  fast.slowest_ns = 1'000'000'000;
  fast.slowest.hash = 1;
  slow.slowest_ns = 8'050'000'000;
  slow.slowest = {0x12, 2000, 1, "main (compute)"};
  set(fast, Tally::pipeline_ns, 1'000'000'000);
  set(slow, Tally::pipeline_ns, 8'999'999'999);
  EXPECT_THAT(text_of({fast, slow}), Not(HasSubstr("slowest")));
  set(slow, Tally::pipeline_ns, 9'000'000'000);
  EXPECT_THAT(
      text_of({fast, slow}),
      HasSubstr("shaderqa: the slowest pipeline took 8.0 s: shader main (compute), 2,000 words, 1 checked "
                "place; it is made faster by sync_calls = always,"));
  slow.slowest.hash = 0;
  EXPECT_THAT(text_of({fast, slow}), Not(HasSubstr("slowest"))) << "no rewritten shader was in it";
}

TEST(VerdictText, BugsAreCountedByKindAndOccurrence) {
  ProcessRecord record = process();
  record.lines = {finding(FindingKind::hazard, "a"), finding(FindingKind::nan, "b"),
                  finding(FindingKind::hazard, "c"), finding(FindingKind::hazard, "a")};
  ReportLine count = finding(FindingKind::note, "a");
  count.count = 1500;
  record.lines.push_back(count);
  count.count = 1400;  // of an earlier time
  record.lines.push_back(count);
  EXPECT_THAT(text_of({record}),
              ::testing::EndsWith("shaderqa: verdict: 3 bugs (1 nan, 2 hazards), 1,502 occurrences\n"));
}

TEST(VerdictText, WhatIsKnownIsSaid) {
  Verdict verdict = judge({process()}, {}, {});
  verdict.suppressed.resize(1);
  EXPECT_THAT(
      verdict_text({process()}, verdict),
      ::testing::EndsWith("shaderqa: known and not counted: 1 bug suppressed, 0 bugs of the baseline\n"
                          "shaderqa: verdict: no new bug found\n"));
  verdict.in_baseline.resize(2);
  verdict.suppressed.clear();
  EXPECT_THAT(verdict_text({process()}, verdict),
              ::testing::EndsWith(
                  "0 bugs suppressed, 2 bugs of the baseline\nshaderqa: verdict: no new bug found\n"));
}

TEST(VerdictText, WithoutARecordNothingWasChecked) {
  const Verdict verdict = judge({}, {{"the layer was not loaded", Concern::everything}}, {});
  EXPECT_EQ(
      verdict_text({}, verdict),
      "shaderqa: not complete: the layer was not loaded\nshaderqa: verdict: no bug found; NOT CHECKED\n");
}

TEST(VerdictBugs, AreOneForEachFingerprint) {
  ProcessRecord first = process(1), second = process(2);
  first.lines = {finding(FindingKind::hazard, "x"), finding(FindingKind::hazard, "x")};
  second.lines = {finding(FindingKind::hazard, "x"), finding(FindingKind::hazard, "y")};
  const Verdict verdict = judge({first, second}, {}, {});
  ASSERT_EQ(verdict.bugs.size(), 2u);
  EXPECT_EQ(verdict.bugs[0].line.fingerprint, "x");
  EXPECT_EQ(verdict.bugs[0].occurrences, 2u);
  EXPECT_THAT(verdict.bugs[0].processes, ElementsAre(1u, 2u));
  EXPECT_THAT(verdict.bugs[1].processes, ElementsAre(2u));
  EXPECT_EQ(verdict.findings_of(FindingKind::hazard), 2u);
  EXPECT_EQ(verdict.findings_of(FindingKind::nan), 0u);
}

TEST(VerdictBugs, WithoutFingerprintsTheTextDecides) {
  ProcessRecord record = process();
  ReportLine a = finding(FindingKind::assume, ""), b = a, c = a;
  b.text = "another";
  c.kind = FindingKind::nan;
  record.lines = {a, b, c, a};
  EXPECT_EQ(judge({record}, {}, {}).bugs.size(), 3u);
}

TEST(VerdictBugs, MessagesAndNotesAreNone) {
  ProcessRecord record = process();
  record.lines = {finding(FindingKind::note, "n"), finding(FindingKind::printf, "p")};
  set(record, Tally::messages, 4);
  const Verdict verdict = judge({record}, {}, {});
  EXPECT_THAT(verdict.bugs, IsEmpty());
  EXPECT_EQ(verdict.findings_of(FindingKind::printf), 4u);
  EXPECT_EQ(verdict.findings_of(FindingKind::note), 1u);
}

TEST(VerdictBugs, AreSortedByKindFileLineAndShader) {
  ProcessRecord record = process();
  ReportLine other_file = finding(FindingKind::hazard, "1", 1),
             later_shader = finding(FindingKind::hazard, "2", 3);
  other_file.source.file = "b.comp";
  later_shader.shader = "s";
  record.lines = {other_file, finding(FindingKind::hazard, "3", 9), later_shader,
                  finding(FindingKind::hazard, "4", 3), finding(FindingKind::assume, "5", 50)};
  std::vector<std::string> order;
  for (const Bug& bug : judge({record}, {}, {}).bugs) order.push_back(bug.line.fingerprint);
  EXPECT_THAT(order, ElementsAre("5", "4", "2", "3", "1"));
}

// "several invocations": the place of the other side need not be the one that conflicts.
TEST(VerdictBugs, UncertainOnesBelongToASureOneWithTheSameSide) {
  const auto bugs = [](const ReportLine& uncertain, const ReportLine& sure) {
    ProcessRecord record = process();
    record.lines = {uncertain, sure, sure};
    return judge({record}, {}, {}).bugs;
  };
  const ReportLine sure = race("b", 5, 6, "invocation 7");
  const std::vector<Bug> merged = bugs(race("a", 5, 9, "several invocations"), sure);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].line.fingerprint, "b");
  EXPECT_EQ(merged[0].occurrences, 2u);
  EXPECT_EQ(bugs(race("a", 6, 9, "several invocations"), sure).size(), 2u)
      << "line 6 loads in the sure one and stores in the other";
  ReportLine loads = race("a", 6, 9, "several invocations");
  loads.hazard->access = "load";
  EXPECT_EQ(bugs(loads, sure).size(), 1u);
  EXPECT_EQ(bugs(race("a", 8, 9, "several invocations"), sure).size(), 2u);
  EXPECT_EQ(bugs(race("a", 5, 9, "invocation 1"), sure).size(), 2u) << "that is sure, too";
  EXPECT_EQ(bugs(race("a", 5, 9, "several invocations"), race("b", 5, 6, "several others")).size(), 2u);
  ReportLine other_action = sure, unknown = race("a", 0, 9, "several invocations"),
             unknown_sure = race("b", 0, 6, "x");
  other_action.other->same_action = false;
  EXPECT_EQ(bugs(race("a", 5, 9, "several invocations"), other_action).size(), 2u);
  unknown.source.file = unknown_sure.source.file = "";
  EXPECT_EQ(bugs(unknown, unknown_sure).size(), 2u) << "without a source there is nothing to compare";
}

TEST(VerdictBugs, ASureFindingOfAFingerprintIsShown) {
  ProcessRecord record = process();
  record.lines = {race("a", 5, 9, "several invocations"), race("a", 5, 6, "invocation 7"),
                  race("a", 5, 8, "invocation 8")};
  const std::vector<Bug> bugs = judge({record}, {}, {}).bugs;
  ASSERT_EQ(bugs.size(), 1u);
  EXPECT_EQ(bugs[0].line.other->who, "invocation 7");
}

TEST(VerdictGaps, ProcessesThatDidNotEnd) {
  ProcessRecord crashed = process(3), running = process(4), unshared = process(5);
  crashed.ended = unshared.ended = false;
  running.ended = false;
  running.running = true;
  set(unshared, Tally::rescue_missing, 1);
  EXPECT_THAT(gaps({crashed}),
              ElementsAre("process 3 (program) ended without warning (a crash, a signal or _exit): "
                          "what ran last may not be checked"));
  CompiledShader compiled;
  compiled.hash = 1;
  std::strcpy(compiled.name, "0000000000000001 (compute, main)");
  crashed.unfinished = {compiled};
  EXPECT_THAT(
      gaps({crashed}),
      ElementsAre(HasSubstr("without warning"),
                  "process 3 (program) ended while the driver made the checked pipeline of shader "
                  "0000000000000001 (compute, main): if the driver crashed there, sync_calls = never, "
                  "or skip for this shader, lets the program run"));
  EXPECT_THAT(gaps({unshared}), ElementsAre(HasSubstr("what was found last is lost")));
  EXPECT_THAT(gaps({running}),
              ElementsAre("process 4 (program) still runs: what it does from now on is not in this "
                          "report"));
  EXPECT_THAT(gaps({process()}), IsEmpty());
}

TEST(VerdictGaps, DamagedRecordsAndLostFacts) {
  ProcessRecord damaged = process(), lost = process();
  damaged.damage = "x.run is damaged";
  damaged.ended = false;
  EXPECT_THAT(gaps({damaged}, {FindingKind::nan}),
              ElementsAre("x.run is damaged: what that process checked is not known"));
  set(lost, Tally::facts_lost, 1);
  EXPECT_THAT(gaps({lost}), ElementsAre("process 1 (program) could not write down 1 fact of its summary"));
}

TEST(VerdictGaps, DevicesOnWhichNothingIsChecked) {
  ProcessRecord record = process();
  record.devices.push_back({"old device", "", "it has no Vulkan 1.1"});
  EXPECT_THAT(gaps({record}),
              ElementsAre("nothing is checked on the device old device: it has no Vulkan 1.1"));
}

TEST(VerdictGaps, ChecksThatAreOff) {
  ProcessRecord record = process();
  EXPECT_THAT(
      gaps({record}, {FindingKind::hazard, FindingKind::redundant, FindingKind::note, FindingKind::trace}),
      IsEmpty());
  EXPECT_THAT(gaps({record}, {FindingKind::nan}),
              ElementsAre("nan is not checked in process 1 (program): its settings turn the check off"));
  EXPECT_THAT(gaps({record}, {FindingKind::printf, FindingKind::assume, FindingKind::uninit}),
              ElementsAre(HasSubstr("printf is"), HasSubstr("assume is"), HasSubstr("uninit is")));
  record.checks = "values, printf, sync";
  EXPECT_THAT(gaps({record}, {FindingKind::printf, FindingKind::nan, FindingKind::hazard}), IsEmpty());
  record.checks = "values (assume, uninit), sync";
  EXPECT_THAT(gaps({record}, {FindingKind::assume, FindingKind::uninit, FindingKind::hazard}), IsEmpty());
  EXPECT_THAT(gaps({record}, {FindingKind::nan}), ElementsAre(HasSubstr("nan is not checked")));
  record.checks = "values (expect)";
  EXPECT_THAT(gaps({record}, {FindingKind::assume}), IsEmpty());
  EXPECT_THAT(gaps({record}, {FindingKind::uninit}), ElementsAre(HasSubstr("uninit is not checked")));
}

TEST(VerdictGaps, ShadersThatWereNotLookedAt) {
  ProcessRecord record = process();
  set(record, Tally::shaders_checked, 0);
  EXPECT_THAT(gaps({record}), ElementsAre("the program made no shader: nothing was checked"));
  for (const Tally looked_at : {Tally::shaders_nothing, Tally::shaders_refused}) {
    ProcessRecord other = record;
    set(other, looked_at, 1);
    set(other, Tally::shaders_excluded, 1);
    EXPECT_THAT(gaps({other}), IsEmpty());
  }
  set(record, Tally::shaders_excluded, 1);
  EXPECT_THAT(gaps({record}), ElementsAre("no shader was checked: skip and hashes leave all of them alone"));
  record.only = "x*";
  EXPECT_THAT(gaps({record}),
              ElementsAre("no shader was checked: none matches only = x* and is not skipped"));
}

TEST(VerdictGaps, ChecksOfSynchronisationNeedActions) {
  ProcessRecord record = process();
  set(record, Tally::actions, 0);
  EXPECT_THAT(gaps({record}), ElementsAre("no draw, dispatch or trace was submitted: no access was checked"));
  EXPECT_THAT(text_of({record}), Not(HasSubstr("actions submitted")));
  ProcessRecord other = record;
  other.checks = "values";
  EXPECT_THAT(gaps({other}), IsEmpty());
  set(record, Tally::shaders_checked, 0);
  set(record, Tally::shaders_nothing, 1);
  EXPECT_THAT(gaps({record}), IsEmpty());
}

TEST(VerdictGaps, NotesOfSeveralProcessesAreOne) {
  ProcessRecord first = process(1), second = process(2);
  ReportLine note = finding(FindingKind::note, "");
  note.text = "memory is short";
  note.incomplete = "sync";
  first.lines = {note, note};
  EXPECT_THAT(gaps({first}), ElementsAre("memory is short"));
  second.lines = {note};
  EXPECT_THAT(gaps({first, second}), ElementsAre("memory is short (in 2 processes)"));
}

TEST(VerdictGaps, CountForTheKindsThatTheyConcern) {
  const auto complete = [](const std::string& concern, std::vector<FindingKind> kinds) {
    ProcessRecord record = process();
    ReportLine note = finding(FindingKind::note, "");
    note.incomplete = concern;
    record.lines = {note};
    return judge({record}, {}, {}).complete_for(kinds);
  };
  EXPECT_FALSE(complete("sync", {FindingKind::hazard}));
  EXPECT_FALSE(complete("sync", {FindingKind::nan, FindingKind::redundant}));
  EXPECT_TRUE(complete("sync", {FindingKind::nan, FindingKind::printf}));
  EXPECT_FALSE(complete("values", {FindingKind::uninit}));
  EXPECT_TRUE(complete("values", {FindingKind::hazard}));
  EXPECT_FALSE(complete("printf", {FindingKind::printf}));
  EXPECT_TRUE(complete("printf", {FindingKind::assume}));
  EXPECT_FALSE(complete("everything", {FindingKind::printf}));
  EXPECT_FALSE(complete("of another version", {}));
}

TEST(VerdictGaps, SomethingIsCheckedIfAShaderWasLookedAt) {
  ProcessRecord record = process();
  EXPECT_TRUE(checked_anything({record}));
  set(record, Tally::shaders_checked, 0);
  EXPECT_FALSE(checked_anything({record}));
  set(record, Tally::shaders_nothing, 1);
  EXPECT_TRUE(checked_anything({process(), record}));
  EXPECT_FALSE(checked_anything({}));
}

TEST(VerdictGaps, AChosenPartThatNothingLiesIn) {
  ProcessRecord record = process();
  set(record, Tally::submissions, 1200);
  set(record, Tally::frames, 1);
  EXPECT_THAT(gaps({record}),
              ElementsAre("nothing was submitted while checks were on: the program made 1,200 "
                          "submissions and presented 1 frame"));
  record.part = "frames 9";
  EXPECT_THAT(gaps({record}),
              ElementsAre(HasSubstr("nothing was submitted while checks were on (frames 9): the program")));
  set(record, Tally::submissions_checked, 1);
  EXPECT_THAT(gaps({record}), IsEmpty());
  set(record, Tally::actions_left_out, 1);
  EXPECT_THAT(gaps({record}), IsEmpty()) << "an action was checked";
  set(record, Tally::actions_checked, 0);
  EXPECT_THAT(gaps({record}),
              ElementsAre("no action was checked: none of 1 action lies in the chosen part (frames 9)"));
  record.part.clear();
  set(record, Tally::actions_left_out, 2);
  EXPECT_THAT(gaps({record}),
              ElementsAre("no action was checked: none of 2 actions lies in the chosen part"));
}

TEST(VerdictGaps, ActionsThatWereRecordedTooEarly) {
  ProcessRecord record = process();
  set(record, Tally::actions_late, 1);
  const std::string why =
      "not checked: their command buffers were recorded before checks were switched on, and used again while "
      "they were on";
  EXPECT_THAT(gaps({record}), ElementsAre("1 action was " + why));
  set(record, Tally::actions_late, 1000);
  EXPECT_THAT(gaps({record}), ElementsAre("1,000 actions were " + why));
}

TEST(VerdictText, TheChosenPartAndWhatItSaw) {
  ProcessRecord record = process();
  record.part = "frames 2-3";
  set(record, Tally::submissions, 1);
  set(record, Tally::submissions_checked, 1);
  EXPECT_THAT(text_of({record}), HasSubstr("\nshaderqa: chosen part (frames 2-3): 1 of 1 submission\n"));
  EXPECT_THAT(text_of({record}), Not(HasSubstr("the chosen part has")));
  set(record, Tally::submissions, 10);
  set(record, Tally::submissions_checked, 4);
  set(record, Tally::frames, 5);
  set(record, Tally::frames_checked, 2);
  set(record, Tally::shaders_used, 7);
  set(record, Tally::shaders_in_part, 3);
  EXPECT_THAT(text_of({record}),
              HasSubstr("\nshaderqa: chosen part (frames 2-3): 2 of 5 frames, 4 of 10 submissions\n"
                        "shaderqa: the chosen part has 3 of 7 shaders that draws and dispatches used\n"));
  set(record, Tally::buffers, 1);
  set(record, Tally::buffers_checked, 2);
  record.unseen = {"b", "a"};
  set(record, Tally::actions_left_out, 30);
  set(record, Tally::actions, 40);
  EXPECT_THAT(
      text_of({record}),
      HasSubstr(
          "the chosen part has 3 of 7 shaders that draws and dispatches used, and 1 of 1 buffer that the "
          "device can write\nshaderqa: shaders that were never in the chosen part: a, b\n"));
  EXPECT_THAT(text_of({record}),
              HasSubstr("1 checked, 0 not checked, 30 outside of the chosen part, 9 with nothing to check"));
  record.part.clear();
  EXPECT_THAT(text_of({record}), HasSubstr("\nshaderqa: chosen part: 2 of 5 frames, 4 of 10 submissions\n"));
  set(record, Tally::submissions_checked, 10);
  EXPECT_THAT(text_of({record}), Not(HasSubstr("chosen part:"))) << "all of the run was checked";
}

}  // namespace
}  // namespace shaderqa::test
