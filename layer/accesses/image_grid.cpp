// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/image_grid.h"

#include <algorithm>
#include <bit>

#include "layer/vk/pnext_chain.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kWordBytes = 4;
constexpr uint32_t kLargestShift = 15;
// Words that images have whose texels are not all followed: those of one page of cells.
constexpr uint64_t kFewWords = 16384;
// An image with more words of last accesses has none where they are more than a quarter of its words.
constexpr uint64_t kManyLastWords = 1024;

bool has_depth(VkFormat format) {
  return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_X8_D24_UNORM_PACK32 ||
         format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D16_UNORM_S8_UINT ||
         format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
}

bool has_stencil(VkFormat format) {
  return format >= VK_FORMAT_S8_UINT && format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
}

// Formats whose texels, or blocks of texels, are known.
bool is_followed(VkFormat format) {
  return has_depth(format) || has_stencil(format) ||
         (format >= VK_FORMAT_BC1_RGB_UNORM_BLOCK && format <= VK_FORMAT_BC7_SRGB_BLOCK) ||
         texel_size(format) != 0 || format_plane(format, 0);
}

uint32_t count_planes(VkFormat format) {
  uint32_t planes = 0;
  while (format_plane(format, planes)) ++planes;
  return std::max(planes, 1u);
}

// The multiples of 2^shift in [first, first + count): the number of the first one, and how many they are.
struct Steps {
  uint32_t first = 0, count = 0;
};
Steps steps_in(uint32_t first, uint32_t count, uint32_t shift, uint32_t size) {
  if (first >= size || count == 0) return {};
  const uint64_t end = std::min<uint64_t>(uint64_t{first} + count, size);
  const uint64_t from = (uint64_t{first} + (1u << shift) - 1) >> shift;
  const uint64_t to = ((end - 1) >> shift) + 1;
  if (to <= from) return {};
  return {static_cast<uint32_t>(from), static_cast<uint32_t>(to - from)};
}

// By how much the steps between texels with last accesses are larger, of a level with so many words.
uint32_t shift_of_last(uint32_t columns, uint32_t rows) {
  uint32_t shift = SQA_LEAST_LAST_SHIFT;
  while ((uint64_t{(columns - 1) >> shift} + 1) * (((rows - 1) >> shift) + 1) > SQA_MOST_LAST_TEXELS) ++shift;
  return shift;
}

constexpr VkImageAspectFlags kDepthAndStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;

}  // namespace

void ImageGrid::lay_out(const VkImageCreateInfo& info, uint32_t shift) {
  if (!both_aspects_) {
    lay_out(info, shift, true);
    uint64_t last = 0;
    for (const Grid& grid : grids_) last += (grid.slice - grid.last) * grid.depth * layers_;
    if (last <= std::max(kManyLastWords, bytes_ / kWordBytes / 4)) return;
  }
  lay_out(info, shift, false);
}

void ImageGrid::lay_out(const VkImageCreateInfo& info, uint32_t shift, bool has_last) {
  shift_ = shift;
  has_last_ = has_last;
  grids_.clear();
  uint64_t words = 0;
  for (uint32_t number = 0; number < info.mipLevels * planes_; ++number) {
    const bool is_plane = planes_ > 1;
    const FormatPlane plane = is_plane ? *format_plane(format_, number) : FormatPlane();
    const uint32_t level = is_plane ? 0 : number;
    Grid grid;
    grid.first = words;
    grid.width = std::max((info.extent.width >> level) / plane.width_divisor, 1u);
    grid.height = std::max((info.extent.height >> level) / plane.height_divisor, 1u);
    grid.depth = std::max(info.extent.depth >> level, 1u);
    grid.columns = ((grid.width - 1) >> shift) + 1;
    grid.rows = ((grid.height - 1) >> shift) + 1;
    grid.slice = uint64_t{grid.columns} * grid.rows * samples_;
    grid.last = grid.slice;
    if (has_last) {
      if (number == 0) last_shift_ = shift + shift_of_last(grid.columns, grid.rows);
      grid.last_columns = ((grid.width - 1) >> last_shift_) + 1;
      grid.last_rows = ((grid.height - 1) >> last_shift_) + 1;
      grid.last = (grid.slice + SQA_LAST_WORDS - 1) / SQA_LAST_WORDS * SQA_LAST_WORDS;
      grid.slice = grid.last + uint64_t{grid.last_columns} * grid.last_rows * samples_ * SQA_LAST_WORDS;
    }
    grid.layer = grid.slice * grid.depth;
    words += grid.layer * layers_;
    grids_.push_back(grid);
  }
  bytes_ = words * kWordBytes;
}

