// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/vertex_inputs.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support.h"

namespace shaderqa::test {
namespace {

std::map<uint32_t, uint32_t> read_of(const VertexInputs& inputs) {
  std::map<uint32_t, uint32_t> read;
  for (uint32_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]) read[i] = inputs[i];
  return read;
}

// Two entry points of a vertex shader and one of a fragment shader; `helper` is called by the first alone.
Module module_with_inputs() {
  return assemble(R"(
OpCapability Shader
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %position %pair %matrix %array %wide %unused %index
OpEntryPoint Vertex %other "other" %unused
OpEntryPoint Fragment %pixel "pixel" %position
OpExecutionMode %pixel OriginUpperLeft
OpDecorate %position Location 0
OpDecorate %pair Location 1
OpDecorate %pair Component 2
OpDecorate %matrix Location 2
OpDecorate %array Location 6
OpDecorate %wide Location 8
OpDecorate %unused Location 12
OpDecorate %index BuiltIn VertexIndex
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%vec2 = OpTypeVector %float 2
%vec3 = OpTypeVector %float 3
%dvec3 = OpTypeVector %double 3
%mat3x2 = OpTypeMatrix %vec2 3
%floats = OpTypeArray %float %two
%dvec3s = OpTypeArray %dvec3 %two
%to_vec3 = OpTypePointer Input %vec3
%to_vec2 = OpTypePointer Input %vec2
%to_float = OpTypePointer Input %float
%to_mat3x2 = OpTypePointer Input %mat3x2
%to_floats = OpTypePointer Input %floats
%to_dvec3s = OpTypePointer Input %dvec3s
%to_int = OpTypePointer Input %int
%position = OpVariable %to_vec3 Input
%pair = OpVariable %to_vec2 Input
%matrix = OpVariable %to_mat3x2 Input
%array = OpVariable %to_floats Input
%wide = OpVariable %to_dvec3s Input
%unused = OpVariable %to_vec3 Input
%index = OpVariable %to_int Input
%main = OpFunction %void None %function
%1 = OpLabel
%p = OpLoad %vec3 %position
%i = OpLoad %int %index
%q = OpAccessChain %to_float %pair %two
%w = OpLoad %dvec3s %wide
%c = OpFunctionCall %void %helper
OpReturn
OpFunctionEnd
%helper = OpFunction %void None %function
%2 = OpLabel
%m = OpLoad %mat3x2 %matrix
%a = OpAccessChain %to_float %array %two
OpReturn
OpFunctionEnd
%other = OpFunction %void None %function
%3 = OpLabel
%u = OpLoad %vec3 %unused
OpReturn
OpFunctionEnd
%pixel = OpFunction %void None %function
%4 = OpLabel
%x = OpLoad %vec3 %position
OpReturn
OpFunctionEnd
)");
}

TEST(VertexInputs, WhatTheEntryPointNamesIsRead) {
  const auto found = vertex_entry_points(module_with_inputs());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "main");
  const std::map<uint32_t, uint32_t> main{{0, 3}, {1, 4}, {2, 2}, {3, 2}, {4, 2},
                                          {6, 1}, {7, 1}, {8, 3}, {10, 3}};
  EXPECT_EQ(read_of(found[0].inputs), main) << "elements of three doubles take two locations";
  EXPECT_EQ(found[1].name, "other");
  EXPECT_EQ(read_of(found[1].inputs), (std::map<uint32_t, uint32_t>{{12, 3}}));
}

TEST(VertexInputs, OtherStagesHaveNone) {
  EXPECT_TRUE(vertex_entry_points(load_shader("silent.comp.vulkan1.2")).empty());
  EXPECT_TRUE(vertex_entry_points(load_shader("helper.frag.vulkan1.2")).empty());
  EXPECT_EQ(vertex_entry_points(load_shader("plain.vert.vulkan1.2")).size(), 1u);
}

// Every word of it, each in turn, is something else; and it ends anywhere.
TEST(VertexInputs, MalformedWordsAreSurvived) {
  const Module words = module_with_inputs();
  EXPECT_TRUE(vertex_entry_points({}).empty());
  for (size_t i = 0; i < words.size(); ++i) {
    for (const uint32_t value : {0u, 1u, 0xffffffffu, words[i] ^ 0x10000u, words[i] ^ 1u}) {
      Module broken = words;
      broken[i] = value;
      EXPECT_LE(vertex_entry_points(broken).size(), 3u);
    }
    EXPECT_LE(vertex_entry_points({words.data(), i}).size(), 2u);
  }
}

}  // namespace
}  // namespace shaderqa::test
