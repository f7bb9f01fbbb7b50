// SPDX-License-Identifier: Apache-2.0
// The last lines of `shaderqa run`, and --fail-on: it passes only where everything was checked and nothing
// found.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli_test.h"
#include "report_reader.h"

namespace shaderqa::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Verdict : public CliTest {
 protected:
  static constexpr const char* kPretend = SHADERQA_BIN_DIR "/cli_pretend";

  ProcessResult pretend(std::vector<std::string> options, const std::vector<std::string>& what) {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--", kPretend});
    options.insert(options.end(), what.begin(), what.end());
    return shaderqa(options);
  }
  // With a device and a checked shader, as a gate for hazards.
  ProcessResult gate(std::vector<std::string> more, std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--sync", "--fail-on", "hazard"});
    std::vector<std::string> what = {"checks=sync", "device=", "shader=checked", "actions=3"};
    what.insert(what.end(), more.begin(), more.end());
    return pretend(options, what);
  }
};

TEST_F(Verdict, SaysWhatWasCheckedAndFound) {
  const ProcessResult result =
      pretend({"--sync"}, {"checks=sync", "device=", "shader=checked", "shader=nothing", "shader=excluded",
                           "actions=1234", "images=1", "hazard=12", "hazard=12", "hazard=13", "count=16379",
                           "messages=2", "exit=3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err,
              HasSubstr("shaderqa: loaded in 1 process (cli_pretend); 1 device (a device); checks: sync\n"));
  EXPECT_THAT(result.err,
              HasSubstr("shaderqa: shaders: 1 checked, 1 with nothing to check, 1 left alone by only, "
                        "skip or hashes\n"));
  EXPECT_THAT(result.err, HasSubstr("1 shader reads or writes storage images\n"));
  EXPECT_THAT(result.err,
              HasSubstr("shaderqa: actions submitted: 1,234 checked, 0 not checked, 0 with nothing"));
  EXPECT_THAT(
      result.err,
      ::testing::EndsWith("shaderqa: verdict: 2 bugs (2 hazard), 16,380 occurrences, 2 messages printed\n"));
}

TEST_F(Verdict, PassesOnlyIfCheckedAndClean) {
  EXPECT_EQ(gate({"exit=0"}).exit_code, 0);
  EXPECT_EQ(gate({"exit=5"}).exit_code, 5);
  EXPECT_THAT(gate({"exit=0"}).err, ::testing::EndsWith("shaderqa: verdict: no bug found\n"));
}

TEST_F(Verdict, FindingsFail) {
  const ProcessResult result = gate({"hazard=12", "exit=5"});
  EXPECT_EQ(result.exit_code, 99);
  EXPECT_THAT(result.err, HasSubstr("1 hazard; the program's own was 5"));
  // Findings decide before what is incomplete, and cannot be allowed.
  EXPECT_EQ(gate({"hazard=12", "gap=x", "exit=0"}, {"--allow-incomplete"}).exit_code, 99);
}

TEST_F(Verdict, FindingsOfAnotherKindDoNot) {
  EXPECT_EQ(pretend({"--sync", "--nan", "--fail-on", "nan"},
                    {"checks=sync, values", "device=", "shader=checked", "actions=1", "hazard=12", "exit=0"})
                .exit_code,
            0);
}

TEST_F(Verdict, IncompleteFails) {
  const ProcessResult result = gate({"gap=memory is short", "exit=0"});
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("shaderqa: not complete: memory is short\n"));
  EXPECT_THAT(result.err, HasSubstr("NOT COMPLETELY CHECKED"));
  EXPECT_EQ(gate({"gap=memory is short", "exit=0"}, {"--allow-incomplete"}).exit_code, 0);
  EXPECT_EQ(gate({"note=nothing is missing", "exit=0"}).exit_code, 0);
}

// A gate for NaN need not fail because some accesses were not checked.
TEST_F(Verdict, GapsOfOtherChecksDoNotFail) {
  const std::vector<std::string> what = {"checks=sync, values",    "device=", "shader=checked", "actions=1",
                                         "sync-gap=some accesses", "exit=0"};
  EXPECT_EQ(pretend({"--sync", "--nan", "--fail-on", "nan"}, what).exit_code, 0);
  EXPECT_EQ(pretend({"--sync", "--nan", "--fail-on", "nan,hazard"}, what).exit_code, 98);
}