std::optional<ImageGrid> ImageGrid::make(const VkImageCreateInfo& info, bool every_texel,
                                         uint64_t most_bytes) {
  constexpr VkImageCreateFlags unfollowed =
      VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT |
      VK_IMAGE_CREATE_PROTECTED_BIT | VK_IMAGE_CREATE_SUBSAMPLED_BIT_EXT |
      VK_IMAGE_CREATE_CORNER_SAMPLED_BIT_NV;
  constexpr uint32_t largest = 1u << 20;
  const VkExtent3D& extent = info.extent;
  if ((info.flags & unfollowed) || !is_followed(info.format) || info.mipLevels == 0 ||
      info.mipLevels > SQA_IMAGE_MAX_LEVELS || info.arrayLayers == 0 || info.arrayLayers > largest ||
      extent.width == 0 || extent.height == 0 || extent.depth == 0 || extent.width > largest ||
      extent.height > largest || extent.depth > largest || info.samples == 0 || info.samples > 64)
    return std::nullopt;
  ImageGrid grid;
  grid.format_ = info.format;
  grid.planes_ = count_planes(info.format);
  if (grid.planes_ > 1 && info.mipLevels > 1) return std::nullopt;
  grid.is_3d_ = info.imageType == VK_IMAGE_TYPE_3D;
  grid.is_sliced_ = grid.is_3d_ && (info.flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT);
  grid.is_1d_ = info.imageType == VK_IMAGE_TYPE_1D;
  grid.both_aspects_ = has_depth(info.format) && has_stencil(info.format);
  grid.layers_ = info.arrayLayers;
  grid.samples_ = info.samples;
  most_bytes = std::min<uint64_t>(most_bytes, uint64_t{SQA_IMAGE_MAX_WORDS} * kWordBytes);
  const uint64_t wanted = every_texel ? most_bytes : std::min(most_bytes, kFewWords * kWordBytes);
  for (uint32_t shift = 0; shift <= kLargestShift; ++shift) {
    grid.lay_out(info, shift);
    if (grid.bytes_ <= wanted) return grid;
  }
  // Many layers.
  if (grid.bytes_ <= most_bytes) return grid;
  return std::nullopt;
}

ImageGrid::Numbers ImageGrid::numbers_of(VkImageAspectFlags aspects, uint32_t level, uint32_t levels) const {
  if (planes_ == 1) {
    const auto all = static_cast<uint32_t>(grids_.size());
    const uint32_t left = level < all ? all - level : 0;
    return {level, level + std::min(levels, left)};  // VK_REMAINING_MIP_LEVELS is the largest number
  }
  if (level != 0 || levels == 0) return {};
  if (aspects & VK_IMAGE_ASPECT_COLOR_BIT) return {0, planes_};
  const uint32_t planes = aspects / VK_IMAGE_ASPECT_PLANE_0_BIT & ((1u << planes_) - 1);
  return {static_cast<uint32_t>(std::countr_zero(planes)), static_cast<uint32_t>(std::bit_width(planes))};
}

uint32_t ImageGrid::count_layers(uint32_t base, uint32_t count) const {
  return std::min(count, base < layers_ ? layers_ - base : 0);
}

std::vector<ImageGrid::Part> ImageGrid::parts(const VkImageSubresourceRange& range) const {
  const Numbers numbers = numbers_of(range.aspectMask, range.baseMipLevel, range.levelCount);
  // Layers of a 3D image may be slices: then all of them count.
  const uint32_t base = is_3d_ ? 0 : range.baseArrayLayer;
  const uint32_t layers = is_3d_ ? 1 : count_layers(base, range.layerCount);
  std::vector<Part> found;
  if (layers == 0) return found;
  for (uint32_t i = numbers.begin; i < numbers.end; ++i) {
    const Grid& grid = grids_[i];
    const uint64_t begin = (grid.first + grid.layer * base) * kWordBytes;
    const uint64_t end = begin + grid.layer * layers * kWordBytes;
    if (!found.empty() && found.back().end == begin)
      found.back().end = end;
    else
      found.push_back({begin, end});
  }
  return found;
}

