// SPDX-License-Identifier: Apache-2.0
// The last lines of `shaderqa run`, and --fail-on: it passes only where everything was checked and nothing
// found.
#include <pty.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli_test.h"
#include "report_reader.h"

namespace shaderqa::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Texts = std::vector<std::string>;

// What happens in a run of cli_pretend in which something is checked.
const Texts kChecked{"checks=sync", "device=", "shader=checked", "actions=1"};

Texts joined(Texts first, const Texts& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class Verdict : public CliTest {
 protected:
  static constexpr const char* kPretend = SHADERQA_BIN_DIR "/cli_pretend";

  // `shaderqa run` of a program.
  ProcessResult run(const Texts& options, const Texts& program) {
    return shaderqa(joined(joined({"run"}, options), joined({"--"}, program)));
  }
  ProcessResult pretend(const Texts& options, const Texts& what) {
    return run(options, joined({kPretend}, what));
  }
  // As a gate for hazards.
  ProcessResult gate(const Texts& what, const Texts& options = {}) {
    return pretend(joined(options, kGate), what);
  }
  ProcessResult checked_gate(const Texts& more, const Texts& options = {}) {
    return gate(joined(kChecked, more), options);
  }
  ProcessResult gate_of_script(const std::string& script) { return run_script(kGate, script); }
  // The command line of such a program, for scripts.
  static std::string pretended(const std::string& more) {
    std::string line = kPretend;
    for (const std::string& each : kChecked) line += " " + each;
    return line + " " + more;
  }

  static inline const Texts kGate{"--sync", "--fail-on", "hazard"};
};

constexpr int kFound = 99, kNotChecked = 98;

TEST_F(Verdict, SaysWhatWasCheckedAndFound) {
  const ProcessResult result =
      pretend({"--sync"}, {"checks=sync", "device=", "shader=checked", "shader=nothing", "shader=excluded",
                           "actions=1234", "images=1", "hazard=12", "hazard=12", "hazard=13", "count=16379",
                           "messages=2", "exit=3"});
  EXPECT_EQ(result.exit_code, 3);
  for (const char* line :
       {"shaderqa: loaded in 1 process (cli_pretend); 1 device (a device); checks: sync\n",
        "shaderqa: shaders: 1 checked, 1 with nothing to check, 1 left alone by only, skip or hashes\n",
        "1 shader reads or writes storage images\n",
        "shaderqa: actions submitted: 1,234 checked, 0 not checked, 0 with nothing"})
    EXPECT_THAT(result.err, HasSubstr(line));
  EXPECT_THAT(
      result.err,
      ::testing::EndsWith("shaderqa: verdict: 2 bugs (2 hazards), 16,380 occurrences, 2 messages printed\n"));
}

TEST_F(Verdict, PassesOnlyIfCheckedAndClean) {
  for (const int code : {0, 5}) {
    const ProcessResult result = checked_gate({"exit=" + std::to_string(code)});
    EXPECT_EQ(result.exit_code, code);
    EXPECT_THAT(result.err, ::testing::EndsWith("shaderqa: verdict: no bug found\n"));
  }
}

TEST_F(Verdict, FindingsFail) {
  const ProcessResult result = checked_gate({"hazard=12", "exit=5"});
  EXPECT_EQ(result.exit_code, kFound);
  EXPECT_THAT(result.err, HasSubstr("1 hazard; the program's own was 5"));
  // Findings decide before what is incomplete, and cannot be allowed.
  EXPECT_EQ(checked_gate({"hazard=12", "gap=x", "exit=0"}, {"--allow-incomplete"}).exit_code, kFound);
}

TEST_F(Verdict, IncompleteFails) {
  const ProcessResult result = checked_gate({"gap=memory is short", "exit=0"});
  EXPECT_EQ(result.exit_code, kNotChecked);
  EXPECT_THAT(result.err, HasSubstr("shaderqa: not complete: memory is short\n"));
  EXPECT_THAT(result.err, HasSubstr("NOT COMPLETELY CHECKED"));
  EXPECT_EQ(checked_gate({"gap=memory is short", "exit=0"}, {"--allow-incomplete"}).exit_code, 0);
  EXPECT_EQ(checked_gate({"note=nothing is missing", "exit=0"}).exit_code, 0);
}

// A run without findings, too: the line that says what was checked has no room.
TEST_F(Verdict, AReportThatCannotBeWrittenFails) {
  const ProcessResult result = checked_gate({"exit=0"}, {"--report", "/dev/full"});
  EXPECT_EQ(result.exit_code, kNotChecked);
  EXPECT_THAT(result.err, HasSubstr("shaderqa: not complete: cannot write the report file /dev/full"));
  EXPECT_EQ(checked_gate({"exit=0"}, {"--report", file("report.jsonl")}).exit_code, 0);
}

// A gate for NaN need not fail because of hazards, or because some accesses were not checked.
TEST_F(Verdict, OtherChecksDoNotFail) {
  const auto fail_on = [&](const char* kinds, const char* what) {
    return pretend({"--sync", "--nan", "--fail-on", kinds},
                   {"checks=sync, values", "device=", "shader=checked", "actions=1", what, "exit=0"})
        .exit_code;
  };
  EXPECT_EQ(fail_on("nan", "hazard=12"), 0);
  EXPECT_EQ(fail_on("nan", "sync-gap=some accesses"), 0);
  EXPECT_EQ(fail_on("nan,hazard", "sync-gap=some accesses"), kNotChecked);
}

TEST_F(Verdict, NothingCheckedCannotBeAllowed) {
  for (const Texts& what : {Texts{"checks=sync", "exit=0"},
                            {"checks=sync", "device=", "exit=0"},
                            {"checks=sync", "device=", "shader=excluded", "exit=0"},
                            {"checks=sync", "device=", "shader=checked", "exit=0"},
                            {"checks=sync", "device=the driver is too old", "exit=0"}}) {
    EXPECT_EQ(gate(what).exit_code, kNotChecked);
    EXPECT_EQ(gate(what, {"--allow-incomplete"}).exit_code, kNotChecked);
  }
}

TEST_F(Verdict, ShadersWithNothingToCheckAreComplete) {
  EXPECT_EQ(gate({"checks=sync", "device=", "shader=nothing", "exit=0"}).exit_code, 0);
}

TEST_F(Verdict, SaysWhyNothingWasChecked) {
  environment_["SHADERQA_ONLY"] = "nonesuch";
  for (const auto& [what, why] :
       {std::pair{Texts{"checks=sync", "device=", "shader=excluded"}, "none matches only = nonesuch"},
        {Texts{"checks=sync", "device=", "shader=checked"}, "no draw, dispatch or trace was submitted"},
        {Texts{"checks=printf", "device=", "shader=checked"}, "its settings turn the check off"}}) {
    const ProcessResult result = gate(joined(what, {"exit=0"}));
    EXPECT_EQ(result.exit_code, kNotChecked) << why;
    EXPECT_THAT(result.err, HasSubstr(why));
  }
}

TEST_F(Verdict, ProcessesThatDoNotEndInOrder) {
  EXPECT_EQ(checked_gate({"_exit=0"}).exit_code, kNotChecked);
  const ProcessResult killed = checked_gate({"kill"});
  EXPECT_EQ(killed.exit_code, kNotChecked);
  EXPECT_THAT(killed.err, HasSubstr("ended without warning"));
  EXPECT_THAT(killed.err, HasSubstr("the program's own was 137"));
  // What was found before is still counted.
  EXPECT_EQ(checked_gate({"hazard=12", "kill"}).exit_code, kFound);
}

TEST_F(Verdict, ACheckThatIsOffIsRefused) {
  for (const auto& [kind, advice] : {std::pair{"hazard", "--sync"},
                                     {"assume", "--assume"},
                                     {"nan", "--nan"},
                                     {"redundant", "--sync-redundant"}}) {
    const ProcessResult result = run({"--printf", "--fail-on", kind}, {"/bin/echo", "started"});
    EXPECT_EQ(result.exit_code, kNotChecked);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(advice));
  }
  EXPECT_THAT(run({"--nan=flush-nan", "--fail-on", "nan"}, {"true"}).err, HasSubstr("--nan"));
  environment_["SHADERQA_SYNC"] = "exact";  // as good as the option
  EXPECT_EQ(pretend({"--fail-on", "hazard"}, joined(kChecked, {"exit=0"})).exit_code, 0);
}

