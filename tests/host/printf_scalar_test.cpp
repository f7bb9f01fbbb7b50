// SPDX-License-Identifier: Apache-2.0
// Scalars of every type by every conversion (docs/manual/printf.md).
#include <gtest/gtest.h>
#include <cfloat>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

TEST(PrintfScalar, SignedDecimal) {
  EXPECT_EQ(args().i32(-135).text("%d"), "-135");
  EXPECT_EQ(args().i32(-135).text("%i"), "-135");
  EXPECT_EQ(args().u32(42).text("%d"), "42");
  EXPECT_EQ(args().u32(42).text("%8d"), "      42");
  EXPECT_EQ(args().u32(4294967295u).text("%d"), "-1");
  EXPECT_EQ(args().i8(-123).text("%d"), "-123");
  EXPECT_EQ(args().i16(-123).text("%d"), "-123");
  EXPECT_EQ(args().u8(200).text("%d"), "200");
  EXPECT_EQ(args().u16(65535).text("%d"), "65535");
  EXPECT_EQ(args().u32(0x80000003u).text("%d"), "-2147483645");
  EXPECT_EQ(args().i32(std::numeric_limits<int32_t>::min()).text("%d"), "-2147483648");
}

TEST(PrintfScalar, UnsignedDecimal) {
  EXPECT_EQ(args().u32(4294967295u).text("%u"), "4294967295");
  EXPECT_EQ(args().i32(-4).text("%u"), "4294967292");
  EXPECT_EQ(args().i8(-123).text("%u"), "133");
  EXPECT_EQ(args().u16(65535).text("%u"), "65535");
}

TEST(PrintfScalar, HexAndOctal) {
  EXPECT_EQ(args().i32(-4).text("%x"), "fffffffc");
  EXPECT_EQ(args().i32(-4).text("0x%x"), "0xfffffffc");
  EXPECT_EQ(args().i32(-4).text("%X"), "FFFFFFFC");
  EXPECT_EQ(args().i16(-123).text("%x"), "ff85");
  EXPECT_EQ(args().i8(-123).text("%x"), "85");
  EXPECT_EQ(args().i32(256).text("%o"), "400");
  EXPECT_EQ(args().i32(-4).text("%o"), "37777777774");
  EXPECT_EQ(args().u32(8).text("%#o"), "010");
  EXPECT_EQ(args().u32(0).text("%#o"), "0");
  EXPECT_EQ(args().u32(255).text("%#x"), "0xff");
  EXPECT_EQ(args().u32(255).text("%#010X"), "0X000000FF");
  EXPECT_EQ(args().u32(0).text("%#x"), "0");
}

TEST(PrintfScalar, Bool) {
  EXPECT_EQ(args().boolean(true).boolean(false).boolean(true).text("%u %d %x"), "1 0 1");
  EXPECT_EQ(args().boolean(true).boolean(false).boolean(true).boolean(false).text("0x%x%x%x%x"), "0x1010");
  EXPECT_EQ(args().boolean(true).text("%f"), "1.000000");
  EXPECT_EQ(args().boolean(true).warnings("%f"), 1u);
  Arguments any_bits;
  any_bits.scalar(ScalarKind::boolean, 1, 0xdead0000);
  EXPECT_EQ(any_bits.text("%d"), "1");
}

TEST(PrintfScalar, FixedPoint) {
  EXPECT_EQ(args().f32(3.1415f).text("%f"), "3.141500");
  EXPECT_EQ(args().f32(3.1415f).text("%F"), "3.141500");
  EXPECT_EQ(args().f32(3.1415f).text("%.2f"), "3.14");
  EXPECT_EQ(args().f32(3.1415f).text("%1.2f"), "3.14");
  EXPECT_EQ(args().f32(3.1415f).text("%.3f"), "3.141");
  EXPECT_EQ(args().f64(3.1415).text("%.3f"), "3.142");
  EXPECT_EQ(args().f32(0.5f).f32(1.5f).f32(2.5f).f32(3.5f).text("%.0f %.0f %.0f %.0f"), "0 2 2 4");
  EXPECT_EQ(args().f16(3.298828125f).text("%f"), "3.298828");
  EXPECT_EQ(args().f16(65504.0f).text("%f"), "65504.000000");
  EXPECT_EQ(args().f16(5.9604644775390625e-08f).text("%g"), "5.96046e-08");
  EXPECT_EQ(args().f32(FLT_MAX).text("%f"), "340282346638528859811704183484516925440.000000");
  EXPECT_EQ(args().f32(-0.0f).text("%f"), "-0.000000");
  EXPECT_EQ(args().f32(1.0f).text("%#.0f"), "1.");
  EXPECT_EQ(args().f32(1.0f).text("%+f"), "+1.000000");
  EXPECT_EQ(args().f32(-1.5f).text("%08.2f|"), "-0001.50|");
  EXPECT_EQ(args().f32(-1.5f).text("%-8.2f|"), "-1.50   |");
}

