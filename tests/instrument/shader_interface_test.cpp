// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/shader_interface.h"

#include <gtest/gtest.h>

#include <random>

#include "support.h"

namespace shaderqa::test {
namespace {

std::string module_with(const std::string& decorations, const std::string& globals) {
  return R"(
OpCapability Shader
OpCapability SampledBuffer
OpCapability ImageBuffer
OpCapability RuntimeDescriptorArray
OpExtension "SPV_EXT_descriptor_indexing"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
)" + decorations +
         R"(
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
)" + globals +
         R"(
%main = OpFunction %void None %function
%label = OpLabel
OpReturn
OpFunctionEnd
)";
}

ShaderInterface interface_of(const std::string& decorations, const std::string& globals) {
  return read_interface(assemble(module_with(decorations, globals), SPV_ENV_UNIVERSAL_1_3));
}

constexpr const char* kBlocks = R"(
OpDecorate %words ArrayStride 4
OpDecorate %storage BufferBlock
OpMemberDecorate %storage 0 Offset 0
OpDecorate %uniform Block
OpMemberDecorate %uniform 0 Offset 0
OpMemberDecorate %uniform 1 Offset 16
)";
constexpr const char* kBlockTypes = R"(
%words = OpTypeRuntimeArray %uint
%storage = OpTypeStruct %words
%uniform = OpTypeStruct %uint %uint
%to_storage = OpTypePointer Uniform %storage
%to_uniform = OpTypePointer Uniform %uniform
)";

TEST(ShaderInterface, HasBuffersWithTheirSets) {
  const ShaderInterface found = interface_of(std::string(kBlocks) + R"(
OpDecorate %a DescriptorSet 900
OpDecorate %a Binding 7
OpDecorate %b DescriptorSet 1
OpDecorate %b Binding 0
)",
                                             std::string(kBlockTypes) + R"(
%a = OpVariable %to_storage Uniform
%b = OpVariable %to_uniform Uniform
)");
  ASSERT_EQ(found.bindings.size(), 2u);
  EXPECT_EQ(found.bindings[0].set, 900u);
  EXPECT_EQ(found.bindings[0].binding, 7u);
  EXPECT_EQ(found.bindings[0].resource, kStorageBuffer);
  EXPECT_EQ(found.bindings[0].count, 1u);
  EXPECT_EQ(found.bindings[1].resource, kUniformBuffer);
  EXPECT_EQ(found.bindings[1].end, 20u);
  EXPECT_EQ(found.push_end, 0u);
}

TEST(ShaderInterface, HasArraysAndImages) {
  const ShaderInterface found = interface_of(std::string(kBlocks) + R"(
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %c DescriptorSet 0
OpDecorate %c Binding 2
OpDecorate %d DescriptorSet 0
OpDecorate %d Binding 3
OpDecorate %e DescriptorSet 0
OpDecorate %e Binding 4
OpDecorate %f DescriptorSet 0
OpDecorate %f Binding 5
OpDecorate %g DescriptorSet 0
OpDecorate %g Binding 6
)",
                                             std::string(kBlockTypes) + R"(
%five = OpConstant %uint 5
%some = OpTypeArray %storage %five
%any = OpTypeRuntimeArray %uniform
%sampled = OpTypeImage %float 2D 0 0 0 1 Unknown
%texels = OpTypeImage %float Buffer 0 0 0 2 R32f
%combined = OpTypeSampledImage %sampled
%read_texels = OpTypeImage %float Buffer 0 0 0 1 Unknown
%sampled_texels = OpTypeSampledImage %read_texels
%to_sampled_texels = OpTypePointer UniformConstant %sampled_texels
%sampler = OpTypeSampler
%to_some = OpTypePointer Uniform %some
%to_any = OpTypePointer Uniform %any
%to_texels = OpTypePointer UniformConstant %texels
%to_combined = OpTypePointer UniformConstant %combined
%to_sampler = OpTypePointer UniformConstant %sampler
%a = OpVariable %to_some Uniform
%b = OpVariable %to_any Uniform
%c = OpVariable %to_texels UniformConstant
%d = OpVariable %to_combined UniformConstant
%e = OpVariable %to_sampler UniformConstant
%f = OpVariable %to_sampled_texels UniformConstant
%input = OpTypeImage %float SubpassData 0 0 0 2 Unknown
%to_input = OpTypePointer UniformConstant %input
%g = OpVariable %to_input UniformConstant
)");
  ASSERT_EQ(found.bindings.size(), 6u) << "a sampler is no memory";
  EXPECT_EQ(found.bindings[0].count, 5u);
  EXPECT_EQ(found.bindings[1].count, UINT32_MAX);
  EXPECT_EQ(found.bindings[2].resource, kStorageImage);
  EXPECT_FALSE(found.bindings[2].image);
  EXPECT_EQ(found.bindings[3].resource, kCombinedImage);
  EXPECT_TRUE(found.bindings[3].image);
  // As compilers declare uniform texel buffers before SPIR-V 1.6.
  EXPECT_EQ(found.bindings[4].resource, uint32_t{kCombinedImage | kSampledImage});
  EXPECT_FALSE(found.bindings[4].image);
  EXPECT_TRUE(found.bindings[5].image);
  ASSERT_EQ(found.samplers.size(), 1u);
  EXPECT_EQ(found.samplers[0].count, 1u);
  EXPECT_EQ(found.samplers[0].resource, 0u);
}

