// SPDX-License-Identifier: Apache-2.0
// A line of source below a finding: where its caret stands, and what is left of it on a narrow terminal.
#include "host/findings/source_excerpt.h"

#include <gtest/gtest.h>

#include <string>

namespace shaderqa {
namespace {

LineSource source(const std::string& text, uint64_t column = 0) { return {"a.comp", text, 3, column}; }

std::string marked(const LineSource& line, size_t room, const std::string& memory = "") {
  const SourceExcerpt excerpt = source_excerpt(line, memory, room);
  return excerpt.text + "|" + (excerpt.caret ? std::string(*excerpt.caret, ' ') + "^" : "");
}

TEST(SourceExcerpt, PointsAtTheColumn) {
  EXPECT_EQ(marked(source("\t  x = b[1];", 8), 0), "x = b[1];|    ^");
  EXPECT_EQ(marked(source("x = b[1];"), 0, "B.b[1]"), "x = b[1];|    ^");
  EXPECT_EQ(marked(source("b[0] = b[1];"), 0, "B.b[1]"), "b[0] = b[1];|");
  EXPECT_EQ(marked(source("", 8), 0), "|");
}

// Columns are bytes to compilers, and a character may have several.
TEST(SourceExcerpt, CountsCharactersInFrontOfTheCaret) {
  EXPECT_EQ(marked(source("/* \xc3\xa4\xe2\x86\x92 */ b = 1;", 13), 0),
            "/* \xc3\xa4\xe2\x86\x92 */ b = 1;|         ^");
}

TEST(SourceExcerpt, KeepsWhatIsAroundTheCaret) {
  const std::string text = "0123456789abcdefghijABCDEFGHIJklmnopqrst";
  EXPECT_EQ(marked(source(text, 5), 20), "0123456789abcdefg...|    ^");
  EXPECT_EQ(marked(source(text, 21), 20), "...defghijABCDEFG...|          ^");
  EXPECT_EQ(marked(source(text, 40), 20), "...DEFGHIJklmnopqrst|                   ^");
  EXPECT_EQ(marked(source(text), 20), "0123456789abcdefg...|");
  EXPECT_EQ(marked(source(text, 5), 40), text + "|    ^");
  EXPECT_EQ(marked(source(text, 5), 0), text + "|    ^");
  // No character is cut in two.
  std::string umlauts;
  for (int i = 0; i < 40; ++i) umlauts += "\xc3\xa4";
  EXPECT_EQ(source_excerpt(source(umlauts), "", 20).text, umlauts.substr(0, 34) + "...");
}

// An excerpt fits the width, whatever the line and the caret, and its caret stands below the same character.
TEST(SourceExcerpt, TheCaretStaysBelowItsCharacter) {
  std::string text;
  for (char c = '!'; c < '~'; ++c) text += c;
  for (size_t room = 13; room < 100; ++room)
    for (uint64_t column = 1; column <= text.size(); ++column) {
      const SourceExcerpt excerpt = source_excerpt(source(text, column), "", room);
      ASSERT_LE(excerpt.text.size(), room);
      ASSERT_TRUE(excerpt.caret);
      ASSERT_LT(*excerpt.caret, excerpt.text.size());
      ASSERT_EQ(excerpt.text[*excerpt.caret], text[column - 1])
          << room << " " << column << " " << excerpt.text;
    }
}

}  // namespace
}  // namespace shaderqa
