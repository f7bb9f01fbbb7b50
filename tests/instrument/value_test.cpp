// SPDX-License-Identifier: Apache-2.0
// OpAssumeTrueKHR, OpExpectKHR and NonSemantic.DebugBreak.
#include <gtest/gtest.h>

#include "instrument/runtime/abi_report.h"
#include "support.h"

namespace shaderqa::test {
namespace {

constexpr const char* hints = R"(OpCapability Shader
OpCapability ExpectAssumeKHR
OpExtension "SPV_KHR_expect_assume")";
constexpr const char* hint_types = R"(
%bool = OpTypeBool
%bool2 = OpTypeVector %bool 2
%uint2 = OpTypeVector %uint 2
%c5 = OpConstant %uint 5
%true = OpConstantTrue %bool
%true2 = OpConstantComposite %bool2 %true %true
%c55 = OpConstantComposite %uint2 %c5 %c5)";

Module hinted(const std::string& body) { return assemble(compute_shader(hint_types, body, hints)); }

InstrumentOptions options_with(auto&& change) {
  InstrumentOptions options = default_options();
  change(options);
  return options;
}

// Word offset of the n-th instruction of this operation.
uint32_t offset_of(const Module& words, uint32_t op, uint32_t n = 0) {
  for (uint32_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == op && n-- == 0) return at;
  return 0;
}
constexpr uint32_t op_assume = 5630, op_expect = 5631, op_ext_inst = 12;

std::string checked(const Module& words, const InstrumentOptions& options, InstrumentResult& result) {
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_5), "");
  result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  EXPECT_EQ(instrument(words, options).words, result.words);
  return disassemble(result.words);
}

TEST(HasAssumptions, SeesWhatTheModuleDeclares) {
  EXPECT_TRUE(has_assumptions(hinted("")));
  EXPECT_TRUE(has_assumptions(assemble(compute_shader("", "", R"(OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%break = OpExtInstImport "NonSemantic.DebugBreak")"))));
  EXPECT_FALSE(has_assumptions(assemble(compute_shader("", ""))));
  EXPECT_FALSE(has_assumptions({}));
}

TEST(Assume, IsCheckedWhereItStandsAndRemoved) {
  const Module words = hinted(R"(
%even = OpULessThan %bool %x %c5
OpAssumeTrueKHR %even
OpAssumeTrueKHR %true)");
  InstrumentResult result;
  const std::string text = checked(words, options_with([](auto& o) { o.assume = true; }), result);
  EXPECT_EQ(count(text, "OpAssumeTrueKHR"), 0u);
  EXPECT_EQ(count(text, "ExpectAssumeKHR"), 0u);
  EXPECT_EQ(count(text, "SPV_KHR_expect_assume"), 0u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_check "), 2u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_begin_checks\n"), 1u);
  ASSERT_EQ(result.record.check_sites.size(), 2u);
  for (uint32_t i = 0; i < 2; ++i) {
    const CheckSite& site = result.record.check_sites[i];
    EXPECT_EQ(site.instruction, offset_of(words, op_assume, i));
    EXPECT_EQ(site.check, uint32_t{SQA_CHECK_ASSUME});
    EXPECT_EQ(site.invocation, InvocationKind::global_id);
    EXPECT_EQ(site.set, 0xffffffff);
    // The runtime is told the same place.
    EXPECT_EQ(count(text, "OpConstant %uint " + std::to_string(site.instruction) + "\n"), 1u);
  }
  EXPECT_EQ(count(text, "OpConstant %uint " + std::to_string(SQA_CHECK_ASSUME | 5 << 8) + "\n"), 1u);
  EXPECT_EQ(result.record.check_sites[0].text.find("OpAssumeTrueKHR %"), 0u);
}

TEST(Assume, IsLeftAloneWhenOff) {
  const Module words = hinted("OpAssumeTrueKHR %true");
  EXPECT_EQ(instrument(words, default_options()).status, InstrumentStatus::untouched);
  EXPECT_EQ(instrument(words, options_with([](auto& o) { o.expect = true; })).status,
            InstrumentStatus::untouched);
}

TEST(Assume, IsRemovedWhereTheDriverDoesNotTakeIt) {
  const Module words = hinted(R"(
%value = OpExpectKHR %uint %x %c5
%again = OpExpectKHR %uint %value %c5
%sum = OpIAdd %uint %again %c5
OpAssumeTrueKHR %true)");
  InstrumentResult result;
  const std::string text = checked(words, options_with([](auto& o) { o.keep_assume = false; }), result);
  EXPECT_EQ(count(text, "KHR"), 1u) << text;  // the import's SPV_KHR_non_semantic_info
  EXPECT_EQ(count(text, "sqa_"), 0u);
  EXPECT_TRUE(result.record.check_sites.empty());
  // The sum takes what was expected itself.
  const size_t sum = text.find("OpIAdd %uint ");
  const size_t extract = text.find(" = OpCompositeExtract %uint %");
  ASSERT_NE(sum, std::string::npos);
  const size_t line = text.rfind('\n', extract) + 1;
  std::string x = text.substr(line, extract - line);
  x.erase(0, x.find('%'));
  EXPECT_EQ(text.compare(sum, 13 + x.size(), "OpIAdd %uint " + x), 0) << text;
  // A declaration alone goes too.
  checked(hinted(""), options_with([](auto& o) { o.keep_assume = false; }), result);
}

