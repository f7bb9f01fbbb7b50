// SPDX-License-Identifier: Apache-2.0
// Which accesses share a loop of checks, what the loop passes on, and what the second version keeps of it.
#include <gtest/gtest.h>

#include "instrument/passes/check_copies.h"
#include "support.h"

namespace shaderqa::test {
namespace {

std::string load(const std::string& buffer, const std::string& name, const std::string& index = "x") {
  return "%p_" + name + " = OpAccessChain %uint_pointer %" + buffer + " %zero %" + index + "\n%" + name +
         " = OpLoad %uint %p_" + name + "\n";
}
std::string store(const std::string& buffer, const std::string& name, const std::string& index = "x") {
  return "%p_" + name + " = OpAccessChain %uint_pointer %" + buffer + " %zero %" + index + "\nOpStore %p_" +
         name + " %x\n";
}
// A shader with checks in a loop of its own has a second version.
std::string in_loop(const std::string& body) {
  return "OpBranch %around\n%around = OpLabel\nOpLoopMerge %behind %again None\nOpBranch %inside\n%inside = "
         "OpLabel\n" +
         body +
         "OpBranch %again\n%again = OpLabel\nOpBranchConditional %true %around %behind\n%behind = OpLabel\n";
}
const std::string three_loads = load("in", "a") + load("in", "b", "a") + load("other", "c");

InstrumentOptions loop_options() {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  return options;
}

struct Rewritten {
  explicit Rewritten(const std::string& body, const InstrumentOptions& options = loop_options()) {
    const Module words =
        assemble(fixture("unwatched", {{"CAPABILITY", "Shader"}, {"DECORATIONS", ""}, {"BODY", body}}),
                 SPV_ENV_VULKAN_1_1);
    const InstrumentResult result = instrument(words, options);
    EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    text = disassemble(result.words);
    direct = result.record.direct;
    EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "") << text;
  }
  std::string function(const std::string& name) const {
    const size_t begin = text.find("%" + name + " = OpFunction ");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find("OpFunctionEnd", begin) - begin);
  }
  // How many loops the version calls, and how many checks it calls itself.
  std::string made_by(const std::string& name) const {
    const std::string body = function(name);
    return std::to_string(count(body, "%sqa_checks")) + "+" + std::to_string(count(body, "%sqa_access_set "));
  }
  // The same of the version with all checks.
  std::string made() const { return made_by(function("main_watched").empty() ? "main" : "main_watched"); }
  // As many as the loop has iterations.
  bool has_loop_of(uint32_t checks) const {
    return count(function("sqa_checks"), " %uint_" + std::to_string(checks) + "\nOpBranchConditional ") == 1;
  }
  // The first so many checks of the loop are always made, and all where something is watched.
  bool has_loop_of(uint32_t always, uint32_t all) const {
    return count(function("main"),
                 " %uint_" + std::to_string(all) + " %uint_" + std::to_string(always) + "\n%") == 1;
  }
  std::string text;
  bool direct = false;
};

TEST(CheckRuns, AccessesThatFollowEachOtherShareOneCheck) {
  const Rewritten result(three_loads + store("out", "s"));
  EXPECT_EQ(result.made_by("main"), "1+0");
  EXPECT_TRUE(result.has_loop_of(1, 4)) << result.text;
  const Rewritten in_a_loop(in_loop(three_loads + store("out", "s")));
  EXPECT_EQ(in_a_loop.made_by("main_watched"), "1+0");
  EXPECT_TRUE(in_a_loop.has_loop_of(4)) << in_a_loop.text;
  EXPECT_EQ(count(result.function("sqa_checks"), "%sqa_access_set "), 1u);
  EXPECT_EQ(count(result.function("sqa_checks"), " DontUnroll\n"), 1u);
}

// The call comes before the last access, behind the values that it passes on.
TEST(CheckRuns, TheLoopComesBeforeTheLastAccess) {
  const std::string body = Rewritten(in_loop(three_loads + store("out", "s"))).function("main_watched");
  const size_t call = body.find("%sqa_checks");
  ASSERT_NE(call, std::string::npos);
  EXPECT_EQ(count(body.substr(0, call), " = OpLoad %uint %"), 3u);
  EXPECT_EQ(count(body.substr(0, call), "OpStore "), 0u);
  EXPECT_EQ(count(body.substr(call), "OpStore "), 1u);
}

// A loop costs a little at run time, and two copies of a check cost more to compile.
TEST(CheckRuns, TwoAccessesShareALoop) {
  EXPECT_EQ(Rewritten(load("in", "a") + store("out", "s")).made_by("main"), "1+0");
}

