// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/named_views.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shaderqa::layer {
namespace {

constexpr VkImageAspectFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT;
constexpr VkImageSubresourceRange kFirst = {kColor, 0, 1, 0, 1}, kSecond = {kColor, 1, 1, 0, 1};
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL,
                        kReadOnly = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;

class NamedViewsTest : public ::testing::Test {
 protected:
  NamedViewsTest() {
    for (const uint64_t image : {1, 2}) map_.add(image, {kColor, 2, 1, kGeneral});
  }
  // Numbers of views.
  std::vector<uint32_t> wrong() {
    std::vector<uint32_t> numbers;
    if (const auto all = views_.wrong(map_))
      for (const NamedViews::Wrong& one : *all) numbers.push_back(one.named.view);
    std::ranges::sort(numbers);
    return numbers;
  }
  using Numbers = std::vector<uint32_t>;

  LayoutMap map_;
  NamedViews views_;
};

TEST_F(NamedViewsTest, AViewIsWrongWhileItsSubresourcesAreInAnotherLayout) {
  EXPECT_EQ(wrong(), Numbers());
  views_.name({10, 1, 1, kGeneral}, kFirst);
  views_.name({11, 1, 1, kGeneral}, kSecond);
  views_.name({20, 1, 2, kGeneral}, kFirst);
  EXPECT_EQ(wrong(), Numbers());
  map_.put(1, kSecond, kReadOnly, nullptr);
  EXPECT_EQ(wrong(), (Numbers{11}));
  map_.put(2, kFirst, kReadOnly, nullptr);
  EXPECT_EQ(wrong(), (Numbers{11, 20}));
  map_.put(1, kSecond, kGeneral, nullptr);
  EXPECT_EQ(wrong(), (Numbers{20}));
  map_.forget_all();
  EXPECT_EQ(wrong(), Numbers());
  map_.put(1, kFirst, kReadOnly, nullptr);
  EXPECT_EQ(wrong(), (Numbers{10}));
}

TEST_F(NamedViewsTest, EachLayoutThatDescriptorsNameIsCompared) {
  views_.name({10, 1, 1, kGeneral}, kFirst);
  views_.name({10, 2, 1, kReadOnly}, kFirst);
  const auto all = views_.wrong(map_);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->front().named.layout, kReadOnly);
  EXPECT_EQ(all->front().named.code, 2u);
  EXPECT_EQ(all->front().is.layout, kGeneral);
}

TEST_F(NamedViewsTest, WhatIsNamedLaterIsComparedToo) {
  map_.put(1, kFirst, kReadOnly, nullptr);
  EXPECT_EQ(wrong(), Numbers());
  views_.name({10, 1, 1, kGeneral}, kFirst);
  EXPECT_EQ(wrong(), (Numbers{10}));
}

TEST_F(NamedViewsTest, NumbersAreThoseOfTheLatestView) {
  views_.name({10, 2, 1, kReadOnly}, kFirst);
  EXPECT_EQ(wrong(), (Numbers{10}));
  views_.name({10, 1, 2, kGeneral}, kFirst);
  EXPECT_EQ(wrong(), Numbers()) << "of the other image";
  views_.name({10, 2, 2, kReadOnly}, kSecond);
  const auto all = views_.wrong(map_);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 1u);
  EXPECT_EQ(all->front().is.level, 1u);
}

TEST_F(NamedViewsTest, ViewsGoWithTheirImage) {
  views_.name({10, 2, 1, kReadOnly}, kFirst);
  EXPECT_EQ(wrong(), (Numbers{10}));
  map_.remove(1);
  views_.remove(1);
  EXPECT_TRUE(views_.empty());
  EXPECT_EQ(wrong(), Numbers());
}

// So many changes that which images they are of is not kept.
TEST_F(NamedViewsTest, ManyChangesAreFollowed) {
  views_.name({10, 1, 1, kGeneral}, kFirst);
  EXPECT_EQ(wrong(), Numbers());
  map_.put(1, kFirst, kReadOnly, nullptr);
  for (uint64_t image = 100; image < 6000; ++image) map_.add(image, {kColor, 1, 1, kGeneral});
  EXPECT_EQ(wrong(), (Numbers{10}));
}

}  // namespace
}  // namespace shaderqa::layer
