// SPDX-License-Identifier: Apache-2.0
// Which words stand for which texels of an image.
#include "layer/accesses/image_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace shaderqa::layer {
namespace {

constexpr uint64_t kMuch = uint64_t{1} << 30;

VkImageCreateInfo info_of(VkExtent3D extent, uint32_t mips = 1, uint32_t layers = 1,
                          VkFormat format = VK_FORMAT_R8G8B8A8_UNORM) {
  VkImageCreateInfo info{};
  info.imageType = extent.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = extent;
  info.mipLevels = mips;
  info.arrayLayers = layers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  return info;
}

VkImageSubresourceRange range_of(uint32_t mip, uint32_t mips, uint32_t layer, uint32_t layers) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, mip, mips, layer, layers};
}

// All bytes of the ranges; every byte is in one of them only.
std::set<uint64_t> bytes_of(const std::vector<MemoryRange>& ranges) {
  std::set<uint64_t> bytes;
  for (const MemoryRange& range : ranges)
    for (uint64_t slice = 0; slice < range.slices; ++slice)
      for (uint64_t row = 0; row < range.rows; ++row)
        for (uint64_t byte = 0; byte < range.bytes; ++byte)
          EXPECT_TRUE(
              bytes.insert(range.address + slice * range.slice_pitch + row * range.pitch + byte).second);
  return bytes;
}

constexpr uint64_t kLastBytes = SQA_LAST_WORDS * 4;  // of a texel

// The texels' own words (or those of last accesses) among the ranges.
std::vector<MemoryRange> only(bool last, std::vector<MemoryRange> ranges) {
  std::erase_if(ranges, [&](const MemoryRange& range) { return range.last_accesses != last; });
  return ranges;
}

// The words of one texel.
std::vector<MemoryRange> texel_at(const ImageGrid& grid, const TexelPlace& at) {
  return grid.region({VK_IMAGE_ASPECT_COLOR_BIT, at.level, at.layer, 1},
                     {static_cast<int32_t>(at.x), static_cast<int32_t>(at.y), static_cast<int32_t>(at.z)},
                     {1, 1, 1});
}

const VkImageSubresourceRange kAll = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                      VK_REMAINING_ARRAY_LAYERS};

TEST(ImageGrid, EveryWordIsATexelOfItsOwn) {
  for (const VkExtent3D extent : {VkExtent3D{7, 5, 1}, VkExtent3D{6, 3, 4}}) {
    const auto grid = ImageGrid::make(info_of(extent, 3, extent.depth > 1 ? 1 : 2), true, kMuch);
    ASSERT_TRUE(grid);
    std::set<std::vector<uint32_t>> seen;
    for (const uint64_t byte : bytes_of(only(false, grid->all_of(kAll)))) {
      if (byte % 4 != 0) continue;
      const TexelPlace at = grid->locate(byte);
      EXPECT_TRUE(seen.insert({at.level, at.layer, at.x, at.y, at.z}).second);
      const auto texel = texel_at(*grid, at);
      ASSERT_GE(texel.size(), 1u);
      EXPECT_EQ(texel[0].address, byte);
      EXPECT_EQ(texel[0].bytes, 4u);
      EXPECT_EQ(grid->step_of_last(byte), 0u);
    }
    EXPECT_LE(bytes_of(grid->all_of(kAll)).size(), grid->bytes());
  }
}

