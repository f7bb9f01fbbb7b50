// SPDX-License-Identifier: Apache-2.0
// Which accesses to workgroup memory are checked, by which cells, and what is said of the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

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
%other = OpAccessChain %to_uint4 %w %x
OpStore %other %v
%ps = OpAccessChain %to_uint %s %x
OpStore %ps %c1
)";

TEST(Workgroup, IsUntouchedWithoutTheOption) {
  EXPECT_EQ(instrument(shared_shader(kStores), default_options()).status, InstrumentStatus::untouched);
  EXPECT_TRUE(has_workgroup_memory(shared_shader(kStores)));
  const Module without = assemble(compute_shader("", ""));
  EXPECT_FALSE(has_workgroup_memory(without));
  EXPECT_EQ(instrument(without, workgroup_options()).status, InstrumentStatus::untouched);
}

TEST(Workgroup, OrderingInstructionsAreAtomicsAndMemoryBarriers) {
  EXPECT_FALSE(has_ordering_instructions(shared_shader(kStores)));
  EXPECT_TRUE(has_ordering_instructions(shared_shader("OpMemoryBarrier %c1 %c0")));
  EXPECT_TRUE(has_ordering_instructions(shared_shader(R"(%ps = OpAccessChain %to_uint %s %x
%old = OpAtomicIAdd %uint %ps %c1 %c0 %c1)")));
  EXPECT_FALSE(has_ordering_instructions(shared_shader("OpControlBarrier %c2 %c2 %c0")));
  EXPECT_FALSE(has_ordering_instructions({}));
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

// A loop with a hint to unroll, whose body loads `loads` elements and stores one.
std::string unrolled_loop(uint32_t loads) {
  std::string body;
  for (uint32_t n = 0; n < loads; ++n) {
    const std::string name = std::to_string(n);
    body += "%x" + name + " = OpIAdd %uint %i %x" + (n == 0 ? "" : std::to_string(n - 1)) + "\n%q" + name +
            " = OpAccessChain %to_uint %a %x" + name + "\n%l" + name + " = OpLoad %uint %q" + name + "\n";
  }
  body += "%last = OpAccessChain %to_uint %a %c0\nOpStore %last %c1\n";
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
  EXPECT_EQ(count(text_of(1), " Unroll\n"), 1u);
  EXPECT_EQ(count(text_of(20), " Unroll\n"), 0u);
  options.sync.calls = SyncCalls::never;
  EXPECT_EQ(count(text_of(1), " Unroll\n"), 1u);
  EXPECT_EQ(count(text_of(20), " Unroll\n"), 0u);
  options.sync.calls = SyncCalls::always;
  EXPECT_EQ(count(text_of(1), " Unroll\n"), 0u);
}

bool calls(const InstrumentResult& result, const std::string& function) {
  return disassemble(result.words).find("%" + function + " = OpFunction %void DontInline ") !=
         std::string::npos;
}

TEST(Workgroup, LargeShadersCallTheirChecks) {
  InstrumentOptions options = workgroup_options();
  options.workgroup.large = false;
  // Those of an unrolled loop count once where there would be too many: it is not unrolled any more.
  for (const auto& [loads, wanted, called] : {std::tuple{2u, SyncCalls::automatic, false},
                                              {20u, SyncCalls::automatic, false},
                                              {40u, SyncCalls::automatic, true},
                                              {2u, SyncCalls::always, true},
                                              {2u, SyncCalls::never, false}}) {
    options.sync.calls = wanted;
    const InstrumentResult result = checked(shared_shader(unrolled_loop(loads)), options);
    ASSERT_EQ(result.status, InstrumentStatus::instrumented);
    EXPECT_EQ(calls(result, "sqa_shared_access_noted"), called) << loads;
    EXPECT_FALSE(calls(result, "sqa_shared_access")) << "the code of a report makes calls slow to compile";
    EXPECT_TRUE(result.record.notes.empty());
  }
}

TEST(Workgroup, LargeShadersThatMayNotCallAreLeftOutWithANote) {
  InstrumentOptions options = workgroup_options();
  options.workgroup.large = false;
  options.sync.calls = SyncCalls::never;
  EXPECT_EQ(checked(shared_shader(unrolled_loop(2)), options).status, InstrumentStatus::instrumented);
  const Module large = shared_shader(unrolled_loop(70));
  const InstrumentResult left_out = checked(large, options);
  EXPECT_NE(left_out.status, InstrumentStatus::instrumented);
  EXPECT_TRUE(left_out.record.check_sites.empty());
  ASSERT_EQ(left_out.record.notes.size(), 1u);
  EXPECT_NE(left_out.record.notes[0].text.find("sync_shared_large=true"), std::string::npos);
  options.workgroup.large = true;
  EXPECT_EQ(checked(large, options).status, InstrumentStatus::instrumented);
}

// The code of a report is large: many checks share one, at the end of the shader.
TEST(Workgroup, ManyChecksNoteWhatTheyFind) {
  std::string stores;
  for (uint32_t n = 1; n < 20; ++n) {
    const std::string pointer = "%p" + std::to_string(n);
    stores += pointer + " = OpAccessChain %to_uint %a %x\nOpStore " + pointer + " %c1\n";
    const std::string text = disassemble(checked(shared_shader(stores), workgroup_options()).words);
    EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_access "), n <= 16 ? n : 0u);
    EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_access_noted "), n <= 16 ? 0u : n);
    EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_report_shared_notes "), n <= 16 ? 0u : 1u);
    EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_report "), 1u);
  }
}

// A driver that inlines everything has less to compile.
TEST(Workgroup, QueuedChecksNoteWhatTheyFindFromTwoOn) {
  InstrumentOptions options = workgroup_options();
  options.sync.calls = SyncCalls::queued;
  std::string stores;
  for (uint32_t n = 1; n < 3; ++n) {
    const std::string pointer = "%p" + std::to_string(n);
    stores += pointer + " = OpAccessChain %to_uint %a %x\nOpStore " + pointer + " %c1\n";
    const std::string text = disassemble(checked(shared_shader(stores), options).words);
    EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_access_noted "), n == 1 ? 0u : n);
    EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_report "), 1u);
  }
}

TEST(Workgroup, SizesFollowThePipelinesConstants) {
  const Module words = shared_shader(kStores);
  EXPECT_EQ(integer_constants(words), std::vector<uint32_t>{7});
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
  EXPECT_NE(result.record.notes[0].text.find("no room"), std::string::npos);
  EXPECT_NE(result.record.notes[0].text.find(": s."), std::string::npos) << result.record.notes[0].text;
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
  EXPECT_EQ(accesses("%r = OpAtomicIAdd %uint %pa %c2 %c0 %c1\nOpStore %pa %c1"),
            (Accesses{SQA_ACCESS_ATOMIC, SQA_ACCESS_STORE}));
  EXPECT_EQ(accesses("OpAtomicStore %pa %c2 %c0 %c1\nOpStore %pa %c1"),
            (Accesses{SQA_ACCESS_ATOMIC, SQA_ACCESS_STORE}));
  EXPECT_EQ(accesses("%r = OpAtomicIAdd %uint %pa %c2 %c0 %c1\nOpAtomicStore %pa %c2 %c0 %c1"), Accesses{})
      << "atomics do not race with each other";
  EXPECT_EQ(accesses("%r = OpAtomicLoad %uint %pa %c2 %c0\nOpStore %pa %c1"),
            (Accesses{SQA_ACCESS_ATOMIC, SQA_ACCESS_STORE}));
  EXPECT_EQ(accesses("%pt = OpAccessChain %to_uint %s %c1\nOpCopyMemory %pa %ps\nOpStore %pt %c1"),
            (Accesses{SQA_ACCESS_LOAD, SQA_ACCESS_STORE, SQA_ACCESS_STORE}));
  EXPECT_EQ(accesses("%copy = OpCopyObject %to_uint %pa\nOpStore %copy %c1"), (Accesses{SQA_ACCESS_STORE}));
}

// Barriers keep them from all writes, so no race can have them as a side.
TEST(Workgroup, ReadsThatNoWriteCanRaceWithAreNoSites) {
  const std::string apart =
      kStores + "OpControlBarrier %c2 %c2 %c264\n%r = OpLoad %uint %pa\nOpControlBarrier %c2 %c2 %c264\n";
  InstrumentOptions options = workgroup_options();
  const auto races = checked(shared_shader(apart), options);
  EXPECT_EQ(races.record.check_sites.size(), 4u) << "those of kStores";
  options.workgroup.uninitialised = true;
  const auto both = checked(shared_shader(apart), options);
  EXPECT_EQ(std::ranges::count(both.record.check_sites, uint32_t{SQA_CHECK_UNINITIALISED}, &CheckSite::check),
            2);
  EXPECT_EQ(std::ranges::count(both.record.check_sites, uint32_t{SQA_CHECK_WORKGROUP}, &CheckSite::check), 4);
}

// The write's check finds whoever races with the read.
TEST(Workgroup, ReadsBesideAWriteOfTheSameAreNoSites) {
  const Module update =
      shared_shader("%pa = OpAccessChain %to_uint %a %x\n%v = OpLoad %uint %pa\nOpStore %pa %v\n");
  InstrumentOptions options = workgroup_options();
  const auto races = checked(update, options);
  ASSERT_EQ(races.record.check_sites.size(), 1u);
  EXPECT_EQ(races.record.check_sites[0].access, uint32_t{SQA_ACCESS_STORE});
  options.workgroup.uninitialised = true;
  EXPECT_EQ(checked(update, options).record.check_sites.size(), 2u)
      << "the read may be of what nobody has written";
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
  EXPECT_EQ(result.record.check_sites.size(), 1u);
  for (const CheckSite& site : result.record.check_sites)
    EXPECT_EQ(site.check, uint32_t{SQA_CHECK_UNINITIALISED});
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_written %"), 3u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_shared_access"), 0u);
}

// Blocks with a layout of their own, which all lie at the same place: their cells lie behind them.
Module shader_with_blocks(const std::string& body, const std::string& names, bool aliased = false) {
  constexpr const char* kCapabilities =
      "OpCapability Shader\nOpCapability WorkgroupMemoryExplicitLayoutKHR\n"
      "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"";
  const std::string decorations = R"(
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpDecorate %numbers ArrayStride 4
OpDecorate %other_block Block
OpMemberDecorate %other_block 0 Offset 0
OpDecorate %pairs ArrayStride 8
)" + std::string(aliased ? "OpDecorate %first Aliased\nOpDecorate %second Aliased\n" : "");
  std::string text = compute_shader(R"(
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c8 = OpConstant %uint 8
%uint2 = OpTypeVector %uint 2
%numbers = OpTypeArray %uint %c8
%pairs = OpTypeArray %uint2 %c8
%block = OpTypeStruct %uint %numbers
%other_block = OpTypeStruct %pairs
%to_uint = OpTypePointer Workgroup %uint
%to_uint2 = OpTypePointer Workgroup %uint2
%to_block = OpTypePointer Workgroup %block
%to_other_block = OpTypePointer Workgroup %other_block
%first = OpVariable %to_block Workgroup
%second = OpVariable %to_other_block Workgroup)",
                                    body, kCapabilities, names + decorations);
  const std::string entry = "\"main\" %id";
  text.replace(text.find(entry), entry.size(), entry + " %first %second");
  return assemble(text, SPV_ENV_UNIVERSAL_1_4);
}
const std::string kBlockStores = R"(
%p = OpAccessChain %to_uint %first %c1 %x
OpStore %p %c1
)";