TEST_F(Verdict, NothingCheckedCannotBeAllowed) {
  for (const std::vector<std::string>& what : {std::vector<std::string>{"checks=sync", "exit=0"},
                                               {"checks=sync", "device=", "exit=0"},
                                               {"checks=sync", "device=", "shader=excluded", "exit=0"},
                                               {"checks=sync", "device=the driver is too old", "exit=0"}}) {
    EXPECT_EQ(pretend({"--sync", "--fail-on", "hazard"}, what).exit_code, 98);
    EXPECT_EQ(pretend({"--sync", "--fail-on", "hazard", "--allow-incomplete"}, what).exit_code, 98);
  }
}

TEST_F(Verdict, ShadersWithNothingToCheckAreComplete) {
  EXPECT_EQ(pretend({"--sync", "--fail-on", "hazard"}, {"checks=sync", "device=", "shader=nothing", "exit=0"})
                .exit_code,
            0);
}

TEST_F(Verdict, NoShaderMatches) {
  environment_["SHADERQA_ONLY"] = "nonesuch";
  const ProcessResult result =
      pretend({"--sync", "--fail-on", "hazard"}, {"checks=sync", "device=", "shader=excluded", "exit=0"});
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("none matches only = nonesuch"));
}

TEST_F(Verdict, NothingSubmitted) {
  const ProcessResult result =
      pretend({"--sync", "--fail-on", "hazard"}, {"checks=sync", "device=", "shader=checked", "exit=0"});
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("no draw, dispatch or trace was submitted"));
}

TEST_F(Verdict, ProcessesThatDoNotEndInOrder) {
  EXPECT_EQ(gate({"_exit=0"}).exit_code, 98);
  const ProcessResult killed = gate({"kill"});
  EXPECT_EQ(killed.exit_code, 98);
  EXPECT_THAT(killed.err, HasSubstr("ended without warning"));
  EXPECT_THAT(killed.err, HasSubstr("the program's own was 137"));
  // What was found before is still counted.
  EXPECT_EQ(gate({"hazard=12", "kill"}).exit_code, 99);
}

TEST_F(Verdict, ACheckThatTheProgramTurnsOff) {
  const ProcessResult result =
      pretend({"--sync", "--fail-on", "hazard"}, {"checks=printf", "device=", "shader=checked", "exit=0"});
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("its settings turn the check off"));
}

TEST_F(Verdict, ACheckThatIsOffIsRefused) {
  for (const auto& [kind, advice] : {std::pair{"hazard", "--sync"},
                                     {"assume", "--assume"},
                                     {"nan", "--nan"},
                                     {"redundant", "--sync-redundant"}}) {
    const ProcessResult result =
        shaderqa({"run", "--printf", "--fail-on", kind, "--", "/bin/echo", "started"});
    EXPECT_EQ(result.exit_code, 98);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(advice));
  }
  EXPECT_THAT(shaderqa({"run", "--nan=flush-nan", "--fail-on", "nan", "--", "true"}).err, HasSubstr("--nan"));
  environment_["SHADERQA_SYNC"] = "exact";  // as good as the option
  EXPECT_EQ(
      pretend({"--fail-on", "hazard"}, {"checks=sync", "device=", "shader=checked", "actions=1", "exit=0"})
          .exit_code,
      0);
}

TEST_F(Verdict, SeveralProcesses) {
  const std::string one =
      std::string(kPretend) + " checks=sync device= shader=checked actions=1 hazard=12 exit=0";
  const ProcessResult result = run_script({"--sync", "--fail-on", "hazard"}, one + "; " + one);
  EXPECT_EQ(result.exit_code, 99);
  EXPECT_THAT(result.err, HasSubstr("loaded in 2 processes (cli_pretend); 2 devices"));
  EXPECT_THAT(result.err, HasSubstr("verdict: 1 bug (1 hazard), 2 occurrences"));
}

TEST_F(Verdict, AProcessThatStillRuns) {
  ASSERT_EQ(testing::run({"/usr/bin/mkfifo", file("gate")}, environment_).exit_code, 0);
  // Its last argument waits for half a minute.
  const std::string script =
      std::string(kPretend) +
      " checks=sync device= shader=checked actions=1 compile=30000 >/dev/null 2>&1 & "
      "echo $! >pid; while ! ls $SHADERQA_RESCUE_DIR/*.facts >/dev/null 2>&1; do sleep 0.01; done; "
      "sleep 0.2";
  const ProcessResult result = run_script({"--sync", "--fail-on", "hazard"}, script);
  std::ifstream pid(file("pid"));
  std::string number;
  pid >> number;
  testing::run({"/bin/kill", number}, environment_);
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("still runs"));
}

