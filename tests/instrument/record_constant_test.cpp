// SPDX-License-Identifier: Apache-2.0
// Shaders that find the action record by a push constant behind their own.
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

constexpr uint32_t kOffset = 24;

InstrumentOptions by_constant() {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.record_constant = kOffset;
  return options;
}

constexpr const char* kBuffer = R"(
OpDecorate %words ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
)";
constexpr const char* kBufferTypes = R"(
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%block_pointer = OpTypePointer Uniform %block
%word_pointer = OpTypePointer Uniform %uint
%buffer = OpVariable %block_pointer Uniform
)";
constexpr const char* kConstants = R"(
OpDecorate %constants Block
OpMemberDecorate %constants 0 Offset 0
OpMemberDecorate %constants 1 Offset 16
)";
constexpr const char* kConstantTypes = R"(
%uint4 = OpTypeVector %uint 4
%constants = OpTypeStruct %uint4 %uint
%constants_pointer = OpTypePointer PushConstant %constants
%constant_pointer = OpTypePointer PushConstant %uint
%pushed = OpVariable %constants_pointer PushConstant
)";

std::string shader(const std::string& decorations, const std::string& globals, const std::string& body) {
  return compute_shader(globals, body + R"(
%word = OpAccessChain %word_pointer %buffer %zero %x
OpStore %word %value
)",
                        "OpCapability Shader", decorations);
}

struct Rewritten {
  std::string text;
  ShaderRecord record;
};
Rewritten rewrite(const std::string& text, spv_target_env environment = SPV_ENV_VULKAN_1_0) {
  const Module words = assemble(text, environment);
  EXPECT_EQ(validation_error(words, environment), "") << text;
  const InstrumentResult result = instrument(words, by_constant());
  EXPECT_NE(result.status, InstrumentStatus::refused) << result.message;
  if (result.status != InstrumentStatus::instrumented) return {{}, result.record};
  EXPECT_EQ(validation_error(result.words, environment), "") << disassemble(result.words);
  return {disassemble(result.words), result.record};
}

TEST(RecordConstant, AShaderWithoutPushConstantsGetsABlock) {
  const auto [text, record] =
      rewrite(shader(kBuffer, std::string(kBufferTypes), "%value = OpIAdd %uint %x %one"));
  EXPECT_EQ(count(text, " PushConstant\n"), 1u);  // its variable
  EXPECT_EQ(count(text, "Offset 24"), 1u);
  // Nothing else says where the record is.
  EXPECT_EQ(count(text, "DescriptorSet 4"), 0u);
  EXPECT_EQ(count(text, "%sqa_record"), 0u);
  EXPECT_FALSE(record.check_sites.empty());
}

TEST(RecordConstant, TheBlockBecomesLonger) {
  const auto [text, record] =
      rewrite(shader(std::string(kBuffer) + kConstants, std::string(kBufferTypes) + kConstantTypes, R"(
%place = OpAccessChain %constant_pointer %pushed %one
%value = OpLoad %uint %place)"));
  EXPECT_EQ(count(text, " PushConstant\n"), 1u);
  EXPECT_EQ(count(text, "Offset 24"), 1u);
  EXPECT_EQ(count(text, " 1 Offset 16\n"), 2u);  // of the member, in both structures
  EXPECT_FALSE(record.check_sites.empty());
}

TEST(RecordConstant, ALoadOfTheWholeBlockHasTheMembersThatItHad) {
  const auto [text, record] =
      rewrite(shader(std::string(kBuffer) + kConstants, std::string(kBufferTypes) + kConstantTypes, R"(
%whole = OpLoad %constants %pushed
%value = OpCompositeExtract %uint %whole 1)"));
  const size_t end = text.find(" = OpTypeStruct %v4uint %uint\n");
  ASSERT_NE(end, std::string::npos);
  const size_t begin = text.rfind('\n', end) + 1;
  EXPECT_EQ(count(text, "OpCompositeConstruct " + text.substr(begin, end - begin) + " "), 1u) << text;
  EXPECT_FALSE(record.check_sites.empty());
}

// From SPIR-V 1.4 on, the interface has all variables.
std::string modern_shader(const std::string& body) {
  std::string modern = compute_shader(std::string(kBufferTypes) + kConstantTypes, body, "OpCapability Shader",
                                      std::string(kBuffer) + kConstants);
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = modern.find(from, at)) != std::string::npos; at += to.size())
      modern.replace(at, from.size(), to);
  };
  replace("\"main\" %id", "\"main\" %id %buffer %pushed");
  replace("BufferBlock", "Block");
  replace("Pointer Uniform", "Pointer StorageBuffer");
  replace("%block_pointer Uniform", "%block_pointer StorageBuffer");
  return modern;
}

TEST(RecordConstant, TheInterfaceHasTheLongerBlockOnce) {
  const auto [rewritten, record] = rewrite(modern_shader(R"(
%place = OpAccessChain %constant_pointer %pushed %one
%value = OpLoad %uint %place
%word = OpAccessChain %word_pointer %buffer %zero %x
OpStore %word %value)"),
                                           SPV_ENV_VULKAN_1_2);
  EXPECT_EQ(count(rewritten, " PushConstant\n"), 1u);
  EXPECT_FALSE(record.check_sites.empty());
}

// A block that nothing uses is not the one with the address, and the interface must name one at most.
TEST(RecordConstant, TheInterfaceLosesAnUnusedBlock) {
  const auto [rewritten, record] = rewrite(modern_shader(R"(
%word = OpAccessChain %word_pointer %buffer %zero %x
OpStore %word %one)"),
                                           SPV_ENV_VULKAN_1_2);
  EXPECT_EQ(count(rewritten, " PushConstant\n"), 2u);
  EXPECT_FALSE(record.check_sites.empty());
}

TEST(RecordConstant, OtherUsesOfTheBlockAreSaid) {
  const auto [text, record] =
      rewrite(shader(std::string(kBuffer) + kConstants, std::string(kBufferTypes) + kConstantTypes, R"(
%same = OpCopyObject %constants_pointer %pushed
%place = OpAccessChain %constant_pointer %same %one
%value = OpLoad %uint %place)"));
  EXPECT_EQ(text, "");
  ASSERT_EQ(record.notes.size(), 1u);
  EXPECT_NE(record.notes[0].text.find("pointer to its push constants"), std::string::npos);
}

TEST(RecordConstant, ABlockThatReachesFurtherIsSaid) {
  std::string constants = kConstants;
  constants.replace(constants.find("Offset 16"), 9, "Offset 24");
  const auto [text, record] =
      rewrite(shader(std::string(kBuffer) + constants, std::string(kBufferTypes) + kConstantTypes, R"(
%place = OpAccessChain %constant_pointer %pushed %one
%value = OpLoad %uint %place)"));
  EXPECT_EQ(text, "");
  ASSERT_EQ(record.notes.size(), 1u);
  EXPECT_NE(record.notes[0].text.find("more push constants"), std::string::npos);
}

}  // namespace
}  // namespace shaderqa::test
