// SPDX-License-Identifier: Apache-2.0
// Conditions over built-in inputs: what they mean, and that shaders compute the same.
#include "host/trace/trace_when.h"

#include <array>
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

// The operator that binds closer in C goes first, and the left one of two that are alike.
TEST(TraceWhen, OperatorsBindAsInC) {
  const std::vector<std::vector<std::string>> levels = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  for (size_t left = 0; left < levels.size(); ++left)
    for (size_t right = 0; right < levels.size(); ++right)
      for (const std::string& one : levels[left])
        for (const std::string& two : levels[right])
          for (const auto& [a, b, c] :
               {std::array{"7", "3", "2"}, {"1", "2", "4"}, {"6", "0", "5"}, {"0", "9", "1"}}) {
            const std::string in_c = left >= right ? "(" + std::string(a) + one + b + ")" + two + c
                                                   : std::string(a) + one + "(" + b + two + c + ")";
            EXPECT_EQ(value(a + one + b + two + c), value(in_c)) << in_c;
          }
}

TEST(TraceWhen, OperatorsComputeOnAllBits) {
  EXPECT_EQ(value("0xff00 | 0x0ff0"), 0xfff0u);
  EXPECT_EQ(value("0xff00 & 0x0ff0"), 0x0f00u);
  EXPECT_EQ(value("0xff00 ^ 0x0ff0"), 0xf0f0u);
  EXPECT_EQ(value("0x80000000 >> 31"), 1u);
  EXPECT_EQ(value("0x80000000 >> 32"), 0x80000000u);
  EXPECT_EQ(value("1 << 31"), 0x80000000u);
  EXPECT_EQ(value("1 << 32"), 1u);
  EXPECT_EQ(value("3 - 5"), 0xfffffffeu);
  EXPECT_EQ(value("0x10000 * 0x10000"), 0u);
  EXPECT_EQ(value("4294967295"), UINT32_MAX);
  EXPECT_EQ(value("0xFFFFFFFF"), UINT32_MAX);
  for (const auto& [text, expected] : {std::pair{"0 || 0", 0u},
                                       {"0 || 2", 1u},
                                       {"2 || 0", 1u},
                                       {"2 && 4", 1u},
                                       {"2 && 0", 0u},
                                       {"0 && 2", 0u},
                                       {"2 == 2", 1u},
                                       {"2 == 3", 0u},
                                       {"2 != 2", 0u},
                                       {"2 != 3", 1u},
                                       {"2 < 2", 0u},
                                       {"2 < 3", 1u},
                                       {"2 <= 2", 1u},
                                       {"3 <= 2", 0u},
                                       {"2 > 2", 0u},
                                       {"3 > 2", 1u},
                                       {"2 >= 2", 1u},
                                       {"2 >= 3", 0u},
                                       {"!0", 1u},
                                       {"!7", 0u},
                                       {"!!7", 1u},
                                       {"~~7", 7u},
                                       {"0 / 5", 0u},
                                       {"5 / 0", 0u},
                                       {"5 % 0", 0u}})
    EXPECT_EQ(value(text), expected) << text;
}

TEST(TraceWhen, BlanksAreAllowedBetweenAll) {
  EXPECT_EQ(value("\t( 1\t+ 2 )*3 "), 9u);
  EXPECT_EQ(value("1+2*3"), 7u);
}

// Limits: values on the stack, words, parentheses within one another.
TEST(TraceWhen, IsAsLongAndAsDeepAsShadersCanCompute) {
  std::string error;
  const auto words = [&](const std::string& text) {
    const auto parsed = parse_trace_when(text, kCompute, error);
    return parsed ? parsed->size() : 0;
  };
  const auto nested = [](int values) {
    std::string text;
    for (int i = 1; i < values; ++i) text += "1+(";
    return text + "1" + std::string(static_cast<size_t>(values - 1), ')');
  };
  EXPECT_NE(words(nested(SQA_TRACE_WHEN_STACK)), 0u) << error;
  EXPECT_EQ(value(nested(SQA_TRACE_WHEN_STACK)), uint32_t{SQA_TRACE_WHEN_STACK});
  EXPECT_EQ(words(nested(SQA_TRACE_WHEN_STACK + 1)), 0u);
  EXPECT_THAT(error, HasSubstr("nested too deeply"));
  // A number takes two words, and each further one an operator.
  const auto not_of = [](size_t count) { return std::string(count, '!') + "1"; };
  EXPECT_EQ(words(not_of(SQA_TRACE_WHEN_WORDS - 2)), size_t{SQA_TRACE_WHEN_WORDS});
  EXPECT_EQ(words(not_of(SQA_TRACE_WHEN_WORDS - 1)), 0u);
  EXPECT_THAT(error, HasSubstr("too long"));
  const auto in_parentheses = [](size_t count) {
    return std::string(count, '(') + "1" + std::string(count, ')');
  };
  EXPECT_EQ(words(in_parentheses(63)), 2u);
  EXPECT_EQ(words(in_parentheses(64)), 0u);
  EXPECT_THAT(error, HasSubstr("nested too deeply"));
  EXPECT_EQ(words(in_parentheses(40) + "+" + in_parentheses(40)), 5u) << "what is closed is over";
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
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_THAT(refused.err, HasSubstr("--when: an input should be here"));
}

}  // namespace
}  // namespace shaderqa::testing
