// SPDX-License-Identifier: Apache-2.0
// Where the texels of an image have their words (docs/internals/images.md). Pure functions.
#ifndef SHADERQA_LAYER_ACCESSES_IMAGE_GRID_H
#define SHADERQA_LAYER_ACCESSES_IMAGE_GRID_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/runtime/abi_image.h"
#include "layer/accesses/memory_ranges.h"

namespace shaderqa::layer {

// A texel, as a report names it.
struct TexelPlace {
  uint32_t plane = 0, level = 0, layer = 0;
  uint32_t x = 0, y = 0, z = 0, sample = 0;
  bool operator==(const TexelPlace&) const = default;
};

// Every texel whose x and y are multiples of step() has one word for each sample. Words lie level by level
// (or plane by plane: the images of formats with several have one level), layer by layer (or slice by slice),
// row by row. Behind those of a layer (or slice) are the words of the last accesses to some of its texels
// (abi_image.h), unless there are too many for the image's size. All numbers of bytes count from the image's
// first word.
class ImageGrid {
 public:
  // Nothing where texels cannot be followed: blocks that are viewed as texels, sparse images, images
  // without extent. every_texel: the step is 1 where `most_bytes` allows; otherwise the image has few words.
  static std::optional<ImageGrid> make(const VkImageCreateInfo& info, bool every_texel, uint64_t most_bytes);

  uint64_t bytes() const { return bytes_; }
  uint32_t step() const { return 1u << shift_; }
  uint32_t levels() const { return planes_ > 1 ? 1 : static_cast<uint32_t>(grids_.size()); }
  uint32_t planes() const { return planes_; }
  uint32_t layers() const { return layers_; }
  VkFormat format() const { return format_; }
  bool is_3d() const { return is_3d_; }
  // Whether layers of barriers and views may be slices of the 3D image.
  bool is_sliced() const { return is_sliced_; }
  // The planes of a format with several, not the colour that stands for all of them.
  VkImageAspectFlags aspects() const;

  struct Part {
    uint64_t begin = 0, end = 0;
    bool operator==(const Part&) const = default;
  };
  // All of the subresources, in one part where their words follow each other, else in one for each level. A
  // part covers all layers between the first and the last one.
  std::vector<Part> parts(const VkImageSubresourceRange& range) const;
  // The words of a rectangle (a box) in some layers of a level, those of last accesses in ranges of their
  // own. Nothing where no word is in it.
  std::vector<MemoryRange> region(const VkImageSubresourceLayers& layers, VkOffset3D offset,
                                  VkExtent3D extent) const;
  // All texels of the subresources.
  std::vector<MemoryRange> all_of(const VkImageSubresourceRange& range) const;
  VkExtent3D extent(uint32_t level, uint32_t plane = 0) const;
  // Some of these texels, for what is done to all of them at once: as many as images have of which not all
  // texels are followed, spread over each level.
  std::vector<MemoryRange> spread_over(const VkImageSubresourceRange& range) const;
  // Fewer of all texels: at most 256 of a level, and of the four first layers or slices.
  std::vector<MemoryRange> some_texels() const;
  // Whether the range has all subresources.
  bool is_all(const VkImageSubresourceRange& range) const;

  // The record by which shaders find the words of a view's texels. A view of all planes, which is sampled
  // through a conversion, has the first one's. Nothing where a view shows texels in a way that is not
  // followed.
  using ViewRecord = std::array<uint32_t, SQA_IMAGE_VIEW_DWORDS>;
  std::optional<ViewRecord> record(const VkImageViewCreateInfo& view, uint64_t address) const;

  TexelPlace locate(uint64_t byte) const;
  // Texels between those with last accesses, if the byte is of a word of those; else 0.
  uint32_t step_of_last(uint64_t byte) const;
  // Whether spread_over() may leave out texels that have words.
  bool is_spread() const;

 private:
  // A level, or a plane.
  struct Grid {
    uint64_t first = 0;  // word
    uint32_t width = 0, height = 0, depth = 0;
    uint32_t columns = 0, rows = 0;  // of words
    uint64_t last = 0;               // in a slice: the first word of last accesses
    uint32_t last_columns = 0, last_rows = 0;
    uint64_t slice = 0;  // words of a layer's slice
    uint64_t layer = 0;  // words of a layer
  };

  // The first of some layers or slices, and how many they are.
  struct Slices {
    uint32_t first = 0, count = 0;
  };
  // The first of some levels or planes, and the one behind the last.
  struct Numbers {
    uint32_t begin = 0, end = 0;
  };

  void lay_out(const VkImageCreateInfo& info, uint32_t shift);
  void lay_out(const VkImageCreateInfo& info, uint32_t shift, bool has_last);
  // What a rectangle in some layers, or slices, has of the words of last accesses.
  void append_last(const Grid& grid, const VkImageSubresourceLayers& layers, VkOffset3D offset,
                   VkExtent3D extent, std::vector<MemoryRange>& found) const;
  std::vector<MemoryRange> region(const Grid& grid, const VkImageSubresourceLayers& layers, VkOffset3D offset,
                                  VkExtent3D extent) const;
  // Texels with words, and those with words of last accesses.
  void append_spread(const Grid& grid, Slices slices, uint64_t most, std::vector<MemoryRange>& found) const;
  Slices slices_of(const VkImageSubresourceRange& range, const Grid& grid) const;
  // What of grids_ the subresources are.
  Numbers numbers_of(VkImageAspectFlags aspects, uint32_t level, uint32_t levels) const;
  uint32_t count_layers(uint32_t base, uint32_t count) const;

  VkFormat format_ = VK_FORMAT_UNDEFINED;
  bool is_3d_ = false, is_1d_ = false;
  bool is_sliced_ = false;
  bool both_aspects_ = false;  // depth and stencil: each has a half of the word
  bool has_last_ = false;      // words of last accesses
  uint32_t layers_ = 1, samples_ = 1, planes_ = 1;
  uint32_t shift_ = 0, last_shift_ = 0;  // of the steps between texels with a word, and with last accesses
  uint64_t bytes_ = 0;
  std::vector<Grid> grids_;  // level by level, or plane by plane
};

}  // namespace shaderqa::layer
#endif
