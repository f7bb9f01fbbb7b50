// SPDX-License-Identifier: Apache-2.0
// Which reads of workgroup memory a subgroup operation passes on, and which stores follow from its result.
#include "instrument/accesses/passed_on_reads.h"

#include "instrument/runtime/abi_report.h"
#include "workgroup_module.h"

namespace shaderqa::test {
namespace {

constexpr const char* kGlobals = R"(
%bool = OpTypeBool
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c8 = OpConstant %uint 8
%array = OpTypeArray %uint %c8
%to_uint = OpTypePointer Workgroup %uint
%to_array = OpTypePointer Workgroup %array
%to_own = OpTypePointer Private %uint
%to_own_array = OpTypePointer Private %array
%a = OpVariable %to_array Workgroup
%own = OpVariable %to_own Private
%own_array = OpVariable %to_own_array Private
%takes_value = OpTypeFunction %uint %uint
%takes_pointer = OpTypeFunction %void %to_own
)";

// A letter for each access in module order: p, a read that is passed on; r, another; f, a store or atomic
// that follows; w, another. And the width behind it.
std::string kinds_of(const std::string& body, const std::string& functions = "") {
  const WorkgroupModule module(kGlobals, "%p = OpAccessChain %to_uint %a %x\n" + body, functions);
  std::string kinds;
  for (const WorkgroupAccess& access : module.found.accesses) {
    const bool reads = access.access == SQA_ACCESS_LOAD || access.only_reads;
    EXPECT_FALSE(reads ? access.follows_exchange : access.passed_on);
    kinds += reads ? (access.passed_on ? 'p' : 'r') : (access.follows_exchange ? 'f' : 'w');
  }
  return kinds + std::to_string(module.found.exchange_width);
}

const std::string kRead = "%v = OpLoad %uint %p\n";
std::string sum_of(const std::string& value) {
  return "%sum = OpGroupNonUniformIAdd %uint %c3 Reduce " + value + "\n";
}
const std::string kStore = "OpStore %p %sum\n";

TEST(PassedOnReads, NeedAnOperation) {
  EXPECT_EQ(kinds_of(kRead + "OpStore %p %v\n"), "rw0");
  EXPECT_EQ(kinds_of(kRead + "%first = OpGroupNonUniformElect %bool %c3\nOpStore %p %v\n"), "rw0")
      << "it says nothing of what others have read";
}

TEST(PassedOnReads, AreOperandsAndStoresHoldResults) {
  EXPECT_EQ(kinds_of(kRead + sum_of("%v") + kStore), "pf255");
  EXPECT_EQ(kinds_of(kRead + sum_of("%c1") + kStore), "rf255");
  EXPECT_EQ(kinds_of(kRead + sum_of("%v") + "OpStore %p %c1\n"), "pw255");
  EXPECT_EQ(kinds_of(kRead + sum_of("%v") + "%q = OpAccessChain %to_uint %a %sum\nOpStore %q %c1\n"),
            "pf255");
  EXPECT_EQ(kinds_of(kRead + sum_of("%v") + "%old = OpAtomicIAdd %uint %p %c2 %c0 %sum\n"), "pf255");
  EXPECT_EQ(kinds_of("%l = OpAtomicLoad %uint %p %c2 %c0\n" + sum_of("%l") + kStore), "pf255");
  EXPECT_EQ(kinds_of(kRead + "%t = OpIMul %uint %c2 %v\n" + sum_of("%t") +
                     "%u = OpISub %uint %c2 %sum\nOpStore %p %u\n"),
            "pf255");
}

TEST(PassedOnReads, WidthIsOfTheLargestOperation) {
  const auto width = [](const std::string& operation) {
    const std::string kinds = kinds_of(kRead + operation + kStore);
    EXPECT_EQ(kinds.substr(0, 2), "pf") << operation;
    return kinds.substr(2);
  };
  EXPECT_EQ(width("%sum = OpGroupNonUniformQuadSwap %uint %c3 %v %c0\n"), "4");
  EXPECT_EQ(width("%sum = OpGroupNonUniformIAdd %uint %c3 ClusteredReduce %v %c8\n"), "8");
  EXPECT_EQ(width("%sum = OpGroupNonUniformShuffle %uint %c3 %v %x\n"), "255");
  EXPECT_EQ(width("%sum = OpGroupNonUniformRotateKHR %uint %c3 %v %c1\n"), "255");
  EXPECT_EQ(width("%t = OpGroupNonUniformIAdd %uint %c3 ClusteredReduce %v %c8\n"
                  "%sum = OpGroupNonUniformQuadBroadcast %uint %c3 %t %c0\n"),
            "8");
}

TEST(PassedOnReads, VariablesOfTheInvocationHoldValues) {
  EXPECT_EQ(kinds_of(kRead + "OpStore %own %v\n%t = OpLoad %uint %own\n" + sum_of("%t") +
                     "OpStore %own %sum\n%u = OpLoad %uint %own\nOpStore %p %u\n"),
            "pf255");
  const std::string element = "%e = OpAccessChain %to_own %own_array %x\n";
  EXPECT_EQ(kinds_of(element + "OpCopyMemory %e %p\n%t = OpLoad %uint %e\n" + sum_of("%t") +
                     "OpStore %e %sum\nOpCopyMemory %p %e\n"),
            "pf255");
}

TEST(PassedOnReads, FunctionsPassValues) {
  const std::string value = R"(%callee = OpFunction %uint None %takes_value
%taken = OpFunctionParameter %uint
%begin = OpLabel
%given = OpGroupNonUniformIAdd %uint %c3 Reduce %taken
OpReturnValue %given
OpFunctionEnd
)";
  EXPECT_EQ(kinds_of(kRead + "%sum = OpFunctionCall %uint %callee %v\n" + kStore, value), "pf255");
  const std::string pointer = R"(%callee = OpFunction %void None %takes_pointer
%taken = OpFunctionParameter %to_own
%begin = OpLabel
%inside = OpLoad %uint %taken
%given = OpGroupNonUniformIAdd %uint %c3 Reduce %inside
OpStore %taken %given
OpReturn
OpFunctionEnd
)";
  EXPECT_EQ(kinds_of(kRead +
                         "OpStore %own %v\n%called = OpFunctionCall %void %callee %own\n"
                         "%sum = OpLoad %uint %own\n" +
                         kStore,
                     pointer),
            "pf255");
}

