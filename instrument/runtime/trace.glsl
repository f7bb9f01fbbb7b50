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
uint sqa_trace_next;      // index of the next dword
uint sqa_trace_end;       // of the half in use; 0: this invocation is not traced
uint sqa_trace_count;     // records that the invocation has come to

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

void sqa_trace_claim(const uvec2 control, const uint selector, const uint match, const uvec2 hash, const uint stage,
                     const uvec4 a, const uvec4 b) {
  SqaTraceControl c = SqaTraceControl(control);
  uint size = c.segment_dwords;
  uint index = sqa_add(c.claimed, 1u);
  if (index < c.segments) {
    uvec2 base = c.segments_address;
    uint low = base.x + index * size * 4u;
    sqa_trace_segment = uvec2(low, base.y + uint(low < base.x));
    uint middle = c.keep_last != 0u ? (SQA_TRACE_DATA + size) / 2u : 0u;
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
    DWORD(SQA_TRACE_END) = size;
    DWORD(SQA_TRACE_HALF_FIRST) = c.skip;
    DWORD(SQA_TRACE_HALF_USED) = SQA_TRACE_DATA;
    DWORD(SQA_TRACE_SEQUENCE) = sqa_add(c.sequence, 1u);
    DWORD(SQA_TRACE_MAGIC) = SQA_TRACE_SEGMENT_MAGIC;
    sqa_trace_next = SQA_TRACE_DATA;
    sqa_trace_end = middle != 0u ? middle : size;
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

// Called at the beginning of the entry point.
void sqa_trace_begin(const uvec2 root, const uvec2 hash, const uint stage, const uvec4 a, const uvec4 b,
                     const bool live) {
  sqa_trace_segment = uvec2(0u);
  sqa_trace_next = 0u;
  sqa_trace_end = 0u;
  sqa_trace_count = 0u;
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
          sqa_trace_claim(control, i, number, hash, stage, a, b);
      }
    }
  }
}

// Called around what runs other shaders.
uint sqa_trace_sequence(const uvec2 root) {
  uint number = 0u;
  if (sqa_trace_end != 0u) number = sqa_add(SqaTraceControl(SqaTraceRoot(root).control).sequence, 1u);
  return number;
}

// Where the values of a record of a traced invocation go; 0: nowhere.
uint sqa_trace_place(const uint piece, const uint size) {
  uint at = 0u;
  uint number = sqa_trace_count;
  sqa_trace_count = number + 1u;
  uint skip = DWORD(SQA_TRACE_SKIP);
  if (number >= skip && number - skip < DWORD(SQA_TRACE_RECORDS)) {
    if (sqa_trace_next + size >= sqa_trace_end) {
      uint middle = DWORD(SQA_TRACE_MIDDLE);
      if (middle == 0u) {
        sqa_trace_next = sqa_trace_end;  // nor do shorter records fit from now on
      } else {
        bool second = sqa_trace_end == middle;
        sqa_trace_next = second ? middle : uint(SQA_TRACE_DATA);
        sqa_trace_end = second ? DWORD(SQA_TRACE_END) : middle;
        DWORD(SQA_TRACE_HALF_USED + uint(second)) = sqa_trace_next;
        DWORD(SQA_TRACE_HALF_FIRST + uint(second)) = number;
      }
    }
    if (sqa_trace_next + size < sqa_trace_end) {
      at = sqa_trace_next + 1u;
      DWORD(sqa_trace_next) = piece;
      sqa_trace_next = at + size;
    }
  }
  DWORD(SQA_TRACE_COUNT) = number + 1u;
  return at;
}

uint sqa_trace_record(const uint piece, const uint size) {
  uint at = 0u;
  if (sqa_trace_end != 0u) at = sqa_trace_place(piece, size);
  return at;
}

void sqa_trace_done(const uint at) {
  if (at != 0u) {
    uint middle = DWORD(SQA_TRACE_MIDDLE);
    uint half_index = uint(middle != 0u && sqa_trace_end != middle);
    DWORD(SQA_TRACE_HALF_USED + half_index) = sqa_trace_next;
  }
}

void sqa_trace_put_1(const uint at, const uint offset, const uint a0) {
  if (at != 0u) DWORD(at + offset) = a0;
}
void sqa_trace_put_2(const uint at, const uint offset, const uint a0, const uint a1) {
  if (at != 0u) {
    DWORD(at + offset) = a0;
    DWORD(at + offset + 1u) = a1;
  }
}
void sqa_trace_put_4(const uint at, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3) {
  if (at != 0u) {
    DWORD(at + offset) = a0;
    DWORD(at + offset + 1u) = a1;
    DWORD(at + offset + 2u) = a2;
    DWORD(at + offset + 3u) = a3;
  }
}
void sqa_trace_put_8(const uint at, const uint offset, const uint a0, const uint a1, const uint a2, const uint a3, const uint a4,
                     const uint a5, const uint a6, const uint a7) {
  if (at != 0u) {
    DWORD(at + offset) = a0;
    DWORD(at + offset + 1u) = a1;
    DWORD(at + offset + 2u) = a2;
    DWORD(at + offset + 3u) = a3;
    DWORD(at + offset + 4u) = a4;
    DWORD(at + offset + 5u) = a5;
    DWORD(at + offset + 6u) = a6;
    DWORD(at + offset + 7u) = a7;
  }
}

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
  sqa_trace_begin(uvec2(0u), uvec2(0u), 0u, uvec4(0u), uvec4(0u), true);
  uint at = sqa_trace_record(0u, 0u);
  sqa_trace_put_1(at, 0u, 0u);
  sqa_trace_put_2(at, 0u, 0u, 0u);
  sqa_trace_put_4(at, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_put_8(at, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  sqa_trace_done(at);
  sqa_debug_check_index(sqa_trace_sequence(uvec2(0u)), 0u);
  sqa_debug_check_address(uvec2(0u), 0u, 0u, 0u);
  sqa_debug_at(uvec2(0u), 0u, 0u);
  sqa_trace_segment = sqa_debug_replace(0u, uvec4(0u)).xy;
}
