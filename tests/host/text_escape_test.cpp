// SPDX-License-Identifier: Apache-2.0
// Which bytes are text and which are shown as numbers.
#include "host/text/text_escape.h"

#include <gtest/gtest.h>

#include <string>

namespace shaderqa::test {
namespace {

// The first and the last sequence of each range in Unicode's table of well-formed UTF-8.
TEST(TextEscape, ValidSequencesStay) {
  for (const char* text : {"\x01",
                           "\x7f",
                           "\xc2\x80",
                           "\xc2\xbf",
                           "\xdf\x80",
                           "\xdf\xbf",
                           "\xe0\xa0\x80",
                           "\xe0\xbf\xbf",
                           "\xe1\x80\x80",
                           "\xec\xbf\xbf",
                           "\xed\x80\x80",
                           "\xed\x9f\xbf",
                           "\xee\x80\x80",
                           "\xef\xbf\xbf",
                           "\xf0\x90\x80\x80",
                           "\xf0\xbf\xbf\xbf",
                           "\xf1\x80\x80\x80",
                           "\xf3\xbf\xbf\xbf",
                           "\xf4\x80\x80\x80",
                           "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(to_utf8(text), text);
    EXPECT_EQ(to_utf8(std::string("a") + text + "b"), std::string("a") + text + "b");
  }
}

TEST(TextEscape, OtherBytesAreShown) {
  struct Case {
    const char* bytes;
    const char* shown;
  };
  for (const Case& of :
       {Case{"\x80", "\\x80"}, Case{"\xbf", "\\xbf"}, Case{"\xc1\xbf", "\\xc1\\xbf"}, Case{"\xc2", "\\xc2"},
        Case{"\xc2\x7f", "\\xc2\x7f"}, Case{"\xc2\xc0", "\\xc2\\xc0"},
        Case{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"}, Case{"\xe1\x80", "\\xe1\\x80"},
        Case{"\xe1\x80\x7f", "\\xe1\\x80\x7f"}, Case{"\xe1\x80\xc0", "\\xe1\\x80\\xc0"},
        Case{"\xed\xa0\x80", "\\xed\\xa0\\x80"}, Case{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
        Case{"\xf1\x80\x80", "\\xf1\\x80\\x80"}, Case{"\xf1\x80\x80\x7f", "\\xf1\\x80\\x80\x7f"},
        Case{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, Case{"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
        Case{"\xff", "\\xff"}}) {
    EXPECT_EQ(to_utf8(of.bytes), of.shown);
  }
  EXPECT_EQ(to_utf8(std::string("a\0b", 3)), "a\\x00b");
}

TEST(TextEscape, ControlCharactersDependOnWhereTheTextGoes) {
  const auto json = [](const std::string& text) {
    std::string out;
    append_json(out, text);
    return out;
  };
  const auto terminal = [](const std::string& text) {
    std::string out;
    append_terminal(out, text, "> ");
    return out;
  };
  EXPECT_EQ(json("\x1f !\"#[\\]~\x7f"), "\\u001f !\\\"#[\\\\]~\\u007f");
  EXPECT_EQ(json("\n\r\t\xff\xc3\xa9"), "\\n\\r\\t\\\\xff\xc3\xa9");
  EXPECT_EQ(terminal("\x1f ~\x7f\t\r\"\\"), "\\x1f ~\\x7f\t\\x0d\"\\");
  EXPECT_EQ(terminal("a\nb\xff"), "a\n> b\\xff");
}

TEST(TextEscape, XmlMarksAreEntitiesAndTheRestIsWhatXmlAllows) {
  EXPECT_EQ(to_xml("a<b> & \"c\"\t\n"), "a&lt;b&gt; &amp; &quot;c&quot;\t\n");
  EXPECT_EQ(to_xml(std::string_view("\x1b[0m\0\xff", 6)), "?[0m\\x00\\xff");
}

}  // namespace
}  // namespace shaderqa::test
