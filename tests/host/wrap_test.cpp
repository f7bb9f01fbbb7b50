// SPDX-License-Identifier: Apache-2.0
#include "host/text/wrap.h"

#include <gtest/gtest.h>

namespace shaderqa {
namespace {

const std::string kTen = "ten chars ";  // with its space

TEST(Wrap, BreaksAtSpacesBeforeTheEdge) {
  // 44 columns, the last one left free, 4 of them the indent's.
  const std::string text = kTen + kTen + kTen + kTen + "end";
  EXPECT_EQ(wrapped(text, 4, 44), kTen + kTen + kTen + "ten chars\n    end");
  EXPECT_EQ(wrapped(text, 4, 48), text);
  EXPECT_EQ(wrapped(text, 4, 47), kTen + kTen + kTen + "ten chars\n    end");
}

TEST(Wrap, LeavesTextAloneWithoutATerminalOrWithANarrowOne) {
  const std::string text(kTen + kTen + kTen + kTen + kTen + kTen);
  EXPECT_EQ(wrapped(text, 4, 0), text);
  EXPECT_EQ(wrapped(text, 4, 4 + kLeastColumns - 1), text);
}

TEST(Wrap, KeepsLongWordsWhole) {
  const std::string word(60, 'w');
  EXPECT_EQ(wrapped(word + " " + word, 0, 40), word + "\n" + word);
  EXPECT_EQ(wrapped("", 0, 40), "");
}

TEST(Wrap, LinesKeepTheirLead) {
  const std::string line = "shaderqa: " + kTen + kTen + kTen + kTen + "end";
  EXPECT_EQ(wrapped_lines(line + "\n" + "short\n\nlast", 10, 50),
            "shaderqa: " + kTen + kTen + kTen + "ten chars\n          end\nshort\n\nlast");
  EXPECT_EQ(wrapped_lines(line + "\n", 10, 0), line + "\n");
  EXPECT_EQ(wrapped_lines("", 10, 80), "");
}

}  // namespace
}  // namespace shaderqa
