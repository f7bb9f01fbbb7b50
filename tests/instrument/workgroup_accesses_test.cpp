// SPDX-License-Identifier: Apache-2.0
// What is found of a shader's accesses to workgroup memory, and of what orders them.
#include "instrument/accesses/workgroup_accesses.h"

#include <gtest/gtest.h>

#include <algorithm>

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
%acquire = OpConstant %uint 0x102
%release = OpConstant %uint 0x104
%acquire_release = OpConstant %uint 0x108
%of_buffers = OpConstant %uint 0x48
%without_order = OpConstant %uint 0x100
%unknown = OpSpecConstant %uint 0x108
%scope = OpSpecConstant %uint 2
%array = OpTypeArray %uint %c4
%to_uint = OpTypePointer Workgroup %uint
%to_array = OpTypePointer Workgroup %array
%to_private = OpTypePointer Private %uint
%a = OpVariable %to_array Workgroup
%b = OpVariable %to_uint Workgroup
%mine = OpVariable %to_private Private
%two_pointers = OpTypeFunction %void %to_uint %to_uint)";

// functions: behind main.
WorkgroupAccesses found_in(const std::string& body, const std::string& functions = "") {
  return WorkgroupModule(kGlobals, body, functions).found;
}

TEST(WorkgroupOrder, BarriersAreOfTheirScope) {
  const auto barriers = [](const std::string& scopes) {
    const WorkgroupAccesses found = found_in("OpControlBarrier " + scopes);
    return std::pair(found.barriers.size(), found.subgroup_barriers.size());
  };
  using Numbers = std::pair<size_t, size_t>;
  EXPECT_EQ(barriers("%c2 %c2 %acquire_release"), Numbers(1, 0));
  EXPECT_EQ(barriers("%c3 %c2 %acquire_release"), Numbers(0, 1));
  EXPECT_EQ(barriers("%c4 %c2 %acquire_release"), Numbers(0, 0)) << "of one invocation";
  EXPECT_EQ(barriers("%scope %c2 %acquire_release"), Numbers(1, 0)) << "not known: as programs have it";
  EXPECT_EQ(barriers("%c1 %c2 %acquire_release"), Numbers(1, 0));
}

TEST(WorkgroupOrder, BarriersOrderMemoryAsTheirSemanticsSay) {
  const auto orders = [](const std::string& barrier) {
    const WorkgroupAccesses found = found_in("OpControlBarrier " + barrier);
    return found.barriers.at(0).ordering;
  };
  for (const char* semantics : {"%release", "%acquire_release", "%unknown"})
    EXPECT_TRUE(orders(std::string("%c2 %c2 ") + semantics)) << semantics;
  for (const char* semantics : {"%c0", "%of_buffers", "%without_order", "%acquire"})
    EXPECT_FALSE(orders(std::string("%c2 %c2 ") + semantics)) << semantics;
  EXPECT_FALSE(orders("%c2 %c4 %acquire_release")) << "memory of one invocation";
  EXPECT_TRUE(orders("%c2 %c1 %acquire_release"));
  EXPECT_FALSE(orders("%c2 %c3 %acquire_release")) << "memory of one subgroup";
  EXPECT_TRUE(orders("%c2 %scope %acquire_release"));
}

TEST(WorkgroupOrder, FencesAreMemoryBarriersOfWorkgroupMemory) {
  const auto fences = [](const std::string& barrier) {
    return found_in("OpMemoryBarrier " + barrier).fences.size();
  };
  EXPECT_EQ(fences("%c2 %acquire_release"), 1u);
  EXPECT_EQ(fences("%c1 %release"), 1u);
  EXPECT_EQ(fences("%c4 %acquire_release"), 0u);
  EXPECT_EQ(fences("%c2 %of_buffers"), 0u);
  EXPECT_EQ(fences("%c2 %without_order"), 0u);
}

TEST(WorkgroupOrder, AtomicsCountIfSomethingMayFollowFromThem) {
  const std::string loads = "%v = OpAtomicLoad %uint %b %c2 %acquire\n%w = OpIAdd %uint %v %c1\n";
  EXPECT_TRUE(found_in(loads).atomics.empty()) << "nothing releases";
  const std::string releases = "OpAtomicStore %b %c2 %release %c1\n";
  const WorkgroupAccesses both = found_in(releases + loads);
  ASSERT_EQ(both.atomics.size(), 2u);
  EXPECT_TRUE(both.atomics[0].releases);
  EXPECT_FALSE(both.atomics[0].used) << "it has no result";
  EXPECT_FALSE(both.atomics[1].releases);
  EXPECT_TRUE(both.atomics[1].used);
  EXPECT_TRUE(found_in(releases + "%v = OpAtomicLoad %uint %b %c2 %acquire\n").atomics.empty())
      << "nothing follows from what was loaded";
  EXPECT_EQ(found_in("OpMemoryBarrier %c2 %acquire_release\n" + loads).atomics.size(), 1u)
      << "a fence releases";
  EXPECT_TRUE(found_in("OpAtomicStore %b %c4 %release %c1\n" + loads).atomics.empty()) << "to itself";
  EXPECT_TRUE(found_in("OpAtomicStore %b %c2 %acquire %c1\n" + loads).atomics.empty());
  const WorkgroupAccesses exchange =
      found_in("%v = OpAtomicExchange %uint %b %c2 %acquire_release %c1\nOpStore %mine %v\n");
  ASSERT_EQ(exchange.atomics.size(), 1u);
  EXPECT_TRUE(exchange.atomics[0].releases);
  EXPECT_TRUE(exchange.atomics[0].used);
}