std::vector<MemoryRange> ImageGrid::region(const VkImageSubresourceLayers& layers, VkOffset3D offset,
                                           VkExtent3D extent) const {
  const Numbers numbers = numbers_of(layers.aspectMask, layers.mipLevel, 1);
  // Coordinates are those of one plane.
  if (numbers.end != numbers.begin + 1) return {};
  return region(grids_[numbers.begin], layers, offset, extent);
}

std::vector<MemoryRange> ImageGrid::region(const Grid& grid, const VkImageSubresourceLayers& layers,
                                           VkOffset3D offset, VkExtent3D extent) const {
  std::vector<MemoryRange> found;
  const uint32_t count = is_3d_ ? 1 : count_layers(layers.baseArrayLayer, layers.layerCount);
  if (count == 0 || offset.x < 0 || offset.y < 0 || offset.z < 0) return found;
  const Steps columns = steps_in(static_cast<uint32_t>(offset.x), extent.width, shift_, grid.width);
  const Steps rows = steps_in(static_cast<uint32_t>(offset.y), extent.height, shift_, grid.height);
  const Steps slices =
      is_3d_ ? steps_in(static_cast<uint32_t>(offset.z), extent.depth, 0, grid.depth) : Steps{0, 1};
  if (columns.count == 0 || rows.count == 0 || slices.count == 0) return found;
  MemoryRange range;
  const uint64_t row_words = uint64_t{grid.columns} * samples_;
  const auto word_at = [&](uint64_t layer, uint64_t slice) {
    return grid.first + layer * grid.layer + slice * grid.slice + rows.first * row_words +
           uint64_t{columns.first} * samples_;
  };
  const uint64_t base = is_3d_ ? 0 : layers.baseArrayLayer;
  const VkImageAspectFlags aspect = layers.aspectMask & kDepthAndStencil;
  if (both_aspects_ && aspect != kDepthAndStencil && aspect != 0) {
    // Halves of words: each is a row.
    for (uint64_t layer = 0; layer < count; ++layer) {
      range.address = word_at(base + layer, 0) * kWordBytes + (aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? 2 : 0);
      range.bytes = 2;
      range.rows = uint64_t{columns.count} * samples_;
      range.pitch = kWordBytes;
      range.slices = rows.count;
      range.slice_pitch = row_words * kWordBytes;
      append_packed(range, found);
    }
    return found;
  }
  range.address = word_at(base, slices.first) * kWordBytes;
  range.bytes = uint64_t{columns.count} * samples_ * kWordBytes;
  range.rows = rows.count;
  range.pitch = row_words * kWordBytes;
  range.slices = is_3d_ ? slices.count : count;
  range.slice_pitch = grid.slice * kWordBytes;
  append_packed(range, found);
  append_last(grid, layers, offset, extent, found);
  return found;
}

void ImageGrid::append_last(const Grid& grid, const VkImageSubresourceLayers& layers, VkOffset3D offset,
                            VkExtent3D extent, std::vector<MemoryRange>& found) const {
  if (!has_last_) return;
  const Steps columns = steps_in(static_cast<uint32_t>(offset.x), extent.width, last_shift_, grid.width);
  const Steps rows = steps_in(static_cast<uint32_t>(offset.y), extent.height, last_shift_, grid.height);
  const Steps slices =
      is_3d_ ? steps_in(static_cast<uint32_t>(offset.z), extent.depth, 0, grid.depth)
             : Steps{layers.baseArrayLayer, count_layers(layers.baseArrayLayer, layers.layerCount)};
  if (columns.count == 0 || rows.count == 0 || slices.count == 0) return;
  const uint64_t texel = uint64_t{samples_} * SQA_LAST_WORDS;
  MemoryRange range;
  range.last_accesses = true;
  range.address = (grid.first + slices.first * grid.slice + grid.last +
                   (uint64_t{rows.first} * grid.last_columns + columns.first) * texel) *
                  kWordBytes;
  range.bytes = columns.count * texel * kWordBytes;
  range.rows = rows.count;
  range.pitch = grid.last_columns * texel * kWordBytes;
  range.slices = slices.count;
  range.slice_pitch = grid.slice * kWordBytes;
  append_packed(range, found);
}

VkImageAspectFlags ImageGrid::aspects() const {
  if (planes_ > 1) return ((1u << planes_) - 1) * VK_IMAGE_ASPECT_PLANE_0_BIT;
  const VkImageAspectFlags depth = has_depth(format_) ? VK_IMAGE_ASPECT_DEPTH_BIT : 0,
                           stencil = has_stencil(format_) ? VK_IMAGE_ASPECT_STENCIL_BIT : 0;
  return depth | stencil ? depth | stencil : VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT};
}