// One texel in 64, but no more than 1,024 of a level, and the first one of each level, has words for its last
// accesses.
TEST(ImageGrid, SomeTexelsHaveWordsOfLastAccesses) {
  for (const VkExtent3D extent : {VkExtent3D{20, 9, 1}, VkExtent3D{12, 17, 3}}) {
    const auto grid = ImageGrid::make(info_of(extent, 5, extent.depth > 1 ? 1 : 2), true, kMuch);
    ASSERT_TRUE(grid);
    std::set<std::vector<uint32_t>> seen;
    for (const uint64_t byte : bytes_of(only(true, grid->all_of(kAll)))) {
      const TexelPlace at = grid->locate(byte);
      EXPECT_EQ((at.x | at.y) % 8, 0u);
      EXPECT_EQ(grid->step_of_last(byte), 8u);
      seen.insert({at.level, at.layer, at.x, at.y, at.z});
      const auto texel = only(true, texel_at(*grid, at));
      ASSERT_EQ(texel.size(), 1u);
      EXPECT_EQ(texel[0].address, byte / kLastBytes * kLastBytes);
      EXPECT_EQ(texel[0].bytes, kLastBytes);
    }
    const size_t planes = extent.depth > 1 ? 3 * 6 + 1 + 1 + 1 + 1 : 2 * (3 * 2 + 2 + 1 + 1 + 1);
    EXPECT_EQ(seen.size(), planes);
    EXPECT_TRUE(only(true, grid->region({VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {1, 0, 0}, {7, 9, 1})).empty());
  }
  const auto large = ImageGrid::make(info_of({1920, 1080, 1}, 2), true, kMuch);
  ASSERT_TRUE(large);
  std::set<uint32_t> columns;
  for (const uint64_t byte : bytes_of(only(true, large->all_of(kAll)))) {
    const TexelPlace at = large->locate(byte);
    EXPECT_EQ((at.x | at.y) % 64, 0u);
    if (at.level == 0) columns.insert(at.x);
  }
  EXPECT_EQ(columns.size(), 30u);
  // Where they would take more than the texels themselves, there are none.
  const auto layers = ImageGrid::make(info_of({1, 1, 1}, 1, 2048), false, kMuch);
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->bytes(), 2048u * 4);
  EXPECT_TRUE(only(true, layers->all_of(kAll)).empty());
}

// Rectangles that share no texel share no word, whatever the step is.
TEST(ImageGrid, RectanglesBesideEachOtherShareNoWord) {
  const auto grid = ImageGrid::make(info_of({500, 400, 1}), false, kMuch);
  ASSERT_TRUE(grid);
  EXPECT_GT(grid->step(), 1u);
  const VkImageSubresourceLayers all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  std::vector<MemoryRange> parts;
  for (const auto& [x, width] : {std::pair{0, 13u}, {13, 100u}, {113, 387u}})
    for (const auto& [y, height] : {std::pair{0, 1u}, {1, 63u}, {64, 336u}})
      for (const MemoryRange& part : grid->region(all, {x, y, 0}, {width, height, 1})) parts.push_back(part);
  EXPECT_EQ(bytes_of(parts).size(), bytes_of(grid->all_of(kAll)).size()) << "and together they have all";
  EXPECT_TRUE(grid->region(all, {1, 1, 0}, {grid->step() - 1, 1, 1}).empty());
}

TEST(ImageGrid, ImagesThatShadersDoNotStoreToHaveFewWords) {
  for (const uint32_t size : {16u, 1024u, 16384u}) {
    const auto grid = ImageGrid::make(info_of({size, size, 1}, 10), false, kMuch);
    ASSERT_TRUE(grid);
    EXPECT_LE(grid->bytes(), 65536u);
  }
  const auto stored = ImageGrid::make(info_of({1024, 1024, 1}), true, kMuch);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->bytes(), (4u << 20) + SQA_MOST_LAST_TEXELS * kLastBytes);
  const auto limited = ImageGrid::make(info_of({1024, 1024, 1}), true, (1u << 20) / 16 * 17);
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->step(), 2u);
}

TEST(ImageGrid, SubresourcesAreOnePartWhereTheyFollowEachOther) {
  const auto grid = ImageGrid::make(info_of({16, 16, 1}, 3, 4), true, kMuch);
  ASSERT_TRUE(grid);
  const uint64_t layer = 16 * 16 * 4 + 2 * 2 * kLastBytes, second = 8 * 8 * 4 + kLastBytes;
  using Parts = std::vector<ImageGrid::Part>;
  EXPECT_EQ(grid->parts(range_of(0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS)),
            (Parts{{0, grid->bytes()}}));
  EXPECT_EQ(grid->parts(range_of(0, 1, 1, 2)), (Parts{{layer, 3 * layer}}));
  EXPECT_EQ(grid->parts(range_of(0, 2, 1, 1)),
            (Parts{{layer, 2 * layer}, {4 * layer + second, 4 * layer + 2 * second}}));
  EXPECT_EQ(grid->parts(range_of(7, 1, 0, 1)), Parts{});
  EXPECT_EQ(grid->parts(range_of(0, 1, 9, 1)), Parts{});
}

