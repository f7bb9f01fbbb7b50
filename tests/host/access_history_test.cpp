// SPDX-License-Identifier: Apache-2.0
// Which pairs of actions meet in memory.
#include "host/order/access_history.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <ostream>
#include <vector>

namespace shaderqa::test {
namespace {

struct Met {
  uint64_t earlier = 0, later = 0;
  bool earlier_writes = false, later_writes = false;
  uint64_t begin = 0, end = 0;
  bool operator==(const Met&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Met& met) {
  return out << met.earlier << (met.earlier_writes ? " writes, " : " reads, ") << met.later
             << (met.later_writes ? " writes, " : " reads, ") << met.begin << " to " << met.end;
}

constexpr uint64_t kPart = 5, kBase = kPart << SQA_FOOTPRINT_LOG2;
constexpr uint32_t kRead = SQA_FOOTPRINT_READ, kWrite = SQA_FOOTPRINT_WRITE, kAtomic = SQA_FOOTPRINT_ATOMIC,
                   kBytes = SQA_FOOTPRINT_PART;

Footprint footprint(uint64_t number, uint32_t how, std::initializer_list<uint32_t> words,
                    uint64_t part = kPart) {
  Footprint one{number, part, how, {}};
  for (const uint32_t word : words) one.words[word / 32] |= 1u << word % 32;
  return one;
}

class AccessHistoryTest : public testing::Test {
 protected:
  std::vector<Met> add(const Footprint& later, uint64_t done = 0) {
    std::vector<Met> met;
    EXPECT_TRUE(history_.add(later, done, [&](const AccessHistory::Meeting& one) {
      met.push_back({one.earlier, one.later, one.earlier_writes, one.later_writes, one.begin, one.end});
    }));
    return met;
  }
  AccessHistory history_;
};
using Meetings = std::vector<Met>;

TEST_F(AccessHistoryTest, AMeetingIsFromItsFirstWordToBehindItsLast) {
  add(footprint(1, kWrite, {0, 3, 31, 40, 1023}));
  EXPECT_EQ(add(footprint(2, kRead, {1, 3, 40, 41})),
            (Meetings{{1, 2, true, false, kBase + 12, kBase + 164}}));
  EXPECT_EQ(add(footprint(3, kRead, {0})), (Meetings{{1, 3, true, false, kBase, kBase + 4}}));
  EXPECT_EQ(add(footprint(4, kRead, {31})), (Meetings{{1, 4, true, false, kBase + 124, kBase + 128}}));
  EXPECT_EQ(add(footprint(5, kRead, {1023})), (Meetings{{1, 5, true, false, kBase + 4092, kBase + 4096}}));
  EXPECT_EQ(add(footprint(6, kRead, {2, 32})), Meetings{});
  EXPECT_EQ(add(footprint(7, kRead, {0, 3}, kPart + 1)), Meetings{}) << "other memory";
}

TEST_F(AccessHistoryTest, ReadsAndAtomicsDoNotMeetTheirKind) {
  const auto meet = [&](uint32_t earlier, uint32_t later) {
    history_.clear();
    add(footprint(1, earlier, {8}));
    const Meetings met = add(footprint(2, later, {8}));
    if (!met.empty()) {
      EXPECT_EQ(met, (Meetings{{1, 2, earlier != kRead, later != kRead, kBase + 32, kBase + 36}}));
    }
    return !met.empty();
  };
  for (const uint32_t earlier : {kRead, kWrite, kAtomic, kBytes}) {
    for (const uint32_t later : {kRead, kWrite, kAtomic, kBytes}) {
      EXPECT_EQ(meet(earlier, later), !(earlier == later && (earlier == kRead || earlier == kAtomic)))
          << earlier << " and " << later;
    }
  }
}

TEST_F(AccessHistoryTest, AnActionDoesNotMeetItself) {
  add(footprint(1, kRead, {8}));
  EXPECT_EQ(add(footprint(1, kWrite, {8})), Meetings{});
}

// What is overwritten needs no order with what comes later: the write between them has one with both.
TEST_F(AccessHistoryTest, OnlyTheNewestWriteOfAWordCounts) {
  add(footprint(1, kWrite, {8, 9}));
  EXPECT_EQ(add(footprint(2, kWrite, {8})), (Meetings{{1, 2, true, true, kBase + 32, kBase + 36}}));
  EXPECT_EQ(add(footprint(3, kRead, {8, 9})), (Meetings{{1, 3, true, false, kBase + 36, kBase + 40},
                                                        {2, 3, true, false, kBase + 32, kBase + 36}}));
  // Atomics and writes of some bytes overwrite nothing.
  history_.clear();
  add(footprint(1, kWrite, {8}));
  add(footprint(2, kAtomic, {8}));
  add(footprint(3, kBytes, {8}));
  EXPECT_EQ(add(footprint(4, kRead, {8})).size(), 3u);
}

TEST_F(AccessHistoryTest, WhatIsDoneIsForgotten) {
  add(footprint(1, kWrite, {8}));
  add(footprint(2, kBytes, {8}));
  EXPECT_EQ(add(footprint(3, kRead, {8}), 1), (Meetings{{2, 3, true, false, kBase + 32, kBase + 36}}));
  EXPECT_EQ(add(footprint(4, kWrite, {8}), 3), Meetings{});
}

TEST_F(AccessHistoryTest, TooManyOfAPartAreSaid) {
  uint64_t number = 0;
  while (number < 4096) add(footprint(++number, kRead, {8}));
  const auto ignore = [](const AccessHistory::Meeting&) {};
  EXPECT_FALSE(history_.add(footprint(++number, kRead, {8}), 0, ignore));
  EXPECT_TRUE(history_.add(footprint(number, kRead, {8}, kPart + 1), 0, ignore)) << "of another part";
  EXPECT_TRUE(history_.add(footprint(++number, kRead, {8}), 1, ignore)) << "one is done";
}

}  // namespace
}  // namespace shaderqa::test
