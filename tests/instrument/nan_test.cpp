// SPDX-License-Identifier: Apache-2.0
// Which values are checked for NaN and infinity.
#include <gtest/gtest.h>

#include "instrument/runtime/abi_report.h"
#include "support.h"

namespace shaderqa::test {
namespace {

constexpr const char* floats = R"(
%float = OpTypeFloat 32
%float2 = OpTypeVector %float 2
%c1 = OpConstant %float 1
%uint0 = OpConstant %uint 0
%data = OpTypeStruct %float %uint %float2
%data_pointer = OpTypePointer StorageBuffer %data
%buffer = OpVariable %data_pointer StorageBuffer
%float_pointer = OpTypePointer StorageBuffer %float
%uint_pointer = OpTypePointer StorageBuffer %uint
%float2_pointer = OpTypePointer StorageBuffer %float2
%private_pointer = OpTypePointer Private %float
%private = OpVariable %private_pointer Private
%uint1 = OpConstant %uint 1
%uint2_ = OpConstant %uint 2)";
constexpr const char* decorations = R"(%format = OpString "format"
OpName %buffer "result"
OpDecorate %data Block
OpMemberDecorate %data 0 Offset 0
OpMemberDecorate %data 1 Offset 4
OpMemberDecorate %data 2 Offset 8
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0)";

Module with_floats(const std::string& body) {
  return assemble(compute_shader(floats, body, "OpCapability Shader", decorations), SPV_ENV_UNIVERSAL_1_3);
}

InstrumentResult run(const Module& words, NanCheck mode, std::string& text) {
  InstrumentOptions options = default_options();
  options.nan = mode;
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_3), "");
  InstrumentResult result = instrument(words, options);
  EXPECT_EQ(validation_error(result.words.empty() ? words : result.words, SPV_ENV_UNIVERSAL_1_3), "");
  EXPECT_EQ(instrument(words, options).words, result.words);
  text = disassemble(result.words);
  return result;
}

std::vector<std::string> texts(const InstrumentResult& result) {
  std::vector<std::string> all;
  for (const CheckSite& site : result.record.check_sites) {
    EXPECT_EQ(site.check, uint32_t{SQA_CHECK_NAN});
    all.push_back(site.text.substr(0, site.text.find(' ')));
  }
  return all;
}

using Texts = std::vector<std::string>;

// The memory of a store has the name that the source gives it, not the number of a pointer.
TEST(Nan, StoresNameTheirMemory) {
  std::string text;
  const InstrumentResult result = run(with_floats(R"(
%to = OpAccessChain %float_pointer %buffer %uint0
OpStore %to %c1
%halves = OpAccessChain %float_pointer %buffer %uint2_ %uint1
%sum = OpFAdd %float %c1 %c1
OpStore %halves %sum
)"),
                                      NanCheck::writes, text);
  Texts named;
  for (const CheckSite& site : result.record.check_sites) named.push_back(site.text);
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(named.back(), "OpStore %result.2.y");
}

constexpr const char* stores = R"(
%p0 = OpAccessChain %float_pointer %buffer %uint0
%p1 = OpAccessChain %uint_pointer %buffer %uint1
%p2 = OpAccessChain %float2_pointer %buffer %uint2_
%f = OpConvertUToF %float %x
%v = OpCompositeConstruct %float2 %f %f
%bits = OpBitcast %uint %f
OpStore %p0 %f
OpStore %p0 %c1
OpStore %private %f
OpStore %p1 %bits
OpStore %p1 %x
OpStore %p2 %v)";

TEST(NanWrites, ChecksWhatLeavesTheShader) {
  const Module words = with_floats(stores);
  std::string text;
  const auto result = run(words, NanCheck::writes, text);
  // Not constants, private memory or integers; the words of a float count as one.
  EXPECT_EQ(texts(result), (Texts{"OpStore", "OpStore", "OpStore"}));
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_check "), 3u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_begin_checks\n"), 1u);
  for (const CheckSite& site : result.record.check_sites) EXPECT_EQ(words[site.instruction] & 0xffff, 62u);
}