// Runs of one: nothing is shared. From 13 runs on, checks are called.
TEST(CheckRuns, ShadersWithManyRunsCallTheirChecks) {
  const auto with_runs = [](int runs) {
    std::string body;
    for (int i = 0; i < runs; ++i)
      body += store("out", "s" + std::to_string(i)) + "OpMemoryBarrier %workgroup %semantics\n";
    return Rewritten(body).text;
  };
  EXPECT_EQ(with_runs(static_cast<int>(most_runs)).find("DontInline"), std::string::npos);
  EXPECT_NE(with_runs(static_cast<int>(most_runs) + 1).find("DontInline"), std::string::npos);
}

TEST(CheckRuns, TheSecondVersionKeepsTheChecksOfStores) {
  EXPECT_EQ(Rewritten(in_loop(three_loads + store("out", "s"))).made_by("main_unwatched"), "0+1");
  // Two of them share a loop there, too.
  const Rewritten two(in_loop(three_loads + store("out", "s") + store("far", "t")));
  EXPECT_EQ(two.made_by("main_unwatched"), "1+0");
  EXPECT_EQ(count(two.text, "%sqa_checks_0 = OpFunction "), 1u);
  // Loads alone: nothing is left.
  const Rewritten loads(in_loop(three_loads + load("in", "d", "b")));
  EXPECT_EQ(loads.made_by("main_watched"), "1+0");
  EXPECT_EQ(loads.made_by("main_unwatched"), "0+0");
}

// The values that only checks of loads need are not worked out in the second version.
TEST(CheckRuns, TheSecondVersionHasNoOffsetsOfLoads) {
  const Rewritten result(in_loop(three_loads + store("out", "s")));
  EXPECT_EQ(count(result.function("main_watched"), " = OpIMul %uint "), 4u);
  EXPECT_EQ(count(result.function("main_unwatched"), " = OpIMul %uint "), 1u);
}

// The driver has half as much to compile, and a check that is skipped once costs little.
TEST(CheckRuns, OneRunOutsideOfLoopsIsSkippedInOneVersion) {
  const Rewritten some(store("out", "s") + three_loads);
  EXPECT_EQ(some.function("main_unwatched"), "");
  EXPECT_TRUE(some.has_loop_of(1, 4)) << some.text;
  EXPECT_EQ(count(some.function("main"), "%sqa_reads_unwatched %"), 2u) << "of two sets";
  const Rewritten loads(three_loads);
  EXPECT_EQ(loads.function("main_unwatched"), "");
  EXPECT_EQ(count(loads.function("main"), " = OpLogicalAnd %bool "), 2u)
      << "both sets, and whether it has side effects";
  const Rewritten stores(store("out", "s") + store("far", "t"));
  EXPECT_EQ(count(stores.text, "%sqa_reads_unwatched"), 0u);
  EXPECT_TRUE(stores.has_loop_of(2)) << stores.text;
  // What a function does may be called in a loop.
  const Rewritten called("%called = OpFunctionCall %uint %helper %x\n" + three_loads);
  EXPECT_NE(called.function("main_unwatched"), "");
  const Rewritten behind(in_loop("") + three_loads);
  EXPECT_EQ(behind.function("main_unwatched"), "");
  const std::string barrier = "OpControlBarrier %workgroup %workgroup %semantics\n";
  const Rewritten several(load("in", "a") + barrier + load("other", "b") + store("out", "s"));
  EXPECT_NE(several.function("main_unwatched"), "");
  const Rewritten one(load("in", "a") + load("other", "b") + barrier + store("out", "s"));
  EXPECT_EQ(one.function("main_unwatched"), "");
  InstrumentOptions options = loop_options();
  options.sync.unwatched_version = false;
  EXPECT_EQ(count(Rewritten(three_loads, options).text, "%sqa_reads_unwatched"), 0u);
}

// A branch around `body`.
std::string if_even(const std::string& body, const std::string& name = "if") {
  return "%" + name + "_is = OpIEqual %bool %x %zero\nOpSelectionMerge %" + name +
         "_behind None\nOpBranchConditional %" + name + "_is %" + name + "_then %" + name + "_behind\n%" +
         name + "_then = OpLabel\n" + body + "OpBranch %" + name + "_behind\n%" + name +
         "_behind = OpLabel\n";
}
std::string switch_of(const std::string& body) {
  return "OpSelectionMerge %switch_behind None\nOpSwitch %x %switch_else 0 %switch_zero 1 %switch_one\n"
         "%switch_zero = OpLabel\nOpBranch %switch_one\n%switch_one = OpLabel\n" +
         body +
         "OpBranch %switch_behind\n%switch_else = OpLabel\nOpBranch %switch_behind\n%switch_behind = "
         "OpLabel\n";
}

struct Separated {
  const char* name;
  std::string between;
  const char* made;
};
class Separators : public testing::TestWithParam<Separated> {};

