// SPDX-License-Identifier: Apache-2.0
// Conditions over built-in inputs: what they mean, and that shaders compute the same.
#include "host/trace/trace_when.h"

#include <set>

#include "host/trace/trace_selector.h"
#include "trace_program.h"

namespace shaderqa::testing {
namespace {

constexpr uint32_t kCompute = 1u << static_cast<uint32_t>(Stage::compute);
constexpr uint32_t kFragment = 1u << static_cast<uint32_t>(Stage::fragment);

uint32_t value(const std::string& text) {
  // GlobalInvocationID 10,20,30; LocalInvocationIndex 40; WorkgroupID 50,60,70; LocalInvocationID 1,2,3.
  const uint32_t location[8] = {10, 20, 30, 40, 50, 60, 70, 1 | 2 << 11 | 3 << 22};
  std::string error;
  const auto words = parse_trace_when(text, kCompute, error);
  EXPECT_TRUE(words) << error;
  return words ? evaluate_trace_when(*words, location) : 0xdead;
}

TEST(TraceWhen, OperatorsAreThoseOfC) {
  const uint32_t x = 10, y = 20;
  EXPECT_EQ(value("GlobalInvocationID.x + 2 * GlobalInvocationID.y"), x + 2 * y);
  EXPECT_EQ(value("(globalinvocationid.x + 2) * 3"), (x + 2) * 3);
  EXPECT_EQ(value("20 - 5 - 3"), 12u);
  EXPECT_EQ(value("1 | 2 ^ 3 & 6 == 6"), uint32_t{1 | (2 ^ (3 & 1))});
  EXPECT_EQ(value("1 << 2 + 1"), 8u);
  EXPECT_EQ(value("0 || 5 && 0"), 0u);
  EXPECT_EQ(value("!0 != 0 && ~0 >= 0xffffffff"), 1u);
  EXPECT_EQ(value("7 / 0 + 7 % 0 + 7 % 4"), 3u);
  EXPECT_EQ(value("1 << 33"), 2u);
  EXPECT_EQ(value("3 < 4 == 4 <= 4"), 1u);
  EXPECT_EQ(value("3 > 4 == 5 >= 4"), 0u);
  EXPECT_EQ(value("LocalInvocationIndex"), 40u);
  EXPECT_EQ(value("WorkgroupID.x * 10000 + WorkgroupID.y * 100 + WorkgroupID.z"), 506070u);
  EXPECT_EQ(value("LocalInvocationID.x * 100 + LocalInvocationID.y * 10 + LocalInvocationID.z"), 123u);
}

TEST(TraceWhen, WhatDoesNotParseIsPointedAt) {
  std::string error;
  const auto fails = [&](const std::string& text, uint32_t stages = kCompute) {
    EXPECT_FALSE(parse_trace_when(text, stages, error)) << text;
    return error;
  };
  EXPECT_EQ(fails("WorkgroupID.x = 2"),
            "an operator, or the end, should be here\n  WorkgroupID.x = 2\n                ^");
  EXPECT_THAT(fails("FragCoord.x == 1"), HasSubstr("an input should be here: GlobalInvocationID.x"));
  EXPECT_THAT(fails("GlobalInvocationID.x", kFragment),
              HasSubstr("an input should be here: FragCoord.x, FragCoord.y\n"));
  EXPECT_THAT(fails("LocalInvocationIndex.x"), HasSubstr("an input"));
  EXPECT_THAT(fails("GlobalInvocationID"), HasSubstr("an input"));
  EXPECT_THAT(fails("GlobalInvocationID.w"), HasSubstr("an input"));
  EXPECT_THAT(fails("WorkgroupID.x == 1", kCompute | kFragment), HasSubstr("an input"));
  EXPECT_THAT(fails(""), HasSubstr("an input"));
  EXPECT_THAT(fails("(1"), HasSubstr("')' should be here"));
  EXPECT_THAT(fails("4294967296"), HasSubstr("a number from 0"));
  EXPECT_THAT(fails("1 +"), HasSubstr("an input"));
  EXPECT_THAT(fails(std::string(1000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(fails(std::string(1000, '!') + "1"), HasSubstr("nested too deeply"));
  EXPECT_THAT(fails("1+(1+(1+(1+(1+(1+(1+(1+1)))))))"), HasSubstr("nested too deeply"));
  std::string sum = "1";
  for (int i = 0; i < 40; ++i) sum += "+1";
  EXPECT_THAT(fails(sum), HasSubstr("too long"));
}

class TraceWhenProgram : public TraceProgram {};

// What the shader computes is what the host does, for every invocation.
TEST_F(TraceWhenProgram, ShadersChooseAsTheHostDoes) {
  const auto shader = compute(
      "layout(local_size_x = 4, local_size_y = 2) in;\nvoid main() { "
      "atomicAdd(io[gl_LocalInvocationIndex], 1u); }");
  for (const char* condition :
       {"GlobalInvocationID.x % 5 == 3 && GlobalInvocationID.y != 0",
        "LocalInvocationID.y * 4 + LocalInvocationID.x == 6",
        "WorkgroupID.x / 2 == 1 && !(LocalInvocationIndex & 3) || LocalInvocationIndex == 7 && WorkgroupID.x "
        "== 0",
        "(~GlobalInvocationID.x & 3) - 1 > 1 && GlobalInvocationID.x >= 1 << 3",
        "GlobalInvocationID.x ^ 5 | LocalInvocationIndex",
        "7 / (GlobalInvocationID.x - 3) == 0 && GlobalInvocationID.x <= 3 && LocalInvocationID.y < 1", "0"}) {
    std::string error;
    const auto words = parse_trace_when(condition, kCompute, error);
    ASSERT_TRUE(words) << error;
    std::set<std::string> expected;
    for (uint32_t x = 0; x < 16; ++x)
      for (uint32_t y = 0; y < 2; ++y) {
        const uint32_t location[8] = {x, y, 0, y * 4 + x % 4, x / 4, 0, 0, x % 4 | y << 11};
        if (evaluate_trace_when(*words, location) != 0)
          expected.insert(describe_location(Stage::compute, location));
      }
    const Texts arguments{"compute", "--groups=4", shader};
    const ProcessResult result = trace(
        {"--at", "compute:matches=64", "--segments", "64", "--segment-size", "64k", "--when", condition},
        arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, plain(arguments));
    TraceContents contents;
    ASSERT_TRUE(read_trace_file(file, contents, error)) << error;
    std::set<std::string> found;
    for (const TraceSegment& segment : contents.segments)
      found.insert(describe_location(segment.stage, segment.location));
    EXPECT_EQ(found, expected) << condition;
    if (expected.empty()) {
      EXPECT_THAT(result.err, HasSubstr("no invocation matched compute:matches=64 when 0"));
    }
  }
}

TEST_F(TraceWhenProgram, ABadConditionStartsNothing) {
  const ProcessResult refused = trace({"--at", "compute", "--when", "FragCoord.x == 3"}, {"compute"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--when: an input should be here"));
}

}  // namespace
}  // namespace shaderqa::testing