TEST_F(Verdict, DamagedFilesAreNotBelieved) {
  const std::string good = std::string(kPretend) + " checks=sync device= shader=checked actions=1 exit=0; ";
  for (const std::string& damage :
       {std::string("echo x >$SHADERQA_RESCUE_DIR/1-0.run"), std::string(": >$SHADERQA_RESCUE_DIR/1-0.run"),
        std::string("for f in $SHADERQA_RESCUE_DIR/*.facts; do rm $f; done"),
        std::string("for f in $SHADERQA_RESCUE_DIR/*.facts; do echo '{\"fact\"' >>$f; done"),
        std::string("for f in $SHADERQA_RESCUE_DIR/*.facts; do echo '[1]' >$f; done"),
        std::string("mkdir $SHADERQA_RESCUE_DIR/2-0.run")}) {
    const ProcessResult result = run_script({"--sync", "--fail-on", "hazard"}, good + damage);
    EXPECT_EQ(result.exit_code, 98) << damage << result.err;
  }
}

TEST_F(Verdict, ProgressWhilePipelinesAreMade) {
  const ProcessResult result =
      pretend({"--sync"}, {"checks=sync", "device=", "shader=checked", "compile=3200", "exit=0"});
  EXPECT_THAT(result.err, HasSubstr("shaderqa: pipelines: 0 done, 1 to be made, 2 s in all"));
  EXPECT_THAT(result.err, HasSubstr("1 pipeline made in 3."));
  EXPECT_THAT(pretend({"--sync"}, {"checks=sync", "device=", "shader=checked", "compile=100", "exit=0"}).err,
              Not(HasSubstr("to be made")));
}

class NeverLoaded : public Verdict {};

TEST_F(NeverLoaded, NoVulkan) {
  const ProcessResult result = shaderqa({"run", "--sync", "--fail-on", "hazard", "--", "/bin/true"});
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("the program used no Vulkan"));
  EXPECT_THAT(result.err, HasSubstr("NOT CHECKED"));
}

TEST_F(NeverLoaded, SaidWithoutFailOn) {
  const ProcessResult result = shaderqa({"run", "--sync", "--", "/bin/true"});
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
  const ProcessResult result = shaderqa({"run", "--sync", "--fail-on", "hazard", "--", "./old"});
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("is a 32-bit program"));
}

TEST_F(NeverLoaded, StaticPrograms) {
  const std::string program = SHADERQA_BIN_DIR "/cli_static";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "built without";
  const ProcessResult result = shaderqa({"run", "--sync", "--fail-on", "hazard", "--", program});
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("linked statically"));
}

TEST_F(NeverLoaded, ProgramsWithOtherRights) {
  std::filesystem::copy_file("/bin/true", file("other"));
  if (::chown(file("other").c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can give files away";
  std::filesystem::permissions(file("other"), std::filesystem::perms(04755));
  const ProcessResult result = shaderqa({"run", "--sync", "--fail-on", "hazard", "--", "./other"});
  EXPECT_EQ(result.exit_code, 98);
  EXPECT_THAT(result.err, HasSubstr("setuid"));
}

TEST_F(NeverLoaded, RescueFoldersAreSwept) {
  const auto folders = [&] {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
      count += entry.path().filename().string() == "shaderqa-Stale1" ? 1 : 0;
    return count;
  };
  std::filesystem::create_directory("/dev/shm/shaderqa-Stale1");
  write_file("/dev/shm/shaderqa-Stale1/owner", "");
  write_file("/dev/shm/shaderqa-Stale1/12-0.printf", "left");
  ASSERT_EQ(folders(), 1u);
  shaderqa({"run", "--", "/bin/true"});
  EXPECT_EQ(folders(), 0u);
}

TEST_F(NeverLoaded, FoldersOfRunningOnesAreNotSwept) {
  const ProcessResult result =
      run_script({}, std::string(kCommand) + " run -- true; ls -d $SHADERQA_RESCUE_DIR");
  EXPECT_THAT(result.out, HasSubstr("/shaderqa-"));
}

TEST_F(NeverLoaded, KilledRunsAreSweptLater) {
  Process process(
      {kCommand, "run", "--", "/bin/sh", "-c", "echo $SHADERQA_RESCUE_DIR; kill -KILL $PPID; exit 0"},
      environment_, directory_.path());
  const ProcessResult killed = process.wait();
  EXPECT_EQ(killed.exit_code, 128 + 9);
  const std::string folder = killed.out.substr(0, killed.out.find('\n'));
  ASSERT_TRUE(std::filesystem::exists(folder)) << folder;
  shaderqa({"run", "--", "/bin/true"});
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(NeverLoaded, TwoInterruptsLeaveNothing) {
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
