// SPDX-License-Identifier: Apache-2.0
// Reductions of subgroups stand in functions of their own where functions are called.
#include "instrument/passes/subgroup_operations.h"

#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

constexpr const char* kBody =
    "%p = OpAccessChain %uint_pointer %in %zero %x\n"
    "%v = OpLoad %uint %p\n"
    "%sum = OpGroupNonUniformIAdd %uint %of_subgroup Reduce %v\n"
    "%more = OpGroupNonUniformIAdd %uint %of_subgroup Reduce %sum\n"
    "%before = OpGroupNonUniformIAdd %uint %of_subgroup ExclusiveScan %more\n"
    "%most = OpGroupNonUniformUMax %uint %of_subgroup ClusteredReduce %before %eight\n"
    "%swapped = OpGroupNonUniformShuffleXor %uint %of_subgroup %most %one\n"
    "%again = OpGroupNonUniformShuffleXor %uint %of_subgroup %swapped %x\n"
    "%lane = OpGroupNonUniformShuffle %uint %of_subgroup %again %swapped\n"
    "%any = OpUndef %uint\n"
    "%own = OpGroupNonUniformIMul %uint %of_subgroup Reduce %any\n"
    "%first = OpGroupNonUniformBroadcast %uint %of_subgroup %lane %zero\n"
    "%quad = OpGroupNonUniformQuadSwap %uint %of_subgroup %first %one\n"
    "%vote = OpGroupNonUniformAllEqual %bool %of_subgroup %quad\n"
    "%q = OpAccessChain %uint_pointer %out %zero %x\n"
    "OpStore %q %quad\n";

std::string checked(SyncCalls calls) {
  std::string text = fixture("unwatched", {{"CAPABILITY",
                                            "Shader\nOpCapability GroupNonUniformArithmetic\n"
                                            "OpCapability GroupNonUniformClustered\n"
                                            "OpCapability GroupNonUniformShuffle\n"
                                            "OpCapability GroupNonUniformBallot\n"
                                            "OpCapability GroupNonUniformVote\n"
                                            "OpCapability GroupNonUniformQuad"},
                                           {"DECORATIONS", ""},
                                           {"BODY", kBody}});
  text.replace(text.find("%zero = "), 0,
               "%of_subgroup = OpConstant %uint 3\n%memory_semantics = OpConstant %uint 72\n");
  text.replace(text.find("%id\n"), 3, "%id %in %out %far %other %many");
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.calls = calls;
  const InstrumentResult result = instrument(assemble(text, SPV_ENV_VULKAN_1_2), options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
  return disassemble(result.words);
}

TEST(SubgroupOperations, IsCalledWhereChecksAre) {
  const std::string text = checked(SyncCalls::always);
  ASSERT_NE(text.find("DontInline"), std::string::npos);
  EXPECT_EQ(count(text, "OpGroupNonUniformIAdd %uint %uint_3 Reduce "), 1u) << "one function for both";
  EXPECT_EQ(count(text, "OpGroupNonUniformIAdd %uint %uint_3 ExclusiveScan "), 1u);
  EXPECT_EQ(count(text, "OpGroupNonUniformUMax %uint %uint_3 ClusteredReduce "), 1u);
  std::string main = text.substr(text.find("%main = OpFunction"));
  main = main.substr(0, main.find("OpFunctionEnd"));
  EXPECT_EQ(count(main, "OpGroupNonUniform"), 1u) << "the vote, which has no value of another invocation";
  EXPECT_EQ(count(main, "OpFunctionCall %uint %"), 10u) << "an OpUndef of main is in no other function";
  // What is constant is in the function.
  EXPECT_EQ(count(text, "OpGroupNonUniformShuffleXor %uint %uint_3 "), 2u);
  EXPECT_EQ(count(text, "OpGroupNonUniformBroadcast %uint %uint_3 "), 1u);
  EXPECT_NE(text.find(" %uint_0\n", text.find("OpGroupNonUniformBroadcast")), std::string::npos);
}

TEST(SubgroupOperations, StaysWhereChecksAreInlined) {
  const std::string text = checked(SyncCalls::never);
  ASSERT_EQ(text.find("DontInline"), std::string::npos);
  EXPECT_EQ(count(text, "OpGroupNonUniformIAdd %uint %uint_3 Reduce "), 2u);
}

}  // namespace
}  // namespace shaderqa::test
