// SPDX-License-Identifier: Apache-2.0
#include "host/order/page_runs.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace shaderqa {
namespace {

constexpr uint64_t kCells = 0x20000;

TEST(PageRunsTest, PagesWhoseCellsFollowAreOneRun) {
  PageRuns runs(kCells);
  runs.add(10, 1 * kCells);
  runs.add(12, 3 * kCells);
  EXPECT_EQ(runs.find(10, 10), 1 * kCells);
  EXPECT_EQ(runs.find(10, 12), 0u) << "the one between them has none";
  runs.add(11, 2 * kCells);
  EXPECT_EQ(runs.find(10, 12), 1 * kCells);
  EXPECT_EQ(runs.find(11, 12), 2 * kCells);
  EXPECT_EQ(runs.find(10, 13), 0u);
  EXPECT_EQ(runs.find(9, 10), 0u);
}

TEST(PageRunsTest, CellsElsewhereEndARun) {
  PageRuns runs(kCells);
  runs.add(10, 1 * kCells);
  runs.add(11, 7 * kCells);
  EXPECT_EQ(runs.find(10, 11), 0u);
  EXPECT_EQ(runs.find(11, 11), 7 * kCells);
}

TEST(PageRunsTest, OverlapWhereAnyPageHasCells) {
  PageRuns runs(kCells);
  EXPECT_FALSE(runs.overlaps(0, UINT64_MAX));
  runs.add(10, 1 * kCells);
  runs.add(11, 2 * kCells);
  runs.add(20, 9 * kCells);
  EXPECT_TRUE(runs.overlaps(0, 10));
  EXPECT_TRUE(runs.overlaps(11, 15));
  EXPECT_TRUE(runs.overlaps(15, 20));
  EXPECT_FALSE(runs.overlaps(0, 9));
  EXPECT_FALSE(runs.overlaps(12, 19));
  EXPECT_FALSE(runs.overlaps(21, 30));
}

TEST(PageRunsTest, AgainstAMap) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    PageRuns runs(kCells);
    std::map<uint64_t, uint64_t> pages;
    for (int step = 0; step < 500; ++step) {
      const uint64_t page = random() % 40;
      if (pages.erase(page)) {
        runs.remove(page);
      } else {
        // Mostly where its neighbours' are.
        const uint64_t cells = (100 + page + (random() % 8 == 0 ? 50 : 0)) * kCells;
        runs.add(page, pages[page] = cells);
      }
      const uint64_t first = random() % 40, last = first + random() % 6;
      uint64_t expected = pages.contains(first) ? pages[first] : 0;
      for (uint64_t i = first; i <= last; ++i) {
        if (!pages.contains(i) || pages[i] != pages[first] + (i - first) * kCells) expected = 0;
      }
      ASSERT_EQ(runs.find(first, last), expected) << "round " << round << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace shaderqa