InstrumentResult checked_blocks(const Module& words, const InstrumentOptions& options) {
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_4), "");
  InstrumentResult result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_4), "");
  return result;
}

TEST(WorkgroupBlocks, ShareCellsBehindThem) {
  const auto result = checked_blocks(shader_with_blocks(kBlockStores, "", true), workgroup_options());
  const WorkgroupLayout& layout = result.record.workgroup;
  ASSERT_EQ(layout.variables.size(), 2u);
  for (const WorkgroupVariable& variable : layout.variables) {
    EXPECT_EQ(variable.first, 0u);
    EXPECT_EQ(variable.unit, 4u);
  }
  EXPECT_EQ(layout.variables[0].count, 12u) << "48 bytes";
  EXPECT_EQ(layout.variables[1].count, 16u) << "64 bytes";
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpMemberDecorate %_struct_sqa Offset"), 0u);
  EXPECT_EQ(count(text, " 0 Offset 64\n"), 1u) << "behind the larger block";
  EXPECT_EQ(count(text, " Aliased\n"), 3u) << "the two that were, and that of the cells";
}

TEST(WorkgroupBlocks, AreAliasedIfTheyWereNot) {
  const std::string body = kBlockStores + "%v = OpLoad %uint %p\n";
  const auto result = checked_blocks(shader_with_blocks(body, "", true), workgroup_options());
  EXPECT_EQ(count(disassemble(result.words), " Aliased\n"), 3u);
}

