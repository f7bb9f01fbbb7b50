// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

Module shared_printf() { return assemble(fixture("shared_printf")); }

InstrumentResult instrument_shared(const std::string& entry_point, Stage stage) {
  InstrumentOptions options = default_options();
  options.entry_point = entry_point;
  options.stage = stage;
  options.record_invocation = true;
  return instrument(shared_printf(), options);
}

TEST(EntryPoints, TheOthersAreRemoved) {
  ASSERT_EQ(validation_error(shared_printf(), SPV_ENV_UNIVERSAL_1_5), "");
  struct Case {
    const char* name;
    Stage stage;
    size_t sites;
    InvocationKind invocation;
    const char* entry;
  };
  for (const Case& test :
       {Case{"main", Stage::vertex, 1, InvocationKind::vertex, "OpEntryPoint Vertex"},
        Case{"main", Stage::fragment, 2, InvocationKind::fragment, "OpEntryPoint Fragment"},
        Case{"compute", Stage::compute, 1, InvocationKind::global_id, "OpEntryPoint GLCompute"}}) {
    const auto result = instrument_shared(test.name, test.stage);
    ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
    ASSERT_EQ(result.record.printf_sites.size(), test.sites);
    EXPECT_EQ(result.record.stage, test.stage);
    for (const PrintfSite& site : result.record.printf_sites) {
      EXPECT_EQ(site.invocation, test.invocation);
      EXPECT_EQ(site.stage, test.stage);
      EXPECT_EQ(site.entry_point, test.name);
    }
    EXPECT_EQ(result.record.printf_sites.back().ordinal, 1u);  // of the module, not of the entry point
    const std::string text = disassemble(result.words);
    EXPECT_EQ(count(text, "OpEntryPoint"), 1u);
    EXPECT_EQ(count(text, test.entry), 1u);
    EXPECT_EQ(count(text, "OpExecutionMode"), test.stage == Stage::vertex ? 0u : 1u);
    // The site that only the fragment shader reaches stays what it was for the others.
    EXPECT_EQ(count(text, "OpExtInst %void"), 2u - test.sites);
  }
}

TEST(EntryPoints, OfUnknownStageIsTheFirstOfThatName) {
  EXPECT_EQ(instrument_shared("main", Stage::unknown).record.stage, Stage::vertex);
}

TEST(EntryPoints, ThatPrintNothingAreUntouched) {
  EXPECT_EQ(instrument_shared("silent", Stage::compute).status, InstrumentStatus::untouched);
}

TEST(EntryPoints, ThatAreNotThereAreRefused) {
  for (const auto& result :
       {instrument_shared("mian", Stage::vertex), instrument_shared("main", Stage::geometry)}) {
    EXPECT_EQ(result.status, InstrumentStatus::refused);
    EXPECT_NE(result.message.find("no entry point"), std::string::npos) << result.message;
  }
}

TEST(Builtins, AreReused) {
  InstrumentOptions options = default_options();
  options.record_invocation = true;
  for (const char* name :
       {"control_flow.comp.vulkan1.2", "printf.vert.vulkan1.2", "discard.frag.vulkan1.2",
        "helper.frag.vulkan1.3", "printf.tesc.vulkan1.0", "printf.geom.vulkan1.1", "printf.rgen.vulkan1.2"}) {
    const auto result = instrument(load_shader(name), options);
    ASSERT_EQ(result.status, InstrumentStatus::instrumented);
    const std::string text = disassemble(result.words);
    for (const char* builtin : {"GlobalInvocationId", "VertexIndex", "InstanceIndex", "FragCoord",
                                "HelperInvocation", "PrimitiveId", "InvocationId", "LaunchIdKHR"}) {
      EXPECT_LE(count(text, std::string(" BuiltIn ") + builtin + "\n"), 1u) << name << " " << builtin;
    }
  }
}

TEST(Builtins, AreAddedToTheInterface) {
  InstrumentOptions options = default_options();
  options.record_invocation = true;
  const auto result = instrument(load_shader("plain.vert.vulkan1.2"), options);
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, " BuiltIn VertexIndex\n"), 1u);
  EXPECT_EQ(count(text, " BuiltIn InstanceIndex\n"), 1u);
  const size_t entry = text.find("OpEntryPoint");
  const std::string interface = text.substr(entry, text.find('\n', entry) - entry);
  EXPECT_EQ(count(interface, "%gl_VertexIndex"), 1u) << interface;
  EXPECT_EQ(count(interface, "%gl_InstanceIndex"), 1u) << interface;
}

// Another entry point's variable may be used, a signed one too.
TEST(Builtins, OfEitherSignednessAreRead) {
  std::string text = compute_shader(
      "%int = OpTypeInt 32 1\n%int3 = OpTypeVector %int 3\n%int_input = OpTypePointer Input %int3",
      "%e = OpExtInst %void %printf 1 %format");
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("%id = OpVariable %input Input\n", "");
  replace("%main = OpFunction", "%id = OpVariable %int_input Input\n%main = OpFunction");
  replace("%id_value = OpLoad %uint3 %id\n%x = OpCompositeExtract %uint %id_value 0\n", "");
  InstrumentOptions options = default_options();
  options.record_invocation = true;
  const Module words = assemble(text);
  ASSERT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_5), "");
  const auto result = instrument(words, options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  EXPECT_EQ(count(disassemble(result.words), "OpBitcast %v3uint"), 1u);
}

TEST(Helpers, DoNotPrint) {
  const std::string discard =
      disassemble(instrument(load_shader("discard.frag.vulkan1.2"), default_options()).words);
  EXPECT_EQ(count(discard, " BuiltIn HelperInvocation\n"), 1u);
  EXPECT_EQ(count(discard, "OpLogicalNot %bool"), 2u);
  const std::string demote =
      disassemble(instrument(load_shader("demote.frag.vulkan1.2"), default_options()).words);
  EXPECT_EQ(count(demote, " BuiltIn HelperInvocation\n"), 0u);
  EXPECT_EQ(count(demote, "OpIsHelperInvocationEXT"), 2u);  // the shader's own and ours
  const std::string compute =
      disassemble(instrument(load_shader("long.comp.vulkan1.2"), default_options()).words);
  EXPECT_EQ(count(compute, "HelperInvocation"), 0u);
}

}  // namespace
}  // namespace shaderqa::test
