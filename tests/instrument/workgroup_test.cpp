// SPDX-License-Identifier: Apache-2.0
// Which accesses to workgroup memory are checked, by which cells, and what is said of the others.
#include <gtest/gtest.h>

#include <algorithm>

#include "instrument/runtime/abi_report.h"
#include "support.h"

namespace shaderqa::test {
namespace {

constexpr const char* kTypes = R"(
%bool = OpTypeBool
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c4 = OpConstant %uint 4
%c2 = OpConstant %uint 2
%c264 = OpConstant %uint 264
%spec = OpSpecConstant %uint 6
%twice = OpSpecConstantOp %uint IMul %spec %c2
%uint4 = OpTypeVector %uint 4
%fixed = OpTypeArray %uint %c4
%wholes = OpTypeArray %uint4 %c4
%sized = OpTypeArray %uint %twice
%to_uint = OpTypePointer Workgroup %uint
%to_uint4 = OpTypePointer Workgroup %uint4
%to_fixed = OpTypePointer Workgroup %fixed
%to_wholes = OpTypePointer Workgroup %wholes
%to_sized = OpTypePointer Workgroup %sized
%a = OpVariable %to_fixed Workgroup
%w = OpVariable %to_wholes Workgroup
%s = OpVariable %to_sized Workgroup
)";
constexpr const char* kNames = R"(OpName %a "a"
OpName %w "w"
OpName %s "s"
OpDecorate %spec SpecId 7)";

Module shared_shader(const std::string& body) {
  return assemble(compute_shader(kTypes, body, "OpCapability Shader", kNames), SPV_ENV_UNIVERSAL_1_3);
}

InstrumentOptions workgroup_options() {
  InstrumentOptions options = default_options();
  options.workgroup.races = true;
  options.workgroup.limit = 32768;
  options.workgroup.values_known = true;
  return options;
}

InstrumentResult checked(const Module& words, const InstrumentOptions& options) {
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_3), "");
  InstrumentResult result = instrument(words, options);
  if (result.status == InstrumentStatus::instrumented) {
    EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_3), "");
    EXPECT_EQ(instrument(words, options).words, result.words);
  }
  return result;
}

const std::string kStores = R"(
%pa = OpAccessChain %to_uint %a %x
OpStore %pa %c1
%pw = OpAccessChain %to_uint4 %w %c2
%v = OpLoad %uint4 %pw
OpStore %pw %v
%ps = OpAccessChain %to_uint %s %x
%u = OpLoad %uint %ps
)";

TEST(Workgroup, IsUntouchedWithoutTheOption) {
  EXPECT_EQ(instrument(shared_shader(kStores), default_options()).status, InstrumentStatus::untouched);
  EXPECT_TRUE(has_workgroup_memory(shared_shader(kStores)));
  const Module without = assemble(compute_shader("", ""));
  EXPECT_FALSE(has_workgroup_memory(without));
  EXPECT_EQ(instrument(without, workgroup_options()).status, InstrumentStatus::untouched);
}

