// SPDX-License-Identifier: Apache-2.0
#include "host/settings/hash_filter.h"

#include <gtest/gtest.h>

namespace shaderqa {
namespace {

struct Parsed {
  HashFilter filter;
  std::vector<std::string> problems;
  explicit Parsed(std::string_view text) { filter = HashFilter::parse(text, "hashes.txt", problems); }
};

TEST(HashFilter, EmptyAllowsAll) {
  EXPECT_EQ(HashFilter().match(1), kHashAllow);
  EXPECT_TRUE(HashFilter().empty());
  const Parsed comments("# nothing\n; nothing\n\n 1234 indented lines are comments\n");
  EXPECT_EQ(comments.filter.match(1), kHashAllow);
  EXPECT_TRUE(comments.problems.empty());
}

TEST(HashFilter, HashesRangesKeywords) {
  const Parsed p(
      "0x10\n"
      "20-2f\n"
      "30 - 3f full\n"
      "0000000000000040,000000000000004f,flush-nan\n"
      "50 expect-assume\n51 sync\n52 sync-compute\n53 printf\n54 disallow\n55 allow\n"
      "FFFFFFFFFFFFFFFF printf");
  EXPECT_TRUE(p.problems.empty()) << p.problems[0];
  EXPECT_EQ(p.filter.match(0x10), kHashAllow);
  EXPECT_EQ(p.filter.match(0x11), 0u);
  EXPECT_EQ(p.filter.match(0x1f), 0u);
  EXPECT_EQ(p.filter.match(0x20), kHashAllow);
  EXPECT_EQ(p.filter.match(0x2f), kHashAllow);
  EXPECT_EQ(p.filter.match(0x30), kHashFull);
  EXPECT_EQ(p.filter.match(0x4f), kHashFlushNan);
  EXPECT_EQ(p.filter.match(0x50), kHashExpectAssume);
  EXPECT_EQ(p.filter.match(0x51), kHashSync);
  EXPECT_EQ(p.filter.match(0x52), kHashSyncCompute);
  EXPECT_EQ(p.filter.match(0x53), kHashPrintf);
  EXPECT_EQ(p.filter.match(0x54), kHashDisallow);
  EXPECT_EQ(p.filter.match(0x55), kHashAllow);
  EXPECT_EQ(p.filter.match(UINT64_MAX), kHashPrintf);
}

TEST(HashFilter, UnionAndDisallowWins) {
  const Parsed p("10-1f full\n18-2f printf\n1a disallow\n");
  EXPECT_EQ(p.filter.match(0x10), kHashFull);
  EXPECT_EQ(p.filter.match(0x18), kHashFull | kHashPrintf);
  EXPECT_EQ(p.filter.match(0x1a), kHashDisallow);
  EXPECT_EQ(p.filter.modes(), kHashFull | kHashPrintf | kHashDisallow);
}

TEST(HashFilter, TrailingBlanksAndCarriageReturns) {
  const Parsed p("10 sync\r\n11 sync \t\r\n12\r\n");
  EXPECT_TRUE(p.problems.empty());
  EXPECT_EQ(p.filter.match(0x10), kHashSync);
  EXPECT_EQ(p.filter.match(0x11), kHashSync);
  EXPECT_EQ(p.filter.match(0x12), kHashAllow);
}

TEST(HashFilter, LongLinesAreOneLine) {
  const Parsed p("10" + std::string(500, ' ') + "20" + std::string(500, ' ') + "printf\n");
  EXPECT_TRUE(p.problems.empty());
  EXPECT_EQ(p.filter.match(0x18), kHashPrintf);
}

TEST(HashFilter, ErrorsNameFileAndLine) {
  const Parsed p("10\nxyz\n20 nonsense\n40-30\n12345678901234567\n0\n50 sync extra\n");
  ASSERT_EQ(p.problems.size(), 6u);
  for (size_t i = 0; i < p.problems.size(); ++i)
    EXPECT_EQ(p.problems[i].rfind("hashes.txt:" + std::to_string(i + 2) + ": ", 0), 0u) << p.problems[i];
  EXPECT_NE(p.problems[1].find("nonsense"), std::string::npos);
  EXPECT_NE(p.problems[2].find("empty"), std::string::npos);
  EXPECT_EQ(p.filter.match(0x10), kHashAllow);
  EXPECT_EQ(p.filter.match(0x20), 0u) << "a line with an unknown keyword is ignored";
}

TEST(HashFilter, OnlyErrorsSelectNothing) {
  const Parsed p("xyz\n");
  EXPECT_FALSE(p.filter.empty());
  EXPECT_EQ(p.filter.match(1), 0u);
}

TEST(HashFilter, UnreadableFileSelectsNothing) {
  for (const char* path : {"/nonexistent/hashes.txt", "/"}) {
    std::vector<std::string> problems;
    const HashFilter filter = HashFilter::load(path, problems);
    ASSERT_EQ(problems.size(), 1u) << path;
    EXPECT_NE(problems[0].find(path), std::string::npos);
    EXPECT_EQ(filter.match(1), 0u);
  }
}

}  // namespace
}  // namespace shaderqa