VkExtent3D ImageGrid::extent(uint32_t level, uint32_t plane) const {
  const uint32_t number = planes_ > 1 ? plane : level;
  if (number >= grids_.size()) return {};
  return {grids_[number].width, grids_[number].height, grids_[number].depth};
}

std::vector<MemoryRange> ImageGrid::all_of(const VkImageSubresourceRange& range) const {
  std::vector<MemoryRange> found;
  const Numbers numbers = numbers_of(range.aspectMask, range.baseMipLevel, range.levelCount);
  for (uint32_t i = numbers.begin; i < numbers.end; ++i) {
    const Grid& grid = grids_[i];
    const std::vector<MemoryRange> one =
        region(grid, {range.aspectMask, i, range.baseArrayLayer, range.layerCount}, {},
               {grid.width, grid.height, grid.depth});
    found.insert(found.end(), one.begin(), one.end());
  }
  return found;
}

// What the range has of a level for certain: whether layers of a 3D image are slices is up to features.
ImageGrid::Slices ImageGrid::slices_of(const VkImageSubresourceRange& range, const Grid& grid) const {
  if (!is_3d_) return {range.baseArrayLayer, count_layers(range.baseArrayLayer, range.layerCount)};
  if (!is_sliced_) return {0, grid.depth};
  const uint32_t left = range.baseArrayLayer < grid.depth ? grid.depth - range.baseArrayLayer : 0;
  return {range.baseArrayLayer, std::min(range.layerCount, left)};
}

bool ImageGrid::is_spread() const { return is_3d_ || (!both_aspects_ && bytes_ > kFewWords * kWordBytes); }

void ImageGrid::append_spread(const Grid& grid, Slices slices, uint64_t most,
                              std::vector<MemoryRange>& found) const {
  const auto append = [&](uint64_t first, uint32_t columns, uint32_t rows, uint64_t texel_words, bool last) {
    uint32_t shift = 0;
    while ((columns >> shift) * uint64_t{rows >> shift} * texel_words * slices.count > most) ++shift;
    MemoryRange some;
    some.last_accesses = last;
    some.bytes = texel_words * kWordBytes;
    some.rows = ((columns - 1) >> shift) + 1;
    some.pitch = some.bytes << shift;
    some.slices = ((rows - 1) >> shift) + 1;
    some.slice_pitch = (columns * some.bytes) << shift;
    for (uint64_t slice = slices.first; slice < slices.first + uint64_t{slices.count}; ++slice) {
      some.address = (first + slice * grid.slice) * kWordBytes;
      append_packed(some, found);
    }
  };
  append(grid.first, grid.columns, grid.rows, samples_, false);
  if (has_last_)
    append(grid.first + grid.last, grid.last_columns, grid.last_rows, samples_ * uint64_t{SQA_LAST_WORDS},
           true);
}

std::vector<MemoryRange> ImageGrid::spread_over(const VkImageSubresourceRange& range) const {
  if (!is_spread()) return all_of(range);
  constexpr uint32_t most_of_grid = 4096, most_slices = 16;
  std::vector<MemoryRange> found;
  const Numbers numbers = numbers_of(range.aspectMask, range.baseMipLevel, range.levelCount);
  for (uint32_t i = numbers.begin; i < numbers.end; ++i) {
    Slices slices = slices_of(range, grids_[i]);
    slices.count = std::min(slices.count, most_slices);
    append_spread(grids_[i], slices, most_of_grid, found);
  }
  return found;
}

std::vector<MemoryRange> ImageGrid::some_texels() const {
  constexpr uint32_t most_texels = 256, most_slices = 4;
  std::vector<MemoryRange> found;
  for (const Grid& grid : grids_) {
    const uint32_t slices = std::min(is_3d_ ? grid.depth : layers_, most_slices);
    append_spread(grid, {0, slices}, uint64_t{most_texels} * samples_ * slices, found);
  }
  return found;
}

