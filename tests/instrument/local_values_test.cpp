// SPDX-License-Identifier: Apache-2.0
// Which ids hold the same value along a stretch of code.
#include "instrument/ir/local_values.h"

#include <gtest/gtest.h>

#include "instrument/ir/module_loader.h"
#include "support.h"

namespace shaderqa::test {
namespace {

constexpr const char* kGlobals = R"(
%bool = OpTypeBool
%int = OpTypeInt 32 1
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%uint2 = OpTypeVector %uint 2
%array = OpTypeArray %uint %c2
%block = OpTypeStruct %uint
%old_block = OpTypeStruct %uint
%to_function = OpTypePointer Function %uint
%to_array = OpTypePointer Function %array
%to_private = OpTypePointer Private %uint
%to_input = OpTypePointer Input %uint
%to_constants = OpTypePointer PushConstant %block
%to_constant = OpTypePointer PushConstant %uint
%to_block = OpTypePointer Uniform %block
%to_old_block = OpTypePointer Uniform %old_block
%to_uniform = OpTypePointer Uniform %uint
%to_shared = OpTypePointer Workgroup %uint
%kept = OpVariable %to_private Private
%float = OpTypeFloat 32
%number = OpConstant %float 2
%shared = OpVariable %to_shared Workgroup
%constants = OpVariable %to_constants PushConstant
%uniforms = OpVariable %to_block Uniform
%storage = OpVariable %to_old_block Uniform)";
constexpr const char* kDecorations = R"(OpName %first "first"
OpName %second "second"
OpDecorate %block Block
OpDecorate %old_block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %old_block 0 Offset 0)";
constexpr const char* kVariables = R"(
%one = OpVariable %to_function Function
%two = OpVariable %to_function Function
%many = OpVariable %to_array Function
)";

// Whether %first and %second hold the same. forgetful: the stretch ends in front of %second.
bool are_same(const std::string& body, bool forgetful = false) {
  std::string text = compute_shader(
      kGlobals, body, "OpCapability Shader\n%std = OpExtInstImport \"GLSL.std.450\"", kDecorations);
  const std::string begin = "%label = OpLabel\n";
  text.insert(text.find(begin) + begin.size(), kVariables);
  const Module words = assemble(text, SPV_ENV_UNIVERSAL_1_3);
  const LoadedModule loaded = load_module(words);
  const Decorations decorations(loaded.view);
  LocalValues values(loaded.view, decorations);
  uint32_t first = 0, second = 0;
  for_each_instruction(loaded.view.words(), loaded.view.functions_offset(), [&](InstructionView i, uint32_t) {
    const std::string name = decorations.name(i.word(2));
    if (name == "second" && forgetful) values.forget();
    values.enter(i);
    if (name == "first") first = i.word(2);
    if (name == "second") second = i.word(2);
    return true;
  });
  EXPECT_NE(first, 0u);
  EXPECT_NE(second, 0u);
  return values.number(first) == values.number(second);
}

bool are_same(const std::string& one, const std::string& between, const std::string& other) {
  return are_same("%first = " + one + "\n" + between + "\n%second = " + other + "\n");
}

TEST(LocalValues, AreThoseOfTheSameOperationOnTheSame) {
  EXPECT_TRUE(are_same("OpIAdd %uint %x %c1", "", "OpIAdd %uint %x %c1"));
  EXPECT_FALSE(are_same("OpIAdd %uint %x %c1", "", "OpIAdd %uint %x %c2"));
  EXPECT_FALSE(are_same("OpIAdd %uint %x %c1", "", "OpISub %uint %x %c1"));
  EXPECT_FALSE(are_same("OpBitcast %int %x", "", "OpBitcast %uint %x")) << "another type";
  EXPECT_TRUE(are_same("OpIMul %uint %x %x", "%copy = OpIAdd %uint %x %c0", "OpIMul %uint %x %x"));
  EXPECT_TRUE(
      are_same("%a = OpIAdd %uint %x %c1\n%b = OpIAdd %uint %x %c1\n%first = OpIMul %uint %a %c2\n"
               "%second = OpIMul %uint %b %c2\n"))
      << "their operands hold the same";
  EXPECT_FALSE(are_same("OpAtomicLoad %uint %shared %c1 %c0", "", "OpAtomicLoad %uint %shared %c1 %c0"));
}

TEST(LocalValues, LiteralsAreNoIds) {
  EXPECT_TRUE(are_same("OpCompositeExtract %uint %id_value 1", "", "OpCompositeExtract %uint %id_value 1"));
  EXPECT_FALSE(are_same("OpCompositeExtract %uint %id_value 1", "", "OpCompositeExtract %uint %id_value 2"));
  const std::string shuffle = "OpVectorShuffle %uint2 %id_value %id_value ";
  EXPECT_TRUE(are_same(shuffle + "0 4", "", shuffle + "0 4"));
  EXPECT_FALSE(are_same(shuffle + "0 4", "", shuffle + "0 5"));
  EXPECT_FALSE(are_same(shuffle + "0 4", "", shuffle + "1 4"));
}

