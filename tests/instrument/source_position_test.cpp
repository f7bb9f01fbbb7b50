// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "instrument/ir/module_loader.h"
#include "instrument/ir/placed_instructions.h"
#include "instrument/ir/source_positions.h"
#include "support.h"

namespace shaderqa::test {
namespace {

SourcePosition position_of(const std::string& debug, const std::string& body, const std::string& globals = "",
                           size_t site = 0) {
  const Module words = assemble(compute_shader(globals, body, "OpCapability Shader", debug));
  const auto result = instrument(words, default_options());
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  return result.record.printf_sites.at(site).source;
}

const std::string format = "%format = OpString \"f\"\n%file = OpString \"a.comp\"\n";
const std::string site = "%e = OpExtInst %void %printf 1 %format\n";

TEST(SourcePositions, AreEmptyWithoutDebugInformation) {
  EXPECT_EQ(position_of(format, site), SourcePosition{});
}

TEST(SourcePositions, OfOpLine) {
  EXPECT_EQ(position_of(format, "OpLine %file 12 3\n%y = OpIAdd %uint %x %x\n" + site),
            (SourcePosition{"a.comp", 12, 3, ""}));
}

TEST(SourcePositions, EndWithOpNoLineAndWithTheBlock) {
  EXPECT_EQ(position_of(format, "OpLine %file 12 3\n%y = OpIAdd %uint %x %x\nOpNoLine\n" + site),
            SourcePosition{});
  EXPECT_EQ(position_of(format, "OpLine %file 12 3\nOpBranch %next\n%next = OpLabel\n" + site),
            SourcePosition{});
}

// The line of the addition, as checks and traces have it; 0: none.
uint32_t line_of_addition(const std::string& before) {
  const Module words = assemble(compute_shader(
      "%bool = OpTypeBool\n%c = OpConstant %uint 1\n",
      "OpLine %file 12 3\n%is = OpINotEqual %bool %x %c\n" + before + "%sum = OpIAdd %uint %x %c\n",
      "OpCapability Shader", "%file = OpString \"a.comp\"\n"));
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_5), "");
  const LoadedModule loaded = load_module(words);
  SourcePositions positions(loaded.view);
  const auto placed =
      place_instructions(*loaded.context, loaded.view, loaded.view.entry_points().at(0).function);
  for (const PlacedInstruction& each : *placed)
    if (each.instruction->opcode() == spv::Op::OpIAdd) return positions.at(each.line_offset).line;
  ADD_FAILURE() << "it is not there";
  return 0;
}

// What `x = c ? a : b` does behind its selection has no line of its own.
TEST(SourcePositions, GoOnBehindASelection) {
  const std::string select = "OpSelectionMerge %merge None\nOpBranchConditional %is %then %merge\n",
                    then = "%then = OpLabel\nOpLine %file 40 3\nOpBranch %merge\n",
                    merge = "%merge = OpLabel\n";
  EXPECT_EQ(line_of_addition(select + then + merge), 12u);
  EXPECT_EQ(line_of_addition(select + then + merge + "OpLine %file 13 1\n"), 13u);
  EXPECT_EQ(line_of_addition(select + then + merge + "OpNoLine\n"), 0u);
  EXPECT_EQ(line_of_addition("OpNoLine\n" + select + then + merge), 0u);
  EXPECT_EQ(line_of_addition("OpBranch %merge\n" + merge), 0u);
}

TEST(SourcePositions, TakeTheTextOfOpSource) {
  const std::string source =
      "OpSource GLSL 460 %file \"first\n  second\r\n\"\nOpSourceContinued \"third\n\"\n";
  EXPECT_EQ(position_of(format + source, "OpLine %file 2 0\n" + site).text, "  second");
  EXPECT_EQ(position_of(format + source, "OpLine %file 3 0\n" + site).text, "third");
  EXPECT_EQ(position_of(format + source, "OpLine %file 4 0\n" + site).text, "");
}

TEST(SourcePositions, FollowLineDirectives) {
  const std::string source =
      "OpSource GLSL 460 %file \"// added\n#line 1\none\ntwo\n# line 10 \\\"b.h\\\"\nother\n#line 3 "
      "\\\"a.comp\\\"\nthree\n\"\n";
  EXPECT_EQ(position_of(format + source, "OpLine %file 2 0\n" + site).text, "two");
  EXPECT_EQ(position_of(format + source, "OpLine %file 3 0\n" + site).text, "three");
  EXPECT_EQ(position_of(format + source, "OpLine %file 10 0\n" + site).text, "");
}