TEST(WorkgroupFound, AccessesHaveTheirPlaceAndSize) {
  const WorkgroupAccesses found = found_in(R"(
%p = OpAccessChain %to_uint %a %c3
%v = OpLoad %uint %p
OpStore %b %v
OpStore %mine %v
%whole = OpLoad %array %a
%old = OpAtomicLoad %uint %b %c2 %c0
%new = OpAtomicIAdd %uint %b %c2 %c0 %c1
OpCopyMemory %b %p
OpCopyMemorySized %b %p %c4
)");
  ASSERT_EQ(found.accesses.size(), 7u);
  const std::vector<uint32_t> kinds{SQA_ACCESS_LOAD,   SQA_ACCESS_STORE, SQA_ACCESS_LOAD, SQA_ACCESS_ATOMIC,
                                    SQA_ACCESS_ATOMIC, SQA_ACCESS_LOAD,  SQA_ACCESS_STORE};
  const std::vector<uint32_t> offsets{3, 0, 0, 0, 0, 3, 0}, bytes{4, 4, 16, 4, 4, 4, 4};
  for (size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(found.accesses[i].access, kinds[i]) << i;
    EXPECT_EQ(found.accesses[i].place.offset, offsets[i]) << i;
    EXPECT_EQ(found.accesses[i].bytes, bytes[i]) << i;
    EXPECT_EQ(found.accesses[i].tag, i + 1);
    EXPECT_EQ(found.accesses[i].only_reads, i == 3);
  }
  EXPECT_EQ(found.accesses[2].runs, (std::vector<MemoryRun>{{0, 4}}));
  EXPECT_EQ(found.unknown_layout, 2u) << "both sides of the copy of so many bytes";
  EXPECT_EQ(found.unknown_place, 0u);
}

// Parameters that all calls pass the same are that place; the others have it at run time.
TEST(WorkgroupFound, ParametersAreResolvedWhereCallsAgree) {
  const std::string callee = R"(
%callee = OpFunction %void None %two_pointers
%first = OpFunctionParameter %to_uint
%second = OpFunctionParameter %to_uint
%block = OpLabel
OpStore %first %c1
OpStore %second %c1
OpReturn
OpFunctionEnd
)";
  const std::string pointers =
      "%p1 = OpAccessChain %to_uint %a %c1\n%p2 = OpAccessChain %to_uint %a %c2\n"
      "%q1 = OpAccessChain %to_uint %a %c1\n";
  const auto calls = [&](const std::string& body) { return found_in(pointers + body, callee); };
  const WorkgroupAccesses one = calls("%r = OpFunctionCall %void %callee %p1 %b\n");
  ASSERT_EQ(one.accesses.size(), 2u);
  EXPECT_EQ(one.accesses[0].place.offset, 1u);
  EXPECT_FALSE(one.accesses[0].place.is_parameter);
  EXPECT_NE(one.accesses[0].place.start, one.accesses[1].place.start);
  EXPECT_TRUE(one.arguments.empty());

  const WorkgroupAccesses same =
      calls("%r = OpFunctionCall %void %callee %p1 %b\n%s = OpFunctionCall %void %callee %q1 %b\n");
  EXPECT_FALSE(same.accesses.at(0).place.is_parameter) << "computed twice";
  EXPECT_TRUE(same.arguments.empty());

  const WorkgroupAccesses different =
      calls("%r = OpFunctionCall %void %callee %p1 %b\n%s = OpFunctionCall %void %callee %p2 %b\n");
  EXPECT_TRUE(different.accesses.at(0).place.is_parameter);
  EXPECT_FALSE(different.accesses.at(1).place.is_parameter);
  ASSERT_EQ(different.arguments.size(), 2u);
  EXPECT_EQ(different.arguments[0].parameter, different.accesses[0].place.start);
  EXPECT_EQ(different.arguments[0].place.offset, 1u);
  EXPECT_EQ(different.arguments[1].place.offset, 2u);

  const WorkgroupAccesses variable =
      calls("%px = OpAccessChain %to_uint %a %x\n%r = OpFunctionCall %void %callee %px %b\n");
  EXPECT_TRUE(variable.accesses.at(0).place.is_parameter) << "its index is computed by the caller";
  ASSERT_EQ(variable.arguments.size(), 1u);
  EXPECT_EQ(variable.arguments[0].place.indices.size(), 1u);
}

}  // namespace
}  // namespace shaderqa::test
