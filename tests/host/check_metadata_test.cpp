// SPDX-License-Identifier: Apache-2.0
// The lines about checked shaders that a killed process leaves.
#include "host/findings/check_metadata.h"

#include <gtest/gtest.h>

namespace shaderqa::test {
namespace {

ShaderRecord read(const std::string& line) {
  const std::optional<ShaderRecord> record = read_check_metadata(line);
  EXPECT_TRUE(record) << line;
  return record.value_or(ShaderRecord());
}

TEST(CheckMetadata, EveryStageAndKindOfInvocationReadsBack) {
  ShaderRecord record;
  record.shader_hash = 0xfedcba9876543210;
  for (uint32_t kind = 0; kind <= static_cast<uint32_t>(InvocationKind::launch_id); ++kind) {
    CheckSite site;
    site.instruction = 1 + kind;
    site.invocation = static_cast<InvocationKind>(kind);
    if (kind == 1) site.frames = {{"f", "", 0}, {"main", "a.comp", 12}};
    if (kind == 2)
      site.origins = {{},
                      {"division", "a.comp", 7, {{"total", false}, {"v", true}}, true},
                      {"", "", 0, {{"Data.x", false}}, false}};
    record.check_sites.push_back(site);
  }
  for (uint32_t stage = 0; stage <= static_cast<uint32_t>(Stage::unknown); ++stage) {
    record.stage = static_cast<Stage>(stage);
    const ShaderRecord back = read(write_check_metadata(record));
    EXPECT_EQ(back.stage, record.stage);
    EXPECT_EQ(back.shader_hash, record.shader_hash);
    EXPECT_EQ(back.check_sites, record.check_sites);
  }
}

// What a newer version wrote, or something damaged.
TEST(CheckMetadata, WhatIsMissingOrUnknownIsAsIfNothingWasKnown) {
  const ShaderRecord nothing = read(R"({"shader":"1","sites":[{}]})");
  EXPECT_EQ(nothing.stage, Stage::vertex);
  ASSERT_EQ(nothing.check_sites.size(), 1u);
  EXPECT_EQ(nothing.check_sites[0], CheckSite());
  const ShaderRecord unknown = read(
      R"({"shader":"1","stage":14,"sites":[{"word":-1,"check":"x","set":1.5,"invocation":99,"text":5,"line":7}]})");
  EXPECT_EQ(unknown.stage, Stage::unknown);
  CheckSite expected;
  expected.source.line = 7;
  ASSERT_EQ(unknown.check_sites.size(), 1u);
  EXPECT_EQ(unknown.check_sites[0], expected);
}

}  // namespace
}  // namespace shaderqa::test