TEST(ImageGrid, DepthAndStencilAreHalvesOfAWord) {
  const auto grid = ImageGrid::make(info_of({8, 8, 1}, 1, 2, VK_FORMAT_D24_UNORM_S8_UINT), false, kMuch);
  ASSERT_TRUE(grid);
  const auto bytes = [&](VkImageAspectFlags aspect) {
    return bytes_of(grid->region({aspect, 0, 0, 2}, {}, {8, 8, 1}));
  };
  const std::set<uint64_t> depth = bytes(VK_IMAGE_ASPECT_DEPTH_BIT),
                           stencil = bytes(VK_IMAGE_ASPECT_STENCIL_BIT);
  EXPECT_EQ(depth.size(), grid->bytes() / 2);
  EXPECT_EQ(stencil.size(), grid->bytes() / 2);
  for (const uint64_t byte : depth) EXPECT_FALSE(stencil.contains(byte));
  EXPECT_EQ(bytes(VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT).size(), grid->bytes());
}

TEST(ImageGrid, ViewsBeginAtTheirFirstLevelAndLayer) {
  const auto grid = ImageGrid::make(info_of({16, 8, 1}, 3, 4), true, kMuch);
  ASSERT_TRUE(grid);
  VkImageViewCreateInfo view{};
  view.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  view.subresourceRange = range_of(1, 2, 1, VK_REMAINING_ARRAY_LAYERS);
  const auto record = grid->record(view, 0x1234500000000);
  ASSERT_TRUE(record);
  EXPECT_EQ((*record)[0], 0u);
  EXPECT_EQ((*record)[1], 0x12345u);
  EXPECT_EQ((*record)[2], 2u);
  EXPECT_EQ((*record)[3], 1u << 8 | SQA_LEAST_LAST_SHIFT << SQA_IMAGE_LAST_SHIFT | SQA_IMAGE_HAS_LAST);
  const uint32_t words = (16 * 8 + 2 * SQA_LAST_WORDS) * 4, layer = 8 * 4 + SQA_LAST_WORDS;
  EXPECT_EQ(std::vector<uint32_t>(record->begin() + 4, record->begin() + 8),
            (std::vector<uint32_t>{words + layer, 8, 4, 3}));
  EXPECT_EQ((*record)[8], words + layer * 4 + 4 * 2 + SQA_LAST_WORDS);
  EXPECT_EQ((*record)[12], 0u);
}

TEST(ImageGrid, PlanesHaveWordsOfTheirOwn) {
  const auto grid =
      ImageGrid::make(info_of({16, 8, 1}, 1, 2, VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM), true, kMuch);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->planes(), 3u);
  EXPECT_EQ(grid->levels(), 1u);
  const auto aspect = [](uint32_t plane) { return VkImageAspectFlags{VK_IMAGE_ASPECT_PLANE_0_BIT} << plane; };
  EXPECT_EQ(grid->aspects(), aspect(0) | aspect(1) | aspect(2));
  std::set<uint64_t> seen;
  uint64_t first = 0;
  for (uint32_t plane = 0; plane < 3; ++plane) {
    const VkImageSubresourceRange range = {aspect(plane), 0, 1, 0, VK_REMAINING_ARRAY_LAYERS};
    const VkExtent3D extent = plane == 0 ? VkExtent3D{16, 8, 1} : VkExtent3D{8, 4, 1};
    EXPECT_EQ(grid->extent(0, plane).width, extent.width);
    const std::set<uint64_t> bytes = bytes_of(only(false, grid->all_of(range)));
    EXPECT_EQ(bytes.size(), uint64_t{extent.width} * extent.height * 2 * 4);
    EXPECT_EQ(bytes, bytes_of(only(false, grid->region({aspect(plane), 0, 0, 2}, {}, extent))));
    EXPECT_EQ(bytes, bytes_of(only(false, grid->spread_over(range))));
    for (const uint64_t byte : bytes) {
      EXPECT_TRUE(seen.insert(byte).second) << "of another plane, too";
      EXPECT_EQ(grid->locate(byte).plane, plane);
    }
    const TexelPlace corner = grid->locate(*bytes.rbegin());
    EXPECT_EQ(corner,
              (TexelPlace{.plane = plane, .layer = 1, .x = extent.width - 1, .y = extent.height - 1}));
    const auto parts = grid->parts(range);
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].begin, first);
    first = parts[0].end;
    VkImageViewCreateInfo view{};
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.subresourceRange = {aspect(plane), 0, 1, 0, 1};
    const auto record = grid->record(view, 0x1000);
    ASSERT_TRUE(record);
    EXPECT_EQ((*record)[4] * 4, parts[0].begin);
    EXPECT_EQ((*record)[5], extent.width);
    EXPECT_EQ((*record)[6], extent.height);
  }
  EXPECT_EQ(first, grid->bytes());
  // All of them.
  EXPECT_EQ(bytes_of(only(false, grid->all_of(kAll))), seen);
  EXPECT_EQ(grid->parts(kAll), (std::vector<ImageGrid::Part>{{0, grid->bytes()}}));
  VkImageViewCreateInfo converted{};
  converted.viewType = VK_IMAGE_VIEW_TYPE_2D;
  converted.subresourceRange = range_of(0, 1, 0, 1);
  const auto record = grid->record(converted, 0x1000);
  ASSERT_TRUE(record);
  EXPECT_EQ((*record)[2], 1u);
  EXPECT_EQ((*record)[5], 16u);
  EXPECT_TRUE(grid->region({VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {16, 8, 1}).empty())
      << "of which plane?";
  EXPECT_TRUE(grid->all_of({VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}).empty());
}