TEST(Assume, OtherFunctionsAndEntryPointsLoseItToo) {
  const Module words = assemble(std::string(hints) + R"(
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpEntryPoint GLCompute %other "other"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %other LocalSize 1 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%void_function = OpTypeFunction %void
%main = OpFunction %void None %void_function
%a = OpLabel
%ca = OpFunctionCall %void %callee
OpReturn
OpFunctionEnd
%callee = OpFunction %void None %void_function
%b = OpLabel
OpAssumeTrueKHR %true
OpReturn
OpFunctionEnd
%other = OpFunction %void None %void_function
%c = OpLabel
OpAssumeTrueKHR %true
OpReturn
OpFunctionEnd)");
  InstrumentResult result;
  const auto options = options_with([](auto& o) { o.assume = true, o.keep_assume = false; });
  const std::string text = checked(words, options, result);
  EXPECT_EQ(count(text, "ExpectAssume"), 0u);
  // Only what this entry point runs is checked.
  ASSERT_EQ(result.record.check_sites.size(), 1u);
  EXPECT_EQ(result.record.check_sites[0].instruction, offset_of(words, op_assume, 0));
}

// The capability is for both.
TEST(Assume, ExpectationsThatStayKeepTheirCapability) {
  InstrumentResult result;
  const std::string text = checked(hinted("OpAssumeTrueKHR %true\n%value = OpExpectKHR %uint %x %c5"),
                                   options_with([](auto& o) { o.assume = true; }), result);
  EXPECT_EQ(count(text, "OpAssumeTrueKHR"), 0u);
  EXPECT_EQ(count(text, "OpExpectKHR"), 1u);
  EXPECT_EQ(count(text, "OpCapability ExpectAssumeKHR"), 1u);
  EXPECT_EQ(count(text, "SPV_KHR_expect_assume"), 1u);
}

TEST(Expect, IsComparedAndKept) {
  const Module words = hinted(R"(
%less = OpULessThan %bool %x %c5
%value = OpExpectKHR %uint %x %c5
%flag = OpExpectKHR %bool %less %true
%pair = OpCompositeConstruct %uint2 %x %x
%pair_value = OpExpectKHR %uint2 %pair %c55
%flags = OpCompositeConstruct %bool2 %less %less
%flags_value = OpExpectKHR %bool2 %flags %true2)");
  InstrumentResult result;
  const std::string text = checked(words, options_with([](auto& o) { o.expect = true; }), result);
  EXPECT_EQ(count(text, "OpExpectKHR"), 4u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_check "), 4u);
  EXPECT_EQ(count(text, "OpLogicalEqual"), 3u);
  // Only the shader itself, without the runtime.
  EXPECT_EQ(count(text.substr(0, text.find("OpFunctionEnd")), "OpIEqual %bool"), 3u);
  ASSERT_EQ(result.record.check_sites.size(), 4u);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(result.record.check_sites[i].check, uint32_t{SQA_CHECK_EXPECT});
    EXPECT_EQ(result.record.check_sites[i].instruction, offset_of(words, op_expect, i));
  }
  const auto without = options_with([](auto& o) { o.expect = true, o.keep_assume = false; });
  EXPECT_EQ(count(checked(words, without, result), "OpExpectKHR"), 0u);
  EXPECT_EQ(result.record.check_sites.size(), 4u);
}

// Where the hint is removed, its value becomes the index, and is checked as such.
TEST(Expect, OfAnIndexIntoABuffer) {
  const Module words = assemble(compute_shader(std::string(hint_types) + R"(
%data = OpTypeRuntimeArray %uint
%block = OpTypeStruct %data
%block_pointer = OpTypePointer StorageBuffer %block
%uint_pointer = OpTypePointer StorageBuffer %uint
%c0 = OpConstant %uint 0
%buffer = OpVariable %block_pointer StorageBuffer)",
                                               R"(
%value = OpExpectKHR %uint %x %c5
%element = OpAccessChain %uint_pointer %buffer %c0 %value
OpStore %element %c5)",
                                               hints, R"(OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data ArrayStride 4
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0)"),
                                SPV_ENV_UNIVERSAL_1_3);
  ASSERT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_3), "");
  for (const bool keep : {false, true}) {
    InstrumentOptions options = sync_options();
    options.keep_assume = keep;
    options.expect = true;
    const auto result = instrument(words, options);
    ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_3), "");
    EXPECT_EQ(result.record.check_sites.size(), 2u);
  }
}