TEST_P(Separators, EndARun) {
  const Separated& each = GetParam();
  const std::string two = load("in", "a") + load("other", "b");
  EXPECT_EQ(Rewritten(two + each.between + load("in", "c", "b") + store("out", "s")).made(), each.made);
}

INSTANTIATE_TEST_SUITE_P(
    CheckRuns, Separators,
    testing::Values(
        Separated{"nothing", "", "1+0"},
        Separated{"barrier", "OpControlBarrier %workgroup %workgroup %semantics\n", "2+0"},
        Separated{"memory", "OpMemoryBarrier %workgroup %semantics\n", "2+0"},
        Separated{"call", "%called = OpFunctionCall %uint %plain %x\n", "2+0"},
        Separated{"block", "OpBranch %next_block\n%next_block = OpLabel\n", "1+0"},
        Separated{"selection", if_even("%sum = OpIAdd %uint %x %one\n"), "1+0"},
        Separated{"selections", if_even(if_even("", "inner")) + if_even("", "other"), "1+0"},
        Separated{"cases", switch_of("%sum = OpIAdd %uint %x %one\n"), "1+0"},
        Separated{"access_in_selection", if_even(load("far", "d")), "1+1"},
        Separated{"barrier_in_selection", if_even("OpMemoryBarrier %workgroup %semantics\n"), "2+0"},
        Separated{"call_in_selection", if_even("%called = OpFunctionCall %uint %plain %x\n"), "2+0"},
        Separated{"loop_in_selection", if_even(in_loop("")), "2+0"}, Separated{"loop", in_loop(""), "2+0"},
        Separated{"atomic",
                  "%p_at = OpAccessChain %uint_pointer %far %zero %x\n%old = OpAtomicIAdd %uint "
                  "%p_at %one %zero %one\n",
                  "2+1"},
        Separated{"computation", "%sum = OpIAdd %uint %x %one\n", "1+0"}),
    [](const auto& each) { return each.param.name; });

// A selection that `way_out` leaves.
std::string if_even_leave(const std::string& way_out) {
  return "%is = OpIEqual %bool %x %zero\nOpSelectionMerge %behind_it None\nOpBranchConditional %is %then "
         "%behind_it\n%then = OpLabel\n" +
         way_out + "\n%behind_it = OpLabel\n";
}
const std::string two_before = load("in", "a") + load("other", "b");
const std::string two_behind = load("in", "c", "b") + store("out", "s");

// What is behind the selection is executed less often than what is in front of it.
TEST(CheckRuns, EndWhereTheInvocationMayEnd) {
  EXPECT_EQ(Rewritten(two_before + if_even_leave("OpReturn") + two_behind).made(), "2+0");
}

TEST(CheckRuns, EndWhereALoopMayBeLeft) {
  EXPECT_EQ(Rewritten(in_loop(two_before + if_even_leave("OpBranch %behind") + two_behind)).made(), "2+0");
  EXPECT_EQ(Rewritten(in_loop(two_before + if_even_leave("OpBranch %again") + two_behind)).made(), "2+0");
  EXPECT_EQ(Rewritten(in_loop(two_before) + two_behind).made(), "2+0") << "in the loop and behind it";
  EXPECT_EQ(Rewritten(in_loop(two_before + if_even("") + two_behind)).made(), "1+0");
}

// The call stands where all accesses of the run were, or are next.
TEST(CheckRuns, StandBehindTheSelections) {
  const std::string body =
      Rewritten(in_loop(load("in", "a") + if_even("%sum = OpIAdd %uint %x %one\n") + store("out", "s")))
          .function("main_watched");
  const size_t call = body.find("%sqa_checks");
  ASSERT_NE(call, std::string::npos);
  EXPECT_GT(call, body.find("OpSelectionMerge"));
  EXPECT_GT(call, body.find(" = OpIAdd %uint "));
  EXPECT_LT(call, body.find("OpStore "));
}

TEST(CheckRuns, LongRunsAreCut) {
  std::string body = load("in", "v0");
  for (int i = 1; i < 70; ++i) body += load("in", "v" + std::to_string(i), "v" + std::to_string(i - 1));
  const Rewritten result(body + store("out", "s"));
  EXPECT_EQ(result.made(), "2+0");
  EXPECT_TRUE(result.has_loop_of(60)) << result.text;
}

TEST(CheckRuns, AreSwitchedOffByASetting) {
  InstrumentOptions options = loop_options();
  options.sync.loops = false;
  EXPECT_EQ(Rewritten(three_loads + store("out", "s"), options).made_by("main_watched"), "0+4");
}

TEST(CheckRuns, TheFilterHasNone) {
  InstrumentOptions options = sync_options();
  const Rewritten result(three_loads + store("out", "s"), options);
  EXPECT_EQ(result.made_by("main"), "0+4");
}