// Atomics that write a value, as integers with the bits of a float too.
TEST(NanWrites, ChecksWhatAtomicsWrite) {
  const std::string places =
      "%p1 = OpAccessChain %uint_pointer %buffer %uint1\n%f = OpConvertUToF %float %x\n%bits = OpBitcast "
      "%uint %f\n";
  const auto checked = [&](const std::string& atomic) {
    std::string text;
    return texts(run(with_floats(places + atomic), NanCheck::writes, text));
  };
  EXPECT_EQ(checked("OpAtomicStore %p1 %uint1 %uint0 %bits"), (Texts{"OpAtomicStore"}));
  EXPECT_EQ(checked("%o = OpAtomicExchange %uint %p1 %uint1 %uint0 %bits"), (Texts{"OpAtomicExchange"}));
  EXPECT_EQ(checked("OpAtomicStore %p1 %uint1 %uint0 %x"), (Texts{}));
  EXPECT_EQ(checked("%o = OpAtomicExchange %uint %p1 %uint1 %uint0 %x"), (Texts{}));
  EXPECT_EQ(checked("%o = OpAtomicIAdd %uint %p1 %uint1 %uint0 %bits"), (Texts{})) << "a sum of bits";
}

TEST(NanWrites, NothingToCheckIsUntouched) {
  std::string text;
  const Module words = with_floats("OpStore %private %c1");
  EXPECT_EQ(run(words, NanCheck::writes, text).status, InstrumentStatus::untouched);
  EXPECT_EQ(run(words, NanCheck::full, text).status, InstrumentStatus::untouched);
  EXPECT_EQ(run(words, NanCheck::flush, text).status, InstrumentStatus::untouched);
  EXPECT_EQ(run(words, NanCheck::none, text).status, InstrumentStatus::untouched);
}

TEST(NanWrites, LooksIntoAggregatesUpToASize) {
  const char* types = R"(
%float = OpTypeFloat 32
%float3 = OpTypeVector %float 3
%uint2c = OpConstant %uint 2
%count = OpConstant %uint SIZE
%array = OpTypeArray %float3 %count
%inner = OpTypeStruct %array %uint
%data = OpTypeStruct %inner
%inner_pointer = OpTypePointer StorageBuffer %inner
%data_pointer = OpTypePointer StorageBuffer %data
%buffer = OpVariable %data_pointer StorageBuffer
%uint0 = OpConstant %uint 0)";
  const char* layout = R"(%format = OpString "format"
OpDecorate %data Block
OpMemberDecorate %data 0 Offset 0
OpDecorate %array ArrayStride 16
OpMemberDecorate %inner 0 Offset 0
OpMemberDecorate %inner 1 Offset 4096
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0)";
  for (const auto& [size, checked] : {std::pair("3", true), std::pair("30", true), std::pair("60", false)}) {
    std::string globals = types;
    globals.replace(globals.find("SIZE"), 4, size);
    const Module words = assemble(compute_shader(globals, R"(
%p = OpAccessChain %inner_pointer %buffer %uint0
%value = OpLoad %inner %p
OpStore %p %value)",
                                                 "OpCapability Shader", layout),
                                  SPV_ENV_UNIVERSAL_1_3);
    std::string text;
    const auto result = run(words, NanCheck::writes, text);
    EXPECT_EQ(result.record.check_sites.size(), checked ? 1u : 0u) << size;
    EXPECT_EQ(result.record.notes.size(), checked ? 0u : 1u) << size;
    if (checked) {
      EXPECT_EQ(count(text, "OpBitcast %uint "), 3u * static_cast<uint32_t>(std::stoi(size)));
    }
  }
}

TEST(NanFull, ChecksResultsOnceWhereTheyAreComputed) {
  const Module words = with_floats(std::string(stores) + R"(
%loaded = OpLoad %float2 %p2
%y = OpCompositeExtract %float %loaded 1
%quotient = OpFDiv %float %f %y
%moved = OpVectorShuffle %float2 %loaded %v 0 2)");
  std::string text;
  const auto result = run(words, NanCheck::full, text);
  EXPECT_EQ(texts(result), (Texts{"OpConvertUToF", "OpLoad", "OpFDiv"}));
}

TEST(NanFull, TellsTheComponentOfAVector) {
  const Module words = with_floats(
      "%p2 = OpAccessChain %float2_pointer %buffer %uint2_\n"
      "%loaded = OpLoad %float2 %p2");
  std::string text;
  const auto result = run(words, NanCheck::full, text);
  ASSERT_EQ(result.record.check_sites.size(), 1u);
  // Bits and number of either component, of which one is chosen.
  EXPECT_EQ(count(text, "OpSelect %v2uint "), 1u);
  // Once for the check, once for what the finding says of the memory that it is from.
  EXPECT_EQ(count(text, "OpBitcast %uint "), 4u);
  ASSERT_EQ(result.record.check_sites[0].origins.size(), 2u);
  EXPECT_EQ(result.record.check_sites[0].origins[1], (ValueOrigin{"", "", 0, {{"result.2.y", false}}, true}));
}

