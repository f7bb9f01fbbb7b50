// SPDX-License-Identifier: Apache-2.0
// What a shader does that has a picture. Relaxed atomics and stores alone: lavapipe loses invocations at barriers in loops
// that diverge. -DSQA_DIVERGENCE adds the subgroup's part.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#ifdef SQA_DIVERGENCE
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#endif
#include "instrument/runtime/abi_picture.h"

layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaPictureRoot {
  uint other[50];
  uvec2 control;
};
struct SqaPictureSlot {
  uvec2 key;
  uvec2 address;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SqaPictureControl {
  uint slots;
  uint reserved[3];
  SqaPictureSlot slot[SQA_PICTURE_SLOTS];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaPicture {
  uint dwords[];
};

uvec2 sqa_picture_address;  // 0: this invocation has no part in a picture
uint sqa_picture_cell;      // index of the cell's first dword; 0: there is no cell for it
uint sqa_picture_sum;       // invocations that ran a block together, over all blocks
uint sqa_picture_times;     // blocks

#define sqa_add(m, v) atomicAdd(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_max(m, v) atomicMax(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define DWORD(i) SqaPicture(sqa_picture_address).dwords[i]

void sqa_picture_extent(const uint i, const uint size) {
  if (DWORD(SQA_PICTURE_EXTENT + i) < size) sqa_max(DWORD(SQA_PICTURE_EXTENT + i), size);
}

// extent: of the grid; 0 for fragments, which have none.
void sqa_picture_place(const uvec3 at, const uvec3 extent) {
  uint cells = DWORD(SQA_PICTURE_CELLS);
  uint width = extent.x != 0u ? extent.x : DWORD(SQA_PICTURE_PITCH);
  width |= uint(width == 0u);
  uint rows = cells / width + uint(extent.x != 0u && cells % width != 0u);
  uint row = at.y;
  bool fits = at.x < width && at.y < rows;
  if (extent.x != 0u) {
    uint layers = rows / (extent.y | uint(extent.y == 0u));
    fits = at.x < width && at.y < extent.y && at.z < extent.z &&
           (at.z < layers || (at.z == layers && at.y < rows - layers * extent.y));
    row += at.z * extent.y;
    if ((at.x | at.y | at.z) == 0u) {
      sqa_picture_extent(0u, extent.x);
      sqa_picture_extent(1u, extent.y);
      sqa_picture_extent(2u, extent.z);
      sqa_max(DWORD(SQA_PICTURE_LEAST), ~extent.x);
      sqa_max(DWORD(SQA_PICTURE_LEAST + 1u), ~extent.y);
      sqa_max(DWORD(SQA_PICTURE_LEAST + 2u), ~extent.z);
    }
  } else {
    sqa_picture_extent(0u, at.x + 1u);
    sqa_picture_extent(1u, at.y + 1u);
  }
  uint cell = row * width + at.x;
  if (fits && cell < cells)
    sqa_picture_cell = SQA_PICTURE_FIRST_CELL + cell * DWORD(SQA_PICTURE_CELL);
  else
    sqa_add(DWORD(SQA_PICTURE_MISSED), 1u);
}

// Called at the beginning of the entry point. live: it is no helper invocation.
void sqa_picture_begin(const uvec2 root, const uvec2 key, const uvec3 at, const uvec3 extent, const bool live) {
  sqa_picture_address = uvec2(0u);
  sqa_picture_cell = 0u;
  sqa_picture_sum = 0u;
  sqa_picture_times = 0u;
  if (live) {
    SqaPictureControl c = SqaPictureControl(SqaPictureRoot(root).control);
    uint slots = c.slots;
    [[dont_unroll]] for (uint i = 0u; i < slots; ++i) {
      if (c.slot[i].key == key) {
        sqa_picture_address = c.slot[i].address;
        break;
      }
    }
    if (sqa_picture_address != uvec2(0u)) sqa_picture_place(at, extent);
  }
}

void sqa_picture_count() {
  if (sqa_picture_cell != 0u) sqa_add(DWORD(sqa_picture_cell), 1u);
}

// known: everything that the value is made of has been computed.
void sqa_picture_put_1(const bool known, const uint a) {
  if (known && sqa_picture_cell != 0u) {
    sqa_add(DWORD(sqa_picture_cell), 1u);
    DWORD(sqa_picture_cell + 1u) = a;
  }
}
void sqa_picture_put_2(const bool known, const uint a, const uint b) {
  if (known && sqa_picture_cell != 0u) {
    sqa_picture_put_1(true, a);
    DWORD(sqa_picture_cell + 2u) = b;
  }
}
void sqa_picture_put_4(const bool known, const uint a, const uint b, const uint c, const uint d) {
  if (known && sqa_picture_cell != 0u) {
    sqa_picture_put_2(true, a, b);
    DWORD(sqa_picture_cell + 3u) = c;
    DWORD(sqa_picture_cell + 4u) = d;
  }
}
void sqa_picture_put_8(const bool known, const uint a, const uint b, const uint c, const uint d, const uint e, const uint f,
                       const uint g, const uint h) {
  if (known && sqa_picture_cell != 0u) {
    sqa_picture_put_4(true, a, b, c, d);
    DWORD(sqa_picture_cell + 5u) = e;
    DWORD(sqa_picture_cell + 6u) = f;
    DWORD(sqa_picture_cell + 7u) = g;
    DWORD(sqa_picture_cell + 8u) = h;
  }
}

#ifdef SQA_DIVERGENCE
// Counts invocations that have a part in the picture, which helper invocations have not.
void sqa_picture_block(const uint block) {
  if (sqa_picture_address != uvec2(0u)) {
    uint together = subgroupBallotBitCount(subgroupBallot(true));
    sqa_picture_sum += together;
    sqa_picture_times += 1u;
    if (subgroupElect()) {
      if (DWORD(SQA_PICTURE_LANES) < together) sqa_max(DWORD(SQA_PICTURE_LANES), together);
      uint at = SQA_PICTURE_BLOCKS + block * SQA_PICTURE_BLOCK_DWORDS;
      if (sqa_add(DWORD(at + SQA_PICTURE_BLOCK_TIMES), 1u) == 0xffffffffu) sqa_add(DWORD(at + SQA_PICTURE_BLOCK_TIMES + 1u), 1u);
      if (sqa_add(DWORD(at + SQA_PICTURE_BLOCK_SUM), together) > 0xffffffffu - together)
        sqa_add(DWORD(at + SQA_PICTURE_BLOCK_SUM + 1u), 1u);
    }
  }
}

void sqa_picture_end() {
  if (sqa_picture_cell != 0u) {
    sqa_add(DWORD(sqa_picture_cell), 1u);
    sqa_add(DWORD(sqa_picture_cell + 1u), sqa_picture_sum);
    sqa_add(DWORD(sqa_picture_cell + 2u), sqa_picture_times);
  }
}
#endif

// Never runs: the build's dead code elimination keeps what it calls.
void main() {
  sqa_picture_begin(uvec2(0u), uvec2(0u), uvec3(0u), uvec3(0u), true);
  sqa_picture_count();
  sqa_picture_put_1(true, 0u);
  sqa_picture_put_2(true, 0u, 0u);
  sqa_picture_put_4(true, 0u, 0u, 0u, 0u);
  sqa_picture_put_8(true, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
#ifdef SQA_DIVERGENCE
  sqa_picture_block(0u);
  sqa_picture_end();
#endif
}