// Whether code runs says something, too.
TEST(PassedOnReads, BranchesDecide) {
  const auto behind = [](const std::string& condition, const std::string& inside, const std::string& after) {
    return condition +
           "OpSelectionMerge %merge None\nOpBranchConditional %c %then %merge\n%then = OpLabel\n" + inside +
           "OpBranch %merge\n%merge = OpLabel\n" + after;
  };
  EXPECT_EQ(kinds_of(kRead + behind("%c = OpIEqual %bool %v %c1\n", "OpStore %own %c1\n",
                                    "%t = OpLoad %uint %own\n" + sum_of("%t") + kStore)),
            "pf255");
  EXPECT_EQ(kinds_of(kRead + sum_of("%v") + behind("%c = OpIEqual %bool %sum %c1\n", "OpStore %p %c1\n", "")),
            "pf255");
  EXPECT_EQ(kinds_of(kRead + sum_of("%v") + behind("%c = OpIEqual %bool %x %c1\n", "OpStore %p %c1\n", "")),
            "pw255");
}

TEST(PassedOnReads, LoopsComeBack) {
  EXPECT_EQ(kinds_of(R"(OpBranch %header
%header = OpLabel
OpLoopMerge %merge %continue None
OpBranch %work
%work = OpLabel
%sum = OpGroupNonUniformIAdd %uint %c3 Reduce %c1
OpStore %p %sum
%v = OpLoad %uint %p
%more = OpIEqual %bool %v %c1
OpBranch %continue
%continue = OpLabel
OpBranchConditional %more %header %merge
%merge = OpLabel
)"),
            "fp255");
}

}  // namespace
}  // namespace shaderqa::test