// Operands have to dominate the check, and stores may be overwritten by what a pointer leads to.
TEST(NanWrites, FollowsAValueToWhatMadeIt) {
  const auto origin_of = [](const std::string& body) {
    const Module words =
        with_floats("%p0 = OpAccessChain %float_pointer %buffer %uint0\n%f = OpConvertUToF %float %x\n" +
                    body + "OpStore %p0 %stored");
    std::string text;
    const auto result = run(words, NanCheck::writes, text);
    EXPECT_EQ(result.record.check_sites.size(), 1u);
    const auto& origins = result.record.check_sites.at(0).origins;
    std::string found = origins.empty() ? "nothing" : origins[0].operation;
    if (!origins.empty())
      for (const OriginOperand& operand : origins[0].operands)
        found += (operand.whole ? " whole " : " ") + operand.name;
    return found;
  };
  EXPECT_EQ(origin_of("%stored = OpFDiv %float %f %c1\n"), "division a value from memory a constant");
  EXPECT_EQ(origin_of("%q = OpFDiv %float %f %f\n%v = OpCompositeConstruct %float2 %c1 %q\n"
                      "%w = OpVectorShuffle %float2 %v %v 1 0\n%stored = OpCompositeExtract %float %w 0\n"),
            "division a value from memory a value from memory");
  // Its bits are an integer's: there is no operand to show.
  EXPECT_EQ(origin_of("%stored = OpBitcast %float %x\n"), "OpBitcast");
}

