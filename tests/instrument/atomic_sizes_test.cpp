// SPDX-License-Identifier: Apache-2.0
// The note about atomics of two sizes, which cells do not tell apart (the oracle's form
// atomics_of_two_sizes).
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

// binding: of the variable whose elements have 64 bits.
Module shader(const std::string& binding, const std::string& body) {
  return assemble(R"(
OpCapability Shader
OpCapability Int64
OpCapability Int64Atomics
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %wide_words ArrayStride 8
OpDecorate %wide_block Block
OpMemberDecorate %wide_block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %wide_data DescriptorSet 0
OpDecorate %wide_data Binding )" +
                      binding + R"(
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%wide_one = OpConstant %ulong 1
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%wide_words = OpTypeRuntimeArray %ulong
%wide_block = OpTypeStruct %wide_words
%to_wide_block = OpTypePointer StorageBuffer %wide_block
%to_ulong = OpTypePointer StorageBuffer %ulong
%data = OpVariable %to_block StorageBuffer
%wide_data = OpVariable %to_wide_block StorageBuffer
%main = OpFunction %void None %function
%label = OpLabel
%word = OpAccessChain %to_uint %data %zero %zero
%wide_word = OpAccessChain %to_ulong %wide_data %zero %zero
)" + body + "OpReturn\nOpFunctionEnd\n",
                  SPV_ENV_VULKAN_1_1);
}

size_t notes(const std::string& binding, const std::string& body) {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  const InstrumentResult result = instrument(shader(binding, body), options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  for (const ShaderNote& note : result.record.notes)
    EXPECT_NE(note.text.find("Atomics of different sizes"), std::string::npos) << note.text;
  return result.record.notes.size();
}

TEST(AtomicSizes, AreNotedWhereTheyMayMeet) {
  const std::string narrow = "%old = OpAtomicIAdd %uint %word %one %zero %one\n";
  const std::string wide = "%wide_old = OpAtomicIAdd %ulong %wide_word %one %zero %wide_one\n";
  EXPECT_EQ(notes("0", narrow + wide), 1u);
  EXPECT_EQ(notes("0", narrow), 0u);
  EXPECT_EQ(notes("0", wide + "OpStore %word %one\n"), 0u);
  EXPECT_EQ(notes("1", narrow + wide), 0u);
}

}  // namespace
}  // namespace shaderqa::test
