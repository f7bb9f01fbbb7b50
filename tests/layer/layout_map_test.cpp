// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/layout_map.h"

#include <gtest/gtest.h>

#include "layer/vk/layout_names.h"

namespace shaderqa::layer {
namespace {

constexpr VkImageAspectFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT, kDepth = VK_IMAGE_ASPECT_DEPTH_BIT,
                             kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;
constexpr VkImageSubresourceRange kWhole = {kColor, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};

LayoutOriginRef origin(const char* command) {
  return std::make_shared<const LayoutOrigin>(LayoutOrigin{command, {}});
}

TEST(LayoutMap, AnImageBeginsInItsInitialLayout) {
  LayoutMap map;
  map.add(1, {kColor, 2, 3, VK_IMAGE_LAYOUT_PREINITIALIZED});
  EXPECT_FALSE(map.find_other(1, kWhole, VK_IMAGE_LAYOUT_PREINITIALIZED));
  const auto other = map.find_other(1, kWhole, VK_IMAGE_LAYOUT_GENERAL);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->layout, VK_IMAGE_LAYOUT_PREINITIALIZED);
  EXPECT_EQ(other->by, nullptr);
}

TEST(LayoutMap, SubresourcesHaveLayoutsOfTheirOwn) {
  LayoutMap map;
  map.add(1, {kColor, 3, 4, VK_IMAGE_LAYOUT_UNDEFINED});
  map.put(1, kWhole, VK_IMAGE_LAYOUT_GENERAL, origin("first"));
  map.put(1, {kColor, 1, 1, 2, 1}, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, origin("second"));
  const auto other = map.find_other(1, kWhole, VK_IMAGE_LAYOUT_GENERAL);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->level, 1u);
  EXPECT_EQ(other->layer, 2u);
  EXPECT_EQ(other->layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  EXPECT_STREQ(other->by->command, "second");
  EXPECT_FALSE(map.find_other(1, {kColor, 0, 1, 0, 4}, VK_IMAGE_LAYOUT_GENERAL));
  EXPECT_FALSE(map.find_other(1, {kColor, 1, 1, 0, 2}, VK_IMAGE_LAYOUT_GENERAL));
  EXPECT_FALSE(map.find_other(1, {kColor, 1, 1, 3, VK_REMAINING_ARRAY_LAYERS}, VK_IMAGE_LAYOUT_GENERAL));
  EXPECT_FALSE(map.find_other(1, {kColor, 2, VK_REMAINING_MIP_LEVELS, 0, 4}, VK_IMAGE_LAYOUT_GENERAL));
  const auto first = map.find_other(1, {kColor, 1, 1, 1, 2}, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->layer, 1u);
}

TEST(LayoutMap, WhatIsNotKnownIsNeverAnotherLayout) {
  LayoutMap map;
  EXPECT_FALSE(map.find_other(7, kWhole, VK_IMAGE_LAYOUT_GENERAL)) << "no such image";
  map.put(7, kWhole, VK_IMAGE_LAYOUT_GENERAL, nullptr);
  map.add(1, {kColor, 1, 2, VK_IMAGE_LAYOUT_UNDEFINED});
  map.forget(1, {kColor, 0, 1, 0, 1});
  EXPECT_FALSE(map.find_other(1, {kColor, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_GENERAL));
  EXPECT_TRUE(map.find_other(1, kWhole, VK_IMAGE_LAYOUT_GENERAL)) << "the other layer is known";
  map.forget_all();
  EXPECT_FALSE(map.find_other(1, kWhole, VK_IMAGE_LAYOUT_GENERAL));
  map.put(1, kWhole, VK_IMAGE_LAYOUT_GENERAL, nullptr);
  EXPECT_TRUE(map.find_other(1, kWhole, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)) << "it is known again";
  map.remove(1);
  EXPECT_FALSE(map.find_other(1, kWhole, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL));
}

TEST(LayoutMap, RangesBeyondTheImageAreIgnored) {
  LayoutMap map;
  map.add(1, {kColor, 1, 1, VK_IMAGE_LAYOUT_UNDEFINED});
  map.put(1, {kColor, 1, 1, 0, 1}, VK_IMAGE_LAYOUT_GENERAL, nullptr);
  map.put(1, {kColor, 0, 1, 5, UINT32_MAX}, VK_IMAGE_LAYOUT_GENERAL, nullptr);
  map.put(1, {kDepth, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_GENERAL, nullptr);
  EXPECT_FALSE(map.find_other(1, kWhole, VK_IMAGE_LAYOUT_UNDEFINED));
  EXPECT_FALSE(map.find_other(1, {kColor, 3, 4, 2, 9}, VK_IMAGE_LAYOUT_GENERAL));
}

TEST(LayoutMap, DepthAndStencilAreApart) {
  LayoutMap map;
  constexpr VkImageSubresourceRange both = {kDepth | kStencil, 0, 1, 0, 1}, depth = {kDepth, 0, 1, 0, 1},
                                    stencil = {kStencil, 0, 1, 0, 1};
  map.add(1, {kDepth | kStencil, 1, 1, VK_IMAGE_LAYOUT_UNDEFINED});
  map.put(1, both, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL, origin("both"));
  EXPECT_FALSE(map.find_other(1, both, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL));
  EXPECT_FALSE(map.find_other(1, depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL));
  EXPECT_FALSE(map.find_other(1, depth, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL));
  EXPECT_FALSE(map.find_other(1, stencil, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL));
  const auto other = map.find_other(1, both, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->aspect, kStencil);
  map.put(1, stencil, VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL, origin("stencil"));
  EXPECT_FALSE(map.find_other(1, both, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL));
  // A layout of depth alone says nothing of the stencil.
  map.put(1, both, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, origin("depth"));
  EXPECT_FALSE(map.find_other(1, stencil, VK_IMAGE_LAYOUT_GENERAL));
  EXPECT_TRUE(map.find_other(1, depth, VK_IMAGE_LAYOUT_GENERAL));
}

TEST(LayoutMap, TheColourOfSeveralPlanesIsAllOfThem) {
  LayoutMap map;
  constexpr VkImageAspectFlags first = VK_IMAGE_ASPECT_PLANE_0_BIT, second = VK_IMAGE_ASPECT_PLANE_1_BIT;
  constexpr VkImageSubresourceRange all = {kColor, 0, 1, 0, 1};
  map.add(1, {first | second, 1, 1, VK_IMAGE_LAYOUT_UNDEFINED});
  map.put(1, all, VK_IMAGE_LAYOUT_GENERAL, origin("all"));
  EXPECT_FALSE(map.find_other(1, {first, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_GENERAL));
  EXPECT_TRUE(map.find_other(1, {second, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_UNDEFINED));
  map.put(1, {second, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, origin("second"));
  EXPECT_FALSE(map.find_other(1, {first, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_GENERAL));
  const auto other = map.find_other(1, all, VK_IMAGE_LAYOUT_GENERAL);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->aspect, second);
}

TEST(LayoutMap, NamesOfOneLayout) {
  EXPECT_TRUE(
      same_layout(kColor, VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL));
  EXPECT_TRUE(
      same_layout(kColor, VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL));
  EXPECT_TRUE(same_layout(kDepth, VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
                          VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL));
  EXPECT_TRUE(same_layout(kStencil, VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
                          VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL));
  EXPECT_FALSE(same_layout(kDepth, VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
                           VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL));
  EXPECT_FALSE(same_layout(kDepth, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                           VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL));
  EXPECT_FALSE(same_layout(kColor, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL));
  EXPECT_FALSE(same_layout(kColor, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL));
}

TEST(LayoutMap, CodesOfDescriptorsLayouts) {
  for (const VkImageLayout layout :
       {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
        VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL}) {
    const uint32_t code = descriptor_layout_code(layout);
    EXPECT_GT(code, 0u);
    EXPECT_LT(code, 256u);
    EXPECT_EQ(descriptor_layout(code), layout);
  }
  EXPECT_EQ(descriptor_layout_code(VK_IMAGE_LAYOUT_UNDEFINED), 0u);
  EXPECT_EQ(descriptor_layout_code(static_cast<VkImageLayout>(123456)), 0u);
  EXPECT_EQ(descriptor_layout(255), VK_IMAGE_LAYOUT_UNDEFINED);
  EXPECT_EQ(layout_name(VK_IMAGE_LAYOUT_PRESENT_SRC_KHR), "VK_IMAGE_LAYOUT_PRESENT_SRC_KHR");
  EXPECT_EQ(layout_name(static_cast<VkImageLayout>(123456)), "VkImageLayout 123456");
}

}  // namespace
}  // namespace shaderqa::layer
