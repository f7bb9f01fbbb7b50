// SPDX-License-Identifier: Apache-2.0
// What is read from a module's words: literal strings, constants, entry points, and what it declares.
#include "instrument/ir/module_view.h"

#include <gtest/gtest.h>

#include "named_module.h"

namespace shaderqa::test {
namespace {

// An instruction of these words, behind its first one.
InstructionView instruction(std::vector<uint32_t>& words) {
  words.insert(words.begin(), static_cast<uint32_t>(words.size() + 1) << 16 | 5);
  return {words};
}

uint32_t letters(const char* four) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= static_cast<uint32_t>(static_cast<uint8_t>(four[i])) << 8 * i;
  return word;
}

TEST(LiteralStrings, EndWithAZero) {
  size_t end = 0;
  std::vector<uint32_t> three{9, letters("abc\0"), 7};
  EXPECT_EQ(literal_string(instruction(three), 2, &end), "abc");
  EXPECT_EQ(end, 3u);
  std::vector<uint32_t> four{letters("abcd"), letters("\0\0\0\0"), 7};
  EXPECT_EQ(literal_string(instruction(four), 1, &end), "abcd");
  EXPECT_EQ(end, 3u);
  std::vector<uint32_t> seven{letters("abcd"), letters("efg\0"), letters("h\0\0\0")};
  EXPECT_EQ(literal_string(instruction(seven), 1, &end), "abcdefg");
  EXPECT_EQ(end, 3u);
  std::vector<uint32_t> empty{letters("\0bcd")};
  EXPECT_EQ(literal_string(instruction(empty), 1, &end), "");
  EXPECT_EQ(end, 2u);
  std::vector<uint32_t> bytes{letters("\xc3\xa4\xff\0")};
  EXPECT_EQ(literal_string(instruction(bytes), 1), "\xc3\xa4\xff");
}

TEST(LiteralStrings, WithoutAnEndEndWithTheInstruction) {
  size_t end = 0;
  std::vector<uint32_t> words{letters("abcd"), letters("efgh")};
  const InstructionView view = instruction(words);
  EXPECT_EQ(literal_string(view, 1, &end), "abcdefgh");
  EXPECT_EQ(end, 3u);
  EXPECT_EQ(literal_string(view, 3, &end), "");
  EXPECT_EQ(end, 3u);
}

TEST(Instructions, StopAtWhatDoesNotFit) {
  const auto visited = [](const std::vector<uint32_t>& words, uint32_t from = 0, uint32_t most = 9) {
    std::vector<uint32_t> offsets;
    for_each_instruction(words, from, [&](InstructionView, uint32_t offset) {
      offsets.push_back(offset);
      return offsets.size() < most;
    });
    return offsets;
  };
  using Offsets = std::vector<uint32_t>;
  EXPECT_EQ(visited({2 << 16, 0, 1 << 16, 3 << 16, 0, 0}), (Offsets{0, 2, 3}));
  EXPECT_EQ(visited({2 << 16, 0, 1 << 16, 4 << 16, 0, 0}), (Offsets{0, 2})) << "too long";
  EXPECT_EQ(visited({2 << 16, 0, 0, 1 << 16}), (Offsets{0})) << "of no length";
  EXPECT_EQ(visited({2 << 16, 0, 1 << 16}, 2), (Offsets{2}));
  EXPECT_EQ(visited({1 << 16, 1 << 16, 1 << 16}, 0, 2), (Offsets{0, 1}));
  EXPECT_EQ(visited({1 << 16}, 5), Offsets{});
  std::vector<uint32_t> words{7};
  const InstructionView view = instruction(words);
  EXPECT_EQ(view.word(1), 7u);
  EXPECT_EQ(view.word(2), 0u) << "beyond the end";
}

constexpr const char* kText = R"(OpCapability Shader
OpCapability Int64
OpCapability VulkanMemoryModel
OpExtension "SPV_KHR_non_semantic_info"
OpExtension "SPV_KHR_vulkan_memory_model"
%glsl = OpExtInstImport "GLSL.std.450"
%print = OpExtInstImport "NonSemantic.DebugPrintf"
%again = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %one "one" %input
OpEntryPoint Fragment %two "a longer name" %other %input
OpExecutionMode %one LocalSize 1 1 1
OpExecutionMode %two OriginUpperLeft
%text = OpString "some text"
OpDecorate %input Location 0
OpDecorate %other Location 1
OpDecorate %input Flat
OpDecorate %other Flat
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 0
%float = OpTypeFloat 32
%pointer = OpTypePointer Input %uint
%number = OpConstant %uint 17
%half = OpConstant %float 0.5
%wide = OpConstant %long 18
%special = OpSpecConstant %uint 19
%input = OpVariable %pointer Input
%other = OpVariable %pointer Input
%function = OpTypeFunction %void
%one = OpFunction %void None %function
%l1 = OpLabel
%printed = OpExtInst %void %print 1 %text
%root = OpExtInst %float %glsl Sqrt %half
OpReturn
OpFunctionEnd
%two = OpFunction %void None %function
%l2 = OpLabel
OpReturn
OpFunctionEnd
)";

