// SPDX-License-Identifier: Apache-2.0
// Raw dumps: the golden bytes of the format and everything that can be wrong with a buffer.
#include <gtest/gtest.h>

#include "host/printf/printf_stream.h"
#include "instrument/runtime/abi_printf.h"
#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

struct Decoded {
  std::vector<std::string> texts, problems;
};

std::vector<std::byte> bytes_of(const std::vector<uint32_t>& words) {
  std::vector<std::byte> bytes(words.size() * 4);
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Decoded decode(std::span<const std::byte> bytes, const PrintfTable& table) {
  Decoded decoded;
  decode_printf_dump(bytes, table,
                     {[&](const PrintfMessage& message) {
                        if (message.site == nullptr) return;
                        decoded.texts.push_back(render_printf(*message.site, message.payload).text);
                      },
                      [&](const std::string& problem) { decoded.problems.push_back(problem); }});
  return decoded;
}

class PrintfDump : public testing::Test {
 protected:
  PrintfDump() {
    first_ = args().i32(-4).floats({1.2f, 2.2f}).u64(0x2000000000000001);
    second_ = args().f32(1.0f).f64(3.1415).i8(-123);
    table_.add(make_record(
        {first_.site("x=%d v=%v2f b=%lu", 0xdeadbeef), second_.site("%f %f %d", 0x123456789abc)}));
  }
  // Header and words; offset: -1 for the number of words.
  Decoded words(std::vector<uint32_t> entries, int64_t offset = -1) const {
    const uint64_t reserved = offset < 0 ? entries.size() : static_cast<uint64_t>(offset);
    std::vector<uint32_t> all = {static_cast<uint32_t>(reserved), static_cast<uint32_t>(reserved >> 32), 0,
                                 0};
    all.insert(all.end(), entries.begin(), entries.end());
    return decode(bytes_of(all), table_);
  }
  std::vector<uint32_t> entry1() const { return make_entry(0xdeadbeef, first_.payload); }
  std::vector<uint32_t> entry2() const { return make_entry(0x123456789abc, second_.payload); }
  static std::vector<uint32_t> join(std::vector<uint32_t> a, const std::vector<uint32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  Arguments first_, second_;
  PrintfTable table_;
  const std::string text1_ = "x=-4 v=1.200000, 2.200000 b=2305843009213693953";
  const std::string text2_ = "1.000000 3.141500 -123";
};

TEST_F(PrintfDump, GoldenEntries) {
  EXPECT_EQ(entry1(), (std::vector<uint32_t>{0xbeef0007, 0x0000dead, 0xfffffffc, 0x3f99999a, 0x400ccccd, 1,
                                             0x20000000}));
  EXPECT_EQ(entry2(),
            (std::vector<uint32_t>{0x9abc0006, 0x12345678, 0x3f800000, 0xc083126f, 0x400921ca, 0x85}));
  EXPECT_EQ(words(entry1()).texts, std::vector{text1_});
  EXPECT_EQ(words(entry2()).texts, std::vector{text2_});
}

TEST_F(PrintfDump, GoldenBuffer) {
  const std::string hex =
      "0d0000000000000000000000000000000700efbeadde0000fcffffff9a99993fcdcc0c4001000000000000200600bc9a785634"
      "120000803f6f"
      "1283c0ca21094085000000";
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  ASSERT_EQ(bytes.size(), 68u);
  const Decoded decoded = decode(bytes, table_);
  EXPECT_EQ(decoded.texts, (std::vector{text1_, text2_}));
  EXPECT_TRUE(decoded.problems.empty());
}

TEST_F(PrintfDump, HeaderPacksTheLow48Bits) {
  const std::vector<uint32_t> entry = make_entry(0xef0123456789, {1, 2, 3});
  EXPECT_EQ(uint64_t{entry[1]} << 32 | entry[0], 0xef01234567890005u);
}

TEST_F(PrintfDump, OffsetZeroIsSilent) {
  const Decoded decoded = words(entry1(), 0);
  EXPECT_TRUE(decoded.texts.empty());
  EXPECT_TRUE(decoded.problems.empty());
}

TEST_F(PrintfDump, MalformedSizesStop) {
  for (const uint32_t size : {0u, 1u}) {
    const Decoded decoded = words(join(entry1(), join({size | 5u << 16, 0, 0}, entry2())));
    EXPECT_EQ(decoded.texts, std::vector{text1_});
    EXPECT_EQ(decoded.problems, std::vector{"malformed entry @7: size " + std::to_string(size)});
  }
}

TEST_F(PrintfDump, TruncatedTail) {
  std::vector<uint32_t> all = join(entry1(), entry2());
  all.pop_back();
  const Decoded decoded = words(all);
  EXPECT_EQ(decoded.texts, std::vector{text1_});
  ASSERT_EQ(decoded.problems.size(), 1u);
  EXPECT_NE(decoded.problems[0].find("truncated entry @7: size 6, 5 dwords"), std::string::npos)
      << decoded.problems[0];
}

TEST_F(PrintfDump, UnknownIdIsSkipped) {
  const Decoded decoded = words(join(make_entry(0xabc, {1, 2}), join(make_entry(0xabc, {1}), entry2())));
  EXPECT_EQ(decoded.texts, std::vector{text2_});
  ASSERT_EQ(decoded.problems.size(), 1u);
  EXPECT_NE(decoded.problems[0].find("000000000abc"), std::string::npos);
}

TEST_F(PrintfDump, ShortAndLongEntries) {
  const Decoded missing = words(join(make_entry(0xdeadbeef, {5, 0x3f800000}), entry2()));
  EXPECT_EQ(missing.texts, (std::vector<std::string>{"x=5 v=1.000000, <missing> b=<missing>", text2_}));
  std::vector<uint32_t> longer = first_.payload;
  longer.insert(longer.end(), {9, 9, 9});
  EXPECT_EQ(words(join(make_entry(0xdeadbeef, longer), entry2())).texts, (std::vector{text1_, text2_}));
}

TEST_F(PrintfDump, OverrunIsCounted) {
  const Decoded decoded = words(entry1(), 107);
  EXPECT_EQ(decoded.texts, std::vector{text1_});
  ASSERT_EQ(decoded.problems.size(), 1u);
  EXPECT_EQ(decoded.problems[0].rfind("100 dwords of messages were dropped", 0), 0u) << decoded.problems[0];
  EXPECT_EQ(decoded.problems[0].find("2 GiB"), std::string::npos);
  const Decoded clamped = words(entry1(), (int64_t{1} << 29) + 4);
  ASSERT_EQ(clamped.problems.size(), 1u);
  EXPECT_NE(clamped.problems[0].find("2 GiB"), std::string::npos);
}

TEST_F(PrintfDump, ForeignHeader) {
  const Decoded decoded = decode(bytes_of({0, 0, 1, 0}), table_);
  ASSERT_EQ(decoded.problems.size(), 1u);
  EXPECT_NE(decoded.problems[0].find("reserved"), std::string::npos);
}

TEST_F(PrintfDump, HolesAreSkipped) {
  const Decoded decoded = words(join(entry1(), join(std::vector<uint32_t>(9, 0), entry2())));
  EXPECT_EQ(decoded.texts, (std::vector{text1_, text2_}));
  ASSERT_EQ(decoded.problems.size(), 1u);
  EXPECT_NE(decoded.problems[0].find("9 dwords @7"), std::string::npos) << decoded.problems[0];
}

TEST_F(PrintfDump, PadsAreNoMessages) {
  const Decoded decoded = words(join(entry1(), {3, 0, 0}));
  EXPECT_EQ(decoded.texts, std::vector{text1_});
  EXPECT_TRUE(decoded.problems.empty());
}

TEST_F(PrintfDump, EveryLengthIsSafe) {
  const std::vector<std::byte> all = bytes_of(join({13, 0, 0, 0}, join(entry1(), entry2())));
  for (size_t size = 0; size < all.size(); ++size) {
    const std::vector<std::byte> exact(all.begin(), all.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(decode(exact, table_).problems.empty()) << size;
  }
}

TEST(PrintfTable, SharedIds) {
  PrintfTable table;
  const PrintfSite site = args().i32(0).site("a %d", 5);
  PrintfSite elsewhere = site;
  elsewhere.source = {"b.comp", 9, 0, ""};
  EXPECT_TRUE(table.add(make_record({site})).empty());
  EXPECT_TRUE(table.add(make_record({elsewhere})).empty()) << "the same definition is no collision";
  const PrintfSite other = args().u32(0).site("a %d", 5);
  const std::vector<std::string> warnings = table.add(make_record({other}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("000000000005"), std::string::npos);
  EXPECT_TRUE(table.add(make_record({args().site("b", 5)})).empty()) << "once for an id";
  EXPECT_EQ(table.find(5)->format, "a %d");
  EXPECT_EQ(table.find(6), nullptr);
  table.add(make_record({args().site("c", 5 + SQA_PRINTF_SITE_SLOTS), args().site("d", 6)}));
  EXPECT_EQ(table.sites_of_slot(5).size(), 2u);
}

// What was reserved and never written ends where an entry of a known format string begins that fits.
TEST_F(PrintfDump, HolesEndWithTheNextEntryThatIsKnownAndFits) {
  table_.add(make_record({args().site("nothing", 0x42)}));
  const std::vector<uint32_t> shortest = make_entry(0x42, {});
  ASSERT_EQ(shortest.size(), 2u);
  const auto decoded_as = [&](const std::vector<uint32_t>& entries, const std::vector<std::string>& texts,
                              const std::string& hole) {
    const Decoded decoded = words(entries);
    EXPECT_EQ(decoded.texts, texts);
    EXPECT_EQ(decoded.problems, hole.empty() ? std::vector<std::string>{}
                                             : std::vector{hole + " were reserved but never written"});
  };
  decoded_as(join({0}, shortest), {"nothing"}, "1 dwords @0");
  decoded_as(join({0, 0}, join(shortest, entry2())), {"nothing", text2_}, "2 dwords @0");
  decoded_as(join({0}, join(make_entry(0xabc, {1}), shortest)), {"nothing"}, "4 dwords @0");
  std::vector<uint32_t> cut = entry1();
  cut.pop_back();
  decoded_as(join({0}, cut), {}, "7 dwords @0");
  decoded_as(join({0}, {0x42u << 16 | 1, 0}), {}, "3 dwords @0");  // of an impossible size
  decoded_as(join(shortest, {0, 0}), {"nothing"}, "2 dwords @2");
  decoded_as(join(shortest, {0}), {"nothing"}, "");  // one dword at the end can belong to nothing
  decoded_as(join(shortest, {0, 0x42u << 16 | 2}), {"nothing"}, "2 dwords @2");  // without its second dword
}

}  // namespace
}  // namespace shaderqa::test