TEST_F(Verdict, SeveralProcesses) {
  const std::string one = pretended("hazard=12 exit=0");
  const ProcessResult result = gate_of_script(one + "; " + one);
  EXPECT_EQ(result.exit_code, kFound);
  EXPECT_THAT(result.err, HasSubstr("loaded in 2 processes (cli_pretend); 2 devices"));
  EXPECT_THAT(result.err, HasSubstr("verdict: 1 bug (1 hazard), 2 occurrences"));
}

TEST_F(Verdict, AProcessThatStillRuns) {
  ASSERT_EQ(testing::run({"/usr/bin/mkfifo", file("gate")}, environment_).exit_code, 0);
  // Its last argument waits for half a minute.
  const ProcessResult result = gate_of_script(
      pretended("compile=30000") +
      " >/dev/null 2>&1 & echo $! >pid; while ! ls $SHADERQA_RESCUE_DIR/*.facts >/dev/null 2>&1; do sleep "
      "0.01; done; sleep 0.2");
  std::ifstream pid(file("pid"));
  std::string number;
  pid >> number;
  testing::run({"/bin/kill", number}, environment_);
  EXPECT_EQ(result.exit_code, kNotChecked);
  EXPECT_THAT(result.err, HasSubstr("still runs"));
}

TEST_F(Verdict, DamagedFilesAreNotBelieved) {
  const std::string all_facts = "for f in $SHADERQA_RESCUE_DIR/*.facts; do ";
  for (const std::string& damage :
       {std::string("echo x >$SHADERQA_RESCUE_DIR/1-0.run"), std::string(": >$SHADERQA_RESCUE_DIR/1-0.run"),
        std::string("mkdir $SHADERQA_RESCUE_DIR/2-0.run"), all_facts + "rm $f; done",
        all_facts + "echo '{\"fact\"' >>$f; done", all_facts + "echo '[1]' >$f; done"}) {
    const ProcessResult result = gate_of_script(pretended("exit=0; ") + damage);
    EXPECT_EQ(result.exit_code, kNotChecked) << damage << result.err;
  }
}

