// SPDX-License-Identifier: Apache-2.0
// What `shaderqa run` does around a program: its streams, its end, what it left behind.
#include <filesystem>
#include <stdexcept>

#include "cli_test.h"
#include "report_reader.h"

namespace shaderqa::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using RunProgram = CliTest;

TEST_F(RunProgram, StreamsAreThePrograms) {
  environment_["SHADERQA_QUIET_NOTES"] = "1";
  Process process({kCommand, "run", "--", "/bin/sh", "-c", "cat; echo error >&2"}, environment_);
  process.write("through\n");
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "through\n");
  EXPECT_EQ(without_verdict(result.err), "error\n");
}

TEST_F(RunProgram, ExitCodeIsThePrograms) {
  for (const int code : {0, 1, 7, 99, 125, 126, 255}) {
    const ProcessResult result = run_script({}, "exit " + std::to_string(code));
    EXPECT_EQ(result.exit_code, code);
    EXPECT_EQ(without_verdict(result.err), "");
  }
}

TEST_F(RunProgram, DeathBySignal) {
  const ProcessResult segv = run_script({}, "ulimit -c 0; kill -SEGV $$");
  EXPECT_EQ(segv.exit_code, 128 + 11);
  EXPECT_THAT(segv.err, HasSubstr("signal 11 (SIGSEGV)"));
  EXPECT_EQ(run_script({}, "kill -KILL $$").exit_code, 128 + 9);
}

TEST_F(RunProgram, SignalsReachTheProgram) {
  for (const char* signal : {"TERM", "INT", "HUP", "USR1"}) {
    // Its parent is the command.
    const std::string name = signal;
    const ProcessResult result = run_script({}, "trap 'echo got " + name + "; exit 3' " + name + "; kill -" +
                                                    name + " $PPID; while :; do sleep 0.01; done");
    EXPECT_EQ(result.out, "got " + name + "\n");
    EXPECT_EQ(result.exit_code, 3);
  }
}

TEST_F(RunProgram, SignalThatEndsTheProgramStillLeavesItsMessages) {
  const ProcessResult result =
      run_script({}, std::string(kLeaveMessages) + " exit 2; kill -TERM $PPID; while :; do sleep 0.01; done");
  EXPECT_EQ(result.exit_code, 128 + 15);
  EXPECT_THAT(result.err, HasSubstr("shaderqa: printf: left 0\nshaderqa: printf: left 1\n"));
}

TEST_F(RunProgram, SearchesThePath) {
  std::filesystem::create_directories(file("bin"));
  write_file(file("bin/my-program"), "#!/bin/sh\necho \"$0 $1\"\n");
  std::filesystem::permissions(file("bin/my-program"), std::filesystem::perms::owner_all);
  environment_["PATH"] = "/nowhere:" + file("bin") + ":/usr/bin:/bin";
  const ProcessResult result = shaderqa({"run", "--", "my-program", "a b"});
  EXPECT_THAT(result.out, HasSubstr("my-program a b\n"));
}

TEST_F(RunProgram, DoesNotWaitForGrandchildren) {
  // The grandchild ends only after somebody has opened the gate, which happens once the command has ended.
  ASSERT_EQ(testing::run({"/usr/bin/mkfifo", file("gate")}, environment_).exit_code, 0);
  Process process({kCommand, "run", "--", "/bin/sh", "-c",
                   "(cat " + file("gate") + " >" + file("late") + ") >/dev/null 2>&1 & exit 4"},
                  environment_);
  EXPECT_EQ(process.wait().exit_code, 4);
  testing::run({"/bin/sh", "-c", "echo go >" + file("gate")}, environment_);
}

class RunRescue : public RunProgram {
 protected:
  ProcessResult leave(const std::string& how, std::vector<std::string> options = {}) {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--", kLeaveMessages, how, "3"});
    return shaderqa(options);
  }
};

TEST_F(RunRescue, MessagesOfDeadPrograms) {
  const std::string messages =
      "shaderqa: printf: left 0\nshaderqa: printf: left 1\nshaderqa: printf: left 2\n";
  const ProcessResult exited = leave("exit");
  EXPECT_EQ(exited.exit_code, 5);
  EXPECT_EQ(without_verdict(exited.err), messages);
  const ProcessResult aborted = leave("abort");
  EXPECT_EQ(aborted.exit_code, 128 + 6);
  EXPECT_THAT(aborted.err, HasSubstr(messages));
  const ProcessResult killed = leave("kill");
  EXPECT_EQ(killed.exit_code, 128 + 9);
  EXPECT_THAT(killed.err, HasSubstr(messages));
}

// What a messenger of the program was to hear when the program was killed.
TEST_F(RunRescue, WhatNoMessengerHeard) {
  const ProcessResult result =
      run_script({}, "echo 'shaderqa: printf: last words' >$SHADERQA_RESCUE_DIR/1-0.undelivered; kill -9 $$");
  EXPECT_THAT(result.err, HasSubstr("shaderqa: printf: last words\n"));
}

TEST_F(RunRescue, NothingTwice) {
  EXPECT_EQ(without_verdict(leave("delivered").err), "");
  EXPECT_EQ(without_verdict(leave("orderly").err), "");
}

TEST_F(RunRescue, ToTheReportFile) {
  EXPECT_EQ(leave("kill", {"--report", "out.jsonl"}).exit_code, 128 + 9);
  const auto findings = read_report(file("out.jsonl"));
  EXPECT_THAT(texts_of(findings, "printf"), ElementsAre("left 0", "left 1", "left 2"));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].at("shader"), "0123456789abcdef");
  EXPECT_EQ(findings[0].at("stage"), "compute");
}

TEST_F(RunRescue, CountsForFailOn) {
  EXPECT_EQ(leave("exit", {"--fail-on", "printf"}).exit_code, 99);
  EXPECT_EQ(leave("exit", {"--sync", "--fail-on", "hazard"}).exit_code, 98);  // it wrote no summary
}

class ReportFile : public RunProgram {
 protected:
  static constexpr const char* kFinding = R"(echo '{"kind":"redundant","text":"x"}' >>$SHADERQA_REPORT; )";
};

// What every test relies on that reads a report.
TEST_F(ReportFile, TestsReadOnlyLinesThatFitTheSchema) {
  run_script({"--report", "out.jsonl"}, kFinding);
  EXPECT_EQ(read_report(file("out.jsonl")).size(), 1u);
  run_script({"--report", "out.jsonl"}, R"(echo '{"kind":"note","text":"x","more":1}' >>$SHADERQA_REPORT)");
  try {
    read_report(file("out.jsonl"));
    ADD_FAILURE() << "a line with a member that there is not was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/more: there is no such member"));
    EXPECT_THAT(error.what(), HasSubstr(R"({"kind":"note","text":"x","more":1})"));
  }
}

}  // namespace
}  // namespace shaderqa::testing