bool ImageGrid::is_all(const VkImageSubresourceRange& range) const {
  const Numbers numbers = numbers_of(range.aspectMask, range.baseMipLevel, range.levelCount);
  const bool all_aspects = planes_ > 1 ? (range.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0
                                       : (aspects() & ~range.aspectMask) == 0;
  if (!all_aspects || numbers.begin != 0 || numbers.end != grids_.size() || range.baseArrayLayer != 0)
    return false;
  // Layers of such a 3D image may be slices.
  if (is_sliced_) return range.layerCount >= grids_.front().depth;
  return is_3d_ || count_layers(0, range.layerCount) == layers_;
}

std::optional<ImageGrid::ViewRecord> ImageGrid::record(const VkImageViewCreateInfo& view,
                                                       uint64_t address) const {
  const VkImageSubresourceRange& range = view.subresourceRange;
  Numbers numbers = numbers_of(range.aspectMask, range.baseMipLevel, range.levelCount);
  if (planes_ > 1) numbers.end = std::min(numbers.end, numbers.begin + 1);
  if (numbers.begin >= numbers.end) return std::nullopt;
  const uint32_t count = numbers.end - numbers.begin;
  // Views of slices of 3D images have the slices as layers.
  const bool slices = is_3d_ && view.viewType != VK_IMAGE_VIEW_TYPE_3D;
  // One of the two aspects would be a half of the word.
  if (both_aspects_) return std::nullopt;
  // Its first slice is not that of the image.
  if (find_in_chain<VkImageViewSlicedCreateInfoEXT>(view.pNext,
                                                    VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT))
    return std::nullopt;
  // What is sampled of several levels is not what the sampler says.
  if (count > 1 && find_in_chain<VkImageViewMinLodCreateInfoEXT>(
                       view.pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT))
    return std::nullopt;
  ViewRecord record{};
  record[0] = static_cast<uint32_t>(address);
  record[1] = static_cast<uint32_t>(address >> 32);
  record[2] = count;
  record[3] = shift_ | samples_ << 8;
  if (has_last_) record[3] |= (last_shift_ - shift_) << SQA_IMAGE_LAST_SHIFT | SQA_IMAGE_HAS_LAST;
  for (uint32_t i = 0; i < count; ++i) {
    const Grid& grid = grids_[numbers.begin + i];
    uint32_t depth = grid.depth;
    uint64_t first = grid.first;
    if (slices) {
      if (range.baseArrayLayer >= grid.depth) return std::nullopt;
      depth = std::min(range.layerCount, grid.depth - range.baseArrayLayer);
      first += grid.slice * range.baseArrayLayer;
    } else if (!is_3d_) {
      depth = count_layers(range.baseArrayLayer, range.layerCount);
      first += grid.layer * range.baseArrayLayer;
    }
    uint32_t* quad = record.data() + 4 * (1 + i);
    quad[0] = static_cast<uint32_t>(first);
    quad[1] = grid.width;
    quad[2] = grid.height;
    quad[3] = depth;
  }
  return record;
}

uint32_t ImageGrid::step_of_last(uint64_t byte) const {
  const uint64_t word = byte / kWordBytes;
  const Grid& grid = *(std::ranges::upper_bound(grids_, word, {}, &Grid::first) - 1);
  return has_last_ && (word - grid.first) % grid.slice >= grid.last ? 1u << last_shift_ : 0;
}

TexelPlace ImageGrid::locate(uint64_t byte) const {
  TexelPlace place;
  uint64_t word = byte / kWordBytes;
  const auto found = std::ranges::upper_bound(grids_, word, {}, &Grid::first) - 1;
  const Grid& grid = *found;
  (planes_ > 1 ? place.plane : place.level) = static_cast<uint32_t>(found - grids_.begin());
  word -= grid.first;
  place.layer = static_cast<uint32_t>(word / grid.layer);
  word %= grid.layer;
  place.z = static_cast<uint32_t>(word / grid.slice);
  word %= grid.slice;
  if (has_last_ && word >= grid.last) {
    word = (word - grid.last) / SQA_LAST_WORDS;
    place.sample = static_cast<uint32_t>(word % samples_);
    word /= samples_;
    place.x = static_cast<uint32_t>(word % grid.last_columns) << last_shift_;
    place.y = static_cast<uint32_t>(word / grid.last_columns) << last_shift_;
    return place;
  }
  place.sample = static_cast<uint32_t>(word % samples_);
  word /= samples_;
  place.x = static_cast<uint32_t>(word % grid.columns) << shift_;
  place.y = static_cast<uint32_t>(word / grid.columns) << shift_;
  return place;
}

}  // namespace shaderqa::layer