TEST_F(Verdict, ProgressWhilePipelinesAreMade) {
  const auto progress = [&](const char* compile) {
    return pretend({"--sync"}, {"checks=sync", "device=", "shader=checked", compile, "exit=0"}).err;
  };
  const std::string slow = progress("compile=3200");
  EXPECT_THAT(slow, HasSubstr("shaderqa: pipelines: 0 done, 1 to be made, 2 s in all"));
  EXPECT_THAT(slow, HasSubstr("1 pipeline made in 3."));
  EXPECT_THAT(progress("compile=100"), Not(HasSubstr("to be made")));
}

// 400 ms more than said: the page may be read at a time that was taken before the program began to wait.
TEST_F(Verdict, ProgressWhileTheProgramWaitsForTheDevice) {
  const auto progress = [&](const char* wait) {
    return pretend({"--sync"}, {"checks=sync", "device=", "shader=checked", wait, "exit=0"}).err;
  };
  EXPECT_THAT(progress("wait=15400"), HasSubstr("shaderqa: the program has waited 15 s for the device"));
  EXPECT_THAT(progress("wait=5000"), Not(HasSubstr("has waited")));
  const Texts dispatch = {"checks=sync", "device=", "begun=dispatch 7", "wait=15000", "exit=0"};
  EXPECT_THAT(pretend({"--sync"}, dispatch).err,
              HasSubstr("The last checked action to begin: dispatch 7. If it never ends, try --skip"));
}

// A line that takes several rows is taken away before it is written again.
TEST_F(Verdict, ProgressOnATerminal) {
  constexpr unsigned short kColumns = 60;
  int terminal = -1, program_end = -1;
  winsize size{24, kColumns, 0, 0};
  char name[64];
  if (::openpty(&terminal, &program_end, name, nullptr, &size) != 0)
    GTEST_SKIP() << "no terminal can be made here: /dev/pts is not mounted";
  const Texts what = {"checks=sync", "device=", "begun=dispatch_7", "wait=15000", "exit=0"};
  std::string command = std::string(kCommand) + " run --sync -- " + kPretend;
  for (const std::string& each : what) command += " " + each;
  run_script({}, "exec 2>" + std::string(name) + "; " + command);
  std::string shown(65536, 0);
  const ssize_t got = ::read(terminal, shown.data(), shown.size());
  ::close(program_end);
  ::close(terminal);
  ASSERT_GT(got, 0);
  shown.resize(static_cast<size_t>(got));
  const size_t begin = shown.find("shaderqa: the program has waited"), end = shown.find("\r\033[K", begin);
  ASSERT_NE(end, std::string::npos) << shown;
  const size_t rows = (end - begin + kColumns - 1) / kColumns;
  EXPECT_GE(rows, 3u);
  std::string cleared = "\r\033[K";
  for (size_t row = 1; row < rows; ++row) cleared += "\033[A\033[K";
  EXPECT_EQ(shown.substr(end, cleared.size() + 9), cleared + "shaderqa:");
}

// Programs that never load the layer, and what is said of them.
class NeverLoaded : public Verdict {
 protected:
  void expect_refused(const std::string& program, const std::string& why) {
    const ProcessResult result = run(kGate, {program});
    EXPECT_EQ(result.exit_code, kNotChecked);
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_THAT(result.err, HasSubstr("; NOT CHECKED"));
  }
};

