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

Module module_with_inputs() { return assemble(fixture("vertex_inputs")); }

TEST(VertexInputs, WhatTheEntryPointNamesIsRead) {
  const auto found = vertex_entry_points(module_with_inputs());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "main");
  const std::map<uint32_t, uint32_t> main{{0, 3}, {1, 4}, {2, 2}, {3, 2},  {4, 2},
                                          {6, 1}, {7, 1}, {8, 3}, {10, 3}, {14, 2}};
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
