// SPDX-License-Identifier: Apache-2.0
// Images (docs/internals/images.md): addresses that no memory has stand for their texels, and records of
// views say where. Read by GLSL and by C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_IMAGE_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_IMAGE_H

// meta of a table entry that leads to an image's view (abi_table.h). The entry's address and range are those
// of the image's words; above this shift is the number of the view's record. The low 8 bits stand for the
// layout that the descriptor names (layer/vk/layout_names.h), or are 0. Shaders read them only where there
// are no sets (SQA_ACTION_VIEW_LAYOUTS).
#define SQA_TABLE_IMAGE 0x400
#define SQA_TABLE_LAYOUT 0xffu
#define SQA_TABLE_VIEW_SHIFT 11
#define SQA_TABLE_COARSE 0x100  // the image's step is SQA_IMAGE_COARSE_STEP or more
#define SQA_TABLE_LARGE 0x200   // its first level has SQA_IMAGE_LARGE texels or more

// Records of views, in blocks. ExactState.image_views_address leads to uint64_t blocks[SQA_IMAGE_BLOCKS], the
// addresses of blocks of SQA_IMAGE_BLOCK_VIEWS records.
#define SQA_IMAGE_BLOCKS 1024
// Behind these is what the device's samplers have been created with: dwords with SQA_SAMPLERS_*, 0, and the
// bits of two floats, the levels of detail that no sampler changes.
#define SQA_IMAGE_SAMPLERS SQA_IMAGE_BLOCKS
#define SQA_SAMPLERS_DWORDS 4
#define SQA_SAMPLERS_ODD 1u  // coordinates that are not normalised
#define SQA_SAMPLERS_ANISOTROPIC 2u
#define SQA_SAMPLERS_BIASED 4u  // a bias for the level of detail

// How a shader samples.
#define SQA_SAMPLE_SOLID 1u         // the image has a depth, and no layers
#define SQA_SAMPLE_CUBE 2u          // the position is a direction
#define SQA_SAMPLE_DERIVED 4u       // the level of detail comes from derivatives
#define SQA_SAMPLE_LEVEL_GIVEN 8u   // it is known, before what the sampler makes of it
#define SQA_SAMPLE_LEVEL_ASKED 16u  // the level itself is, as OpImageQueryLod says it
#define SQA_IMAGE_BLOCK_VIEWS_LOG2 9
#define SQA_IMAGE_BLOCK_VIEWS (1 << SQA_IMAGE_BLOCK_VIEWS_LOG2)
#define SQA_IMAGE_MAX_LEVELS 16
// A record: quads of dwords. First {u64 address of the image's first word, levels of the view, step as
// log2 | samples << 8 | L << SQA_IMAGE_LAST_SHIFT | SQA_IMAGE_HAS_LAST}. Then, for each level of the view,
// {first word of its first layer, width, height, depth or layers}, in texels. Levels beyond those of the view
// are zero.
#define SQA_IMAGE_VIEW_QUADS (1 + SQA_IMAGE_MAX_LEVELS)
#define SQA_IMAGE_VIEW_DWORDS (4 * SQA_IMAGE_VIEW_QUADS)
#define SQA_IMAGE_HAS_LAST 0x80000000
#define SQA_IMAGE_SAMPLES_MASK 0xffffu
#define SQA_IMAGE_LAST_SHIFT 24  // 5 bits
// Behind the words of each slice, at a multiple of SQA_LAST_WORDS, are those of the last accesses to some of
// its texels, sample by sample: those whose x and y are multiples of 2^L steps. L is the least number, from
// SQA_LEAST_LAST_SHIFT on, with which the first level has no more than SQA_MOST_LAST_TEXELS such texels. The
// last store, and the last reads by stages.
#define SQA_LEAST_LAST_SHIFT 3
#define SQA_MOST_LAST_TEXELS 1024
#define SQA_LAST_WORDS 4u
#define SQA_LAST_STORE 0u
#define SQA_LAST_COMPUTE_READ 1u   // and ray tracing
#define SQA_LAST_GRAPHICS_READ 2u  // shaders of draws
#define SQA_LAST_OTHER_READ 3u     // attachments and transfers
// Reads of sparse images (SQA_ACTION_DENSE): coarse ones, and large ones that nothing but layout transitions
// writes. Dispatches of so many workgroups check all reads in some of these (SQA_ACTION_SPARSE_PLACES): in
// one of 16 from the first number on, in one of 64 from the second on.
#define SQA_IMAGE_SPARSE_GROUPS_16 64
#define SQA_IMAGE_SPARSE_GROUPS_64 1024
// Elsewhere, texels that the shader names are checked where x and y are multiples of this, samples in one of
// SQA_IMAGE_SPARSE_FEW workgroups, or all.
#define SQA_IMAGE_SPARSE_STEP 64
#define SQA_IMAGE_SPARSE_FEW 16u
#define SQA_IMAGE_COARSE_STEP 16
#define SQA_IMAGE_LARGE 65536
// The race map (runtime/race_map.glsl): on which words hazards were found. ExactState.race_map_address leads
// to uint64_t blocks[SQA_RACE_MAP_BLOCKS], the addresses of blocks, or 0. A block stands for
// 2^SQA_RACE_MAP_BLOCK_LOG2 bytes of image addresses; they count down from the highest address that images
// get, since these are given out in this order. It has a bit for each page on which there is anything, and
// from dword SQA_RACE_MAP_WORDS on two bits for each word, SQA_RACE_*.
#define SQA_HIGHEST_IMAGE_ADDRESS_HIGH 0xbfffu  // the upper dword; all bits of the lower one are 1
#define SQA_RACE_MAP_BLOCKS 16384
#define SQA_RACE_MAP_BLOCK_LOG2 22
#define SQA_RACE_MAP_WORDS 2
#define SQA_RACE_MAP_DWORDS (SQA_RACE_MAP_WORDS + (1 << (SQA_RACE_MAP_BLOCK_LOG2 - 6)))
#define SQA_RACE_BETWEEN_ACTIONS 1
#define SQA_RACE_WITHIN_ACTION 2
// Words of an image: their numbers are 32 bits wide.
#define SQA_IMAGE_MAX_WORDS 0x40000000

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

// The upper half of what the page table reaches. No device gives out such an address: those above the lower
// half have their upper bits set.
inline constexpr uint64_t image_addresses = uint64_t{1} << 47;
inline constexpr uint64_t image_addresses_end = uint64_t{1} << 48;
inline constexpr uint64_t highest_image_address = uint64_t{SQA_HIGHEST_IMAGE_ADDRESS_HIGH} << 32 | UINT32_MAX;
constexpr bool is_image_address(uint64_t address) {
  return address >= image_addresses && address < image_addresses_end;
}

}  // namespace shaderqa::abi
#endif
#endif
