// SPDX-License-Identifier: Apache-2.0
// Where invocations end, which loops may not end, and in which form checks of values stand.
#include "instrument/passes/invocation_ends.h"

#include <gtest/gtest.h>

#include "instrument/ir/module_loader.h"
#include "instrument/passes/call_limits.h"
#include "instrument/passes/check_copies.h"
#include "source/opt/instruction.h"
#include "support.h"

namespace shaderqa::test {
namespace {

// `condition` is that of a loop's header, %x a uint and %f a float.
std::string loop(const std::string& condition, const std::string& body, const std::string& control = "None") {
  return R"(
OpBranch %header
%header = OpLabel
OpLoopMerge %merge %continue )" +
         control + R"(
OpBranch %test
%test = OpLabel
)" + condition +
         R"(
%body = OpLabel
)" + body +
         R"(
OpBranch %continue
%continue = OpLabel
OpBranch %header
%merge = OpLabel)";
}
const std::string kIntegers = "%goes = OpULessThan %bool %x %c7\nOpBranchConditional %goes %body %merge";
const std::string kFloats = "%goes = OpFOrdLessThan %bool %f %f\nOpBranchConditional %goes %body %merge";
const std::string kAlways = "OpBranch %body";
const std::string kCall = "%called = OpFunctionCall %void %other";

std::string shader(const std::string& body, const std::string& other = "OpReturn") {
  return compute_shader(R"(
%bool = OpTypeBool
%float = OpTypeFloat 32
%true = OpConstantTrue %bool
%c7 = OpConstant %uint 7
%procedure = OpTypeFunction %void)",
                        "%f = OpBitcast %float %x\n" + body) +
         "\n%other = OpFunction %void None %procedure\n%at = OpLabel\n" + other + "\nOpFunctionEnd\n";
}

struct Loaded {
  explicit Loaded(const std::string& text) : words(assemble(text)), module(load_module(words)) {}
  uint32_t entry() const { return module.view.entry_points()[0].function; }
  Module words;
  LoadedModule module;
};

size_t iterations(const std::string& text) {
  Loaded loaded(text);
  return ends_of_iterations(*loaded.module.context, loaded.module.view).size();
}

TEST(EndsOfIterations, AreThoseOfLoopsThatMayNotEnd) {
  EXPECT_EQ(iterations(shader(loop(kIntegers, kCall))), 0u);
  EXPECT_EQ(iterations(shader(loop(kFloats, kCall))), 1u);
  EXPECT_EQ(iterations(shader(loop(kFloats, ""))), 0u) << "nothing is called";
  EXPECT_EQ(iterations(shader(loop(kFloats, kCall, "Unroll"))), 0u);
  // It is left from within.
  EXPECT_EQ(iterations(shader(loop(kAlways, kCall + R"(
%leaves = OpFOrdLessThan %bool %f %f
OpSelectionMerge %goes_on None
OpBranchConditional %leaves %merge %goes_on
%goes_on = OpLabel)"))),
            1u);
}

TEST(EndsOfIterations, AreBeforeTheBranchBack) {
  Loaded loaded(shader(loop(kFloats, kCall)));
  const auto ends = ends_of_iterations(*loaded.module.context, loaded.module.view);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0]->opcode(), spv::Op::OpBranch);
  EXPECT_EQ(ends[0]->PreviousNode(), nullptr) << "of the continue block, which has nothing else";
}

TEST(InvocationEnds, AreReturnsOfTheEntryPointAlone) {
  Loaded loaded(shader(kCall));
  const auto ends = invocation_ends(*loaded.module.context, loaded.entry());
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0]->opcode(), spv::Op::OpReturn);
}

// One check stands in one line for each of these.
std::string checks(uint32_t count) {
  std::string text;
  for (uint32_t n = 0; n < count; ++n) text += "OpAssumeTrueKHR %true\n";
  return text;
}
constexpr const char* kHints = R"(OpCapability Shader
OpCapability ExpectAssumeKHR
OpExtension "SPV_KHR_expect_assume")";

// With one store to a buffer.
std::string checked(const std::string& body, InstrumentOptions options = default_options()) {
  const std::string text = compute_shader(R"(%bool = OpTypeBool
%true = OpConstantTrue %bool
%zero = OpConstant %uint 0
%block = OpTypeStruct %uint
%block_pointer = OpTypePointer StorageBuffer %block
%uint_pointer = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %block_pointer StorageBuffer)",
                                          body + R"(
%pointer = OpAccessChain %uint_pointer %buffer %zero
OpStore %pointer %x)",
                                          kHints, R"(
%text = OpString "text"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0)");
  options.assume = true;
  const InstrumentResult result = instrument(assemble(text, SPV_ENV_VULKAN_1_1), options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_1), "");
  return disassemble(result.words);
}

