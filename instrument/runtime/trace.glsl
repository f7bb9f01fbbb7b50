// SPDX-License-Identifier: Apache-2.0
// What a shader does that may be traced. An invocation that no selector names pays one test of a Private variable for
// each record. No barriers: lavapipe loses invocations at barriers in loops that diverge.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#include "instrument/runtime/abi_debug.h"
#include "instrument/runtime/abi_trace.h"

struct SqaTraceSelector {
  uint stages;
  uint skip;
  uint limit;
  uint seen;
  uvec4 value_a;
  uvec4 value_b;
  uvec4 mask_a;
  uvec4 mask_b;
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaTraceRoot {
  uint other[48];
  uvec2 control;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SqaTraceControl {
  uint selectors;
  uint segments;
  uint segment_dwords;
  uint claimed;
  uvec2 segments_address;
  uint keep_last;
  uint skip;
  uint records;
  uint when_words;
  uvec2 debug;
  SqaTraceSelector selector[SQA_TRACE_SELECTORS];
  uint when[SQA_TRACE_WHEN_WORDS];
  uint sequence;
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaTraceSegment {
  uint dwords[];
};

layout(buffer_reference, std430, buffer_reference_align = 16) buffer SqaDebugControl {
  uint mode;
  uint polls;
  uint release;
  uint changed;
  uint wait_low;
  uint wait_high;
  uint change_mask;
  uint ranges;
  uint change[4];
  uint owner;
  uint state;
  uint number;
  uint piece;
  uint segment_address[2];
  uint records;
  uint check;
  uint gave_up;
  uint passed;
  uint violation;
  uint about[3];
  uvec2 ranges_address;
  uint stops[SQA_DEBUG_STOP_WORDS];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaDebugWait {
  uint word;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SqaDebugRanges {
  uvec4 range[];  // begin, end
};

uvec2 sqa_trace_segment;  // its address
uint sqa_trace_next;      // index of the next record's first dword
uint sqa_trace_end;       // a record that reaches behind it is the last of its half; 0: this invocation is not traced
uint sqa_trace_count;     // records that the invocation has come to
uint sqa_trace_skip;      // of those, so many are left out, ...
uint sqa_trace_records;   // ... and so many are kept then
uint sqa_trace_half;      // the one in use: 0, 1

uint sqa_debug_changed;      // number of the variable that the stop changes; 0: none
uint sqa_debug_change_mask;  // of its components
uvec4 sqa_debug_change;

uint sqa_debug_violation;  // of the access that comes next
uvec3 sqa_debug_about;

#define sqa_load(m) atomicLoad(m, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_store(m, v) atomicStore(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_fence() memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)
#define sqa_add(m, v) atomicAdd(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define DWORD(i) SqaTraceSegment(sqa_trace_segment).dwords[i]

// most: dwords of the shader's largest record.
void sqa_trace_claim(const uvec2 control, const uint selector, const uint match, const uvec2 hash, const uint stage,
                     const uint most, const uvec4 a, const uvec4 b) {
  SqaTraceControl c = SqaTraceControl(control);
  uint size = c.segment_dwords;
  uint index = sqa_add(c.claimed, 1u);
  if (index < c.segments) {
    uvec2 base = c.segments_address;
    uint low = base.x + index * size * 4u;
    sqa_trace_segment = uvec2(low, base.y + uint(low < base.x));
    uint middle = c.keep_last != 0u ? (SQA_TRACE_DATA + size) / 2u : 0u;
    // The record that fills a half, and one that is written behind it and not kept.
    uint spare = 2u * most;
    bool fits = SQA_TRACE_DATA + spare <= (middle != 0u ? middle : size);
    DWORD(SQA_TRACE_STAGE) = stage;
    DWORD(SQA_TRACE_HASH) = hash.x;
    DWORD(SQA_TRACE_HASH + 1u) = hash.y;
    DWORD(SQA_TRACE_SELECTOR) = selector;
    DWORD(SQA_TRACE_MATCH) = match;
    DWORD(SQA_TRACE_LOCATION + 0u) = a.x;
    DWORD(SQA_TRACE_LOCATION + 1u) = a.y;
    DWORD(SQA_TRACE_LOCATION + 2u) = a.z;
    DWORD(SQA_TRACE_LOCATION + 3u) = a.w;
    DWORD(SQA_TRACE_LOCATION + 4u) = b.x;
    DWORD(SQA_TRACE_LOCATION + 5u) = b.y;
    DWORD(SQA_TRACE_LOCATION + 6u) = b.z;
    DWORD(SQA_TRACE_LOCATION + 7u) = b.w;
    DWORD(SQA_TRACE_SKIP) = c.skip;
    DWORD(SQA_TRACE_RECORDS) = c.records;
    DWORD(SQA_TRACE_MIDDLE) = middle;
    DWORD(SQA_TRACE_HALF_END) = middle - spare;
    DWORD(SQA_TRACE_HALF_END + 1u) = size - spare;
    DWORD(SQA_TRACE_HALF_FIRST) = c.skip;
    DWORD(SQA_TRACE_HALF_USED) = fits ? SQA_TRACE_DATA : 0u;
    DWORD(SQA_TRACE_SEQUENCE) = sqa_add(c.sequence, 1u);
    DWORD(SQA_TRACE_MAGIC) = SQA_TRACE_SEGMENT_MAGIC;
    sqa_trace_next = SQA_TRACE_DATA;
    sqa_trace_end = fits ? (middle != 0u ? middle : size) - spare : 0u;
    sqa_trace_skip = c.skip;
    sqa_trace_records = c.records < 0xffffffffu - c.skip ? c.records : 0xffffffffu - c.skip;
  }
}

// As host/trace/trace_when.cpp has it.
uint sqa_trace_compute(const uint op, const uint a, const uint b) {
  uint result = op == SQA_WHEN_OR ? uint(a != 0u || b != 0u) : uint(a != 0u && b != 0u);
  if (op == SQA_WHEN_EQUAL) result = uint(a == b);
  if (op == SQA_WHEN_DIFFERS) result = uint(a != b);
  if (op == SQA_WHEN_LESS) result = uint(a < b);
  if (op == SQA_WHEN_AT_MOST) result = uint(a <= b);
  if (op == SQA_WHEN_GREATER) result = uint(a > b);
  if (op == SQA_WHEN_AT_LEAST) result = uint(a >= b);
  if (op == SQA_WHEN_BITS_OR) result = a | b;
  if (op == SQA_WHEN_BITS_XOR) result = a ^ b;
  if (op == SQA_WHEN_BITS_AND) result = a & b;
  if (op == SQA_WHEN_SHIFT_LEFT) result = a << (b & 31u);
  if (op == SQA_WHEN_SHIFT_RIGHT) result = a >> (b & 31u);
  if (op == SQA_WHEN_ADD) result = a + b;
  if (op == SQA_WHEN_SUBTRACT) result = a - b;
  if (op == SQA_WHEN_MULTIPLY) result = a * b;
  if (op == SQA_WHEN_DIVIDE) result = b == 0u ? 0u : a / (b | uint(b == 0u));
  if (op == SQA_WHEN_REMAINDER) result = b == 0u ? 0u : a % (b | uint(b == 0u));
  return result;
}

// The stack is two vectors whose components move, since arrays that are indexed by variables are dear.
bool sqa_trace_when(const uvec2 control, const uvec4 a, const uvec4 b) {
  SqaTraceControl c = SqaTraceControl(control);
  uint words = c.when_words;
  uvec4 top = uvec4(1u, 0u, 0u, 0u);
  uvec4 below = uvec4(0u);
  [[dont_unroll]] for (uint at = 0u; at < words; ++at) {
    uint word = c.when[at];
    uint op = word & 0xffu;
    if (op <= SQA_WHEN_INPUT) {
      uint dword = (word >> 8u) & 3u;
      uint first = dword == 0u ? a.x : dword == 1u ? a.y : dword == 2u ? a.z : a.w;
      uint second = dword == 0u ? b.x : dword == 1u ? b.y : dword == 2u ? b.z : b.w;
      uint value = ((word >> 10u) & 1u) == 0u ? first : second;
      uint bits = word >> 24u;
      value = value >> ((word >> 16u) & 31u);
      value = bits == 0u ? value : value & ((1u << bits) - 1u);
      if (op == SQA_WHEN_NUMBER) {
        ++at;
        value = c.when[at];
      }
      below = uvec4(top.w, below.xyz);
      top = uvec4(value, top.xyz);
    } else if (op <= SQA_WHEN_BITS_NOT) {
      top.x = op == SQA_WHEN_NOT ? uint(top.x == 0u) : ~top.x;
    } else {
      top = uvec4(sqa_trace_compute(op, top.y, top.x), top.zw, below.x);
      below = uvec4(below.yzw, 0u);
    }
  }
  return top.x != 0u;
}

// Called at the beginning of the entry point. Returns whether this invocation is traced.
bool sqa_trace_begin(const uvec2 root, const uvec2 hash, const uint stage, const uint most, const uvec4 a, const uvec4 b,
                     const bool live) {
  sqa_trace_segment = uvec2(0u);
  sqa_trace_next = 0u;
  sqa_trace_end = 0u;
  sqa_trace_count = 0u;
  sqa_trace_half = 0u;
  sqa_debug_violation = 0u;
  if (live) {
    uvec2 control = SqaTraceRoot(root).control;
    SqaTraceControl c = SqaTraceControl(control);
    uint selectors = c.selectors;
    [[dont_unroll]] for (uint i = 0u; i < selectors && sqa_trace_end == 0u; ++i) {
      bool match = ((c.selector[i].stages >> stage) & 1u) != 0u && (a & c.selector[i].mask_a) == c.selector[i].value_a &&
                   (b & c.selector[i].mask_b) == c.selector[i].value_b;
      if (match && sqa_trace_when(control, a, b)) {
        uint number = sqa_add(c.selector[i].seen, 1u);
        if (number >= c.selector[i].skip && number - c.selector[i].skip < c.selector[i].limit)
          sqa_trace_claim(control, i, number, hash, stage, most, a, b);
      }
    }
  }
  return sqa_trace_end != 0u;
}

// Called around what runs other shaders.
uint sqa_trace_sequence(const uvec2 root) {
  uint number = 0u;
  if (sqa_trace_end != 0u) number = sqa_add(SqaTraceControl(SqaTraceRoot(root).control).sequence, 1u);
  return number;
}

// Whether a selector may name an invocation of this workgroup. first: GlobalInvocationId of its first one.
// The same for all of them.
bool sqa_trace_group(const uvec2 root, const uint stage, const uvec3 first, const uvec3 size, const uvec3 group) {
  SqaTraceControl c = SqaTraceControl(SqaTraceRoot(root).control);
  uint selectors = c.selectors;
  bool any = false;
  [[dont_unroll]] for (uint i = 0u; i < selectors; ++i) {
    uvec3 distance = c.selector[i].value_a.xyz - first;
    bvec3 inside = lessThan(distance, size);
    bvec3 free = notEqual(c.selector[i].mask_a.xyz, uvec3(0xffffffffu));
    bool here = (inside.x || free.x) && (inside.y || free.y) && (inside.z || free.z);
    bool own = (group & c.selector[i].mask_b.xyz) == c.selector[i].value_b.xyz;
    any = any || (((c.selector[i].stages >> stage) & 1u) != 0u && here && own);
  }
  return any;
}

// Keeps the record of so many dwords that has been written, unless the window leaves it out.
void sqa_trace_keep(const uint dwords) {
  uint number = sqa_trace_count;
  bool kept = number - sqa_trace_skip < sqa_trace_records;
  uint next = sqa_trace_next + (kept ? dwords : 0u);
  DWORD(SQA_TRACE_HALF_USED + sqa_trace_half) = next;
  DWORD(SQA_TRACE_COUNT) = ++number;
  if (next > sqa_trace_end) {
    uint middle = DWORD(SQA_TRACE_MIDDLE);
    if (middle != 0u) {
      uint half_index = sqa_trace_half ^ 1u;
      next = half_index != 0u ? middle : uint(SQA_TRACE_DATA);
      sqa_trace_end = DWORD(SQA_TRACE_HALF_END + half_index);
      DWORD(SQA_TRACE_HALF_USED + half_index) = next;
      DWORD(SQA_TRACE_HALF_FIRST + half_index) = number;
      sqa_trace_half = half_index;
    } else {
      sqa_trace_records = 0u;
    }
  }
  sqa_trace_count = number;
  sqa_trace_next = next;
}

// The values of a record from `offset` on.
uvec2 sqa_trace_values(const uint offset) {
  uint low = sqa_trace_segment.x + (sqa_trace_next + 1u + offset) * 4u;
  return uvec2(low, sqa_trace_segment.y + uint(low < sqa_trace_segment.x));
}

// Part of a record, whose rest follows.
#define PART if (sqa_trace_end != 0u) { SqaTraceSegment to = SqaTraceSegment(sqa_trace_values(offset));
// The last part of a record of `dwords`, header included.
#define RECORD PART DWORD(sqa_trace_next) = header;
#define KEEP sqa_trace_keep(dwords); }
// clang-format off
void sqa_trace_part(const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8, const uint a9, const uint a10, const uint a11, const uint a12, const uint a13, const uint a14, const uint a15) { PART to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; to.dwords[9] = a9; to.dwords[10] = a10; to.dwords[11] = a11; to.dwords[12] = a12; to.dwords[13] = a13; to.dwords[14] = a14; to.dwords[15] = a15; } }
void sqa_trace_record_0(const uint header, const uint dwords, const uint offset) { if (sqa_trace_end != 0u) { DWORD(sqa_trace_next) = header; KEEP }
void sqa_trace_record_1(const uint header, const uint dwords, const uint offset, const uint a0) { RECORD to.dwords[0] = a0; KEEP }
void sqa_trace_record_2(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; KEEP }
void sqa_trace_record_3(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; KEEP }
void sqa_trace_record_4(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; KEEP }
void sqa_trace_record_5(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; KEEP }
void sqa_trace_record_6(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; KEEP }
void sqa_trace_record_7(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; KEEP }
void sqa_trace_record_8(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; KEEP }
void sqa_trace_record_9(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; KEEP }
void sqa_trace_record_10(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8, const uint a9) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; to.dwords[9] = a9; KEEP }
void sqa_trace_record_11(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8, const uint a9, const uint a10) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; to.dwords[9] = a9; to.dwords[10] = a10; KEEP }
void sqa_trace_record_12(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8, const uint a9, const uint a10, const uint a11) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; to.dwords[9] = a9; to.dwords[10] = a10; to.dwords[11] = a11; KEEP }
void sqa_trace_record_13(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8, const uint a9, const uint a10, const uint a11, const uint a12) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; to.dwords[9] = a9; to.dwords[10] = a10; to.dwords[11] = a11; to.dwords[12] = a12; KEEP }
void sqa_trace_record_14(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8, const uint a9, const uint a10, const uint a11, const uint a12, const uint a13) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; to.dwords[9] = a9; to.dwords[10] = a10; to.dwords[11] = a11; to.dwords[12] = a12; to.dwords[13] = a13; KEEP }
void sqa_trace_record_15(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8, const uint a9, const uint a10, const uint a11, const uint a12, const uint a13, const uint a14) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; to.dwords[9] = a9; to.dwords[10] = a10; to.dwords[11] = a11; to.dwords[12] = a12; to.dwords[13] = a13; to.dwords[14] = a14; KEEP }
void sqa_trace_record_16(const uint header, const uint dwords, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4, const uint a5, const uint a6, const uint a7, const uint a8, const uint a9, const uint a10, const uint a11, const uint a12, const uint a13, const uint a14, const uint a15) { RECORD to.dwords[0] = a0; to.dwords[1] = a1; to.dwords[2] = a2; to.dwords[3] = a3; to.dwords[4] = a4; to.dwords[5] = a5; to.dwords[6] = a6; to.dwords[7] = a7; to.dwords[8] = a8; to.dwords[9] = a9; to.dwords[10] = a10; to.dwords[11] = a11; to.dwords[12] = a12; to.dwords[13] = a13; to.dwords[14] = a14; to.dwords[15] = a15; KEEP }
// clang-format on