TEST(Expect, OfOtherWidths) {
  const Module words = assemble(compute_shader(R"(
%ulong = OpTypeInt 64 0
%short = OpTypeInt 16 1
%int = OpTypeInt 32 1
%c_ulong = OpConstant %ulong 5
%c_short = OpConstant %short -5
%c_int = OpConstant %int -5)",
                                               R"(
%l = OpUConvert %ulong %x
%e1 = OpExpectKHR %ulong %l %c_ulong
%i = OpBitcast %int %x
%s = OpSConvert %short %i
%e2 = OpExpectKHR %short %s %c_short
%e3 = OpExpectKHR %int %i %c_int)",
                                               R"(OpCapability Shader
OpCapability Int16
OpCapability Int64
OpCapability ExpectAssumeKHR
OpExtension "SPV_KHR_expect_assume")"));
  InstrumentResult result;
  checked(words, options_with([](auto& o) { o.expect = true; }), result);
  EXPECT_EQ(result.record.check_sites.size(), 3u);
}

TEST(DebugBreak, IsReportedAndRemoved) {
  const Module words = assemble(fixture("debug_break"));
  InstrumentResult result;
  const std::string output = checked(words, options_with([](auto& o) { o.assume = true; }), result);
  EXPECT_EQ(count(output, "DebugBreak"), 0u);
  EXPECT_EQ(count(output, "non_semantic"), 0u);
  EXPECT_EQ(count(output, "OpFunctionCall %void %sqa_check "), 1u);
  ASSERT_EQ(result.record.check_sites.size(), 1u);
  const CheckSite& site = result.record.check_sites[0];
  EXPECT_EQ(site.check, uint32_t{SQA_CHECK_BREAKPOINT});
  EXPECT_EQ(site.instruction, offset_of(words, op_ext_inst));
  EXPECT_EQ(site.source.file, "break.comp");
  EXPECT_EQ(site.source.line, 12u);
  EXPECT_EQ(instrument(words, default_options()).status, InstrumentStatus::untouched);
  EXPECT_EQ(instrument(words, options_with([](auto& o) { o.keep_assume = false; })).status,
            InstrumentStatus::untouched);
}

TEST(DebugBreak, ADeclarationAloneGoesToo) {
  std::string text = fixture("debug_break");
  for (const std::string line : {"%here = OpExtInst %void %break 1\n", "OpName %here \"here\"\n"})
    text.erase(text.find(line), line.size());
  InstrumentResult result;
  const std::string output =
      checked(assemble(text), options_with([](auto& o) { o.assume = true, o.keep_assume = false; }), result);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(count(output, "DebugBreak"), 0u);
  EXPECT_EQ(count(output, "non_semantic"), 0u);
}

// The extension is also for other sets of instructions.
TEST(DebugBreak, OtherNonSemanticSetsKeepTheirExtension) {
  std::string text = fixture("debug_break");
  const std::string import = "%break = OpExtInstImport";
  text.insert(text.find(import), "%info = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n");
  InstrumentResult result;
  const std::string output = checked(assemble(text), options_with([](auto& o) { o.assume = true; }), result);
  EXPECT_EQ(count(output, "DebugBreak"), 0u);
  EXPECT_EQ(count(output, "non_semantic"), 1u);
}

TEST(Assume, OffsetsAreTheApplicationsWhereWordsAreSetAside) {
  // A decoration that no library knows yet stands before the types.
  Module words = hinted("OpAssumeTrueKHR %true");
  const uint32_t types = offset_of(words, 19);
  const uint32_t unknown[] = {3u << 16 | 71, 1, 0x7ffffff0};
  words.insert(words.begin() + types, std::begin(unknown), std::end(unknown));
  const auto result = instrument(words, options_with([](auto& o) { o.assume = true; }));
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  ASSERT_EQ(result.record.check_sites.size(), 1u);
  EXPECT_EQ(result.record.check_sites[0].instruction, offset_of(words, op_assume));
}

TEST(Values, PrintfGoesWithThem) {
  const Module words = hinted(R"(
%print = OpExtInst %void %printf 1 %format %x
OpAssumeTrueKHR %true)");
  InstrumentResult result;
  const auto options = options_with([](auto& o) { o.assume = o.record_invocation = true; });
  const std::string text = checked(words, options, result);
  EXPECT_EQ(result.record.printf_sites.size(), 1u);
  EXPECT_EQ(result.record.check_sites.size(), 1u);
  EXPECT_EQ(result.record.check_sites[0].instruction, offset_of(words, op_assume));
  EXPECT_EQ(count(text, "BuiltIn GlobalInvocationId"), 1u);
}

}  // namespace
}  // namespace shaderqa::test
