// SPDX-License-Identifier: Apache-2.0
// Which accesses to workgroup memory nothing can race with, since barriers keep them apart. What is known of
// the elements that they touch is left out: workgroup_elements_test.cpp.
#include "instrument/accesses/workgroup_phases.h"

#include <gtest/gtest.h>

#include <string>

#include "instrument/runtime/abi_report.h"
#include "workgroup_module.h"

namespace shaderqa::test {
namespace {

constexpr const char* kGlobals = R"(
%bool = OpTypeBool
%true = OpConstantTrue %bool
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%ordering = OpConstant %uint 0x108
%releasing = OpConstant %uint 0x104
%to_uint = OpTypePointer Workgroup %uint
%a = OpVariable %to_uint Workgroup
%b = OpVariable %to_uint Workgroup
%takes_pointer = OpTypeFunction %void %to_uint
)";

constexpr const char* kBarrier = "OpControlBarrier %c2 %c2 %ordering\n";

// A letter for each access in module order: w, a write or an atomic that may race; r, such a read; o, an
// ordered read or atomic.
std::string kinds_of(const std::string& body, const std::string& functions = "", bool strict = false) {
  const WorkgroupModule module(kGlobals, body, functions);
  EXPECT_EQ(validation_error(module.words, SPV_ENV_UNIVERSAL_1_3), "");
  const WorkgroupAccesses& found = module.found;
  const WorkgroupElements nothing_known(module.loaded.view, module.decorations, module.constants, found, {},
                                        module.entry, strict);
  const std::vector<bool> ordered =
      WorkgroupPhases(module.loaded.view, found, module.entry, strict).without_conflicts(nothing_known);
  std::string kinds;
  for (size_t n = 0; n < ordered.size(); ++n) {
    const WorkgroupAccess& access = found.accesses[n];
    const bool reads = access.access == SQA_ACCESS_LOAD || access.only_reads;
    EXPECT_TRUE(reads || !ordered[n] || access.access == SQA_ACCESS_ATOMIC);
    kinds += ordered[n] ? 'o' : reads ? 'r' : 'w';
  }
  return kinds;
}

std::string write(const std::string& variable) { return "OpStore %" + variable + " %c1\n"; }
std::string read(const std::string& variable) {
  static int count = 0;
  return "%v" + std::to_string(++count) + " = OpLoad %uint %" + variable + "\n";
}

TEST(WorkgroupPhases, ABarrierThatOrdersKeepsReadsFromWrites) {
  EXPECT_EQ(kinds_of(write("a") + kBarrier + read("a")), "wo");
  EXPECT_EQ(kinds_of(read("a") + kBarrier + write("a")), "ow");
  EXPECT_EQ(kinds_of(write("a") + read("a")), "wr");
  EXPECT_EQ(kinds_of(read("a") + write("a")), "rw") << "another invocation may be ahead";
  EXPECT_EQ(kinds_of(write("a") + kBarrier + read("a") + kBarrier + write("a")), "wow");
  EXPECT_EQ(kinds_of(write("a") + kBarrier + read("a") + write("a")), "wrw");
}

TEST(WorkgroupPhases, OtherBarriersDoNot) {
  for (const char* barrier : {"OpControlBarrier %c2 %c2 %c0\n", "OpControlBarrier %c3 %c3 %ordering\n",
                              "OpMemoryBarrier %c2 %ordering\n"})
    EXPECT_EQ(kinds_of(write("a") + barrier + read("a")), "wr") << barrier;
}

TEST(WorkgroupPhases, ABarrierThatOnlyReleasesDoesNotUnderStrict) {
  const std::string code = read("a") + "OpControlBarrier %c2 %c2 %releasing\n" + write("a");
  EXPECT_EQ(kinds_of(code), "ow");
  EXPECT_EQ(kinds_of(code, "", true), "rw");
  EXPECT_EQ(kinds_of(read("a") + kBarrier + write("a"), "", true), "ow");
}

TEST(WorkgroupPhases, WritesOfOtherVariablesDoNotMatter) {
  EXPECT_EQ(kinds_of(write("a") + kBarrier + read("a") + write("b") + read("b")), "wowr");
}

TEST(WorkgroupPhases, AtomicsConflictWithOtherAccesses) {
  const std::string add = "%x1 = OpAtomicIAdd %uint %a %c2 %c0 %c1\n";
  const std::string load = "%x2 = OpAtomicLoad %uint %a %c2 %c0\n";
  EXPECT_EQ(kinds_of(add + read("a")), "wr");
  EXPECT_EQ(kinds_of(add + kBarrier + load + read("a")), "ooo");
  EXPECT_EQ(kinds_of(add + load), "oo") << "not with each other";
  EXPECT_EQ(kinds_of(add + load + write("a")), "wrw");
}

// The tiles of a matrix product: written, read in a loop, and written again in the next iteration.
TEST(WorkgroupPhases, ALoopGoesRoundToItsBarriers) {
  const auto loop = [](const std::string& body) {
    return "OpBranch %head\n%head = OpLabel\nOpLoopMerge %end %next None\nOpBranch %body\n%body = OpLabel\n" +
           body + "OpBranch %next\n%next = OpLabel\nOpBranchConditional %true %head %end\n%end = OpLabel\n";
  };
  EXPECT_EQ(kinds_of(loop(write("a") + kBarrier + read("a") + kBarrier)), "wo");
  EXPECT_EQ(kinds_of(loop(write("a") + kBarrier + read("a"))), "wr") << "the next iteration writes";
  EXPECT_EQ(kinds_of(loop(read("a") + kBarrier + write("a") + kBarrier)), "ow");
  EXPECT_EQ(kinds_of(loop(write("a") + kBarrier + read("a") + kBarrier) + read("a")), "wor")
      << "another invocation may go round once more";
  EXPECT_EQ(kinds_of(loop(write("a") + kBarrier + read("a")) + write("a")), "wrw");
}

TEST(WorkgroupPhases, EveryPathCounts) {
  const auto branch = [](const std::string& then, const std::string& otherwise) {
    return "OpSelectionMerge %both None\nOpSwitch %c0 %other 0 %then\n%then = OpLabel\n" + then +
           "OpBranch %both\n%other = OpLabel\n" + otherwise + "OpBranch %both\n%both = OpLabel\n";
  };
  EXPECT_EQ(kinds_of(branch(write("a"), read("a"))), "wr");
  EXPECT_EQ(kinds_of(branch(write("a") + kBarrier, kBarrier) + read("a")), "wo");
  EXPECT_EQ(kinds_of(branch(write("a") + kBarrier, "") + read("a")), "wr");
  EXPECT_EQ(kinds_of(branch(write("a"), kBarrier) + read("a")), "wr");
}

TEST(WorkgroupPhases, CallsAreFollowed) {
  const std::string call = "%f1 = OpFunctionCall %void %f\n", again = "%f2 = OpFunctionCall %void %f\n";
  const auto function = [](const std::string& body) {
    return "%f = OpFunction %void None %void_function\n%f_label = OpLabel\n" + body +
           "OpReturn\nOpFunctionEnd\n";
  };
  EXPECT_EQ(kinds_of(write("a") + call + read("a"), function(kBarrier)), "wo");
  EXPECT_EQ(kinds_of(write("a") + call, function(read("a"))), "wr");
  EXPECT_EQ(kinds_of(write("a") + kBarrier + call, function(read("a"))), "wo");
  EXPECT_EQ(kinds_of(call + kBarrier + read("a") + again, function(write("a"))), "rw");
  // What returns here may have been called there.
  EXPECT_EQ(kinds_of(write("a") + call + kBarrier + again + read("a"), function("")), "wr");
}

TEST(WorkgroupPhases, PointersThatAreArgumentsLeadAnywhere) {
  const std::string function =
      "%g = OpFunction %void None %takes_pointer\n%p = OpFunctionParameter %to_uint\n%g_label = OpLabel\n";
  const std::string calls = "%g1 = OpFunctionCall %void %g %a\n%g2 = OpFunctionCall %void %g %b\n";
  const std::string end = "OpReturn\nOpFunctionEnd\n";
  EXPECT_EQ(kinds_of(calls + read("a"), function + write("p") + end), "rw");
  EXPECT_EQ(kinds_of(calls + kBarrier + read("a"), function + write("p") + end), "ow");
  EXPECT_EQ(kinds_of(write("a") + calls, function + read("p") + end), "wr");
  EXPECT_EQ(kinds_of(write("a") + kBarrier + calls, function + read("p") + end), "wo");
}

TEST(WorkgroupPhases, CodeThatNothingReachesStaysChecked) {
  EXPECT_EQ(kinds_of("OpBranch %end\n%dead = OpLabel\n" + read("a") + "OpBranch %end\n%end = OpLabel\n"),
            "r");
}

}  // namespace
}  // namespace shaderqa::test
