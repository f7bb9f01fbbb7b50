// SPDX-License-Identifier: Apache-2.0
// Vectors, aggregates, malformed formats and counts (docs/manual/printf.md).
#include <gtest/gtest.h>

#include <utility>

#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

TEST(PrintfVector, Floats) {
  EXPECT_EQ(args().floats({1.2f, 2.2f}).text("%v2f"), "1.200000, 2.200000");
  EXPECT_EQ(args().floats({1.2f, 2.2f, 3.2f}).text("%v3f"), "1.200000, 2.200000, 3.200000");
  EXPECT_EQ(args().floats({1.2f, 2.2f, 3.2f, 4.2f}).text("%v4f"), "1.200000, 2.200000, 3.200000, 4.200000");
  EXPECT_EQ(args().floats({1.2f, 2.2f, 3.2f, 4.2f}).text("%1.2v4f"), "1.20, 2.20, 3.20, 4.20");
  EXPECT_EQ(args().floats({1.2f, 2.2f}).text("%08.3v2f"), "0001.200, 0002.200");
}

TEST(PrintfVector, Integers) {
  EXPECT_EQ(args().ints({-4, 32, 64}).text("0x%v3x"), "0xfffffffc, 20, 40");
  EXPECT_EQ(args().ints({1, 2, 3}).text("%#v3x"), "0x1, 0x2, 0x3");
  EXPECT_EQ(args().ints({-123, -123}, 8).text("%v2d"), "-123, -123");
  EXPECT_EQ(args().ints({-123, 7}, 16).text("%v2d"), "-123, 7");
  EXPECT_EQ(args().add(ArgumentShape::vector, ScalarKind::boolean, 1, {1, 0}).text("%v2u"), "1, 0");
}

TEST(PrintfVector, Wide) {
  const auto u64 = [](std::vector<uint64_t> values) {
    return args().add(ArgumentShape::vector, ScalarKind::unsigned_int, 64, values);
  };
  EXPECT_EQ(u64({10, 11, 12, 0x2000000000000001}).text("%v4ul"), "a, b, c, 2000000000000001");
  EXPECT_EQ(u64({10, 0x2000000000000001}).text("%v2lu"), "10, 2305843009213693953");
  EXPECT_EQ(u64({10, 0x2000000000000001}).text("%v2lx"), "a, 2000000000000001");
  EXPECT_EQ(args()
                .add(ArgumentShape::vector, ScalarKind::signed_int, 64, {1, static_cast<uint64_t>(-2)})
                .text("%v2ld"),
            "1, -2");
  EXPECT_EQ(args()
                .add(ArgumentShape::vector, ScalarKind::floating, 64,
                     {Arguments::bits_of(1.25), Arguments::bits_of(-2.5), Arguments::bits_of(1e300)})
                .text("%.1v3f")
                .substr(0, 10),
            "1.2, -2.5,");
}

TEST(PrintfVector, WrongCount) {
  EXPECT_EQ(args().floats({1.2f, 2.2f}).i32(7).text("%v4f %d"), "1.200000, 2.200000, 0.000000, 0.000000 7");
  EXPECT_EQ(args().floats({1.2f, 2.2f}).warnings("%v4f"), 1u);
  EXPECT_EQ(args().floats({1, 2, 3, 4}).i32(7).text("%v3f %d"), "1.000000, 2.000000, 3.000000 7");
  EXPECT_EQ(args().floats({1, 2, 3, 4}).warnings("%v3f"), 1u);
  EXPECT_EQ(args().floats({1, 2, 3}).i32(7).text("%f %d"), "1.000000, 2.000000, 3.000000 7");
  EXPECT_EQ(args().floats({1, 2, 3}).warnings("%f"), 1u);
  EXPECT_EQ(args().f32(1).i32(7).text("%v3f %d"), "<%v3f of a scalar> 7");
  EXPECT_EQ(args().f32(1).warnings("%v3f"), 1u);
}

TEST(PrintfVector, NotInTheLanguage) {
  for (const char* format : {"%v", "%v1f", "%v5f", "%v3 f", "%v3\n", "%v2s", "%v3p", "%v3%"}) {
    EXPECT_EQ(args().text(format), format);
    EXPECT_EQ(args().warnings(format), 1u) << format;
  }
}

TEST(PrintfVector, APercentSignWithinAnUnknownConversionStartsTheNext) {
  EXPECT_EQ(args().i32(7).text("%v3%d"), "%v37");
  EXPECT_EQ(args().i32(7).text("%v%d"), "%v7");
}

