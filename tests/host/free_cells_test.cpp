// SPDX-License-Identifier: Apache-2.0
#include "host/order/free_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace shaderqa {
namespace {

constexpr uint64_t kCells = 0x20000;

TEST(FreeCellsTest, ARunLiesInTheMiddleOfTheLongestInterval) {
  FreeCells free(kCells);
  EXPECT_EQ(free.find(1), 0u);
  free.add(100 * kCells, 4);
  free.add(200 * kCells, 16);
  EXPECT_EQ(free.find(4), 206 * kCells);
  EXPECT_EQ(free.find(16), 200 * kCells);
  EXPECT_EQ(free.find(17), 0u);
  free.take(206 * kCells, 4);
  EXPECT_EQ(free.size(), 16u);
  EXPECT_TRUE(free.contains(200 * kCells, 6));
  EXPECT_FALSE(free.contains(200 * kCells, 7)) << "those behind are taken";
  EXPECT_TRUE(free.contains(210 * kCells, 6));
  EXPECT_FALSE(free.contains(210 * kCells, 7)) << "there are no more";
  EXPECT_FALSE(free.contains(99 * kCells, 1));
}

TEST(FreeCellsTest, WhatIsGivenBackJoinsItsNeighbours) {
  FreeCells free(kCells);
  free.add(10 * kCells, 3);
  free.add(14 * kCells, 2);
  EXPECT_EQ(free.find(4), 0u);
  free.add(13 * kCells, 1);
  EXPECT_EQ(free.find(6), 10 * kCells);
  EXPECT_EQ(free.size(), 6u);
}

// Against a set of single cells.
TEST(FreeCellsTest, AgreesWithASetOfPages) {
  std::mt19937 random(7);
  FreeCells free(kCells);
  std::set<uint64_t> pages;
  const auto all_free = [&](uint64_t first, uint64_t count) {
    for (uint64_t page = first; page < first + count; ++page)
      if (!pages.contains(page)) return false;
    return true;
  };
  for (int step = 0; step < 20000; ++step) {
    const uint64_t first = 1 + random() % 64;
    const uint64_t count = 1 + random() % 5;
    ASSERT_EQ(free.contains(first * kCells, count), all_free(first, count)) << step;
    if (all_free(first, count)) {
      free.take(first * kCells, count);
      for (uint64_t page = first; page < first + count; ++page) pages.erase(page);
    } else if (!pages.contains(first)) {
      free.add(first * kCells, 1);
      pages.insert(first);
    }
    ASSERT_EQ(free.size(), pages.size());
    const uint64_t found = free.find(count);
    uint64_t longest = 0, length = 0;
    for (uint64_t page = 1; page < 80; ++page) {
      length = pages.contains(page) ? length + 1 : 0;
      longest = std::max(longest, length);
    }
    ASSERT_EQ(found != 0, longest >= count) << step;
    if (found) {
      ASSERT_TRUE(all_free(found / kCells, count)) << step;
    }
  }
}

}  // namespace
}  // namespace shaderqa