class Views : public testing::Test {
 protected:
  uint32_t id(const std::string& name) const { return module_.id(name); }
  const ModuleView& view() const { return module_.view(); }

 private:
  static Module assembled() {
    std::string text = kText;
    text.insert(text.find("OpDecorate"), names_of(text));
    return assemble(text, SPV_ENV_UNIVERSAL_1_5);
  }
  const NamedModule module_{assembled()};
};

TEST_F(Views, TellWhatTheModuleDeclares) {
  EXPECT_TRUE(view().has_capability(spv::Capability::Int64));
  EXPECT_FALSE(view().has_capability(spv::Capability::Float64));
  EXPECT_TRUE(view().has_extension("SPV_KHR_non_semantic_info"));
  EXPECT_FALSE(view().has_extension("SPV_KHR_non_semantic"));
  EXPECT_TRUE(view().vulkan_memory_model());
  EXPECT_EQ(view().addressing_model(), spv::AddressingModel::Logical);
  EXPECT_EQ(view().imports("NonSemantic.DebugPrintf"), (std::vector<uint32_t>{id("print"), id("again")}));
  EXPECT_EQ(view().imports("GLSL.std.450"), std::vector<uint32_t>{id("glsl")});
  EXPECT_TRUE(view().imports("GLSL").empty());
  EXPECT_EQ(view().version() >> 8, 0x105u);
}

TEST_F(Views, KnowEntryPointsWithTheirInterface) {
  const std::vector<EntryPoint>& all = view().entry_points();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].function, id("one"));
  EXPECT_EQ(all[0].name, "one");
  EXPECT_EQ(all[0].stage, Stage::compute);
  EXPECT_EQ(all[0].interface, std::vector<uint32_t>{id("input")});
  EXPECT_EQ(all[1].function, id("two"));
  EXPECT_EQ(all[1].name, "a longer name");
  EXPECT_EQ(all[1].stage, Stage::fragment);
  EXPECT_EQ(all[1].interface, (std::vector<uint32_t>{id("other"), id("input")}));
}

TEST_F(Views, ConstantsAreOf32BitsAndFixed) {
  EXPECT_EQ(view().constant(id("number")), 17u);
  for (const char* name : {"wide", "special", "uint", "text"})
    EXPECT_EQ(view().constant(id(name)), std::nullopt) << name;
  EXPECT_EQ(view().constant(0), std::nullopt);
  EXPECT_EQ(view().constant(100000), std::nullopt);
  EXPECT_EQ(view().string(id("text")), "some text");
  EXPECT_EQ(view().string(id("number")), std::nullopt);
  EXPECT_EQ(view().type_of(id("number")), id("uint"));
  EXPECT_EQ(view().type_of(100000), 0u);
}

TEST_F(Views, TellNonSemanticInstructionsFromOthers) {
  std::vector<bool> kinds;
  for_each_instruction(view().words(), view().functions_offset(), [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpExtInst)
      kinds.push_back(view().is_non_semantic(i));
    else
      EXPECT_FALSE(view().is_non_semantic(i));
    return true;
  });
  EXPECT_EQ(kinds, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace shaderqa::test