TEST(Workgroup, EachAccessIsASiteAndScalarsThatStayTogetherShareACell) {
  const auto result = checked(shared_shader(kStores), workgroup_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  ASSERT_EQ(result.record.check_sites.size(), 4u);
  for (uint32_t n = 0; n < 4; ++n) {
    EXPECT_EQ(result.record.check_sites[n].check, uint32_t{SQA_CHECK_WORKGROUP});
    EXPECT_EQ(result.record.check_sites[n].tag, n + 1);
  }
  EXPECT_EQ(result.record.check_sites[1].access, uint32_t{SQA_ACCESS_LOAD});
  EXPECT_EQ(result.record.check_sites[2].text, "OpStore %w");
  const WorkgroupLayout& layout = result.record.workgroup;
  EXPECT_NE(layout.id, 0u);
  ASSERT_EQ(layout.variables.size(), 3u);
  EXPECT_EQ(layout.variables[0], (WorkgroupVariable{"a", 0, 4, 1, "[4*1"}));
  EXPECT_EQ(layout.variables[1].count, 4u);
  EXPECT_EQ(layout.variables[1].unit, 4u);
  EXPECT_EQ(layout.variables[1].shape, "[4*4[4*1");
  EXPECT_EQ(layout.variables[2].count, 12u);
  EXPECT_TRUE(result.record.notes.empty());
}

// A loop with a hint to unroll, whose body loads `loads` elements.
std::string unrolled_loop(uint32_t loads) {
  std::string body;
  for (uint32_t n = 0; n < loads; ++n) {
    const std::string name = std::to_string(n);
    body += "%q" + name + " = OpAccessChain %to_uint %a %x\n%l" + name + " = OpLoad %uint %q" + name + "\n";
  }
  return R"(
OpBranch %before
%before = OpLabel
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %c0 %before %next %continue
OpLoopMerge %merge %continue Unroll
OpBranch %test
%test = OpLabel
%more = OpULessThan %bool %i %c264
OpBranchConditional %more %body %merge
%body = OpLabel
)" + body +
         R"(OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %i %c1
OpBranch %header
%merge = OpLabel
)";
}

// Drivers would compile every copy of a check that an unrolled loop has.
TEST(Workgroup, LargeLoopsAreNotUnrolled) {
  InstrumentOptions options = workgroup_options();
  const auto text_of = [&](uint32_t loads) {
    return disassemble(checked(shared_shader(unrolled_loop(loads)), options).words);
  };
  EXPECT_EQ(count(text_of(2), " Unroll\n"), 1u);
  EXPECT_EQ(count(text_of(20), " Unroll\n"), 0u);
  options.sync.calls = SyncCalls::never;
  EXPECT_EQ(count(text_of(20), " Unroll\n"), 1u);
  options.sync.calls = SyncCalls::always;
  EXPECT_EQ(count(text_of(2), " Unroll\n"), 0u);
}

TEST(Workgroup, LargeShadersAreLeftOutWithANote) {
  InstrumentOptions options = workgroup_options();
  options.workgroup.large = false;
  EXPECT_EQ(checked(shared_shader(unrolled_loop(2)), options).status, InstrumentStatus::instrumented);
  const InstrumentResult left_out = checked(shared_shader(unrolled_loop(20)), options);
  EXPECT_NE(left_out.status, InstrumentStatus::instrumented);
  EXPECT_TRUE(left_out.record.check_sites.empty());
  ASSERT_EQ(left_out.record.notes.size(), 1u);
  EXPECT_NE(left_out.record.notes[0].find("sync_shared_large=true"), std::string::npos);
}

TEST(Workgroup, SizesFollowThePipelinesConstants) {
  const Module words = shared_shader(kStores);
  EXPECT_EQ(workgroup_constants(words), std::vector<uint32_t>{7});
  InstrumentOptions options = workgroup_options();
  options.workgroup.values = {{7, 9}};
  const auto result = checked(words, options);
  ASSERT_EQ(result.record.workgroup.variables.size(), 3u);
  EXPECT_EQ(result.record.workgroup.variables[2].count, 18u);
  EXPECT_NE(result.record.workgroup.id, checked(words, workgroup_options()).record.workgroup.id);
  // Unknown, it might need all the memory that there is.
  options.workgroup.values_known = false;
  const auto unknown = checked(words, options);
  EXPECT_EQ(unknown.status, InstrumentStatus::untouched);
}

