// SPDX-License-Identifier: Apache-2.0
// SPIR-V that this SPIRV-Tools does not know yet.
#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace shaderqa::test {
namespace {

Module dawn_module() { return assemble(fixture("dawn_scan"), SPV_ENV_UNIVERSAL_1_4); }

bool contains(const Module& words, const Module& part) {
  return std::search(words.begin(), words.end(), part.begin(), part.end()) != words.end();
}

// Word offset of the first instruction with this opcode.
size_t find_instruction(const Module& words, uint32_t opcode, size_t from = 5) {
  for (size_t at = from; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == opcode) return at;
  return words.size();
}

Module insert(Module words, size_t at, const Module& what) {
  words.insert(words.begin() + static_cast<ptrdiff_t>(at), what.begin(), what.end());
  return words;
}

constexpr uint32_t op_capability = 17, op_entry_point = 15, op_execution_mode = 16, op_decorate = 71,
                   op_type_void = 19, op_memory_model = 14;

TEST(NewerSpirv, DawnsExecutionModeIsKept) {
  const Module words = dawn_module();
  InstrumentOptions options = default_options();
  options.entry_point = "dawn_entry_point";
  options.subgroup_ballot = true;
  options.vulkan_memory_model_device_scope = true;
  const auto result = instrument(words, options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(result.record.printf_sites.size(), 1u);
  const Module mode{3u << 16 | op_execution_mode, words[find_instruction(words, op_entry_point) + 2], 6023};
  EXPECT_TRUE(contains(words, mode));
  EXPECT_TRUE(contains(result.words, mode));

  // Without what the validator does not know it must find nothing wrong, so the rest is right.
  Module known = result.words;
  const size_t at =
      static_cast<size_t>(std::search(known.begin(), known.end(), mode.begin(), mode.end()) - known.begin());
  EXPECT_EQ(known[find_instruction(known, op_execution_mode)] & 0xffff, op_execution_mode);
  known.erase(known.begin() + static_cast<ptrdiff_t>(at), known.begin() + static_cast<ptrdiff_t>(at) + 3);
  EXPECT_EQ(validation_error(known, SPV_ENV_UNIVERSAL_1_4), "");
}

TEST(NewerSpirv, UnknownCapabilitiesAndDecorationsAreKeptInTheirSections) {
  const Module good = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
  const Module capability{2u << 16 | op_capability, 60001};
  const Module decoration{4u << 16 | op_decorate, good[find_instruction(good, op_decorate) + 1], 60002, 7};
  const Module unknown_annotation{3u << 16 | 60003, 1, 2};
  Module words = insert(good, find_instruction(good, op_type_void), unknown_annotation);
  words = insert(words, find_instruction(words, op_decorate), decoration);
  words = insert(words, find_instruction(words, op_capability), capability);
  const auto result = instrument(words, default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  for (const Module& part : {capability, decoration, unknown_annotation})
    EXPECT_TRUE(contains(result.words, part));

  const auto position = [&](const Module& part) {
    return std::search(result.words.begin(), result.words.end(), part.begin(), part.end()) -
           result.words.begin();
  };
  EXPECT_LT(position(capability), static_cast<ptrdiff_t>(find_instruction(result.words, op_memory_model)));
  EXPECT_GT(position(decoration), static_cast<ptrdiff_t>(find_instruction(result.words, op_entry_point)));
  EXPECT_LT(position(unknown_annotation),
            static_cast<ptrdiff_t>(find_instruction(result.words, op_type_void)));

  // The same as rewriting the module without them, but for the shader's hash in the site's id.
  EXPECT_EQ(result.words.size(), instrument(good, default_options()).words.size() + 9);
}

TEST(NewerSpirv, UnknownModesOfOtherEntryPointsGoWithThem) {
  const Module good = assemble(fixture("two_entry_points"));
  const size_t first = find_instruction(good, op_entry_point);
  const uint32_t a = good[first + 2], b = good[first + (good[first] >> 16) + 2];
  const Module mode_a{3u << 16 | op_execution_mode, a, 60023}, mode_b{3u << 16 | op_execution_mode, b, 60023};
  Module words = insert(good, find_instruction(good, op_execution_mode), mode_a);
  words = insert(words, find_instruction(words, op_execution_mode), mode_b);
  InstrumentOptions options = default_options();
  options.entry_point = "a";
  const auto result = instrument(words, options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_TRUE(contains(result.words, mode_a));
  EXPECT_FALSE(contains(result.words, mode_b));
}

TEST(NewerSpirv, UnknownInstructionsElsewhereAreRefusedByName) {
  const Module good = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
  const size_t type = find_instruction(good, op_type_void) + 2;
  const auto result = instrument(insert(good, type, {2u << 16 | 60004, 1}), default_options());
  EXPECT_EQ(result.status, InstrumentStatus::refused);
  EXPECT_NE(result.message.find("60004"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("word " + std::to_string(type)), std::string::npos) << result.message;
}

TEST(NewerSpirv, WhatIsUnknownIsNamed) {
  const Module good = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
  // "SPV_NEW_thing"
  const Module extension{5u << 16 | 10, 0x5f565053, 0x5f57454e, 0x6e696874, 0x67};
  Module words = insert(good, find_instruction(good, op_type_void) + 2, {2u << 16 | 60004, 1});
  words = insert(words, find_instruction(words, 10), extension);
  words = insert(words, find_instruction(words, op_capability), {2u << 16 | op_capability, 60001});
  const auto result = instrument(words, default_options());
  EXPECT_EQ(result.status, InstrumentStatus::refused);
  for (const char* part : {"opcode 60004", "capability 60001", "extension SPV_NEW_thing"})
    EXPECT_NE(result.message.find(part), std::string::npos) << result.message;
  EXPECT_EQ(result.message.find("SPV_KHR_non_semantic_info"), std::string::npos) << result.message;
}

TEST(NewerSpirv, AKnownInstructionIsRefusedByItsName) {
  Module words = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
  words[find_instruction(words, 61) + 3] = 0;
  const auto result = instrument(words, default_options());
  EXPECT_EQ(result.status, InstrumentStatus::refused);
  EXPECT_NE(result.message.find("OpLoad"), std::string::npos) << result.message;
}

TEST(NewerSpirv, SourcesOfUnknownLanguagesAreKept) {
  const std::string sources = R"(%format = OpString "format"
%file = OpString "kernel.zig"
OpSource GLSL 450 %file "first"
OpSource GLSL 450 %file "second"
OpSource GLSL 460)";
  Module words = assemble(
      compute_shader("", "%e = OpExtInst %void %printf 1 %format %x", "OpCapability Shader", sources));
  const Module known = words;
  const size_t first = find_instruction(words, 3);
  words[first + 1] = 60;
  words[find_instruction(words, 3, first + (words[first] >> 16)) + 1] = 61;
  const auto result = instrument(words, default_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  const auto begin = words.begin() + static_cast<ptrdiff_t>(first);
  const auto end = words.begin() + static_cast<ptrdiff_t>(find_instruction(words, op_decorate));
  EXPECT_TRUE(contains(result.words, Module(begin, end)));
  EXPECT_EQ(result.words.size(), instrument(known, default_options()).words.size());
}

TEST(NewerSpirv, ManyUnknownDecorationsTakeLinearTime) {
  const Module good = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
  Module many;
  for (int i = 0; i < 20000; ++i) many.insert(many.end(), {4u << 16 | op_decorate, 1, 60002, 7});
  const auto result = instrument(insert(good, find_instruction(good, op_decorate), many), default_options());
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
}

}  // namespace
}  // namespace shaderqa::test
