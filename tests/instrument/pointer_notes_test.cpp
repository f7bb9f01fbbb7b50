// SPDX-License-Identifier: Apache-2.0
// Pointers that the sync check cannot follow are said once a shader.
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

// Selects one of two columns of a matrix and loads it.
Module selected_column(const std::string& order) {
  return assemble(R"(
OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %block
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %block DescriptorSet 0
OpDecorate %block Binding 0
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpMemberDecorate %Block 0 MatrixStride 16
OpMemberDecorate %Block 0 )" +
                  order + R"(
OpMemberDecorate %Block 1 Offset 64
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%float4 = OpTypeVector %float 4
%matrix = OpTypeMatrix %float4 4
%Block = OpTypeStruct %matrix %float4
%input = OpTypePointer Input %uint3
%block_pointer = OpTypePointer StorageBuffer %Block
%column = OpTypePointer StorageBuffer %float4
%id = OpVariable %input Input
%block = OpVariable %block_pointer StorageBuffer
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%void_function = OpTypeFunction %void
%main = OpFunction %void None %void_function
%label = OpLabel
%id_value = OpLoad %uint3 %id
%x = OpCompositeExtract %uint %id_value 0
%first = OpAccessChain %column %block %c0 %c1
%second = OpAccessChain %column %block %c0 %c2
%early = OpULessThan %bool %x %c2
%selected = OpSelect %column %early %first %second
%value = OpLoad %float4 %selected
%target = OpAccessChain %column %block %c1
OpStore %target %value
OpReturn
OpFunctionEnd
)");
}

InstrumentResult rewritten(const Module& words) {
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_5), "");
  const InstrumentResult result = instrument(words, sync_options());
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  return result;
}

TEST(PointerNotes, SelectedColumnsOfRowMajorMatricesAreSaid) {
  const InstrumentResult result = rewritten(selected_column("RowMajor"));
  ASSERT_EQ(result.record.notes.size(), 1u);
  EXPECT_EQ(result.record.notes[0],
            "Accesses through some pointers that are selected, stored or handed on are not checked for "
            "synchronisation: where those lead cannot be followed.");
}

TEST(PointerNotes, SelectedColumnsOfColumnMajorMatricesAreChecked) {
  const InstrumentResult result = rewritten(selected_column("ColMajor"));
  EXPECT_TRUE(result.record.notes.empty()) << result.record.notes[0];
  EXPECT_EQ(result.record.check_sites.size(), 2u);
}

}  // namespace
}  // namespace shaderqa::test