// Components are counted from 1 over all members; the only number of a value is none of several.
TEST(NanWrites, TellTheNumberAmongAllOfAStructure) {
  const auto numbers_of = [](const std::string& members) {
    const std::string globals =
        "%float = OpTypeFloat 32\n%zero = OpConstant %uint 0\n%inner = OpTypeStruct " + members +
        "\n%data = OpTypeStruct %inner\n"
        "%inner_pointer = OpTypePointer StorageBuffer %inner\n"
        "%data_pointer = OpTypePointer StorageBuffer %data\n"
        "%buffer = OpVariable %data_pointer StorageBuffer";
    std::string layout =
        "%format = OpString \"format\"\nOpDecorate %data Block\nOpMemberDecorate %data 0 Offset 0\n"
        "OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0\n"
        "OpMemberDecorate %inner 0 Offset 0\n";
    if (members.find(' ') != std::string::npos) layout += "OpMemberDecorate %inner 1 Offset 4\n";
    const Module words =
        assemble(compute_shader(globals,
                                "%p = OpAccessChain %inner_pointer %buffer %zero\n%value = OpLoad %inner %p\n"
                                "OpStore %p %value",
                                "OpCapability Shader", layout),
                 SPV_ENV_UNIVERSAL_1_3);
    std::string text;
    run(words, NanCheck::writes, text);
    std::vector<uint32_t> numbers;
    for (uint32_t number = 0; number < 4; ++number) {
      const std::string end = " %uint_" + std::to_string(number) + "\n";
      for (size_t at = text.find("OpCompositeConstruct %v2uint "); at != std::string::npos;
           at = text.find("OpCompositeConstruct %v2uint ", at + 1)) {
        if (text.compare(text.find('\n', at) + 1 - end.size(), end.size(), end) == 0)
          numbers.push_back(number);
      }
    }
    return numbers;
  };
  EXPECT_EQ(numbers_of("%float %float"), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(numbers_of("%float %uint"), (std::vector<uint32_t>{0}));
}

// So deep is no shader's structure; what lies deeper is left alone.
TEST(NanWrites, LooksIntoStructuresUpToADepth) {
  const auto sites_at = [](uint32_t depth) {
    std::string globals = "%float = OpTypeFloat 32\n%zero = OpConstant %uint 0\n%s0 = OpTypeStruct %float\n";
    std::string layout = "%format = OpString \"format\"\nOpMemberDecorate %s0 0 Offset 0\n";
    for (uint32_t i = 1; i < depth; ++i) {
      const std::string name = "%s" + std::to_string(i);
      globals += name + " = OpTypeStruct %s" + std::to_string(i - 1) + "\n";
      layout += "OpMemberDecorate " + name + " 0 Offset 0\n";
    }
    const std::string whole = "%s" + std::to_string(depth - 1);
    globals += "%data = OpTypeStruct " + whole + "\n%to_whole = OpTypePointer StorageBuffer " + whole +
               "\n%data_pointer = OpTypePointer StorageBuffer %data\n"
               "%buffer = OpVariable %data_pointer StorageBuffer";
    layout +=
        "OpDecorate %data Block\nOpMemberDecorate %data 0 Offset 0\n"
        "OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0";
    const std::string body =
        "%p = OpAccessChain %to_whole %buffer %zero\n%value = OpLoad " + whole + " %p\nOpStore %p %value";
    std::string text;
    return run(assemble(compute_shader(globals, body, "OpCapability Shader", layout), SPV_ENV_UNIVERSAL_1_3),
               NanCheck::writes, text)
        .record.check_sites.size();
  };
  EXPECT_EQ(sites_at(1), 1u);
  EXPECT_EQ(sites_at(9), 1u);
  EXPECT_EQ(sites_at(10), 0u);
}

TEST(NanFlush, GivesEveryUserTheFlushedValue) {
  const Module words = with_floats(R"(
%p0 = OpAccessChain %float_pointer %buffer %uint0
%quotient = OpFDiv %float %c1 %c1
%sum = OpFAdd %float %quotient %quotient
OpStore %p0 %sum)");
  std::string text;
  const auto result = run(words, NanCheck::flush, text);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_TRUE(result.record.check_sites.empty());
  EXPECT_EQ(count(text, "sqa_"), 0u);
  EXPECT_EQ(count(text, "OpSelect %float "), 2u);
  // Only the test and the selection use each original result.
  const auto id_before = [&](const std::string& instruction) {
    const size_t at = text.find(" = " + instruction);
    const size_t begin = text.rfind('\n', at) + 1;
    std::string id = text.substr(begin, at - begin);
    return id.substr(id.find('%'));
  };
  for (const char* instruction : {"OpFDiv", "OpFAdd"}) {
    const std::string id = id_before(instruction);
    EXPECT_EQ(count(text, " " + id + "\n") + count(text, " " + id + " "), 2u) << text;
  }
}

// Its result is no value: no semantic instruction may use it.
TEST(NanModes, ResultsOfNonSemanticInstructionsAreNotChecked) {
  const Module words =
      with_floats("%f = OpConvertUToF %float %x\n%o = OpExtInst %float %printf 1 %format %f");
  for (const NanCheck mode : {NanCheck::full, NanCheck::flush}) {
    std::string text;
    const auto result = run(words, mode, text);
    EXPECT_EQ(result.status, InstrumentStatus::instrumented);
    EXPECT_EQ(texts(result), mode == NanCheck::full ? Texts{"OpConvertUToF"} : Texts());
  }
}

// Every stage, width and form of the shaders of the collection, with every mode.
TEST(NanModes, CollectionIsCheckedAsTheModeSays) {
  for (const char* target : {"vulkan1.0", "vulkan1.1", "spirv1.4", "vulkan1.2", "vulkan1.3"}) {
    for (const char* shader : {"silent_floats.comp.", "silent_floats.frag."}) {
      const Module words = load_shader(std::string(shader) + target);
      InstrumentOptions options = default_options();
      options.nan = NanCheck::writes;
      const auto writes = instrument(words, options);
      options.nan = NanCheck::full;
      const auto full = instrument(words, options);
      ASSERT_EQ(writes.status, InstrumentStatus::instrumented) << writes.message;
      ASSERT_EQ(full.status, InstrumentStatus::instrumented) << full.message;
      const bool compute = std::string(shader) == "silent_floats.comp.";
      size_t image_writes = 0;
      for (const std::string& text : texts(writes)) image_writes += text == "OpImageWrite";
      EXPECT_EQ(image_writes, compute ? 1u : 0u);  // the other one writes a constant
      if (!compute) {
        EXPECT_EQ(texts(writes).size(), 3u);  // color, weight, depth
      }
      EXPECT_GT(full.record.check_sites.size(), writes.record.check_sites.size());
      for (const CheckSite& site : full.record.check_sites)
        EXPECT_EQ(site.invocation, compute ? InvocationKind::global_id : InvocationKind::fragment);
    }
  }
}

// Results may have the numbers of components of vectors that the sync check takes apart.
TEST(NanFlush, ReplacesNoLiterals) {
  const Module words = with_floats(R"(
%p0 = OpAccessChain %float_pointer %buffer %uint0
%1 = OpConvertUToF %float %x
%2 = OpFAdd %float %1 %c1
OpStore %p0 %2)");
  InstrumentOptions options = sync_options();
  options.sync.engine = SyncEngine::exact;
  options.nan = NanCheck::flush;
  ASSERT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_3), "");
  const auto result = instrument(words, options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_3), "");
}

}  // namespace
}  // namespace shaderqa::test
