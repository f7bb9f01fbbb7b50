// SPDX-License-Identifier: Apache-2.0
// Modules with untyped pointers, into heaps of descriptors or elsewhere, are left alone, which is said.
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

// A store through an untyped pointer, and one through a pointer that has a type.
const char* const kModule = R"(
OpCapability Shader
OpCapability UntypedPointersKHR
OpExtension "SPV_KHR_untyped_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%block = OpTypeStruct %uint
%pointer = OpTypeUntypedPointerKHR StorageBuffer
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %to_block StorageBuffer
%main = OpFunction %void None %function
%label = OpLabel
%word = OpUntypedAccessChainKHR %pointer %block %buffer %zero
OpStore %word %zero
%other = OpAccessChain %to_uint %buffer %zero
OpStore %other %zero
OpReturn
OpFunctionEnd
)";

Module untyped_module() {
  Module words = assemble(kModule, SPV_ENV_UNIVERSAL_1_6);
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_6), "");
  return words;
}

// Behind the types, with this opcode and operands.
Module with_instruction(Module words, uint32_t opcode, const std::vector<uint32_t>& operands) {
  size_t at = 5;
  while ((words[at] & 0xffffu) != static_cast<uint32_t>(spv::Op::OpFunction)) at += words[at] >> 16;
  std::vector<uint32_t> more = {static_cast<uint32_t>(operands.size() + 1) << 16 | opcode};
  more.insert(more.end(), operands.begin(), operands.end());
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
  return words;
}

// The id of the untyped pointer type.
uint32_t pointer_of(const Module& words) {
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffffu) == static_cast<uint32_t>(spv::Op::OpTypeUntypedPointerKHR))
      return words[at + 1];
  return 0;
}

TEST(UntypedPointers, LeaveTheShaderAlone) {
  for (const SyncEngine engine : {SyncEngine::exact, SyncEngine::bloom}) {
    InstrumentOptions options = sync_options();
    options.sync.engine = engine;
    const InstrumentResult result = instrument(untyped_module(), options);
    EXPECT_EQ(result.status, InstrumentStatus::refused);
    EXPECT_EQ(result.message, "it has untyped pointers, which are not followed");
    EXPECT_TRUE(result.words.empty());
  }
}

// The other checks do not follow pointers.
TEST(UntypedPointers, LeaveOtherChecks) {
  InstrumentOptions options = sync_options();
  options.trace = true;
  const InstrumentResult result = instrument(untyped_module(), options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_6), "");
  EXPECT_TRUE(result.record.check_sites.empty());
  ASSERT_FALSE(result.record.notes.empty());
  EXPECT_NE(result.record.notes[0].text.find("because it has untyped pointers"), std::string::npos);
}

TEST(UntypedPointers, AreWatched) {
  Module words = untyped_module();
  EXPECT_TRUE(has_watched_accesses(words, false));
}

// SPIRV-Tools of this age cannot load untyped variables, nor what SPV_EXT_descriptor_heap adds.
TEST(UntypedPointers, IntoHeapsAreLeftAlone) {
  constexpr uint32_t kTypeBuffer = 5115;  // OpTypeBufferEXT
  Module words = untyped_module();
  ++words[3];  // an id for what is new
  const Module heap = with_instruction(
      words, kTypeBuffer, {words[3] - 1, static_cast<uint32_t>(spv::StorageClass::StorageBuffer)});
  constexpr auto kUntypedVariable = static_cast<uint32_t>(spv::Op::OpUntypedVariableKHR);
  const Module variable = with_instruction(words, kUntypedVariable, {pointer_of(words), words[3] - 1, 12});
  for (const Module& module : {heap, variable})
    for (const bool trace : {false, true}) {
      InstrumentOptions options = sync_options();
      options.trace = trace;
      const InstrumentResult result = instrument(module, options);
      EXPECT_EQ(result.status, InstrumentStatus::refused);
      EXPECT_FALSE(result.message.empty());
      EXPECT_TRUE(result.words.empty());
    }
}

}  // namespace
}  // namespace shaderqa::test
