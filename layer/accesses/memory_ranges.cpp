// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/memory_ranges.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "instrument/runtime/abi_ranges.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

constexpr uint64_t kLargestRow = uint64_t{1} << 30;

uint64_t rounded_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

}  // namespace

uint64_t end_of(const MemoryRange& range) {
  if (range.bytes == 0 || range.rows == 0 || range.slices == 0) return 0;
  uint64_t last_row = range.named.indices ? range.named.last : range.rows - 1;
  uint64_t last_slice = 0, end = 0;
  const bool too_far = __builtin_mul_overflow(last_row, range.pitch, &last_row) ||
                       __builtin_mul_overflow(range.slices - 1, range.slice_pitch, &last_slice) ||
                       __builtin_add_overflow(range.address, last_row, &end) ||
                       __builtin_add_overflow(end, last_slice, &end) ||
                       __builtin_add_overflow(end, range.bytes, &end);
  return too_far ? 0 : end;
}

void append_packed(const MemoryRange& range, std::vector<MemoryRange>& packed) {
  if (end_of(range) == 0) return;
  // The device looks how many words it has.
  if (range.drawn.arguments || range.drawn.draws) return packed.push_back(range);
  MemoryRange one = range;
  const bool named = one.named.indices != 0;
  if (!named && one.rows > 1 && one.pitch == one.bytes) {
    one.bytes *= one.rows;
    one.rows = 1;
  }
  if (!named && one.rows == 1 && one.slices > 1) {
    // Slices of one row are rows.
    one.rows = one.slices;
    one.pitch = one.slice_pitch;
    one.slices = 1;
    if (one.pitch == one.bytes) {
      one.bytes *= one.rows;
      one.rows = 1;
    }
  }
  if (!named && one.rows == 1) one.pitch = 0;
  if (one.slices == 1) one.slice_pitch = 0;
  if (!named && one.rows == 1 && one.bytes > kLargestRow) {
    MemoryRange part = one;
    for (uint64_t at = 0; at < one.bytes; at += part.bytes) {
      part.address = one.address + at;
      part.bytes = std::min(kLargestRow, one.bytes - at);
      packed.push_back(part);
    }
    return;
  }
  // A row's words, with those that its neighbours touch, too.
  const uint64_t words = one.bytes / 4 + 2;
  if (one.bytes > kLargestRow || one.rows > SQA_MAX_RANGE_WORDS || one.slices > SQA_MAX_RANGE_WORDS ||
      words * one.rows > SQA_MAX_RANGE_WORDS || words * one.rows * one.slices > SQA_MAX_RANGE_WORDS) {
    return;
  }
  packed.push_back(one);
}

TexelBlock texel_block(VkFormat format, VkImageAspectFlags aspect) {
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return {1, 1, 1};
  if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT) {
    const bool is_16 = format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D16_UNORM_S8_UINT;
    return {1, 1, is_16 ? 2u : 4u};
  }
  if (aspect != VK_IMAGE_ASPECT_COLOR_BIT) {
    const auto plane = static_cast<uint32_t>(std::countr_zero(aspect / VK_IMAGE_ASPECT_PLANE_0_BIT));
    const std::optional<FormatPlane> texels = format_plane(format, plane);
    const bool named = texels && aspect == VkImageAspectFlags{VK_IMAGE_ASPECT_PLANE_0_BIT} << plane;
    return named ? TexelBlock{1, 1, texel_size(texels->compatible)} : TexelBlock{};
  }
  if (format >= VK_FORMAT_BC1_RGB_UNORM_BLOCK && format <= VK_FORMAT_BC7_SRGB_BLOCK) {
    const bool is_small = format <= VK_FORMAT_BC1_RGBA_SRGB_BLOCK || format == VK_FORMAT_BC4_UNORM_BLOCK ||
                          format == VK_FORMAT_BC4_SNORM_BLOCK;
    return {4, 4, is_small ? 8u : 16u};
  }
  return {1, 1, texel_size(format)};
}

MemoryRange image_copy_range(const VkBufferImageCopy2& region, uint32_t layers, const TexelBlock& block) {
  const uint32_t width = region.bufferRowLength ? region.bufferRowLength : region.imageExtent.width;
  const uint32_t height = region.bufferImageHeight ? region.bufferImageHeight : region.imageExtent.height;
  MemoryRange range;
  range.address = region.bufferOffset;
  range.bytes = rounded_up(region.imageExtent.width, block.width) * block.bytes;
  range.rows = rounded_up(region.imageExtent.height, block.height);
  range.pitch = rounded_up(width, block.width) * block.bytes;
  range.slices = uint64_t{region.imageExtent.depth} * layers;
  range.slice_pitch = range.pitch * rounded_up(height, block.height);
  return range;
}

}  // namespace shaderqa::layer