TEST(ChecksOfValues, FewAreInlinedSomeCallTheReportAndManyNoteWhatFails) {
  for (const uint32_t count : {1u, 2u, 3u, 16u, 17u, 40u}) {
    const std::string text = checked(checks(count));
    const bool notes = count > most_called_reports;
    EXPECT_EQ(test::count(text, "OpFunctionCall %void %sqa_check "), count);
    EXPECT_EQ(test::count(text, "OpFunctionCall %void %sqa_report_failures "), notes ? 1u : 0u) << count;
    EXPECT_EQ(test::count(text, "OpFunctionCall %void %sqa_begin_failures\n"), notes ? 2u : 0u) << count;
    EXPECT_EQ(test::count(text, "%sqa_note_failure = OpFunction %void None "), notes ? 1u : 0u) << count;
    EXPECT_EQ(test::count(text, "%sqa_report = OpFunction "), notes ? 0u : 1u) << count;
    EXPECT_EQ(test::count(text, "DontInline"), !notes && count > copies_in_line ? 1u : 0u) << count;
  }
}

// A driver takes long to compile a shader in which some checks are called and others are inlined.
TEST(ChecksOfValues, CallNothingBesideInlinedChecksOfAccesses) {
  for (const uint32_t count : {2u, 3u, 40u}) {
    InstrumentOptions options = sync_options();
    const std::string inlined = checked(checks(count), options);
    EXPECT_EQ(test::count(inlined, "DontInline"), 0u) << count;
    EXPECT_EQ(test::count(inlined, "OpFunctionCall %void %sqa_report_failures "), count > 2 ? 1u : 0u)
        << count;
    options.sync.calls = SyncCalls::always;
    const std::string called = checked(checks(count), options);
    EXPECT_EQ(test::count(called, "OpFunctionCall %void %sqa_report_failures "), 0u) << count;
    EXPECT_EQ(test::count(called, "%sqa_report = OpFunction %void DontInline "), count > 2 ? 1u : 0u)
        << count;
  }
}

std::string printing(uint32_t sites) {
  std::string text;
  for (uint32_t n = 0; n < sites; ++n)
    text += "%message" + std::to_string(n) + " = OpExtInst %void %printf 1 %text\n";
  return text;
}

TEST(ChecksOfValues, CallTheirReportBesidePrintingSitesThatAreCalled) {
  for (const uint32_t sites : {2u, 3u}) {
    const std::string text = checked(printing(sites) + checks(40));
    EXPECT_EQ(test::count(text, "%sqa_report = OpFunction %void DontInline "), sites > 2 ? 1u : 0u) << sites;
    EXPECT_EQ(test::count(text, "OpFunctionCall %void %sqa_report_failures "), sites > 2 ? 0u : 1u) << sites;
  }
}

// Drivers would compile the code of a message once for each iteration.
TEST(PrintingSites, LoopsWithManyCopiesAreNotUnrolled) {
  for (const uint32_t sites : {1u, 2u}) {
    const std::string text = compute_shader("%bool = OpTypeBool\n%c7 = OpConstant %uint 7",
                                            loop(kIntegers, printing(sites), "Unroll"), "OpCapability Shader",
                                            "\n%text = OpString \"text\"");
    const InstrumentResult result = instrument(assemble(text), default_options());
    EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    EXPECT_EQ(test::count(disassemble(result.words), " Unroll\n"), sites == 1 ? 1u : 0u);
  }
}

TEST(ChecksOfAccesses, AreCalledBesideManyPrintingSites) {
  for (const uint32_t sites : {2u, 3u, 8u, 9u}) {
    InstrumentOptions options = sync_options();
    const std::string text = checked(printing(sites), options);
    EXPECT_EQ(test::count(text, "DontInline") != 0, sites > printing_in_line) << sites;
    EXPECT_EQ(test::count(text, "%sqa_access_set = OpFunction %void DontInline ") != 0,
              sites > printing_in_line)
        << sites;
    options.sync.calls = SyncCalls::never;
    EXPECT_EQ(test::count(checked(printing(sites), options), "DontInline"), 0u) << sites;
  }
}

// So many runs are noted otherwise (check_queue_test.cpp).
TEST(ChecksOfAccesses, AreNotNotedBesideManyPrintingSites) {
  const std::string stores = in_selections("s", runs_before_queue, [](const std::string& n) {
    return "%p" + n + " = OpAccessChain %uint_pointer %buffer %zero\nOpStore %p" + n + " %x\n";
  });
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  for (const uint32_t sites : {8u, 9u}) {
    const std::string text = checked(printing(sites) + stores, options);
    EXPECT_EQ(text.find("%sqa_check_noted = OpFunction ") == std::string::npos, sites > printing_in_line);
    EXPECT_EQ(text.find("DontInline") != std::string::npos, sites > printing_in_line);
  }
}

}  // namespace
}  // namespace shaderqa::test
