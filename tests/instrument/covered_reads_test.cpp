// SPDX-License-Identifier: Apache-2.0
// Which reads of workgroup memory the check of another access covers.
#include "instrument/accesses/covered_reads.h"

#include "instrument/runtime/abi_report.h"
#include "workgroup_module.h"

namespace shaderqa::test {
namespace {

constexpr const char* kGlobals = R"(
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c8 = OpConstant %uint 8
%ordering = OpConstant %uint 0x108
%array = OpTypeArray %uint %c8
%to_uint = OpTypePointer Workgroup %uint
%to_array = OpTypePointer Workgroup %array
%to_own = OpTypePointer Private %uint
%a = OpVariable %to_array Workgroup
%b = OpVariable %to_array Workgroup
%own = OpVariable %to_own Private
%true = OpConstantTrue %bool
)";

// A letter for each access in module order: w, a write or an atomic; r, a read with a check; c, a covered
// read.
std::string kinds_of(const std::string& body, const std::string& functions = "") {
  const WorkgroupModule module("%bool = OpTypeBool" + std::string(kGlobals), body, functions);
  EXPECT_EQ(validation_error(module.words, SPV_ENV_UNIVERSAL_1_3), "");
  const std::vector<bool> covered =
      find_covered_reads(module.found, *module.placed, module.loaded.view, module.decorations);
  std::string kinds;
  for (size_t n = 0; n < covered.size(); ++n) {
    const bool reads = module.found.accesses[n].access == SQA_ACCESS_LOAD;
    EXPECT_TRUE(reads || !covered[n]);
    kinds += covered[n] ? 'c' : reads ? 'r' : 'w';
  }
  return kinds;
}

std::string unused(const std::string& stem) {
  static int count = 0;
  return stem + std::to_string(++count);
}
// An element; its index is computed anew, as compilers do that do not optimise.
std::string element(const std::string& array, const std::string& step, std::string& code) {
  const std::string index = unused("%i"), sum = unused("%s"), pointer = unused("%p");
  code += index + " = OpLoad %uint %own\n" + sum + " = OpIAdd %uint " + index + " " + step + "\n" + pointer +
          " = OpAccessChain %to_uint " + array + " " + sum + "\n";
  return pointer;
}
std::string write(const std::string& array, const std::string& step = "%c1") {
  std::string code;
  const std::string pointer = element(array, step, code);
  return code + "OpStore " + pointer + " %c1\n";
}
std::string read(const std::string& array, const std::string& step = "%c1") {
  std::string code;
  const std::string pointer = element(array, step, code);
  return code + unused("%v") + " = OpLoad %uint " + pointer + "\n";
}

TEST(CoveredReads, AreBesideAWriteOfTheSamePlace) {
  EXPECT_EQ(kinds_of(read("%a") + write("%a")), "cw");
  EXPECT_EQ(kinds_of(write("%a") + read("%a")), "wc");
  EXPECT_EQ(kinds_of(read("%a") + read("%a", "%c2") + write("%a")), "crw") << "another element";
  EXPECT_EQ(kinds_of(read("%a") + read("%b") + write("%a") + write("%b")), "ccww");
  EXPECT_EQ(kinds_of(read("%a") + write("%b")), "rw") << "another variable";
}

TEST(CoveredReads, OfEqualReadsTheFirstIsChecked) {
  EXPECT_EQ(kinds_of(read("%a") + read("%a") + read("%a", "%c2")), "rcr");
}

// A store that follows from the operation conflicts with the read that was not passed on alone.
TEST(CoveredReads, OneThatIsPassedOnCoversNoOther) {
  const std::string sum = "%sum = OpGroupNonUniformIAdd %uint %c3 Reduce ";
  const std::string p = "%p = OpAccessChain %to_uint %a %c0\n", first = "%r1 = OpLoad %uint %p\n",
                    second = "%r2 = OpLoad %uint %p\n", third = "%r3 = OpLoad %uint %p\n";
  EXPECT_EQ(kinds_of(p + first + second + third + sum + "%r1\n"), "rrc");
  EXPECT_EQ(kinds_of(p + first + second + third + sum + "%r2\n"), "rcc");
  EXPECT_EQ(kinds_of(p + first + second + third + sum + "%r3\n"), "rcc");
}

TEST(CoveredReads, WhatOrdersMemoryLiesNotBetween) {
  for (const char* between : {"OpControlBarrier %c2 %c2 %ordering\n", "OpMemoryBarrier %c2 %ordering\n",
                              "OpControlBarrier %c2 %c2 %c0\n", "OpBranch %further\n%further = OpLabel\n"})
    EXPECT_EQ(kinds_of(read("%a") + between + write("%a") + read("%b")), "rwr") << between;
  const std::string pointer = "%p = OpAccessChain %to_uint %b %c0\n";
  EXPECT_EQ(kinds_of(pointer + read("%a") + "%x1 = OpAtomicIAdd %uint %p %c2 %c0 %c1\n" + write("%a")),
            "rww");
  EXPECT_EQ(
      kinds_of(read("%a") + "%called = OpFunctionCall %void %callee\n" + write("%a"),
               "%callee = OpFunction %void None %void_function\n%begin = OpLabel\nOpReturn\nOpFunctionEnd\n"),
      "rw")
      << "the function may have a barrier";
}

TEST(CoveredReads, AnAtomicCoversNothing) {
  const std::string pointer = "%p = OpAccessChain %to_uint %a %c0\n";
  EXPECT_EQ(kinds_of(pointer + "%v = OpLoad %uint %p\n%x1 = OpAtomicIAdd %uint %p %c2 %c0 %c1\n"), "rw")
      << "another atomic races with the read alone";
}

TEST(CoveredReads, AnIndexThatChangesIsAnother) {
  EXPECT_EQ(kinds_of(read("%a") + "OpStore %own %c2\n" + write("%a")), "rw");
}

TEST(CoveredReads, ACopyToItselfReadsWhatItWrites) {
  EXPECT_EQ(kinds_of("%p = OpAccessChain %to_uint %a %x\nOpCopyMemory %p %p\n"), "cw");
  EXPECT_EQ(
      kinds_of("%p = OpAccessChain %to_uint %a %x\n%q = OpAccessChain %to_uint %b %x\nOpCopyMemory %q %p\n"),
      "rw");
}

TEST(CoveredReads, OnOnePathOnly) {
  const std::string branch =
      "OpSelectionMerge %both None\nOpBranchConditional %true %then %both\n%then = OpLabel\n" + write("%a") +
      "OpBranch %both\n%both = OpLabel\n";
  EXPECT_EQ(kinds_of(read("%a") + branch), "rw") << "the write may not happen";
}

}  // namespace
}  // namespace shaderqa::test