// Blocks of bytes, unlike what has no layout: the smallest part that is accessed alone decides.
TEST(WorkgroupBlocks, HaveCellsForWhatIsAccessedTogether) {
  const std::string pairs = R"(
%q = OpAccessChain %to_uint2 %second %c0 %x
%v = OpLoad %uint2 %q
OpStore %q %v
)";
  const auto together = checked_blocks(shader_with_blocks(pairs, "", true), workgroup_options());
  ASSERT_EQ(together.record.workgroup.variables.size(), 2u);
  EXPECT_EQ(together.record.workgroup.variables[1].unit, 8u);
  EXPECT_EQ(together.record.workgroup.variables[1].count, 8u);
  const auto apart = checked_blocks(shader_with_blocks(pairs + kBlockStores, "", true), workgroup_options());
  EXPECT_EQ(apart.record.workgroup.variables[1].unit, 4u);
}

TEST(WorkgroupBlocks, AreCalledAsTheirTypeIfTheyHaveNoName) {
  const auto names = [](const std::string& debug) {
    std::vector<std::string> found;
    const auto result = checked_blocks(shader_with_blocks(kBlockStores, debug, true), workgroup_options());
    for (const WorkgroupVariable& variable : result.record.workgroup.variables)
      found.push_back(variable.name);
    return found;
  };
  const auto own = names("OpName %first \"mine\"\nOpName %block \"Type\"\nOpName %other_block \"Other\"\n");
  EXPECT_EQ(own, (std::vector<std::string>{"mine", "Other"}));
  const auto none = names("");
  ASSERT_EQ(none.size(), 2u);
  EXPECT_EQ(none[0][0], '%') << "by its number";
  EXPECT_NE(none[0], none[1]);
}