// Drivers would make a run's loop once for each iteration of a loop that they unroll.
TEST(CheckRuns, LoopsWithManyCopiesAreNotUnrolled) {
  const auto loop = [](const std::string& body) {
    return "OpBranch %before\n%before = OpLabel\nOpBranch %header\n%header = OpLabel\n"
           "%i = OpPhi %uint %zero %before %next %continue\nOpLoopMerge %merge %continue Unroll\n"
           "OpBranch %test\n%test = OpLabel\n%less = OpULessThan %bool %i %eight\n"
           "OpBranchConditional %less %body %merge\n%body = OpLabel\n" +
           body +
           "OpBranch %continue\n%continue = OpLabel\n%next = OpIAdd %uint %i %one\nOpBranch %header\n%merge "
           "= OpLabel\n";
  };
  const std::string barrier = "OpControlBarrier %workgroup %workgroup %semantics\n";
  const std::string two = load("in", "a") + load("other", "b");
  EXPECT_EQ(count(Rewritten(loop(two)).text, " Unroll\n"), 2u) << "in both versions";
  const Rewritten many(
      loop(two + barrier + load("in", "c", "a") + load("other", "d", "a") + barrier + load("in", "e", "c")));
  EXPECT_EQ(count(many.text, " Unroll\n"), 0u);
  EXPECT_EQ(count(many.text, " DontInline "), 0u);
}

// Where the layer runs the shader only if the record says all about direct slots. %in, %out and %far are
// such.
class DirectChecks : public testing::Test {
 protected:
  DirectChecks() {
    for (DescriptorSlots& slots : options_.sync.descriptors)
      if (slots.set == 0 && slots.binding < 3) slots.direct = slots.binding + 1;
    options_.sync.direct = true;
  }
  // How many checks of each kind the shader calls, outside of the runtime.
  std::string made_by(const std::string& body) {
    const Rewritten result(body, options_);
    std::string made;
    for (const char* function : {"%sqa_direct_set ", "%sqa_words_set ", "%sqa_access_set "})
      made += (made.empty() ? "" : "+") +
              std::to_string(count(result.text, std::string(" = OpFunctionCall %void ") + function));
    return made + (result.direct ? " direct" : "");
  }
  InstrumentOptions options_ = loop_options();
};

TEST_F(DirectChecks, LookNothingUp) {
  EXPECT_EQ(made_by(store("out", "s")), "1+0+0 direct");
  EXPECT_EQ(made_by(load("in", "a") + store("out", "s")), "1+0+0 direct") << "in a loop";
}

TEST_F(DirectChecks, AreNotForOtherDescriptors) {
  EXPECT_EQ(made_by(store("other", "s")), "0+0+1");
  EXPECT_EQ(made_by(load("other", "a") + store("out", "s")), "0+0+1") << "a loop has one function";
  const std::string barrier = "OpMemoryBarrier %workgroup %semantics\n";
  EXPECT_EQ(made_by(store("other", "a") + barrier + store("out", "s")), "1+0+1 direct");
}

TEST_F(DirectChecks, AreMadeWhereTheLayerAllowsIt) {
  options_.sync.direct = false;
  EXPECT_EQ(made_by(store("out", "s")), "0+1+0");
  options_.sync.direct = true;
  options_.sync.footprints = true;
  EXPECT_EQ(made_by(store("out", "s")), "0+0+1");
}

// Called checks are all alike, so that the driver has one copy of the code.
TEST_F(DirectChecks, AreCalledIfAllAre) {
  options_.sync.calls = SyncCalls::always;
  EXPECT_EQ(made_by(store("in", "a") + store("out", "s")), "2+0+0 direct");
  EXPECT_EQ(made_by(store("other", "a") + store("out", "s")), "0+0+2");
}

// A large shader keeps its checks in loops, and calls them only if there are too many runs, too.
TEST(CheckRuns, ComeBeforeCalls) {
  std::string one_run = load("in", "v0"), runs = one_run;
  for (int i = 1; i < 140; ++i) {
    const std::string next = load("in", "v" + std::to_string(i), "v" + std::to_string(i - 1));
    one_run += next;
    runs += "OpMemoryBarrier %workgroup %semantics\n" + next;
  }
  const Rewritten together(one_run), apart(runs);
  EXPECT_EQ(together.made(), "3+0");
  EXPECT_EQ(count(together.text, " DontInline "), 0u);
  EXPECT_EQ(count(apart.text, "%sqa_access_set = OpFunction %void DontInline "), 1u);
  EXPECT_EQ(apart.made_by("main"), "0+140");
}

}  // namespace
}  // namespace shaderqa::test