TEST(Workgroup, WhatHasNoRoomIsNamed) {
  InstrumentOptions options = workgroup_options();
  const Module words = shared_shader(kStores);
  options.workgroup.values = {{7, 3000}};
  const auto result = checked(words, options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(result.record.check_sites.size(), 3u);
  ASSERT_EQ(result.record.notes.size(), 1u);
  EXPECT_NE(result.record.notes[0].find("no room"), std::string::npos);
  EXPECT_NE(result.record.notes[0].find(": s."), std::string::npos) << result.record.notes[0];
}

TEST(Workgroup, BarriersBeginPhasesOrNot) {
  const auto text = [&](const std::string& barrier) {
    const auto result = checked(shared_shader(kStores + barrier), workgroup_options());
    return disassemble(result.words);
  };
  const std::string ordering = text("OpControlBarrier %c2 %c2 %c264");
  EXPECT_EQ(count(ordering, "OpFunctionCall %void %sqa_passed_shared_barrier %"), 1u);
  EXPECT_EQ(count(text("OpMemoryBarrier %c2 %c264"), "sqa_passed_shared_fence"), 0u);
  const std::string both = text("OpMemoryBarrier %c2 %c264\nOpControlBarrier %c2 %c2 %c0");
  EXPECT_EQ(count(both, "OpFunctionCall %void %sqa_passed_shared_fence %"), 1u);
}

TEST(Workgroup, AtomicsAndCopiesAreSites) {
  const std::string pointers = "%pa = OpAccessChain %to_uint %a %x\n%ps = OpAccessChain %to_uint %s %x\n";
  const auto accesses = [&](const std::string& body) {
    const auto result = checked(shared_shader(pointers + body), workgroup_options());
    std::vector<uint32_t> all;
    for (const CheckSite& site : result.record.check_sites) all.push_back(site.access);
    return all;
  };
  using Accesses = std::vector<uint32_t>;
  EXPECT_EQ(accesses("%r = OpAtomicIAdd %uint %pa %c2 %c0 %c1"), (Accesses{SQA_ACCESS_ATOMIC}));
  EXPECT_EQ(accesses("OpAtomicStore %pa %c2 %c0 %c1"), (Accesses{SQA_ACCESS_ATOMIC}));
  EXPECT_EQ(accesses("%r = OpAtomicLoad %uint %pa %c2 %c0"), (Accesses{SQA_ACCESS_ATOMIC}));
  EXPECT_EQ(accesses("OpCopyMemory %pa %ps"), (Accesses{SQA_ACCESS_LOAD, SQA_ACCESS_STORE}));
  EXPECT_EQ(accesses("%copy = OpCopyObject %to_uint %pa\nOpStore %copy %c1"), (Accesses{SQA_ACCESS_STORE}));
}

TEST(Workgroup, ParametersThatDifferAreFollowed) {
  const std::string module =
      compute_shader(std::string(kTypes) + "%set = OpTypeFunction %void %to_uint\n", R"(
%pa = OpAccessChain %to_uint %a %x
%pb = OpAccessChain %to_uint %s %c1
%r1 = OpFunctionCall %void %callee %pa
%r2 = OpFunctionCall %void %callee %pb
)",
                     "OpCapability Shader\nOpCapability VariablePointers", kNames) +
      R"(
%callee = OpFunction %void None %set
%p = OpFunctionParameter %to_uint
%block = OpLabel
OpStore %p %c1
OpReturn
OpFunctionEnd
)";
  const auto result = checked(assemble(module, SPV_ENV_UNIVERSAL_1_3), workgroup_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(result.record.check_sites.size(), 1u);
  EXPECT_TRUE(result.record.notes.empty());
  EXPECT_EQ(result.record.workgroup.variables.size(), 2u);
}

TEST(Workgroup, ReadsOfWhatNobodyWroteAreACheckOfTheirOwn) {
  InstrumentOptions options = workgroup_options();
  options.workgroup.races = false;
  options.workgroup.uninitialised = true;
  const auto result = checked(shared_shader(kStores), options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(result.record.check_sites.size(), 2u);
  for (const CheckSite& site : result.record.check_sites)
    EXPECT_EQ(site.check, uint32_t{SQA_CHECK_UNINITIALISED});
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_written %"), 2u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_access"), 0u);
}

}  // namespace
}  // namespace shaderqa::test