TEST(Workgroup, IndicesOfOtherTypesAreConverted) {
  const auto text_of = [&](const std::string& type, const std::string& capability) {
    const Module words = assemble(
        compute_shader(std::string(kTypes) + "%index = " + type + "\n%five = OpConstant %index 3\n",
                       "%p = OpAccessChain %to_uint %a %five\n%i = OpIAdd %index %five %five\n"
                       "%q = OpAccessChain %to_uint %s %i\nOpStore %q %c1\n",
                       "OpCapability Shader\n" + capability, "OpName %i \"i\"\n" + std::string(kNames)),
        SPV_ENV_UNIVERSAL_1_3);
    return disassemble(checked(words, workgroup_options()).words);
  };
  const std::string without = text_of("OpTypeInt 32 1", ""),
                    wide = text_of("OpTypeInt 64 0", "OpCapability Int64"),
                    small = text_of("OpTypeInt 16 0", "OpCapability Int16"),
                    signed_small = text_of("OpTypeInt 16 1", "OpCapability Int16"),
                    signed_wide = text_of("OpTypeInt 64 1", "OpCapability Int64");
  const auto conversions = [](const std::string& text, const std::string& operation) {
    return count(text, operation + " %uint %i\n");
  };
  EXPECT_EQ(conversions(without, "OpBitcast"), 1u);
  EXPECT_EQ(conversions(wide, "OpUConvert"), 1u);
  EXPECT_EQ(conversions(small, "OpUConvert"), 1u);
  EXPECT_EQ(conversions(signed_small, "OpSConvert"), 1u) << "an index may be negative on its way";
  EXPECT_EQ(conversions(signed_wide, "OpUConvert"), 1u);
}

TEST(Workgroup, WhatTheSettingLeavesNoRoomForIsCounted) {
  InstrumentOptions options = workgroup_options();
  options.max_sites = 2;
  const auto result = checked(shared_shader(kStores), options);
  EXPECT_EQ(result.record.check_sites.size(), 2u);
  EXPECT_EQ(result.record.sites_beyond_limit, 2u);
  options.workgroup.uninitialised = true;
  const auto both = checked(shared_shader(kStores), options);
  EXPECT_EQ(both.record.sites_beyond_limit, 3u) << "each access is two sites";
}

}  // namespace
}  // namespace shaderqa::test
