// SPDX-License-Identifier: Apache-2.0
// Which words of memory commands are taken to access.
#include "layer/accesses/memory_ranges.h"

#include <gtest/gtest.h>

#include <vector>

namespace shaderqa::layer {
namespace {

std::vector<MemoryRange> packed(const MemoryRange& range) {
  std::vector<MemoryRange> all;
  append_packed(range, all);
  return all;
}

TEST(MemoryRanges, WhatIsContiguousIsOneRow) {
  EXPECT_EQ(packed({4096, 16, 8, 3, 16, 128}), (std::vector<MemoryRange>{{4096, 384}}));
  EXPECT_EQ(packed({4096, 16, 8, 3, 16, 256}), (std::vector<MemoryRange>{{4096, 128, 3, 1, 256}}));
  EXPECT_EQ(packed({4096, 16, 8, 3, 20, 160, true}),
            (std::vector<MemoryRange>{{4096, 16, 8, 3, 20, 160, true}}));
  EXPECT_EQ(packed({4096, 16, 1, 1, 99, 77}), (std::vector<MemoryRange>{{4096, 16}}));
  EXPECT_EQ(packed({4096, 16, 1, 2, 99, 16}), (std::vector<MemoryRange>{{4096, 32}}));
  EXPECT_EQ(packed({4096, 16, 1, 2, 99, 128}), (std::vector<MemoryRange>{{4096, 16, 2, 1, 128}}));
  EXPECT_EQ(packed({4096, 16, 2, 1, 16}), (std::vector<MemoryRange>{{4096, 32}}));
}

TEST(MemoryRanges, EmptyOnesAndThoseBeyondAddressesAreNone) {
  for (const MemoryRange& range : {MemoryRange{4096, 0}, MemoryRange{4096, 4, 0}, MemoryRange{4096, 4, 1, 0},
                                   MemoryRange{4096, UINT64_MAX}, MemoryRange{4096, 4, UINT64_MAX, 1, 64},
                                   MemoryRange{4096, 4, 2, 3, 4, UINT64_MAX / 2}}) {
    EXPECT_EQ(end_of(range), 0u);
    EXPECT_TRUE(packed(range).empty());
  }
  EXPECT_EQ(end_of({4096, 4, 3, 2, 16, 100}), 4096u + 100 + 32 + 4);
}

TEST(MemoryRanges, LargeOnesAreSplit) {
  constexpr uint64_t gibibyte = uint64_t{1} << 30;
  EXPECT_EQ(packed({64, 2 * gibibyte + 12, 1, 1, 0, 0, true}),
            (std::vector<MemoryRange>{{64, gibibyte, 1, 1, 0, 0, true},
                                      {64 + gibibyte, gibibyte, 1, 1, 0, 0, true},
                                      {64 + 2 * gibibyte, 12, 1, 1, 0, 0, true}}));
  EXPECT_TRUE(packed({64, gibibyte / 2, 8, 1, gibibyte}).empty()) << "more words than a range can have";
}

// SQA_MAX_RANGE_WORDS; rows of 8 bytes count as 4 words each.
TEST(MemoryRanges, TheLargestOneIsTaken) {
  constexpr uint64_t gibibyte = uint64_t{1} << 30, rows = uint64_t{1} << 27;
  EXPECT_EQ(packed({64, gibibyte}), (std::vector<MemoryRange>{{64, gibibyte}}));
  EXPECT_EQ(packed({64, gibibyte + 1}), (std::vector<MemoryRange>{{64, gibibyte}, {64 + gibibyte, 1}}));
  EXPECT_EQ(packed({64, 8, rows, 1, 64}).size(), 1u);
  EXPECT_EQ(packed({64, 8, rows + 1, 1, 64}).size(), 0u);
  EXPECT_EQ(packed({64, 8, rows / 2, 2, 64, rows * 128}).size(), 1u);
  EXPECT_EQ(packed({64, 8, rows / 2 + 1, 2, 64, rows * 128}).size(), 0u);
  EXPECT_EQ(packed({64, 8, 1, rows, 0, 64}).size(), 1u) << "slices of one row are rows";
  EXPECT_EQ(packed({64, 8, 1, rows + 1, 0, 64}).size(), 0u);
}

TEST(MemoryRanges, RowsThatArgumentsNameStayRows) {
  MemoryRange drawn{4096, 4, 8, 1, 4};
  drawn.drawn.arguments = 64;
  EXPECT_EQ(packed(drawn), (std::vector<MemoryRange>{drawn}));
  drawn.rows = UINT32_MAX;
  EXPECT_EQ(packed(drawn), (std::vector<MemoryRange>{drawn})) << "the device looks how many there are";
}

VkBufferImageCopy2 region(VkExtent3D extent, uint32_t row_length = 0, uint32_t image_height = 0) {
  VkBufferImageCopy2 copy{};
  copy.bufferOffset = 32;
  copy.bufferRowLength = row_length;
  copy.bufferImageHeight = image_height;
  copy.imageExtent = extent;
  return copy;
}

TEST(MemoryRanges, ImageCopiesHaveRowsAndSlices) {
  EXPECT_EQ(packed(image_copy_range(region({5, 4, 1}), 1, {1, 1, 4})), (std::vector<MemoryRange>{{32, 80}}));
  EXPECT_EQ(packed(image_copy_range(region({5, 4, 1}, 8), 2, {1, 1, 4})),
            (std::vector<MemoryRange>{{32, 20, 4, 2, 32, 128}}));
  EXPECT_EQ(packed(image_copy_range(region({5, 4, 3}, 5, 6), 1, {1, 1, 2})),
            (std::vector<MemoryRange>{{32, 40, 3, 1, 60}}));
  EXPECT_EQ(packed(image_copy_range(region({10, 9, 1}, 16, 12), 2, {4, 4, 8})),
            (std::vector<MemoryRange>{{32, 24, 3, 2, 32, 96}}))
      << "blocks of 4 by 4 texels";
}

TEST(MemoryRanges, FormatsHaveBlocks) {
  constexpr VkImageAspectFlags colour = VK_IMAGE_ASPECT_COLOR_BIT, depth = VK_IMAGE_ASPECT_DEPTH_BIT;
  EXPECT_EQ(texel_block(VK_FORMAT_R16G16B16A16_SFLOAT, colour).bytes, 8u);
  EXPECT_EQ(texel_block(VK_FORMAT_D16_UNORM_S8_UINT, depth).bytes, 2u);
  EXPECT_EQ(texel_block(VK_FORMAT_D32_SFLOAT_S8_UINT, depth).bytes, 4u);
  EXPECT_EQ(texel_block(VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT).bytes, 1u);
  EXPECT_EQ(texel_block(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, colour).bytes, 8u);
  EXPECT_EQ(texel_block(VK_FORMAT_BC3_SRGB_BLOCK, colour).bytes, 16u);
  EXPECT_EQ(texel_block(VK_FORMAT_BC4_SNORM_BLOCK, colour).width, 4u);
  for (const VkFormat format : {VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC1_RGBA_SRGB_BLOCK,
                                VK_FORMAT_BC4_UNORM_BLOCK, VK_FORMAT_BC4_SNORM_BLOCK})
    EXPECT_EQ(texel_block(format, colour).bytes, 8u) << format;
  for (const VkFormat format : {VK_FORMAT_BC2_UNORM_BLOCK, VK_FORMAT_BC3_SRGB_BLOCK,
                                VK_FORMAT_BC5_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK})
    EXPECT_EQ(texel_block(format, colour).bytes, 16u) << format;
  EXPECT_EQ(texel_block(VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, colour).bytes, 0u) << "not known";
  EXPECT_EQ(texel_block(VK_FORMAT_D16_UNORM, depth).bytes, 2u);
  EXPECT_EQ(texel_block(VK_FORMAT_D32_SFLOAT, depth).height, 1u);
  EXPECT_EQ(texel_block(VK_FORMAT_ASTC_4x4_UNORM_BLOCK, colour).bytes, 0u) << "not known";
  EXPECT_EQ(texel_block(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_ASPECT_PLANE_0_BIT).bytes, 1u);
  EXPECT_EQ(texel_block(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_ASPECT_PLANE_1_BIT).bytes, 2u);
  EXPECT_EQ(texel_block(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_ASPECT_PLANE_2_BIT).bytes, 0u);
  EXPECT_EQ(texel_block(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, colour).bytes, 0u);
}

TEST(MemoryRanges, RowsThatIndicesNameStayRows) {
  MemoryRange named{4096, 4, 8, 1, 4};
  named.named = {64, 2, 0, 20};
  EXPECT_EQ(packed(named), (std::vector<MemoryRange>{named})) << "any of them, in any order";
  EXPECT_EQ(end_of(named), 4096u + 20 * 4 + 4) << "the last one that there is";
  named.named.indices = 1;
  EXPECT_EQ(packed(named), (std::vector<MemoryRange>{named}));
  named.rows = 1;
  named.pitch = 12;
  EXPECT_EQ(packed(named), (std::vector<MemoryRange>{named}))
      << "the distance of rows is needed for one, too";
  named.slice_pitch = 77;
  MemoryRange without_slices = named;
  without_slices.slice_pitch = 0;
  EXPECT_EQ(packed(named), (std::vector<MemoryRange>{without_slices}));
  named.bytes = (uint64_t{1} << 30) + 1;
  EXPECT_TRUE(packed(named).empty()) << "a part of a row is none";
}

}  // namespace
}  // namespace shaderqa::layer