struct Compiled {
  const char* kind;
  const char* shader;
  bool newer_set = false;
};
class CompiledPositions : public testing::TestWithParam<Compiled> {};

// -g gives OpLine and OpSource, -gVS DebugLine and DebugSource: each site's text is the line that prints its
// format.
TEST_P(CompiledPositions, AreThoseOfTheSource) {
  Module words = load_shader(GetParam().shader);
  if (GetParam().newer_set) words = with_newer_debug_set(std::move(words));
  const auto result = instrument(words, default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
  std::ifstream file(std::string(SOURCE_DIR) + "/shaders/control_flow.comp");
  std::map<uint32_t, std::string> lines;
  std::string line;
  for (uint32_t number = 1; std::getline(file, line); ++number) lines[number] = line;
  ASSERT_EQ(result.record.printf_sites.size(), 7u);
  for (const PrintfSite& printf : result.record.printf_sites) {
    EXPECT_TRUE(printf.source.file.ends_with("control_flow.comp")) << printf.source.file;
    EXPECT_EQ(printf.source.text, lines[printf.source.line]);
    EXPECT_NE(printf.source.text.find("\"" + printf.format + "\""), std::string::npos) << printf.source.text;
  }
}

INSTANTIATE_TEST_SUITE_P(SourcePositions, CompiledPositions,
                         testing::Values(Compiled{"OpLine", "control_flow.comp.g.vulkan1.2"},
                                         Compiled{"DebugLine", "control_flow.comp.gVS.vulkan1.2"},
                                         Compiled{"NewerDebugLine", "control_flow.comp.gVS.vulkan1.2", true}),
                         [](const auto& test) { return test.param.kind; });

// Lines of the code around a site are as they were.
TEST(SourcePositions, OfOtherInstructionsStay) {
  const std::pair<const char*, const char*> kinds[]{{"control_flow.comp.g.vulkan1.2", "OpLine "},
                                                    {"control_flow.comp.gVS.vulkan1.2", " DebugLine "}};
  for (const auto& [name, line] : kinds) {
    const Module words = load_shader(name);
    const auto result = instrument(words, default_options());
    const std::string before = disassemble(words), after = disassemble(result.words);
    EXPECT_GT(count(before, line), 10u);
    EXPECT_EQ(count(before, line), count(after, line));
    EXPECT_EQ(count(after, "OpNoLine"), 0u);
    EXPECT_EQ(count(after, "DebugNoLine"), 0u);
  }
}

std::string with_debug_info() {
  std::string text = disassemble(load_shader("control_flow.comp.gVS.vulkan1.2"));
  const std::string set = id_of(text, "OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"");
  text.insert(text.find("OpName "),
              "OpName " + id_of(text, "OpExtInst %void " + set + " DebugScope") + " \"a scope\"\nOpName " +
                  id_of(text, "OpExtInst %void " + set + " DebugLine") + " \"a line\"\n");
  return text;
}

// Scopes and lines have other ids in the output, or none.
TEST(SourcePositions, NamesOfScopesAndLinesGo) {
  const Module words = assemble(with_debug_info(), SPV_ENV_VULKAN_1_2);
  EXPECT_EQ(validation_error(words, SPV_ENV_VULKAN_1_2), "");
  const auto result = instrument(words, default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "\"a scope\""), 0u);
  EXPECT_EQ(count(text, "\"a line\""), 0u);
  EXPECT_EQ(count(text, "OpName %main \"main\""), 1u);
}

TEST(SourcePositions, WhatRefersToAScopeIsRefused) {
  std::string text = with_debug_info();
  const std::string print = "OpExtInst %void " + id_of(text, "OpExtInstImport \"NonSemantic.DebugPrintf\"") +
                            " 1 " + id_of(text, "OpString \"zero\"");
  const std::string scope =
      id_of(text, "OpExtInst %void " + id_of(text, "OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"") +
                      " DebugScope");
  const size_t end = text.find('\n', text.find(scope + " = "));
  text.insert(end + 1, "%refers = " + print + " " + scope + "\n");
  const auto result = instrument(assemble(text, SPV_ENV_VULKAN_1_2), default_options());
  EXPECT_EQ(result.status, InstrumentStatus::refused);
  EXPECT_NE(result.message.find("refers to a debug scope or line"), std::string::npos) << result.message;
}

}  // namespace
}  // namespace shaderqa::test
