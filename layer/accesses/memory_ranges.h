// SPDX-License-Identifier: Apache-2.0
// Which memory a command reads and writes, as ranges that an engine can record (docs/internals/exact.md).
// Pure functions.
#ifndef SHADERQA_LAYER_ACCESSES_MEMORY_RANGES_H
#define SHADERQA_LAYER_ACCESSES_MEMORY_RANGES_H

#include <vulkan/vulkan_core.h>

#include <compare>
#include <cstdint>
#include <vector>

namespace shaderqa::layer {

// Rows that indices in memory name, one each.
struct NamedRows {
  VkDeviceAddress indices = 0;  // 0: rows follow each other
  uint32_t index_bytes = 0;
  int32_t offset = 0;  // added to each index
  uint32_t last = 0;   // the number of the last row there is
  // NOLINTNEXTLINE(modernize-use-nullptr): it takes the default for a 0
  auto operator<=>(const NamedRows&) const = default;
};

// Rows that a draw's arguments in memory name, which only the device reads.
struct DrawnRows {
  VkDeviceAddress arguments = 0;  // 0: all rows, or as many as `draws` says
  // Which dwords of the arguments say how many elements are drawn, what must not be 0 either, the first
  // element, and what is added to indices.
  uint8_t count = 0, factor = 0, first = 0, offset = 0;
  uint32_t divisor = 1;       // elements that share a row; 0: all do
  VkDeviceAddress draws = 0;  // of the number of draws that are made; 0: this one is
  uint32_t draw = 0;          // its number
  // NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const DrawnRows&) const = default;
};

// Rows of bytes, and slices of rows.
struct MemoryRange {
  VkDeviceAddress address = 0;
  uint64_t bytes = 0;  // of a row
  uint64_t rows = 1, slices = 1;
  uint64_t pitch = 0, slice_pitch = 0;  // from row to row, from slice to slice
  bool writes = false;
  bool loads = false;          // reads what it writes, before that
  bool arguments = false;      // reads the arguments of an indirect command
  bool last_accesses = false;  // words of the last accesses to texels
  NamedRows named = {};
  DrawnRows drawn = {};  // of one slice: of `rows`, or of as many indices
  bool operator==(const MemoryRange&) const = default;
};

// Whether only the device knows which rows it has.
inline bool is_read_late(const MemoryRange& range) {
  return range.named.indices || range.drawn.arguments || range.drawn.draws;
}
// Behind the last byte that it may have; 0: that is beyond what addresses reach, or the range is empty.
uint64_t end_of(const MemoryRange& range);
// The same memory, in ranges that a record can hold: what is contiguous is one row, what is too large is
// split, or left out where that is not simple.
void append_packed(const MemoryRange& range, std::vector<MemoryRange>& packed);
// What a format's data in a buffer consists of; bytes is 0 where that is not known.
struct TexelBlock {
  uint32_t width = 1, height = 1;  // texels
  uint32_t bytes = 0;
};
TexelBlock texel_block(VkFormat format, VkImageAspectFlags aspect);
// What a copy between a buffer and an image does in the buffer.
MemoryRange image_copy_range(const VkBufferImageCopy2& region, uint32_t layers, const TexelBlock& block);

}  // namespace shaderqa::layer
#endif