TEST(ImageGrid, ImagesThatCannotBeFollowedHaveNone) {
  EXPECT_FALSE(ImageGrid::make(info_of({16, 16, 1}, 2, 1, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM), true, kMuch));
  EXPECT_FALSE(ImageGrid::make(info_of({16, 16, 1}, 1, 1, VK_FORMAT_G8B8G8R8_422_UNORM), true, kMuch));
  VkImageCreateInfo sparse = info_of({16, 16, 1});
  sparse.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
  EXPECT_FALSE(ImageGrid::make(sparse, true, kMuch));
  EXPECT_FALSE(ImageGrid::make(info_of({0, 16, 1}), true, kMuch));
  EXPECT_FALSE(ImageGrid::make(info_of({16, 16, 1}, 0), true, kMuch));
  EXPECT_FALSE(ImageGrid::make(info_of({16, 16, 1}, 99), true, kMuch));
  EXPECT_FALSE(ImageGrid::make(info_of({16, 16, 1}, 1, 1u << 30), true, kMuch));
}

// What happens to whole subresources is noted at some of their texels, and at no others.
TEST(ImageGrid, SomeTexelsAreSpreadOverEachLevel) {
  const auto small = ImageGrid::make(info_of({64, 32, 1}, 3, 2), true, kMuch);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->spread_over(range_of(1, 2, 1, 1)), small->all_of(range_of(1, 2, 1, 1)));
  const auto large = ImageGrid::make(info_of({1920, 1080, 1}, 4, 3), true, kMuch);
  ASSERT_TRUE(large);
  const VkImageSubresourceRange part = range_of(1, 2, 1, 2);
  const std::set<uint64_t> all = bytes_of(large->all_of(part)), some = bytes_of(large->spread_over(part));
  EXPECT_LT(some.size(), all.size() / 50);
  std::set<std::pair<uint32_t, uint32_t>> subresources;
  uint32_t right = 0, low = 0;
  for (const uint64_t byte : some) {
    EXPECT_TRUE(all.contains(byte));
    const TexelPlace at = large->locate(byte);
    subresources.emplace(at.level, at.layer);
    right = std::max(right, at.x);
    low = std::max(low, at.y);
  }
  EXPECT_EQ(subresources.size(), 4u);
  EXPECT_GT(right, 900u);
  EXPECT_GT(low, 500u);
}

// Layers of a 3D image are its slices where it can be viewed so; else its only layer has all of them.
TEST(ImageGrid, SlicesOf3dImagesMayBeLayers) {
  const auto slices = [](const VkImageCreateInfo& info, uint32_t base, uint32_t count) {
    const auto grid = ImageGrid::make(info, true, kMuch);
    std::set<uint32_t> found;
    if (!grid) return found;
    for (const uint64_t byte : bytes_of(grid->spread_over(range_of(0, 1, base, count))))
      found.insert(grid->locate(byte).z);
    return found;
  };
  VkImageCreateInfo solid = info_of({8, 8, 4});
  solid.imageType = VK_IMAGE_TYPE_3D;
  const std::set<uint32_t> all = {0, 1, 2, 3};
  EXPECT_EQ(slices(solid, 0, 1), all);
  EXPECT_EQ(slices(solid, 0, VK_REMAINING_ARRAY_LAYERS), all);
  solid.flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
  EXPECT_EQ(slices(solid, 0, 1), (std::set<uint32_t>{0}));
  EXPECT_EQ(slices(solid, 1, 2), (std::set<uint32_t>{1, 2}));
  EXPECT_EQ(slices(solid, 0, VK_REMAINING_ARRAY_LAYERS), all);
}

}  // namespace
}  // namespace shaderqa::layer
