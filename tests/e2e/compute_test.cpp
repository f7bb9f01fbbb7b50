// SPDX-License-Identifier: Apache-2.0
// Compute shaders: which messages come, how often, in which order, and what they leave alone.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

class ComputeTest : public EndToEnd {
 protected:
  // The sum over all notes "dropped N messages of ...".
  static size_t dropped(const Outcome& outcome) {
    size_t sum = 0;
    for (const auto& note : outcome.notes()) {
      const size_t at = note.find("dropped ");
      if (at != std::string::npos) sum += std::stoul(note.substr(at + 8));
    }
    return sum;
  }
};

TEST_F(ComputeTest, EveryInvocationPrintsOnce) {
  const auto file = compute(R"(
    layout(local_size_x = 64) in;
    void main() { debugPrintfEXT("%u", gl_GlobalInvocationID.x); })");
  const Outcome outcome = run_case({"compute", "--groups=16", file});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  Texts expected;
  for (int i = 0; i < 1024; ++i) expected.push_back(std::to_string(i));
  EXPECT_EQ(sorted(outcome.printed()), sorted(expected));
}

TEST_F(ComputeTest, OneInvocationsMessagesKeepTheirOrder) {
  const auto file = compute(R"(
    void main() { for (uint i = io[0]; i < 500; ++i) debugPrintfEXT("%u", i); })");
  Texts expected;
  for (int i = 0; i < 500; ++i) expected.push_back(std::to_string(i));
  EXPECT_EQ(run_case({"compute", file}).printed(), expected);
}

// More than the buffer holds, in dispatches that are small: whatever is not printed must have been counted.
TEST_F(ComputeTest, EveryMessageIsPrintedOnceOrCountedAsDropped) {
  const auto file = compute(R"(
    layout(local_size_x = 32) in;
    void main() { debugPrintfEXT("%u %u", io[0], gl_GlobalInvocationID.x); if (gl_GlobalInvocationID.x == 0) io[0]++; })");
  environment["SHADERQA_PRINTF_BUFFER_SIZE"] = "1M";
  environment["SHADERQA_PRINTF_TO_STDERR"] = "false";
  const Outcome outcome = run_case({"compute", "--groups=100", "--repeat=40", file});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_EQ(outcome.printed().size() + dropped(outcome), 3200u * 40);
}

TEST_F(ComputeTest, NothingIsLostWithinTheCapacity) {
  const auto file = compute(R"(
    layout(local_size_x = 32) in;
    void main() { debugPrintfEXT("%u", gl_GlobalInvocationID.x + io[0]); })");
  environment["SHADERQA_PRINTF_BUFFER_SIZE"] = "16M";
  environment["SHADERQA_PRINTF_TO_STDERR"] = "false";
  const Outcome outcome = run_case({"compute", "--groups=625", "--repeat=5", file});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  std::map<std::string, int> counts;
  for (const auto& text : outcome.printed()) ++counts[text];
  EXPECT_EQ(counts.size(), 20000u);
  EXPECT_EQ(outcome.printed().size(), 100000u);
  EXPECT_TRUE(std::all_of(counts.begin(), counts.end(), [](const auto& entry) { return entry.second == 5; }));
  EXPECT_THAT(outcome.notes(), IsEmpty());
}

TEST_F(ComputeTest, OverflowIsCountedAndExplained) {
  const auto file = compute(R"(
    layout(local_size_x = 64) in;
    void main() { debugPrintfEXT("%u of many", gl_GlobalInvocationID.x + io[0]); })");
  environment["SHADERQA_PRINTF_BUFFER_SIZE"] = "65536";
  environment["SHADERQA_PRINTF_TO_STDERR"] = "false";
  const Outcome outcome = run_case({"compute", "--groups=16384", file});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  const auto printed = outcome.printed();
  EXPECT_EQ(std::set<std::string>(printed.begin(), printed.end()).size(), printed.size());
  EXPECT_EQ(printed.size() + dropped(outcome), 16384u * 64);
  ASSERT_GT(dropped(outcome), 0u) << "a million messages of 12 bytes went through 64 KiB";
  EXPECT_THAT(outcome.notes().back(), HasSubstr("printf_buffer_size"));
  EXPECT_THAT(outcome.notes().back(), HasSubstr("%u of many"));
}