TEST(PrintfScalar, InfinityAndNan) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(args().f32(inf).f32(inf).f32(-inf).f32(std::nanf("")).text("%f %F %f %f"), "inf INF -inf nan");
  EXPECT_EQ(args().f32(inf).text("%05f"), "  inf");
  Arguments negative_nan;
  negative_nan.scalar(ScalarKind::floating, 32, 0xffc00000);
  EXPECT_EQ(negative_nan.text("%f"), "nan");
  EXPECT_EQ(negative_nan.text("%E"), "NAN");
}

TEST(PrintfScalar, ScientificAndGeneral) {
  EXPECT_EQ(args().f32(3.1415f).text("%e"), "3.141500e+00");
  EXPECT_EQ(args().f32(3.1415f).text("%E"), "3.141500E+00");
  EXPECT_EQ(args().f32(3.1415f).text("%1.2e"), "3.14e+00");
  EXPECT_EQ(args().f32(3.1415f).text("%g"), "3.1415");
  EXPECT_EQ(args().f32(1e-5f).text("%g"), "1e-05");
  EXPECT_EQ(args().f32(1e-5f).text("%G"), "1E-05");
  EXPECT_EQ(args().f32(123456789.f).text("%g"), "1.23457e+08");
  EXPECT_EQ(args().f32(1.0f).text("%#g"), "1.00000");
  EXPECT_EQ(args().f32(1e10f).text("%#.3g"), "1.00e+10");
}

TEST(PrintfScalar, HexFloat) {
  EXPECT_EQ(args().f32(3.1415f).text("%a"), "0x1.921cacp+1");
  EXPECT_EQ(args().f32(3.1415f).text("%A"), "0X1.921CACP+1");
  EXPECT_EQ(args().f32(3.1415f).text("%1.3a"), "0x1.922p+1");
  EXPECT_EQ(args().f32(3.1415f).text("%1.9A"), "0X1.921CAC000P+1");
  EXPECT_EQ(args().f32(1.0f).text("%a"), "0x1p+0");
  EXPECT_EQ(args().f32(0.0f).text("%a"), "0x0p+0");
  EXPECT_EQ(args().f64(3.1415).text("%a"), "0x1.921cac083126fp+1");
}

TEST(PrintfScalar, Character) {
  EXPECT_EQ(args().i32(65).text("%c"), "A");
  EXPECT_EQ(args().i32(0).i32(10).i32(0x80).text("%c%c%c"), "\\x00\\x0a\\x80");
  EXPECT_EQ(args().i32(65).text("%3c|"), "  A|");
}

TEST(PrintfScalar, MismatchPrintsBitsAndWarnsOnce) {
  EXPECT_EQ(args().f32(1.0f).text("%d"), "1065353216");
  EXPECT_EQ(args().f32(1.0f).f32(1.0f).warnings("%d %d"), 1u);
  EXPECT_EQ(args().i32(4).text("%f"), "0.000000");
  EXPECT_EQ(args().i32(4).warnings("%f"), 1u);
  EXPECT_EQ(args().f32(1.0f).text("%x"), "3f800000");
  EXPECT_EQ(args().f32(1.0f).warnings("%x"), 0u);
}

TEST(PrintfScalar, LongIntegers) {
  constexpr uint64_t big = 0x2000000000000001;
  EXPECT_EQ(args().u64(big).text("%lu"), "2305843009213693953");
  EXPECT_EQ(args().u64(big).text("0x%lx"), "0x2000000000000001");
  EXPECT_EQ(args().u64(big).text("0x%ul"), "0x2000000000000001");
  EXPECT_EQ(args().u32(7).text("%ul"), "7l");
  EXPECT_EQ(args().i64(0).i64(-1).i64(-42).i64(INT64_MIN).text("%ld %ld %ld %ld"),
            "0 -1 -42 -9223372036854775808");
  EXPECT_EQ(args().i32(1).i64(42).i64(-42).i32(2).text("%d %ld %ld %d"), "1 42 -42 2");
  EXPECT_EQ(args().i64(-1).u64(255).u64(8).text("%li %lX %lo"), "-1 FF 10");
  EXPECT_EQ(args().u64(42).text("%8lu"), "      42");
  EXPECT_EQ(args().u64(42).text("%08lx"), "0000002a");
  EXPECT_EQ(args().u64(42).text("%04ul"), "002a");
  EXPECT_EQ(args().u64(big).text("%.3lx"), "2000000000000001");
  EXPECT_EQ(args().i32(-1).u32(2).i8(-3).u16(4).u64(5).i64(-6).text("%lld %llu %hhd %hu %zu %jd"),
            "-1 2 -3 4 5 -6");
}

