// SPDX-License-Identifier: Apache-2.0
// Messages come while the GPU works, and nothing printed is lost when the program ends in a bad way.
#include <algorithm>
#include <csignal>
#include <map>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

// Prints, then works on until the host sets io[0].
const char* const kEndless = R"(
  layout(local_size_x = 4) in;
  void main() {
    debugPrintfEXT("started %u", gl_LocalInvocationIndex);
    while (atomicOr(io[0], 0u) == 0u) atomicAdd(io[1], 1u);
    debugPrintfEXT("stopped %u", gl_LocalInvocationIndex);
  })";

class SurvivalTest : public EndToEnd {
 protected:
  const Texts started{"started 0", "started 1", "started 2", "started 3"};

  // A process that is killed between writing its messages and noting that it wrote them has them delivered
  // again by `shaderqa run` (PrintfStream::Callbacks::delivered): at least once, never not at all.
  static Texts distinct(Texts texts) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
  }
};

TEST_F(SurvivalTest, MessagesComeWhileTheShaderRuns) {
  Process process(under_layer({"live", compute(kEndless)}), environment, directory.path());
  for (const auto& text : started)
    ASSERT_TRUE(process.wait_for_err("shaderqa: printf: " + text)) << process.wait().err;
  EXPECT_THAT(process.out(), Not(HasSubstr("done")));
  process.write("stop\n");
  const Outcome outcome = finish(process.wait());
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_THAT(outcome.process.out, HasSubstr("done"));
  EXPECT_EQ(outcome.printed().size(), 8u);
}

TEST_F(SurvivalTest, ExitAndAbortInTheMiddleOfADispatch) {
  for (const std::string how : {"exit", "abort"}) {
    report = directory.file(how + ".jsonl");
    Process process(under_layer({"live", compute(kEndless)}), environment, directory.path());
    ASSERT_TRUE(process.wait_for_err("started 3"));
    process.write(how + "\n");
    const Outcome outcome = finish(process.wait());
    EXPECT_EQ(how == "exit" ? sorted(outcome.printed()) : distinct(outcome.printed()), started) << how;
  }
}

TEST_F(SurvivalTest, KilledFromOutside) {
  Process process(under_layer({"live", compute(kEndless)}), environment, directory.path());
  ASSERT_TRUE(process.wait_for_out("pid: "));
  ASSERT_TRUE(process.wait_for_err("started 3"));
  const int pid = std::stoi(process.out().substr(process.out().find("pid: ") + 5));
  kill(pid, SIGKILL);
  const Outcome outcome = finish(process.wait());
  EXPECT_EQ(outcome.process.exit_code, 128 + SIGKILL);
  EXPECT_EQ(distinct(outcome.printed()), started);
}

TEST_F(SurvivalTest, TheProgramEndsItselfRightAfterItsWork) {
  const auto file = compute(R"(
    layout(local_size_x = 64) in;
    void main() { debugPrintfEXT("%u", gl_GlobalInvocationID.x + io[0]); })");
  const std::map<std::string, int> ends{{"abort", 128 + SIGABRT}, {"exit", 0}, {"kill", 128 + SIGKILL}};
  for (const auto& [how, exit_code] : ends) {
    report = directory.file(how + ".jsonl");
    const Outcome outcome = run_case({"compute", "--groups=32", "--then=" + how, file});
    EXPECT_EQ(outcome.process.exit_code, exit_code) << how << outcome.process.err;
    EXPECT_EQ((how == "exit" ? outcome.printed() : distinct(outcome.printed())).size(), 2048u) << how;
  }
}

// Who waits for ever learns for what.
TEST_F(SurvivalTest, AShaderThatDoesNotEnd) {
  Process process(under_layer({"live", compute(kEndless, "endless")}, {"--sync"}), environment,
                  directory.path());
  ASSERT_TRUE(process.wait_for_out("pid: "));
  const std::string begun =
      "vkCmdDispatch\\(1, 1, 1\\), action 1 of command buffer 0x[0-9a-f]+, shader [0-9a-f]+ \\(compute, "
      "main\\)";
  ASSERT_TRUE(process.wait_for_err("has waited 10 s for the device")) << process.out();
  kill(std::stoi(process.out().substr(process.out().find("pid: ") + 5)), SIGKILL);
  const std::string err = process.wait().err;
  EXPECT_THAT(err, ::testing::ContainsRegex(
                       "has waited 10 s for the device: checked shaders take longer. The last checked "
                       "action to begin: " +
                       begun + ". If it never ends, try --skip with this shader"));
  EXPECT_THAT(err,
              ::testing::ContainsRegex(
                  "ended while it waited for the device. The last checked action to begin was " + begun));
}

TEST_F(SurvivalTest, ReportFileOnAFullDisk) {
  report = "/dev/full";
  const auto file = compute(R"(void main() { debugPrintfEXT("%u", io[0]); debugPrintfEXT("last"); })");
  const ProcessResult result = run(under_layer({"compute", file}), environment, directory.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("shaderqa: printf: 0"));
  EXPECT_THAT(result.err, HasSubstr("shaderqa: printf: last"));
  EXPECT_THAT(result.err, HasSubstr("/dev/full"));
}

TEST_F(SurvivalTest, MessengerHearsBeforeTheWaitReturns) {
  const auto file = compute(R"(void main() { debugPrintfEXT("for the messenger %u", io[0]); })");
  for (const std::string wait : {"fence", "idle"}) {
    const Outcome outcome = run_case({"messenger", "--wait=" + wait, file});
    EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
    EXPECT_THAT(outcome.value("received"), HasSubstr("for the messenger 0")) << wait << outcome.process.out;
    EXPECT_EQ(outcome.value("on this thread"), "yes") << wait;
  }
}

}  // namespace
}  // namespace shaderqa::testing