TEST(PrintfVector, LengthModifiersOfOpenCl) {
  EXPECT_EQ(args().floats({1, 2, 3}).text("%v3hlf"), "1.000000, 2.000000, 3.000000");
  EXPECT_EQ(args().ints({-1, 2, 3, 4}, 8).text("%v4hhd"), "-1, 2, 3, 4");
}

TEST(PrintfAggregate, PrintsEveryScalar) {
  EXPECT_EQ(args().floats({1, 2, 3, 4}, ArgumentShape::matrix).i32(7).text("%v2f|%d"),
            "1.000000, 2.000000, 3.000000, 4.000000|7");
  EXPECT_EQ(args().floats({1, 2, 3}, ArgumentShape::array).text("%.1f"), "1.0, 2.0, 3.0");
  PrintfArgument structure;
  structure.shape = ArgumentShape::structure;
  structure.scalars = {{ScalarKind::floating, 32}, {ScalarKind::unsigned_int, 64}, {ScalarKind::boolean, 1}};
  Arguments mixed;
  mixed.types = {structure};
  mixed.payload = {0x3f800000, 1, 2, 1};
  EXPECT_EQ(mixed.text("%x"), "3f800000, 200000001, 1");
  Arguments empty;
  empty.types = {PrintfArgument{ArgumentShape::structure, {}, {}}};
  EXPECT_EQ(empty.text("[%f]"), "[]");
}

TEST(PrintfFormat, Percent) {
  EXPECT_EQ(args().i32(5).text("100%% done %d"), "100% done 5");
  EXPECT_EQ(args().text("%%d"), "%d");
  EXPECT_EQ(args().text("%5%"), "%");
  EXPECT_EQ(args().text("50% done"), "50% done");
  EXPECT_EQ(args().warnings("50% done"), 1u);
  EXPECT_EQ(args().i32(4).text("% d"), " 4");
  EXPECT_EQ(args().i32(4).warnings("% d"), 0u);
  EXPECT_EQ(args().i32(4).text("50% - %d"), "50% - 4");
  EXPECT_EQ(args().text("abc%"), "abc%");
  EXPECT_EQ(args().text("abc%5"), "abc%5");
}

TEST(PrintfFormat, UnknownTakesNoArgument) {
  EXPECT_EQ(args().i32(1).text("%q %d"), "%q 1");
  EXPECT_EQ(args().i32(1).warnings("%q %d"), 1u);
  EXPECT_EQ(args().i32(1).text("%n%d"), "%n1");
  EXPECT_EQ(args().i32(1).warnings("%n%d"), 1u);
  EXPECT_EQ(args().i32(1).text("%2$d"), "%2$d");
}

TEST(PrintfFormat, TextRightAfterAConversion) {
  EXPECT_EQ(args().i32(1).i32(255).text("%d0x%x"), "10xff");
  EXPECT_EQ(args().i32(7).text("%dlarge"), "7large");
  EXPECT_EQ(args().u32(7).text("%uleft"), "7left");
  EXPECT_EQ(args().u32(7).text("%ulong"), "7long");
}

TEST(PrintfFormat, Stars) {
  EXPECT_EQ(args().i32(5).i32(42).text("%*d|"), "   42|");
  EXPECT_EQ(args().i32(-5).i32(42).text("%*d|"), "42   |");
  EXPECT_EQ(args().i32(INT32_MAX).i32(1).text("%*d").size(), 1024u);
  EXPECT_EQ(args().i32(INT32_MIN).i32(1).text("%*d").size(), 1024u);
  EXPECT_EQ(args().i32(2).f32(1.239f).text("%.*f"), "1.24");
  EXPECT_EQ(args().i32(-2).f32(1.5f).text("%.*f"), "1.500000");
  EXPECT_EQ(args().f32(2).i32(3).text("%*d"), "3");
  EXPECT_EQ(args().f32(2).i32(3).warnings("%*d"), 1u);
  EXPECT_EQ(args().text("%*d"), "<missing>");
}

TEST(PrintfFormat, FieldsAreCapped) {
  EXPECT_EQ(args().i32(1).text("%300d").size(), 300u);
  EXPECT_EQ(args().i32(1).text("%99999d").size(), 4096u);
  EXPECT_EQ(args().i32(1).text("%99999999999999999999d").size(), 4096u);
  EXPECT_EQ(args().f64(1e300).text("%.99999f").size(), 4096u);
  EXPECT_EQ(args().f64(1e300).text("%99999.99999f").size(), 4096u);
  EXPECT_EQ(args().i32(1).text("%.99999d").size(), 4096u);
}

