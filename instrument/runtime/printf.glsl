// SPDX-License-Identifier: Apache-2.0
// The part of a printing site that runs on the GPU. Compiled and simplified at build time, copied into the application's
// module by runtime_import.cpp, which takes only the functions that are called.
//
// Rules for this file: no GLSL.std.450 functions, no module-level variables (entry points would have to list them), SPIR-V 1.0
// (1.3 with SQA_SUBGROUP), no memory qualifiers. Parameters are `const`, so that they are passed by value.
// runtime_import.cpp adapts it to a module: it replaces the Device scope where the module's memory model wants another, and
// leaves the memory barriers out where the driver crashes on them.
//   SQA_INT64     64-bit integers and their buffer atomics
//   SQA_SUBGROUP  one reservation for a subgroup
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#ifdef SQA_INT64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#endif
#ifdef SQA_SUBGROUP
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#endif
#include "instrument/runtime/abi_printf.h"

struct SqaSegment {
  uvec2 header;
  uvec2 entries;
  uint capacity;
  uint reserved;
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaRoot {
  uint magic;
  uint active_segment;
  uvec2 sites;
  SqaSegment segments[SQA_PRINTF_SEGMENTS];
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaHeader {
#ifdef SQA_INT64
  uint64_t offset;
#else
  uint offset;
  uint offset_high;
#endif
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaSites {
  uint dropped[SQA_PRINTF_SITE_SLOTS];
  uint issued[SQA_PRINTF_SITE_SLOTS];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaEntries {
  uint dwords[];
};

const uint no_entry = 0xffffffffu;

#define sqa_load(m) atomicLoad(m, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_store(m, v) atomicStore(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_add(m, v) atomicAdd(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_release() memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease)

#define sqa_slot(header) ((header >> 16) & (SQA_PRINTF_SITE_SLOTS - 1u))

// Reserves a range of `size` dwords for this invocation; x: low, y: high dword of its offset in the segment.
#ifdef SQA_INT64
uvec2 sqa_advance(const uvec2 header, const uint size) {
#ifdef SQA_SUBGROUP
  uvec4 lanes = subgroupBallot(true);
  uint64_t base = 0ul;
  if (subgroupElect())
    base = sqa_add(SqaHeader(header).offset, uint64_t(subgroupBallotBitCount(lanes) * size));
  base = packUint2x32(subgroupBroadcastFirst(unpackUint2x32(base)));
  return unpackUint2x32(base + uint64_t(subgroupBallotExclusiveBitCount(lanes) * size));
#else
  return unpackUint2x32(sqa_add(SqaHeader(header).offset, uint64_t(size)));
#endif
}
#else
// Two 32-bit atomics are not one: between the wrap of the low word and the carry, another invocation would see a small
// offset. So a segment that is far overrun is not advanced any more, and the low word never wraps.
uvec2 sqa_advance_words(const uvec2 header, const uint size) {
  uvec2 offset = uvec2(0u, 1u);
  if ((sqa_load(SqaHeader(header).offset) >> 31) == 0u && sqa_load(SqaHeader(header).offset_high) == 0u) {
    offset.x = sqa_add(SqaHeader(header).offset, size);
    offset.y = 0u;
    if (offset.x + size < size) sqa_add(SqaHeader(header).offset_high, 1u);
  }
  return offset;
}
uvec2 sqa_advance(const uvec2 header, const uint size) {
#ifdef SQA_SUBGROUP
  uvec4 lanes = subgroupBallot(true);
  uvec2 base = uvec2(0u);
  if (subgroupElect()) base = sqa_advance_words(header, subgroupBallotBitCount(lanes) * size);
  base = subgroupBroadcastFirst(base);
  uint low = base.x + subgroupBallotExclusiveBitCount(lanes) * size;
  return uvec2(low, base.y + uint(low < base.x));
#else
  return sqa_advance_words(header, size);
#endif
}
#endif

// xy: address of the segment's entries, z: index of the reserved entry's header in it, or no_entry.
uvec3 sqa_reserve_in(const uvec2 root, const uint segment, const uint size) {
  SqaRoot r = SqaRoot(root);
  uvec2 entries = r.segments[segment].entries;
  uint capacity = r.segments[segment].capacity;
  uvec2 offset = sqa_advance(r.segments[segment].header, size);
  uint index = offset.y == 0u ? offset.x : no_entry;
  uint left = capacity - (index < capacity ? index : capacity);
  if (left < size) {
    // Offsets only grow, so one invocation is the first to pass the end: it closes the segment.
    if (index <= capacity) {
      sqa_store(r.active_segment, (segment + 1u) & (SQA_PRINTF_SEGMENTS - 1u));
      if (left >= SQA_PRINTF_ENTRY_HEADER_DWORDS) {
        SqaEntries(entries).dwords[index + 1u] = SQA_PRINTF_PAD_ID;
        sqa_release();
        sqa_store(SqaEntries(entries).dwords[index], left);
      }
    }
    index = no_entry;
  }
  return uvec3(entries, index);
}

// Reserves an entry in the active segment or, if that has just been filled up, in the next. This is most of a site's code;
// shaders with many sites have it once, as a function that they call (printf_pass.cpp).
uvec3 sqa_reserve(const uvec2 root, const uint header) {
  SqaRoot r = SqaRoot(root);
  uint segment = sqa_load(r.active_segment);
  uvec3 e = uvec3(0u, 0u, no_entry);
  // A loop, since drivers inline all this at every site.
  [[dont_unroll]] for (uint attempt = 0u; attempt < 2u && e.z == no_entry; ++attempt)
    e = sqa_reserve_in(root, (segment + attempt) & (SQA_PRINTF_SEGMENTS - 1u), header & 0xffffu);
  if (e.z == no_entry) sqa_add(SqaSites(r.sites).dropped[sqa_slot(header)], 1u);
  return e;
}

// Whether this message is within the budget of its site: the first x messages, and every y-th. Called before the others.
bool sqa_printf_due(const uvec2 root, const uint header, const uvec2 budget, const bool live) {
  bool due = false;
  if (live) {
    uvec2 sites = SqaRoot(root).sites;
#ifdef SQA_SUBGROUP
    uvec4 lanes = subgroupBallot(true);
    uint number = 0u;
    if (subgroupElect()) number = sqa_add(SqaSites(sites).issued[sqa_slot(header)], subgroupBallotBitCount(lanes));
    number = subgroupBroadcastFirst(number) + subgroupBallotExclusiveBitCount(lanes);
#else
    uint number = sqa_add(SqaSites(sites).issued[sqa_slot(header)], 1u);
#endif
    due = number < budget.x || (budget.y != 0u && number % (budget.y | uint(budget.y == 0u)) == 0u);
  }
  return due;
}

// A message of up to 16 dwords is one call ...
#define STORE(i, v) SqaEntries(e.xy).dwords[e.z + SQA_PRINTF_ENTRY_HEADER_DWORDS + uint(i)] = v;
#define PRINTF(count, parameters, stores)                                                          \
  void sqa_printf_##count(const uvec2 root, const uvec2 header, const bool live parameters) {     \
    if (live) {                                                                                    \
      uvec3 e = sqa_reserve(root, header.x);                                                       \
      if (e.z != no_entry) {                                                                       \
        SqaEntries(e.xy).dwords[e.z + 1u] = header.y;                                              \
        stores                                                                                     \
        sqa_release();                                                                             \
        sqa_store(SqaEntries(e.xy).dwords[e.z], header.x);                                         \
      }                                                                                            \
    }                                                                                              \
  }
#define P1 , const uint a0
#define P2 P1, const uint a1
#define P3 P2, const uint a2
#define P4 P3, const uint a3
#define P5 P4, const uint a4
#define P6 P5, const uint a5
#define P7 P6, const uint a6
#define P8 P7, const uint a7
#define P9 P8, const uint a8
#define P10 P9, const uint a9
#define P11 P10, const uint a10
#define P12 P11, const uint a11
#define P13 P12, const uint a12
#define P14 P13, const uint a13
#define P15 P14, const uint a14
#define P16 P15, const uint a15
#define S1 STORE(0, a0)
#define S2 S1 STORE(1, a1)
#define S3 S2 STORE(2, a2)
#define S4 S3 STORE(3, a3)
#define S5 S4 STORE(4, a4)
#define S6 S5 STORE(5, a5)
#define S7 S6 STORE(6, a6)
#define S8 S7 STORE(7, a7)
#define S9 S8 STORE(8, a8)
#define S10 S9 STORE(9, a9)
#define S11 S10 STORE(10, a10)
#define S12 S11 STORE(11, a11)
#define S13 S12 STORE(12, a12)
#define S14 S13 STORE(13, a13)
#define S15 S14 STORE(14, a14)
#define S16 S15 STORE(15, a15)
PRINTF(0, , )
PRINTF(1, P1, S1)
PRINTF(2, P2, S2)
PRINTF(3, P3, S3)
PRINTF(4, P4, S4)
PRINTF(5, P5, S5)
PRINTF(6, P6, S6)
PRINTF(7, P7, S7)
PRINTF(8, P8, S8)
PRINTF(9, P9, S9)
PRINTF(10, P10, S10)
PRINTF(11, P11, S11)
PRINTF(12, P12, S12)
PRINTF(13, P13, S13)
PRINTF(14, P14, S14)
PRINTF(15, P15, S15)
PRINTF(16, P16, S16)

// ... and a longer one is begin, put for each 16 dwords (the last 16 may overlap the ones before), end.
uvec3 sqa_printf_begin(const uvec2 root, const uvec2 header, const bool live) {
  uvec3 e = uvec3(0u, 0u, no_entry);
  if (live) {
    e = sqa_reserve(root, header.x);
    if (e.z != no_entry) SqaEntries(e.xy).dwords[e.z + 1u] = header.y;
  }
  return e;
}
#define STORE_AT(i, v) SqaEntries(e.xy).dwords[e.z + at + uint(i)] = v;
void sqa_printf_put(const uvec3 e, const uint at P16) {
  if (e.z != no_entry) {
    STORE_AT(0, a0) STORE_AT(1, a1) STORE_AT(2, a2) STORE_AT(3, a3)
    STORE_AT(4, a4) STORE_AT(5, a5) STORE_AT(6, a6) STORE_AT(7, a7)
    STORE_AT(8, a8) STORE_AT(9, a9) STORE_AT(10, a10) STORE_AT(11, a11)
    STORE_AT(12, a12) STORE_AT(13, a13) STORE_AT(14, a14) STORE_AT(15, a15)
  }
}
void sqa_printf_end(const uvec3 e, const uvec2 header) {
  if (e.z != no_entry) {
    sqa_release();
    sqa_store(SqaEntries(e.xy).dwords[e.z], header.x);
  }
}

// Never runs: the build's dead code elimination keeps what it calls.
void main() {
  uvec2 h = uvec2(0u);
  bool b = sqa_printf_due(h, 0u, h, true);
  sqa_printf_0(h, h, b);
  sqa_printf_1(h, h, b, 0u);
  sqa_printf_2(h, h, b, 0u, 0u);
  sqa_printf_3(h, h, b, 0u, 0u, 0u);
  sqa_printf_4(h, h, b, 0u, 0u, 0u, 0u);
  sqa_printf_5(h, h, b, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_6(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_7(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_8(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_9(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_10(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_11(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_12(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_13(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_14(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_15(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_16(h, h, b, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  uvec3 e = sqa_printf_begin(h, h, b);
  sqa_printf_put(e, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_printf_end(e, h);
}
