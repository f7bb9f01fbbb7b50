// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

constexpr Scalar i8{ScalarKind::signed_int, 8}, i16{ScalarKind::signed_int, 16},
    i32{ScalarKind::signed_int, 32}, i64{ScalarKind::signed_int, 64}, u8{ScalarKind::unsigned_int, 8},
    u16{ScalarKind::unsigned_int, 16}, u32{ScalarKind::unsigned_int, 32}, u64{ScalarKind::unsigned_int, 64},
    f16{ScalarKind::floating, 16}, f32{ScalarKind::floating, 32}, f64{ScalarKind::floating, 64},
    b1{ScalarKind::boolean, 1}, pointer{ScalarKind::pointer, 64};
using Shape = ArgumentShape;

PrintfArgument scalar(Scalar kind) { return {Shape::scalar, {kind}, ""}; }
PrintfArgument vec(Scalar kind, size_t size) { return {Shape::vector, std::vector<Scalar>(size, kind), ""}; }

TEST(Arguments, OfEveryTypeAreDescribed) {
  const auto result = instrument(load_shader("arguments.comp.vulkan1.2"), default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  std::vector<Scalar> structure{f32, f32, f32, f32, f32};
  structure.insert(structure.end(), 6, f32);
  for (int i = 0; i < 2; ++i) structure.insert(structure.end(), {b1, b1, f16, f16, f16});
  const std::vector<std::vector<PrintfArgument>> expected{{},
                                                          {scalar(b1)},
                                                          {vec(b1, 3)},
                                                          {scalar(i8), scalar(i16), scalar(i32), scalar(i64)},
                                                          {scalar(u8), scalar(u16), scalar(u32), scalar(u64)},
                                                          {vec(i8, 2), vec(i16, 3), vec(i32, 4), vec(i64, 2)},
                                                          {vec(u8, 2), vec(u16, 3), vec(u32, 4), vec(u64, 2)},
                                                          {scalar(f16), scalar(f32), scalar(f64)},
                                                          {vec(f16, 2), vec(f32, 3), vec(f64, 4)},
                                                          {scalar(pointer)},
                                                          {{Shape::matrix, std::vector<Scalar>(9, f32), ""}},
                                                          {{Shape::structure, structure, ""}},
                                                          {scalar(u32), {Shape::string, {}, "text"}}};
  ASSERT_EQ(result.record.printf_sites.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(result.record.printf_sites[i].arguments, expected[i]) << result.record.printf_sites[i].format;
    EXPECT_EQ(result.record.printf_sites[i].ordinal, i);
  }
  EXPECT_EQ(result.record.printf_sites[3].payload_dwords(), 5u);
}

// The instructions that make dwords of `argument`, between the load of the input and the call.
std::string instructions_for(const std::string& capabilities, const std::string& globals,
                             const std::string& argument) {
  const Module words =
      assemble(compute_shader(globals, argument + "%e = OpExtInst %void %printf 1 %format %a", capabilities));
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_5), "");
  const auto result = instrument(words, default_options());
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  const std::string text = disassemble(result.words);
  const size_t main = text.find("= OpCompositeExtract %uint");
  return text.substr(main, text.find("OpFunctionEnd", main) - main);
}

TEST(Arguments, SmallIntegersAreZeroExtended) {
  const std::string code = instructions_for("OpCapability Shader\nOpCapability Int8",
                                            "%char = OpTypeInt 8 1\n%uchar = OpTypeInt 8 0",
                                            "%u = OpUConvert %uchar %x\n%a = OpBitcast %char %u\n");
  EXPECT_EQ(count(code, "OpUConvert %uint"), 1u);
  EXPECT_EQ(count(code, "OpSConvert"), 0u);
}

TEST(Arguments, HalvesAreWidened) {
  const std::string code = instructions_for("OpCapability Shader\nOpCapability Float16",
                                            "%half = OpTypeFloat 16", "%a = OpConvertUToF %half %x\n");
  EXPECT_EQ(count(code, "OpFConvert %float"), 1u);
}

TEST(Arguments, SixtyFourBitsAreTwoDwordsLowFirst) {
  const std::string code = instructions_for("OpCapability Shader\nOpCapability Int64",
                                            "%ulong = OpTypeInt 64 0", "%a = OpUConvert %ulong %x\n");
  EXPECT_EQ(count(code, "OpBitcast %v2uint"), 1u);
  const std::string split = code.substr(code.find("OpBitcast %v2uint"));
  EXPECT_LT(split.find(" 0\n"), split.find(" 1\n"));
  EXPECT_EQ(count(split, "OpCompositeExtract %uint"), 2u);
  EXPECT_EQ(count(code, "%sqa_printf_2 "), 1u);
}

TEST(Arguments, BoolsAreOneOrZero) {
  const std::string code =
      instructions_for("OpCapability Shader", "%bool = OpTypeBool\n%zero = OpConstant %uint 0",
                       "%a = OpIEqual %bool %x %zero\n");
  EXPECT_EQ(count(code, "OpSelect %uint"), 1u);
  EXPECT_EQ(count(code, "%uint_1 %uint_0"), 1u);
}