TEST(PrintfFormat, MessagesAreCapped) {
  const std::vector<uint64_t> values(2000, 1);
  const std::string text =
      args().add(ArgumentShape::array, ScalarKind::signed_int, 32, values).text("%4096d");
  EXPECT_LT(text.size(), CompiledFormat::kMaxMessageChars + 4200);
  EXPECT_NE(text.find("<truncated>"), std::string::npos);
}

TEST(PrintfFormat, Strings) {
  EXPECT_EQ(args().string("abc").i32(3).text("%s %d"), "abc 3");
  EXPECT_EQ(args().string("abc").text("%5s|%-1s"), "  abc|<missing>");
  EXPECT_EQ(args().string("abc").text("%05s"), "  abc") << "zeros are for numbers";
  EXPECT_EQ(args().string("h\xc3\xa9llo").text("%.2s"), "h");
  EXPECT_EQ(args().i32(3).i32(4).text("%s %d"), "<%s?> 4");
  EXPECT_EQ(args().i32(3).warnings("%s"), 1u);
  EXPECT_EQ(args().string("%d").text("%d"), "%d");
}

TEST(PrintfFormat, Counts) {
  EXPECT_EQ(args().i32(1).text("%d %d"), "1 <missing>");
  EXPECT_EQ(args().i32(1).warnings("%d %d"), 1u);
  EXPECT_EQ(args().i32(1).i32(2).i32(3).text("%d"), "1");
  EXPECT_EQ(args().i32(1).i32(2).i32(3).warnings("%d"), 1u);
  EXPECT_EQ(args().text(""), "");
  EXPECT_EQ(args().i32(3).text("no specs"), "no specs");
  EXPECT_EQ(args().i32(3).warnings("no specs"), 1u);
  const std::vector<std::string> more = args().i32(1).i32(2).i32(3).render("%d").warnings;
  ASSERT_EQ(more.size(), 1u);
  EXPECT_NE(more[0].find("there are more arguments than conversions: 2 not printed"), std::string::npos)
      << more[0];
}

TEST(PrintfFormat, ShortAndLongPayload) {
  const Arguments a = args().i32(1).u64(2).floats({3, 4});
  const PrintfSite site = a.site("%d %lu %v2f");
  EXPECT_EQ(render_printf(site, std::span(a.payload).first(2)).text, "1 <missing> <missing>, <missing>");
  EXPECT_EQ(render_printf(site, std::span(a.payload).first(4)).text, "1 2 3.000000, <missing>");
  EXPECT_EQ(render_printf(site, {}).text, "<missing> <missing> <missing>, <missing>");
  std::vector<uint32_t> longer = a.payload;
  longer.resize(100, 0xffffffff);
  EXPECT_EQ(render_printf(site, longer).text, "1 2 3.000000, 4.000000");
}

TEST(PrintfFormat, ManyWideArguments) {
  Arguments a;
  std::string format, expected;
  for (int i = 0; i < 100; ++i) {
    a.u64(0x100000000u + static_cast<uint64_t>(i));
    format += "%lu ";
    expected += std::to_string(0x100000000 + i) + " ";
  }
  EXPECT_EQ(a.text(format), expected);
}

TEST(PrintfFormat, Bytes) {
  EXPECT_EQ(args().text("a\n\tb"), "a\n\tb");
  EXPECT_EQ(args().text("h\xc3\xa9"), "h\xc3\xa9");
  EXPECT_EQ(args().text("h\xc3(\xff"), "h\\xc3(\\xff");
  EXPECT_EQ(args().text(std::string("a\0b", 3)), "a\\x00b");
}

TEST(PrintfFormat, Invocation) {
  Arguments a = args().i32(1);
  PrintfSite site = a.site("%d");
  a.payload.insert(a.payload.end(), {4, 5, 6});
  EXPECT_EQ(render_invocation(site, a.payload), "");
  const std::pair<InvocationKind, const char*> expected[] = {
      {InvocationKind::global_id, "global invocation 4,5,6"},
      {InvocationKind::vertex, "vertex 4, instance 5"},
      {InvocationKind::fragment, "fragment 4,5"},
      {InvocationKind::primitive, "primitive 4, invocation 5"},
      {InvocationKind::launch_id, "launch 4,5,6"}};
  for (const auto& [kind, text] : expected) {
    site.invocation = kind;
    EXPECT_EQ(render_invocation(site, a.payload), text);
    EXPECT_EQ(render_invocation(site, std::span(a.payload).first(3)), "");
    EXPECT_EQ(render_invocation(site, {}), "");
  }
}

}  // namespace
}  // namespace shaderqa::test
