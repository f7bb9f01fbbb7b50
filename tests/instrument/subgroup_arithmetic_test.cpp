// SPDX-License-Identifier: Apache-2.0
// Reductions of subgroups stand in functions of their own where functions are called.
#include "instrument/passes/subgroup_arithmetic.h"

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
    "%q = OpAccessChain %uint_pointer %out %zero %x\n"
    "OpStore %q %most\n";

std::string checked(SyncCalls calls) {
  std::string text = fixture("unwatched", {{"CAPABILITY",
                                            "Shader\nOpCapability GroupNonUniformArithmetic\n"
                                            "OpCapability GroupNonUniformClustered"},
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

TEST(SubgroupArithmetic, IsCalledWhereChecksAre) {
  const std::string text = checked(SyncCalls::always);
  ASSERT_NE(text.find("DontInline"), std::string::npos);
  EXPECT_EQ(count(text, "OpGroupNonUniformIAdd %uint %uint_3 Reduce "), 1u) << "one function for both";
  EXPECT_EQ(count(text, "OpGroupNonUniformIAdd %uint %uint_3 ExclusiveScan "), 1u);
  EXPECT_EQ(count(text, "OpGroupNonUniformUMax %uint %uint_3 ClusteredReduce "), 1u);
  const std::string main = text.substr(text.find("%main = OpFunction"));
  EXPECT_EQ(main.substr(0, main.find("OpFunctionEnd")).find("OpGroupNonUniform"), std::string::npos);
  EXPECT_GE(count(text, "OpFunctionCall %uint %"), 4u);
}

TEST(SubgroupArithmetic, StaysWhereChecksAreInlined) {
  const std::string text = checked(SyncCalls::never);
  ASSERT_EQ(text.find("DontInline"), std::string::npos);
  EXPECT_EQ(count(text, "OpGroupNonUniformIAdd %uint %uint_3 Reduce "), 2u);
}

}  // namespace
}  // namespace shaderqa::test