TEST(Arguments, LongMessagesAreWrittenInParts) {
  const auto result = instrument(load_shader("long.comp.vulkan1.2"), default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  ASSERT_EQ(result.record.printf_sites.size(), 3u);
  EXPECT_EQ(result.record.printf_sites[0].payload_dwords(), 16u);
  EXPECT_EQ(result.record.printf_sites[1].payload_dwords(), 17u);
  EXPECT_EQ(result.record.printf_sites[2].payload_dwords(), 48u);
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_printf_16 "), 1u);
  EXPECT_EQ(count(text, "OpFunctionCall %v3uint %sqa_printf_begin "), 2u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_printf_put "), 2u + 3u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_printf_end "), 2u);
}

struct LeftAlone {
  const char* what;
  const char* globals;
  const char* body;
  const char* note;
};

class LeftAloneSites : public testing::TestWithParam<LeftAlone> {};

TEST_P(LeftAloneSites, AreUntouchedAndNoted) {
  const LeftAlone& test = GetParam();
  const std::string good = "\n%good = OpExtInst %void %printf 1 %format %x";
  const Module words = assemble(compute_shader(test.globals, std::string(test.body) + good));
  const auto result = instrument(words, default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  ASSERT_EQ(result.record.printf_sites.size(), 1u);
  ASSERT_EQ(result.record.notes.size(), test.note[0] ? 1u : 0u);
  if (test.note[0]) {
    EXPECT_NE(result.record.notes[0].text.find(test.note), std::string::npos) << result.record.notes[0].text;
  }
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpExtInst %void"), 1u);
  EXPECT_EQ(count(text, "OpExtInstImport \"NonSemantic.DebugPrintf\""), 1u);
  if (validation_error(words, SPV_ENV_UNIVERSAL_1_5).empty()) {
    EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  }

  const auto alone = instrument(assemble(compute_shader(test.globals, test.body)), default_options());
  EXPECT_EQ(alone.status, InstrumentStatus::untouched) << alone.message;
}

INSTANTIATE_TEST_SUITE_P(
    Arguments, LeftAloneSites,
    testing::Values(
        LeftAlone{"format_is_no_string", "%c = OpConstant %uint 1", "%e = OpExtInst %void %printf 1 %c %x",
                  "OpString"},
        LeftAlone{"no_operands", "", "%e = OpExtInst %void %printf 1", "no format"},
        LeftAlone{"other_instruction", "", "%e = OpExtInst %void %printf 2 %format", ""},
        LeftAlone{"undefined_argument", "", "%e = OpExtInst %void %printf 1 %format %nothing", "not defined"},
        LeftAlone{"non_semantic_argument", "",
                  "%other = OpExtInst %uint %printf 2\n%e = OpExtInst %void %printf 1 %format %other",
                  "an instruction that does nothing"},
        LeftAlone{"type_as_argument", "", "%e = OpExtInst %void %printf 1 %format %uint", "no value"},
        LeftAlone{"pointer_without_address", "", "%e = OpExtInst %void %printf 1 %format %id", "pointer"},
        LeftAlone{"opaque",
                  "%sampler = OpTypeSampler\n%p = OpTypePointer UniformConstant %sampler\n%v = OpVariable %p "
                  "UniformConstant",
                  "%s = OpLoad %sampler %v\n%e = OpExtInst %void %printf 1 %format %s", "opaque"},
        LeftAlone{"specialised_array",
                  "%n = OpSpecConstant %uint 3\n%array = OpTypeArray %uint %n\n%u = OpUndef %array",
                  "%e = OpExtInst %void %printf 1 %format %u", "constant"},
        LeftAlone{"too_large",
                  "%n = OpConstant %uint 65534\n%array = OpTypeArray %uint %n\n%u = OpUndef %array",
                  "%e = OpExtInst %void %printf 1 %format %u", "more than one message"},
        LeftAlone{"endless",
                  "%n = OpConstant %uint 4000000000\n%empty = OpTypeStruct\n%array = OpTypeArray %empty "
                  "%n\n%u = OpUndef %array",
                  "%e = OpExtInst %void %printf 1 %format %u", "too large"}),
    [](const auto& test) { return std::string(test.param.what); });

TEST(Arguments, TheLargestMessageFits) {
  const std::string globals =
      "%n = OpConstant %uint 65533\n%array = OpTypeArray %uint %n\n%u = OpUndef %array";
  const auto result = instrument(
      assemble(compute_shader(globals, "%e = OpExtInst %void %printf 1 %format %u")), default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(result.record.printf_sites[0].payload_dwords(), 65533u);
  InstrumentOptions options = default_options();
  options.record_invocation = true;
  const auto with_invocation =
      instrument(assemble(compute_shader(globals, "%e = OpExtInst %void %printf 1 %format %u")), options);
  EXPECT_EQ(with_invocation.status, InstrumentStatus::untouched);
  EXPECT_EQ(with_invocation.record.notes.size(), 1u);
}

TEST(Arguments, AnEmptyFormatIsASite) {
  const auto result = instrument(assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format",
                                                         "OpCapability Shader", "%format = OpString \"\"")),
                                 default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(result.record.printf_sites[0].format, "");
}

}  // namespace
}  // namespace shaderqa::test