TEST(LocalValues, LoadsHoldTheSameUntilAStore) {
  for (const std::string pointer : {"%one", "%kept"}) {
    const std::string load = "OpLoad %uint " + pointer;
    EXPECT_TRUE(are_same(load, "", load)) << pointer;
    EXPECT_TRUE(are_same(load, "OpStore %two %c1", load)) << "to another variable";
    EXPECT_FALSE(are_same(load, "OpStore " + pointer + " %c1", load)) << pointer;
    EXPECT_FALSE(are_same(load, "OpCopyMemory " + pointer + " %two", load)) << pointer;
    EXPECT_TRUE(are_same(load, "OpStore %shared %c1", load)) << "to no variable of the invocation";
  }
  EXPECT_FALSE(are_same("OpLoad %uint %one", "", "OpLoad %uint %two"));
  const std::string load = "OpLoad %uint %one", split = "%part = OpExtInst %float %std ";
  EXPECT_FALSE(are_same(load, split + "Frexp %number %one", load)) << "it stores the exponent there";
  EXPECT_TRUE(are_same(load, split + "Frexp %number %two", load));
  EXPECT_TRUE(are_same(load, split + "Floor %number", load));
  EXPECT_FALSE(are_same("OpLoad %uint %one Volatile", "", "OpLoad %uint %one Volatile"));
  EXPECT_TRUE(are_same("OpLoad %uint %one Aligned 4", "", "OpLoad %uint %one Aligned 4"));
}

TEST(LocalValues, AStoreToAPartIsAStoreToItsVariable) {
  const std::string parts =
      "%p0 = OpAccessChain %to_function %many %c0\n"
      "%p1 = OpInBoundsAccessChain %to_function %many %c1\n"
      "%copy = OpCopyObject %to_function %p0\n";
  const auto same = [&](const std::string& store) {
    return are_same(parts + "%first = OpLoad %uint %p0\n" + store + "\n%second = OpLoad %uint %p0\n");
  };
  EXPECT_TRUE(same(""));
  EXPECT_FALSE(same("OpStore %p0 %c1"));
  EXPECT_FALSE(same("OpStore %p1 %c1")) << "indices are not compared";
  EXPECT_FALSE(same("OpStore %copy %c1"));
  EXPECT_TRUE(same("OpStore %one %c1"));
  EXPECT_TRUE(are_same(parts + "%q0 = OpAccessChain %to_function %many %c0\n%first = OpLoad %uint %p0\n"
                               "%second = OpLoad %uint %q0\n"));
  EXPECT_FALSE(are_same(parts + "%first = OpLoad %uint %p0\n%second = OpLoad %uint %p1\n"));
}

// A pointer that a function has as its parameter, or that was chosen, may lead to any variable.
TEST(LocalValues, AStoreToAnyVariableIsOneToEach) {
  const std::string chosen =
      "%yes = OpUGreaterThan %bool %x %c1\n"
      "%either = OpSelect %to_function %yes %one %two\n";
  for (const char* pointer : {"%one", "%two", "%kept"}) {
    const std::string load = "OpLoad %uint " + std::string(pointer);
    EXPECT_FALSE(are_same(chosen + "%first = " + load + "\nOpStore %either %c1\n%second = " + load + "\n"));
  }
  EXPECT_FALSE(are_same(chosen + "%first = OpLoad %uint %either\n%second = OpLoad %uint %either\n"))
      << "what it leads to is not known";
}

TEST(LocalValues, MemoryThatShadersOnlyReadStays) {
  const std::string stores = "OpStore %kept %c1\nOpStore %one %c1\nOpStore %shared %c1";
  const auto part = [](const std::string& type, const std::string& variable) {
    return "%p = OpAccessChain " + type + " " + variable + " %c0\n";
  };
  for (const std::string& pointer :
       {part("%to_constant", "%constants"), part("%to_uniform", "%uniforms"), part("%to_input", "%id")})
    EXPECT_TRUE(are_same(pointer + "%first = OpLoad %uint %p\n" + stores + "\n%second = OpLoad %uint %p\n"))
        << pointer;
}

// Other invocations may write to it.
TEST(LocalValues, MemoryThatIsSharedMayChangeAtAnyTime) {
  EXPECT_FALSE(
      are_same("%p = OpAccessChain %to_uniform %storage %c0\n%first = OpLoad %uint %p\n"
               "%second = OpLoad %uint %p\n"));
  EXPECT_FALSE(are_same("OpLoad %uint %shared", "", "OpLoad %uint %shared"));
}

TEST(LocalValues, AreForgotten) {
  const std::string body = "%first = OpIAdd %uint %x %c1\n%second = OpIAdd %uint %x %c1\n";
  EXPECT_TRUE(are_same(body));
  EXPECT_FALSE(are_same(body, true));
}

}  // namespace
}  // namespace shaderqa::test
