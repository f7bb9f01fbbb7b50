// SPDX-License-Identifier: Apache-2.0
// What conditions of traced invocations mean to the host, and how long they may be. That shaders compute the
// same is tested in tests/replay.
#include "host/trace/trace_when.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_trace.h"
#include "instrument/shader_record.h"

namespace shaderqa {
namespace {

constexpr uint32_t kCompute = 1u << static_cast<uint32_t>(Stage::compute);

uint32_t value(const std::string& text) {
  constexpr uint32_t location[8] = {};
  std::string error;
  const auto words = parse_trace_when(text, kCompute, error);
  EXPECT_TRUE(words) << error;
  return words ? evaluate_trace_when(*words, location) : 0xdead;
}

// The operator that binds closer in C goes first, and the left one of two that are alike.
TEST(TraceCondition, OperatorsBindAsInC) {
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

TEST(TraceCondition, OperatorsComputeOnAllBits) {
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

TEST(TraceCondition, BlanksAreAllowedBetweenAll) {
  EXPECT_EQ(value("\t( 1\t+ 2 )*3 "), 9u);
  EXPECT_EQ(value("1+2*3"), 7u);
}

// Limits: values on the stack, words, parentheses within one another.
TEST(TraceCondition, IsAsLongAndAsDeepAsShadersCanCompute) {
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
  EXPECT_TRUE(error.starts_with("the condition is nested too deeply")) << error;
  // A number takes two words, and each further one an operator.
  const auto not_of = [](size_t count) { return std::string(count, '!') + "1"; };
  EXPECT_EQ(words(not_of(SQA_TRACE_WHEN_WORDS - 2)), size_t{SQA_TRACE_WHEN_WORDS});
  EXPECT_EQ(words(not_of(SQA_TRACE_WHEN_WORDS - 1)), 0u);
  EXPECT_TRUE(error.starts_with("the condition is too long")) << error;
  const auto in_parentheses = [](size_t count) {
    return std::string(count, '(') + "1" + std::string(count, ')');
  };
  EXPECT_EQ(words(in_parentheses(63)), 2u);
  EXPECT_EQ(words(in_parentheses(64)), 0u);
  EXPECT_TRUE(error.starts_with("the condition is nested too deeply")) << error;
  EXPECT_EQ(words(in_parentheses(40) + "+" + in_parentheses(40)), 5u) << "what is closed is over";
}

}  // namespace
}  // namespace shaderqa