// A device of fewer features: lavapipe below a layer that hides them. The Khronos layer is left out, since it
// would see the features that are hidden from us.
class LesserDeviceTest : public ComputeTest {
 protected:
  Outcome run_hiding(const std::string& feature, const Texts& arguments) {
    environment["VK_INSTANCE_LAYERS"] = "VK_LAYER_SHADERQATEST_below";
    environment["VK_LAYER_PATH"] = SHADERQA_LIB_DIR "/test_layers";
    environment["SHADERQATEST_HIDE"] = feature;
    return run_case(arguments);
  }
};

TEST_F(LesserDeviceTest, PrintsWithout64BitAtomics) {
  const std::string body = R"(
    layout(local_size_x = 64) in;
    void main() { debugPrintfEXT("%u", gl_GlobalInvocationID.x + io[0]); })";
  for (const Texts& flags : {Texts{}, Texts{"--target-env", "vulkan1.0"}}) {  // with and without subgroups
    const Outcome outcome =
        run_hiding("int64_atomics", {"compute", "--groups=300", compute(body, "shader", flags)});
    Texts expected;
    for (uint32_t i = 0; i < 300 * 64; ++i) expected.push_back(std::to_string(i));
    EXPECT_EQ(sorted(outcome.printed()), sorted(expected));
    std::filesystem::remove(report);
  }
}

TEST_F(LesserDeviceTest, SaysWhyNothingIsPrinted) {
  const Outcome outcome = run_hiding("buffer_device_address",
                                     {"compute", compute(R"(void main() { debugPrintfEXT("%u", io[0]); })")});
  EXPECT_EQ(outcome.process.exit_code, 0);
  EXPECT_THAT(outcome.printed(), IsEmpty());
  EXPECT_THAT(outcome.notes(), ::testing::Contains(HasSubstr("prints nothing")));
  EXPECT_THAT(outcome.notes(), ::testing::Contains(HasSubstr("bufferDeviceAddress")));
}

TEST_F(ComputeTest, BudgetFirstThenEvery) {
  const auto file = compute(R"(
    void main() { for (uint i = io[0]; i < 100; ++i) debugPrintfEXT("%u", i); })");
  environment["SHADERQA_PRINTF_FIRST"] = "5";
  EXPECT_THAT(run_case({"compute", file}).printed(), ElementsAre("0", "1", "2", "3", "4"));
}

TEST_F(ComputeTest, BudgetEvery) {
  const auto file = compute(R"(
    void main() { for (uint i = io[0]; i < 100; ++i) debugPrintfEXT("%u", i); })");
  environment["SHADERQA_PRINTF_FIRST"] = "2";
  environment["SHADERQA_PRINTF_EVERY"] = "40";
  const auto printed = run_case({"compute", file}).printed();
  // The first two, then two or three more at a distance of 40.
  ASSERT_GE(printed.size(), 4u);
  EXPECT_LE(printed.size(), 5u);
  EXPECT_EQ(printed[0], "0");
  EXPECT_EQ(printed[1], "1");
  EXPECT_EQ(std::stoi(printed[3]) - std::stoi(printed[2]), 40);
}

TEST_F(ComputeTest, FunctionsCalledFromSeveralPlaces) {
  const auto file = compute(R"(
    void say(uint who) { debugPrintfEXT("from %u", who); }
    void twice(uint who) { say(who); say(who + 1); }
    void main() { say(io[0]); twice(io[0] + 10); })");
  EXPECT_THAT(run_case({"compute", file}).printed(), ElementsAre("from 0", "from 10", "from 11"));
}

TEST_F(ComputeTest, DivergentBranchesAndEarlyReturn) {
  const auto file = compute(R"(
    layout(local_size_x = 32) in;
    void main() {
      const uint i = gl_LocalInvocationIndex + io[0];
      if (i % 3 == 0) return;
      if (i % 2 == 0) debugPrintfEXT("even %u", i); else debugPrintfEXT("odd %u", i);
      switch (i) { case 5: debugPrintfEXT("five"); break; default: break; }
    })");
  Texts expected{"five"};
  for (int i = 0; i < 32; ++i)
    if (i % 3 != 0) expected.push_back((i % 2 == 0 ? "even " : "odd ") + std::to_string(i));
  EXPECT_EQ(sorted(run_case({"compute", file}).printed()), sorted(expected));
}

