// SPDX-License-Identifier: Apache-2.0
// Modules with split barriers (SPV_EXT_split_barrier, which SPIRV-Tools knows by its older name): their
// accesses are left alone, which is said.
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

const char* const kModule = R"(
OpCapability Shader
OpCapability SplitBarrierINTEL
OpExtension "SPV_EXT_split_barrier"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%workgroup = OpConstant %uint 2
%release = OpConstant %uint 68
%acquire = OpConstant %uint 66
%block = OpTypeStruct %uint
%to_block = OpTypePointer Uniform %block
%to_uint = OpTypePointer Uniform %uint
%buffer = OpVariable %to_block Uniform
%main = OpFunction %void None %function
%label = OpLabel
%word = OpAccessChain %to_uint %buffer %zero
OpStore %word %zero
OpControlBarrierArriveINTEL %workgroup %workgroup %release
OpControlBarrierWaitINTEL %workgroup %workgroup %acquire
%loaded = OpLoad %uint %word
OpReturn
OpFunctionEnd
)";

TEST(SplitBarriers, LeaveAccessesAlone) {
  for (const SyncEngine engine : {SyncEngine::exact, SyncEngine::bloom}) {
    InstrumentOptions options = sync_options();
    options.sync.engine = engine;
    const InstrumentResult result = instrument(assemble(kModule, SPV_ENV_UNIVERSAL_1_6), options);
    EXPECT_EQ(result.status, InstrumentStatus::refused);
    EXPECT_EQ(result.message, "it has split barriers, which are not followed");
  }
}

}  // namespace
}  // namespace shaderqa::test