TEST(PrintfScalar, LengthNeverShiftsTheOtherArguments) {
  EXPECT_EQ(args().u64(1).u64(0x1ffffffff).i64(-2).i32(9).text("%d %u %d %d"), "1 8589934591 -2 9");
  EXPECT_EQ(args().u64(0xabcdef0123).text("%x"), "abcdef0123");
  EXPECT_EQ(args().u64(1).warnings("%d"), 1u);
  EXPECT_EQ(args().u64(1).warnings("%lu"), 0u);
  EXPECT_EQ(args().u32(5).u32(6).text("%lu %u"), "5 6");
  EXPECT_EQ(args().boolean(true).u32(6).text("%lu %u"), "1 6");
}

TEST(PrintfScalar, Doubles) {
  EXPECT_EQ(args().f64(1.23456789).text("%f"), "1.234568");
  EXPECT_EQ(args().f64(1.23456789).f32(1.5f).text("%lf %lf"), "1.234568 1.500000");
  EXPECT_EQ(args().f16(3.33203125f).f64(10.0 / 3).f32(10.0f / 3).text("%f %f %f"),
            "3.332031 3.333333 3.333333");
  EXPECT_EQ(args().f64(DBL_MAX).text("%.0f").size(), 309u);
}

TEST(PrintfScalar, Pointers) {
  EXPECT_EQ(args().pointer(0x7f0000001000).text("%p"), "0x7f0000001000");
  EXPECT_EQ(args().pointer(0).text("%p"), "0x0");
  EXPECT_EQ(args().u64(0x10).text("%p"), "0x10");
  EXPECT_EQ(args().u32(0x10).text("%p"), "0x10");
  EXPECT_EQ(args().u32(0x10).warnings("%p"), 1u);
  EXPECT_EQ(args().pointer(16).text("%lx"), "10");
}

// The reference where the two languages agree.
TEST(PrintfScalar, AgreesWithTheCLibrary) {
  std::mt19937_64 random(7);
  const char* formats[] = {"%f",    "%.0f",  "%.1f",  "%.3f",   "%.9f",  "%.12f", "%e",  "%.0e",
                           "%.15e", "%g",    "%.0g",  "%.3g",   "%#g",   "%#.0f", "%#e", "%12f",
                           "%-12f", "%012f", "%+.2f", "%+012g", "%#.0e", "%#.10g"};
  for (int i = 0; i < 20000; ++i) {
    uint64_t bits = random();
    // Half of them of a size that programs print, with few bits set so that ties happen.
    if (i % 2 == 0) bits = (bits & 0x800ffff000000000) | (uint64_t{1023 - 12} + random() % 40) << 52;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isnan(value)) continue;
    const float narrow = static_cast<float>(value);
    for (const char* format : formats) {
      char expected[512];
      std::snprintf(expected, sizeof expected, format, value);
      ASSERT_EQ(args().f64(value).text(format), expected) << format;
      std::snprintf(expected, sizeof expected, format, static_cast<double>(narrow));
      ASSERT_EQ(args().f32(narrow).text(format), expected) << format;
    }
  }
  const char* integers[] = {"%d", "%5d", "%-5d|", "%05d", "%+d", "%.3d", "%8.3d", "%.0d", "%+5.1d", "%-+8d|"};
  for (const int value : {0, 1, -1, 42, -42, 123456, INT32_MAX, INT32_MIN}) {
    for (const char* format : integers) {
      char expected[64];
      std::snprintf(expected, sizeof expected, format, value);
      EXPECT_EQ(args().i32(value).text(format), expected) << format;
    }
    for (const char* format :
         {"%u", "%x", "%#x", "%o", "%#o", "%.5x", "%#.5x", "%#.5o", "%#8x", "%-#8x|", "%#08x", "%#.0o"}) {
      char expected[64];
      std::snprintf(expected, sizeof expected, format, value);
      EXPECT_EQ(args().i32(value).text(format), expected) << format;
    }
  }
}

TEST(PrintfScalar, IgnoresTheLocale) {
  const char* const before = std::setlocale(LC_NUMERIC, nullptr);
  const std::string saved = before != nullptr ? before : "C";
  const bool comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr;
  EXPECT_EQ(args().f32(1.5f).text("%f %g %e"), "1.500000 <missing> <missing>");
  std::setlocale(LC_NUMERIC, saved.c_str());
  if (!comma) GTEST_SKIP() << "the German locale is not installed";
}

}  // namespace
}  // namespace shaderqa::test
