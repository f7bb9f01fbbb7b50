// SPDX-License-Identifier: Apache-2.0
#include "host/order/page_set.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace shaderqa {
namespace {

TEST(PageSet, RunsThatTouchBecomeOne) {
  PageSet pages;
  EXPECT_TRUE(pages.add(4, 5));
  EXPECT_TRUE(pages.add(8, 9));
  EXPECT_FALSE(pages.overlaps(6, 7));
  EXPECT_TRUE(pages.add(6, 7));
  EXPECT_FALSE(pages.add(4, 9));
  EXPECT_TRUE(pages.overlaps(0, 4));
  EXPECT_TRUE(pages.overlaps(9, 20));
  EXPECT_FALSE(pages.overlaps(0, 3));
  EXPECT_FALSE(pages.overlaps(10, 20));
}

TEST(PageSet, RemovingSplitsARun) {
  PageSet pages;
  pages.add(0, 9);
  pages.remove(3, 4);
  EXPECT_TRUE(pages.overlaps(2, 2));
  EXPECT_FALSE(pages.overlaps(3, 4));
  EXPECT_TRUE(pages.overlaps(5, 5));
  EXPECT_TRUE(pages.add(2, 3));
  EXPECT_FALSE(pages.overlaps(4, 4));
}

TEST(PageSet, IsWhatAListOfFlagsSays) {
  std::mt19937 random(7);
  PageSet pages;
  std::vector<bool> flags(64);
  for (int step = 0; step < 20000; ++step) {
    const uint32_t first = random() % 64, last = first + random() % (64 - first);
    bool missing = false, any = false;
    for (uint32_t page = first; page <= last; ++page) {
      missing = missing || !flags[page];
      any = any || flags[page];
    }
    ASSERT_EQ(pages.overlaps(first, last), any);
    if (random() % 2) {
      ASSERT_EQ(pages.add(first, last), missing);
      for (uint32_t page = first; page <= last; ++page) flags[page] = true;
    } else {
      pages.remove(first, last);
      for (uint32_t page = first; page <= last; ++page) flags[page] = false;
    }
  }
}

}  // namespace
}  // namespace shaderqa