void sqa_debug_post(const uvec2 control, const uint number, const uint piece) {
  SqaDebugControl d = SqaDebugControl(control);
  DWORD(SQA_TRACE_STOPS) = number;
  sqa_store(d.piece, piece);
  sqa_store(d.segment_address[0], sqa_trace_segment.x);
  sqa_store(d.segment_address[1], sqa_trace_segment.y);
  sqa_store(d.records, sqa_trace_count);
  sqa_store(d.violation, sqa_debug_violation);
  sqa_store(d.about[0], sqa_debug_about.x);
  sqa_store(d.about[1], sqa_debug_about.y);
  sqa_store(d.about[2], sqa_debug_about.z);
  sqa_store(d.check, SQA_DEBUG_CHECK ^ number ^ (piece << 8u) ^ sqa_trace_segment.x ^ sqa_trace_segment.y ^
                         (sqa_trace_count << 16u));
  sqa_fence();
  sqa_store(d.state, SQA_DEBUG_WAITING);
}

// Looks several times, since lavapipe counts a loop's iterations. True: the stop may go on.
bool sqa_debug_look(const uvec2 control, const uint number) {
  SqaDebugControl d = SqaDebugControl(control);
  uint low = sqa_load(d.wait_low), high = sqa_load(d.wait_high);
  if ((low | high) != 0u) {
    uint own = low + (number & 1u) * 4096u;
    atomicOr(SqaDebugWait(uvec2(own, high)).word, 0u, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
  }
  uint same = uint(sqa_load(d.release) == number);
  same |= uint(sqa_load(d.release) == number);
  same |= uint(sqa_load(d.release) == number);
  same |= uint(sqa_load(d.release) == number);
  return same != 0u;
}

void sqa_debug_wait(const uvec2 control, const uint piece) {
  SqaDebugControl d = SqaDebugControl(control);
  uint polls = sqa_load(d.polls);
  uint number = 0u;  // not 0: the mailbox is this invocation's
  bool done = false;
  [[dont_unroll]] for (uint i = 0u; i < polls && !done; ++i) {
    if (number == 0u && atomicCompSwap(d.owner, 0u, 1u, gl_ScopeDevice, 0, gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed) == 0u) {
      number = sqa_add(d.number, 1u) + 1u;
      sqa_debug_post(control, number, piece);
    }
    if (number != 0u)
      done = sqa_debug_look(control, number);
    else
      done = sqa_load(d.mode) == SQA_DEBUG_GO_ON;
  }
  if (number != 0u) {
    if (done) {
      sqa_fence();
      sqa_debug_changed = sqa_load(d.changed);
      sqa_debug_change_mask = sqa_load(d.change_mask);
      sqa_debug_change = uvec4(sqa_load(d.change[0]), sqa_load(d.change[1]), sqa_load(d.change[2]), sqa_load(d.change[3]));
    } else {
      sqa_add(d.gave_up, 1u);
    }
    sqa_store(d.state, SQA_DEBUG_RUNNING);
    sqa_fence();
    sqa_store(d.owner, 0u);
  } else if (!done) {
    sqa_add(d.passed, 1u);
  }
}

// Called where an invocation may stop. bit: debug_bit() of it.
void sqa_debug_at(const uvec2 root, const uint piece, const uint bit) {
  sqa_debug_changed = 0u;
  if (sqa_trace_end != 0u) {
    uvec2 control = SqaTraceControl(SqaTraceRoot(root).control).debug;
    if ((control.x | control.y) != 0u) {
      SqaDebugControl d = SqaDebugControl(control);
      uint mode = sqa_load(d.mode);
      bool chosen = ((sqa_load(d.stops[bit >> 5u]) >> (bit & 31u)) & 1u) != 0u || DWORD(SQA_TRACE_STOPS) == 0u;
      chosen = chosen || sqa_debug_violation != 0u;
      if (mode == SQA_DEBUG_EVERYWHERE || (mode == SQA_DEBUG_CHOSEN && chosen)) sqa_debug_wait(control, piece);
    }
  }
  sqa_debug_violation = 0u;
}

void sqa_debug_violate(const uint violation, const uvec3 about) {
  if (sqa_debug_violation == 0u) {
    sqa_debug_violation = violation;
    sqa_debug_about = about;
  }
}

// Called before an access to an element of a runtime array.
void sqa_debug_check_index(const uint index, const uint count) {
  if (sqa_trace_end != 0u && index >= count) sqa_debug_violate(SQA_DEBUG_INDEX, uvec3(index, count, 0u));
}

bool sqa_debug_less(const uvec2 a, const uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

// Called before an access by address. A search without a loop, since lavapipe counts a loop's iterations.
void sqa_debug_check_address(const uvec2 root, const uint low, const uint high, const uint bytes) {
  if (sqa_trace_end != 0u) {
    uvec2 control = SqaTraceControl(SqaTraceRoot(root).control).debug;
    if ((control.x | control.y) != 0u) {
      SqaDebugControl d = SqaDebugControl(control);
      uint in_use = sqa_load(d.ranges);
      uint count = in_use & ~SQA_DEBUG_SECOND_TABLE;
      uint first = in_use != count ? SQA_DEBUG_RANGES : 0u;
      SqaDebugRanges table = SqaDebugRanges(d.ranges_address);
      uvec2 address = uvec2(low, high);
      uint at = 0u;
#define SQA_STEP(n) \
  if (at + n < count && !sqa_debug_less(address, table.range[first + at + n].xy)) at += n;
      SQA_STEP(2048u)
      SQA_STEP(1024u)
      SQA_STEP(512u)
      SQA_STEP(256u)
      SQA_STEP(128u)
      SQA_STEP(64u)
      SQA_STEP(32u)
      SQA_STEP(16u)
      SQA_STEP(8u)
      SQA_STEP(4u)
      SQA_STEP(2u)
      SQA_STEP(1u)
      bool inside = false;
      if (count != 0u) {
        uvec4 range = table.range[first + at];
        uint end_low = low + bytes;
        uvec2 end = uvec2(end_low, high + uint(end_low < low));
        inside = !sqa_debug_less(address, range.xy) && !sqa_debug_less(range.zw, end) && !sqa_debug_less(end, address);
      }
      if (!inside) sqa_debug_violate(SQA_DEBUG_ADDRESS, uvec3(low, high, bytes));
    }
  }
}

// The value of a variable behind a stop.
uvec4 sqa_debug_replace(const uint variable, const uvec4 value) {
  uvec4 result = value;
  if (sqa_debug_changed == variable) {
    if ((sqa_debug_change_mask & 1u) != 0u) result.x = sqa_debug_change.x;
    if ((sqa_debug_change_mask & 2u) != 0u) result.y = sqa_debug_change.y;
    if ((sqa_debug_change_mask & 4u) != 0u) result.z = sqa_debug_change.z;
    if ((sqa_debug_change_mask & 8u) != 0u) result.w = sqa_debug_change.w;
  }
  return result;
}

// Never runs: the build's dead code elimination keeps what it calls.
void main() {
  bool traced = sqa_trace_begin(uvec2(0u), uvec2(0u), 0u, 0u, uvec4(0u), uvec4(0u), true);
  traced = sqa_trace_group(uvec2(0u), 0u, uvec3(0u), uvec3(0u), uvec3(0u));
  sqa_trace_part(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_0(0u, 0u, 0u);
  sqa_trace_record_1(0u, 0u, 0u, 0u);
  sqa_trace_record_2(0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_3(0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_4(0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_5(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_6(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_7(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_8(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_9(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_10(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_11(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_12(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_13(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_14(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_15(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_record_16(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_debug_check_index(sqa_trace_sequence(uvec2(0u)), 0u);
  sqa_debug_check_address(uvec2(0u), 0u, 0u, 0u);
  sqa_debug_at(uvec2(0u), 0u, 0u);
  sqa_trace_segment = sqa_debug_replace(0u, uvec4(0u)).xy;
}
