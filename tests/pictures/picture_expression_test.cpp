// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/picture_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shaderqa {
namespace {

using testing::HasSubstr;

// Reverse Polish, so that precedence shows.
std::string polish(const std::string& text) {
  static const char* const names[] = {"",  "",  "",   "neg", "not", "*",  "/",  "%",  "+",
                                      "-", "<", "<=", ">",   ">=",  "==", "!=", "&&", "||"};
  std::string error;
  const auto expression = parse_picture_expression(text, error);
  if (!expression) return "error: " + error;
  std::string out;
  for (const PictureNode& node : *expression) {
    if (!out.empty()) out += " ";
    switch (node.op) {
      case PictureOperator::name:
        out += node.name;
        for (const PicturePart& part : node.parts)
          out += part.name.empty() ? "[" + std::to_string(part.index) + "]" : "." + part.name;
        break;
      case PictureOperator::integer:
        out += std::to_string(node.integer);
        break;
      case PictureOperator::floating:
        out += std::to_string(node.floating);
        break;
      default:
        out += names[static_cast<size_t>(node.op)];
    }
  }
  return out;
}

TEST(PictureExpression, OperatorsBindAsInC) {
  EXPECT_EQ(polish("a"), "a");
  EXPECT_EQ(polish("a.b[3].xy"), "a.b[3].xy");
  EXPECT_EQ(polish("a - b - c * 2"), "a b - c 2 * -");
  EXPECT_EQ(polish("-(a + 1.5f) % 3u"), "a 1.500000 + neg 3 %");
  EXPECT_EQ(polish("!a && b < 2 || c == d"), "a not b 2 < && c d == ||");
  EXPECT_EQ(polish("a <= b != c >= d"), "a b <= c d >= !=");
  EXPECT_EQ(polish("1e3 / .5"), "1000.000000 0.500000 /");
}

TEST(PictureExpression, OperandsAreThoseBefore) {
  std::string error;
  const auto expression = parse_picture_expression("a - b * c", error);
  ASSERT_TRUE(expression);
  ASSERT_EQ(expression->size(), 5u);
  EXPECT_EQ(expression->at(3).left, 1u);
  EXPECT_EQ(expression->at(3).right, 2u);
  EXPECT_EQ(expression->at(4).left, 0u);
  EXPECT_EQ(expression->at(4).right, 3u);
}

TEST(PictureExpression, AnErrorHasACaretUnderItsPlace) {
  EXPECT_THAT(polish("a + "), HasSubstr("a name or a number should be here\n  a + \n      ^"));
  EXPECT_THAT(polish("a b"), HasSubstr("an operator, or the end"));
  EXPECT_THAT(polish("(a"), HasSubstr("')' should be here"));
  EXPECT_THAT(polish("a[i]"), HasSubstr("elements have constant numbers"));
  EXPECT_THAT(polish("a[1"), HasSubstr("']' should be here"));
  EXPECT_THAT(polish("a."), HasSubstr("the name of a member"));
  EXPECT_THAT(polish(""), HasSubstr("a name or a number"));
  EXPECT_THAT(polish(std::string(100, '(')), HasSubstr("nested too deeply"));
  std::string lengthy = "a";
  for (int i = 0; i < 200; ++i) lengthy += "+a";
  EXPECT_THAT(polish(lengthy), HasSubstr("too long"));
}

}  // namespace
}  // namespace shaderqa