TEST_F(NeverLoaded, NoVulkan) { expect_refused("/bin/true", "the program used no Vulkan"); }

TEST_F(NeverLoaded, SaidWithoutFailOn) {
  const ProcessResult result = run({"--sync"}, {"/bin/true"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("the layer was never loaded"));
}

// A whole program of 32 bits: it calls exit(0).
TEST_F(NeverLoaded, ProgramsOfAnotherWordSize) {
  const unsigned char program[] = {
      0x7f, 'E',  'L', 'F', 1,    1,    1, 0, 0,    0,    0,    0,    0,    0, 0, 0, 2, 0, 3, 0,
      1,    0,    0,   0,   0x54, 0x80, 4, 8, 52,   0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0,
      52,   0,    32,  0,   1,    0,    0, 0, 0,    0,    0,    0,    1,    0, 0, 0, 0, 0, 0, 0,
      0,    0x80, 4,   8,   0,    0x80, 4, 8, 0x60, 0,    0,    0,    0x60, 0, 0, 0, 5, 0, 0, 0,
      0,    0x10, 0,   0,   0xb8, 1,    0, 0, 0,    0x31, 0xdb, 0xcd, 0x80, 0, 0, 0};
  write_file(file("old"), std::string(reinterpret_cast<const char*>(program), sizeof program));
  std::filesystem::permissions(file("old"), std::filesystem::perms::owner_all);
  if (testing::run({file("old")}, environment_).exit_code != 0) GTEST_SKIP() << "no 32-bit programs here";
  expect_refused("./old", "is a 32-bit program");
}

TEST_F(NeverLoaded, StaticPrograms) {
  const std::string program = SHADERQA_BIN_DIR "/cli_static";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "built without";
  expect_refused(program, "linked statically");
}

// A dynamic linker names none, as a program that is linked statically.
TEST_F(NeverLoaded, ProgramsThatADynamicLinkerStarts) {
  const std::string linker = "/lib64/ld-linux-x86-64.so.2";
  if (!std::filesystem::exists(linker)) GTEST_SKIP() << "it has another name here";
  const ProcessResult result = run({"--sync"}, {linker, "/bin/true"});
  EXPECT_THAT(result.err, HasSubstr("the program used no Vulkan"));
}

TEST_F(NeverLoaded, ProgramsWithOtherRights) {
  std::filesystem::copy_file("/bin/true", file("other"));
  if (::chown(file("other").c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can give files away";
  std::filesystem::permissions(file("other"), std::filesystem::perms(04755));
  expect_refused("./other", "setuid");
}

// The folder in which the processes of a run leave what they have.
class RescueFolders : public Verdict {};

TEST_F(RescueFolders, AreSwept) {
  const std::string stale = "/dev/shm/shaderqa-Stale1";
  std::filesystem::create_directory(stale);
  write_file(stale + "/owner", "");
  write_file(stale + "/12-0.printf", "left");
  run({}, {"/bin/true"});
  EXPECT_FALSE(std::filesystem::exists(stale));
}

TEST_F(RescueFolders, OfRunningOnesAreNotSwept) {
  const ProcessResult result =
      run_script({}, std::string(kCommand) + " run -- true; ls -d $SHADERQA_RESCUE_DIR");
  EXPECT_THAT(result.out, HasSubstr("/shaderqa-"));
}

TEST_F(RescueFolders, OfKilledRunsAreSweptLater) {
  Process process(
      {kCommand, "run", "--", "/bin/sh", "-c", "echo $SHADERQA_RESCUE_DIR; kill -KILL $PPID; exit 0"},
      environment_, directory_.path());
  const ProcessResult killed = process.wait();
  EXPECT_EQ(killed.exit_code, 128 + 9);
  const std::string folder = killed.out.substr(0, killed.out.find('\n'));
  ASSERT_TRUE(std::filesystem::exists(folder)) << folder;
  run({}, {"/bin/true"});
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(RescueFolders, AreGoneAfterTwoInterrupts) {
  const ProcessResult result =
      run_script({},
                 "trap 'n=1$n; [ $n = 11 ] && echo $SHADERQA_RESCUE_DIR && exit 3' INT; "
                 "kill -INT $PPID; sleep 0.1; kill -INT $PPID; while :; do sleep 0.01; done");
  EXPECT_EQ(result.exit_code, 3);
  const std::string folder = result.out.substr(0, result.out.find('\n'));
  ASSERT_THAT(folder, HasSubstr("shaderqa-"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace shaderqa::testing