TEST_F(ComputeTest, ResultsAreTheSameWithAndWithoutTheLayer) {
  const auto file = compute(R"(
    layout(local_size_x = 64) in;
    shared uint sums[64];
    void main() {
      const uint i = gl_LocalInvocationIndex;
      sums[i] = i * 2654435761u;
      barrier();
      for (uint step = 1; step < 64; step *= 2) {
        const uint other = i >= step ? sums[i - step] : 0;
        barrier();
        sums[i] += other;
        barrier();
        if (i == step) debugPrintfEXT("step %u: %u", step, sums[i]);
      }
      io[gl_GlobalInvocationID.x] = sums[i] ^ uint(sin(float(i)) * 1000.0);
    })");
  const auto plain = finish(run(runner({"compute", "--groups=8", file}), environment));
  const auto layered = run_case({"compute", "--groups=8", file});
  EXPECT_EQ(layered.printed().size(), 6u * 8u);
  ASSERT_NE(plain.value("result"), "");
  EXPECT_EQ(plain.value("result"), layered.value("result"));
}

// Also where the message never comes.
TEST_F(ComputeTest, MistakesInAFormatAreSaidOnce) {
  const auto file = compute(R"(#extension GL_EXT_debug_printf : require
    void main() {
      if (io[0] == 12345u) debugPrintfEXT("%d and %d\n", 1);
      io[0] = 42;
    })",
                            "shader", {"-g"});
  const Outcome outcome = run_case({"compute", file});
  EXPECT_THAT(outcome.printed(), IsEmpty());
  EXPECT_THAT(outcome.notes(),
              ElementsAre(::testing::ContainsRegex(
                  R"(shader\.comp:[0-9]+: "%d and %d\\n": there is no argument for "%d"$)")));
}

TEST_F(ComputeTest, AProgramThatDoesNotPrintIsLeftAlone) {
  const auto file = compute("void main() { io[0] = 42; }");
  const Outcome outcome = run_case({"compute", file});
  EXPECT_EQ(outcome.process.exit_code, 0);
  EXPECT_THAT(outcome.findings, IsEmpty());
  // With one more check the store is something to check.
  const bool more = std::getenv("SHADERQA_E2E_OPTION") != nullptr;
  EXPECT_THAT(outcome.process.err,
              ::testing::HasSubstr(more ? "shaders: 1 checked, 0 with nothing to check"
                                        : "shaders: 0 checked, 1 with nothing to check"));
  EXPECT_THAT(outcome.process.err, ::testing::Not(::testing::HasSubstr("not complete")));
}

TEST_F(ComputeTest, Vulkan10Application) {
  const auto file =
      compute(R"(void main() { debugPrintfEXT("old %u", io[0]); })", "old", {"--target-env", "vulkan1.0"});
  // Vulkan 1.0 has no storage for what a 1.1 shader may use: the application enables nothing of it.
  const Outcome outcome = run_case({"compute", "--api=1.0", file});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_THAT(outcome.printed(), ElementsAre("old 0"));
}

TEST_F(ComputeTest, ModuleInThePipelinesChain) {
  const auto file = compute(R"(void main() { debugPrintfEXT("inline %u", io[0]); })");
  const Outcome outcome = run_case({"inline", file});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_THAT(outcome.printed(), ElementsAre("inline 0"));
}

TEST_F(ComputeTest, EightThreads) {
  const auto one = compute(R"(
    layout(local_size_x = 16) in;
    void main() { debugPrintfEXT("one %u", gl_LocalInvocationIndex + io[0]); })",
                           "one");
  const auto two = compute(R"(
    layout(local_size_x = 16) in;
    void main() { debugPrintfEXT("two %u", gl_LocalInvocationIndex + io[0]); })",
                           "two");
  const Outcome outcome = run_case({"threads", "--threads=8", "--groups=4", one, two});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  std::map<std::string, int> counts;
  for (const auto& text : outcome.printed()) ++counts[text];
  EXPECT_EQ(counts.size(), 32u);
  for (const auto& [text, count] : counts) EXPECT_EQ(count, 8 * 4) << text;
}

}  // namespace
}  // namespace shaderqa::testing