// Their shaders are left alone, but what they read of push data must not be overwritten.
TEST(ShaderInterface, HasUntypedVariables) {
  const std::string text = R"(
OpCapability Shader
OpCapability UntypedPointersKHR
OpExtension "SPV_KHR_untyped_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %pushed %uniforms %storage
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %constants Block
OpMemberDecorate %constants 0 Offset 0
OpMemberDecorate %constants 1 Offset 80
OpDecorate %uniforms DescriptorSet 3
OpDecorate %uniforms Binding 4
OpDecorate %storage DescriptorSet 5
OpDecorate %storage Binding 6
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%constants = OpTypeStruct %uint %uint
%in_push_data = OpTypeUntypedPointerKHR PushConstant
%in_uniform = OpTypeUntypedPointerKHR Uniform
%in_storage = OpTypeUntypedPointerKHR StorageBuffer
%pushed = OpUntypedVariableKHR %in_push_data PushConstant %constants
%uniforms = OpUntypedVariableKHR %in_uniform Uniform %constants
%storage = OpUntypedVariableKHR %in_storage StorageBuffer %constants
%main = OpFunction %void None %function
%label = OpLabel
OpReturn
OpFunctionEnd
)";
  const ShaderInterface found = read_interface(assemble(text, SPV_ENV_UNIVERSAL_1_6));
  EXPECT_EQ(found.push_end, 84u);
  ASSERT_EQ(found.bindings.size(), 2u);
  EXPECT_EQ(found.bindings[0].resource, kUniformBuffer);
  EXPECT_EQ(found.bindings[0].end, 84u);
  EXPECT_EQ(found.bindings[0].set, 3u);
  EXPECT_EQ(found.bindings[1].resource, kStorageBuffer);
  EXPECT_EQ(found.bindings[1].binding, 6u);
}

TEST(ShaderInterface, KnowsWherePushConstantsEnd) {
  const ShaderInterface found = interface_of(R"(
OpDecorate %constants Block
OpMemberDecorate %constants 0 Offset 8
OpMemberDecorate %constants 1 Offset 64
OpDecorate %three ArrayStride 16
)",
                                             R"(
%length = OpConstant %uint 3
%three = OpTypeArray %uint %length
%constants = OpTypeStruct %uint %three
%pointer = OpTypePointer PushConstant %constants
%pushed = OpVariable %pointer PushConstant
)");
  EXPECT_EQ(found.push_end, 64u + 2 * 16 + 4);
}

// How many there are is said when the pipeline is made.
TEST(ShaderInterface, DoesNotKnowWhereAConstantOfAnotherLengthEnds) {
  const ShaderInterface found = interface_of(R"(
OpDecorate %constants Block
OpMemberDecorate %constants 0 Offset 0
OpDecorate %some ArrayStride 16
OpDecorate %length SpecId 0
)",
                                             R"(
%length = OpSpecConstant %uint 3
%some = OpTypeArray %uint %length
%constants = OpTypeStruct %some
%pointer = OpTypePointer PushConstant %constants
%pushed = OpVariable %pointer PushConstant
)");
  EXPECT_EQ(found.push_end, std::nullopt);
}

TEST(ShaderInterface, OfWhatIsNoModuleIsNotKnown) {
  EXPECT_EQ(read_interface({}).push_end, std::nullopt);
  EXPECT_EQ(read_interface(Module{1, 2, 3, 4, 5}).push_end, std::nullopt);
  const Module too_large{spv::MagicNumber, 0x10000, 0, 0xffffffff, 0};
  EXPECT_EQ(read_interface(too_large).push_end, std::nullopt);
}

// An array whose elements are itself would never end.
TEST(ShaderInterface, OfDamagedModulesIsReadAllTheSame) {
  const Module words =
      assemble(module_with(std::string(kBlocks) + "OpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\n",
                           std::string(kBlockTypes) + "%a = OpVariable %to_storage Uniform\n"),
               SPV_ENV_UNIVERSAL_1_3);
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    Module damaged = words;
    for (uint32_t changes = random() % 4 + 1; changes > 0; --changes) {
      uint32_t& word = damaged[random() % damaged.size()];
      word = random() % 2 ? damaged[random() % damaged.size()] : word ^ 1u << random() % 32;
    }
    if (random() % 8 == 0) damaged.resize(random() % damaged.size());
    const ShaderInterface found = read_interface(damaged);
    EXPECT_LE(found.bindings.size(), damaged.size());
  }
}

}  // namespace
}  // namespace shaderqa::test
