// SPDX-License-Identifier: Apache-2.0
// The sync check with exact cells (docs/exact.md): every access compares with the last one of its words, and takes its place.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_footprints.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_ranges.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/abi_table.h"
#include "instrument/runtime/cell_fields.h"
#include "instrument/runtime/accesses_state.glsl"

uint sqa_sequence;  // of this stage's accesses; 0: nothing is checked
uint sqa_owner;     // of this invocation

// What reports say of when and who.
#define sqa_report_dispatch() sqa_sequence
#define sqa_report_invocation() sqa_owner
#include "instrument/runtime/report.glsl"

void sqa_begin_checks() {
  sqa_attempts = 0u;
  sqa_action = 0u;
  sqa_sequence = 0u;
  sqa_owner = 0u;
}

layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaAddresses {
  uvec2 addresses[];
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaCells {
  uint64_t cells[];
};

// What lives as long as the invocation is little: it takes registers from the application's shader.
uint sqa_quick;      // accesses up to this sequence number are ordered before this invocation's, whatever they are
uint sqa_column;     // SQA_COLUMN_*
uint sqa_grouped;    // not 0: owner >> SQA_LOCAL_BITS is its workgroup
uint sqa_since;      // phase from which on accesses are not ordered before this invocation's by a barrier's semantics

// Larger accesses are checked up to here: 4 KiB.
const uint max_words = 1024u;
// An invocation that cannot enter itself that often gives up: the word is contended, and others have seen each other.
const uint max_swaps = 8u;
#define SQA_OUT(T) out T
#include "instrument/runtime/cell_kinds.glsl"
#include "instrument/runtime/cell_case.glsl"
#include "instrument/runtime/short_way.glsl"
#include "instrument/runtime/floors.glsl"
#ifdef SQA_RELEASES
#include "instrument/runtime/releases.glsl"
#endif
#ifdef SQA_FOOTPRINTS
#include "instrument/runtime/footprints.glsl"
#endif

// Whether something that the table and the floors cannot see orders what the cell says before what this invocation does.
bool sqa_is_ordered(const uvec2 found) {
#ifdef SQA_RELEASES
  return sqa_ordered != 0u || sqa_may_be_acquired(found);
#else
  return sqa_ordered != 0u;
#endif
}

#ifdef SQA_RANGES
#define sqa_pages() SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_PAGES]
#else
#define sqa_pages() sqa_record_address(SQA_ACTION_PAGES)
#endif

// The page's entry, 0: it is not watched.
uvec2 sqa_page(const uvec2 address) {
  uvec2 entry = uvec2(0u);
  if (address.y < 0x10000u) {
    uvec2 pages = SqaAddresses(sqa_pages()).addresses[address.y];
    if ((pages.x | pages.y) != 0u) entry = SqaAddresses(pages).addresses[address.x >> SQA_PAGE_LOG2];
  }
  return entry;
}

// Between actions: whether what the cell says is not ordered before this access. Nothing is known of accesses of another
// epoch, or of a later number, which no order lets come before.
bool sqa_hazard_between(const uvec2 found, const uint own, const uint sequence, const uint column, const uvec2 address) {
  bool hazard = false;
  uint born = sqa_page(address).x & SQA_PAGE_BORN;
  uint kind = sqa_cell_kind(own);
  uint found_kind = sqa_cell_kind(found.x);
  uint before = sqa_cell_before(found.x);
  uint earlier = sqa_cell_sequence(found.y);
  uint epoch = sequence & SQA_EPOCH_BIT;
  if (earlier != 0u && (earlier & SQA_EPOCH_BIT) == epoch && earlier < sequence &&
      ((born & SQA_EPOCH_BIT) != epoch || earlier > born) && sqa_cell_mask(found.x & own) != 0u &&
      (sqa_conflict(found_kind, kind) || (before != 0u && sqa_conflict_before(before, kind)))) {
    uint floor_kind = kind == SQA_KIND_READ ? SQA_FLOOR_VISIBLE : SQA_FLOOR_AVAILABLE;
    if (found_kind == SQA_KIND_READ && before < 2u) floor_kind = SQA_FLOOR_EXECUTED;
    uvec2 engine = sqa_record_address(SQA_ACTION_ENGINE);
    SqaOrder order = SqaOrder(SqaAddresses(engine).addresses[SQA_EXACT_SEQUENCES], sqa_record_address(SQA_ACTION_SUBMISSION),
                              sqa_record_address(SQA_ACTION_FLOORS));
    hazard = !sqa_ordered_action(order, earlier, floor_kind, column, address);
  }
  return hazard;
}

// An access on its way into a cell.
struct SqaMeeting {
  uvec2 own;       // what it enters where nothing was
  uvec2 cells;     // of some words in a row
  uint word;       // one of these
  uint64_t found;  // in the cell
  bool entered;    // own is there already
};

// Puts `next` into the cell. True: somebody else came in between, who has not seen this access; `found` is theirs.
bool sqa_replace(inout SqaMeeting meeting, const uvec2 next) {
  uint64_t there = meeting.entered ? packUint2x32(meeting.own) : meeting.found;
  uint64_t seen = atomicCompSwap(SqaCells(meeting.cells).cells[meeting.word], there, packUint2x32(next), gl_ScopeDevice, 0,
                                 gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed);
  // Who came after an access that was entered at once has seen it.
  if (meeting.entered) return false;
  meeting.found = seen;
  return seen != there;
}

// An access for which the short way did not do: enters it, and returns 0: no hazard, or SQA_MISSING_*; `earlier` is the cell
// that it was judged by. Entered first and judged then, what it needs is fewest at once: registers of every invocation.
uint sqa_meet(inout SqaMeeting meeting, const uint sequence, const uint column, const uvec2 address, out uvec2 earlier) {
  uvec2 own = meeting.own;
  uint hazard = 0u;
  bool within = false;
  bool looking = true;
  // What is entered already needs no second attempt.
  [[dont_unroll]] for (uint swaps = 0u; swaps < (meeting.entered ? 1u : max_swaps) && looking; ++swaps) {
    earlier = unpackUint2x32(meeting.found);
    uvec2 next = own;
    hazard = 0u;
    within = sqa_cell_sequence(earlier.y) == sequence;
    if (within) {
      uint at = sqa_cell_case(earlier.x, earlier.y, own.x, own.y, sqa_grouped != 0u, sqa_since);
      uvec2 engine = sqa_record_address(SQA_ACTION_ENGINE);
      uint outcomes = SqaDwords(SqaAddresses(engine).addresses[SQA_EXACT_OUTCOMES]).dwords[at >> 1u];
      hazard = sqa_cell_next(outcomes >> ((at & 1u) * 16u), earlier.x, earlier.y, own.x, own.y, next.x, next.y);
      if (hazard != 0u && sqa_is_ordered(earlier)) {
        hazard = 0u;
        next = own;
      }
    }
    looking = packUint2x32(next) != (meeting.entered ? packUint2x32(own) : meeting.found) && sqa_replace(meeting, next);
  }
  if (looking) {
    hazard = 0u;
  } else if (!within && sqa_hazard_between(earlier, own.x, sequence, column, address) && !sqa_is_ordered(earlier)) {
    hazard = SQA_MISSING_ORDER;
  }
  return hazard;
}

void sqa_mark_page(const uvec2 address, const uvec2 page) {
  SqaAddresses pages = SqaAddresses(SqaAddresses(sqa_pages()).addresses[address.y]);
  sqa_store(pages.addresses[address.x >> SQA_PAGE_LOG2].x, page.x);
}

// direct: address of the first word's cell, which those of the others follow; 0: each page's cells are looked up. alone:
// SQA_DIRECT_ALONE.
void sqa_access_cells(const uvec2 root, const SqaSite site, const uvec2 address, const uint size, const uvec2 direct,
                      const bool alone) {
  uint type = (site.kind >> 16u) & 3u;
  bool indirect = type == SQA_ACCESS_INDIRECT;
  uint kind = SQA_KIND_READ;
  if (type == SQA_ACCESS_STORE) kind = SQA_KIND_WRITE;
  if (type == SQA_ACCESS_ATOMIC)
    kind = (site.kind & SQA_ACCESS_WORKGROUP_SCOPE) != 0u ? SQA_KIND_ATOMIC_WORKGROUP : SQA_KIND_ATOMIC;
  uint sequence = sqa_sequence + (indirect ? SQA_COLUMN_INDIRECT - sqa_column : 0u);
#ifdef SQA_FOOTPRINTS
  sqa_note_footprint(sequence, kind, address, size);
#endif
  uvec2 own = uvec2(sqa_cell_low(kind, (site.kind >> SQA_ACCESS_TAG_SHIFT) & (SQA_TAGS - 1u), sqa_phase, sqa_owner),
                    sqa_cell_high(sqa_owner, sequence));
#ifdef SQA_RELEASES
  if (type == SQA_ACCESS_ATOMIC) sqa_atomic_at = sqa_location(address);
#endif
  // Most accesses are of whole words.
  bool whole = (site.kind & SQA_ACCESS_WORDS) != 0u;
  uvec2 at = uvec2(whole ? address.x : address.x & ~3u, address.y);
  uint begin = whole ? 0u : address.x & 3u;
  uint end = begin + size;
  bool by_page = (direct.x | direct.y) == 0u;
  uvec2 page = uvec2(0u);
  if (by_page) page = sqa_page(at);
  // Its words are no other invocation's, and what other actions did there is ordered before: nothing to compare with.
  bool blind = alone && (site.kind & SQA_ACCESS_OWN) != 0u && sqa_quick + 1u == sequence;
  uint worst = 0u;
  uvec2 where = uvec2(0u);
  uvec2 why = uvec2(0u);
  // To the end, hazard or not: what is not entered is not found by others.
  [[dont_unroll]] for (uint n = 0u; n < max_words && n * 4u < end; ++n) {
    if (by_page && n != 0u && (at.x & 0xffffu) == 0u) page = sqa_page(at);
    // Reads of what nothing writes need no cell.
    bool watched = !by_page || (page.x & SQA_PAGE_WRITTEN) != 0u || (kind != SQA_KIND_READ && (page.x | page.y) != 0u);
    if (blind) {
      SqaCells(direct).cells[n] = packUint2x32(own | uvec2(SQA_CELL_MASK_ONES, 0u));
    } else if (watched) {
      // The layer knows what shaders write before they run, but for descriptors that come later.
      if (by_page && (page.x & SQA_PAGE_WRITTEN) == 0u) {
        page.x |= SQA_PAGE_WRITTEN;
        sqa_mark_page(at, page);
      }
      uint low = n == 0u ? begin : 0u;
      uint high = end - n * 4u;
      uint mask = SQA_CELL_MASK_ONES;
      if (!whole) mask = (SQA_CELL_MASK_ONES << low) & (high < 4u ? SQA_ONES(high) : SQA_CELL_MASK_ONES);
      own.x = sqa_cell_with_mask(own.x, mask);
      SqaMeeting meeting;
      meeting.own = own;
      meeting.cells = by_page ? uvec2(sqa_page_cells(page.x), page.y) : direct;
      meeting.word = by_page ? sqa_page_word(at.x) : n;
      meeting.entered = kind == SQA_KIND_WRITE;
      // A write enters itself at once, since most words are written once in an action: others see it alone until what it
      // found is added. Other accesses look first: most find what they would have entered. What is found may be old: then it
      // is only right to leave it where it says what the access would leave, which whoever replaced it has seen.
      if (meeting.entered)
        meeting.found = atomicExchange(SqaCells(meeting.cells).cells[meeting.word], packUint2x32(own), gl_ScopeDevice, 0,
                                       gl_SemanticsRelaxed);
      else
        meeting.found = SqaCells(meeting.cells).cells[meeting.word];
      uvec2 found = unpackUint2x32(meeting.found);
      uvec2 next = own;
      uint way = sqa_short_way(found.x, found.y, own.x, own.y, indirect ? 0u : sqa_quick, sqa_grouped != 0u, sqa_since, next.x);
      bool looking = way == SQA_WAY_LONG;
      if (meeting.entered ? next.x != own.x : way == SQA_WAY_REPLACE) looking = looking || sqa_replace(meeting, next);
      if (looking) {
        uvec2 earlier;
        uint column = indirect ? SQA_COLUMN_INDIRECT : sqa_column;
        uint hazard = sqa_meet(meeting, sequence, column, at, earlier);
        if (hazard != 0u && worst == 0u) {
          worst = hazard;
          where = uvec2(at.x + low, at.y);
          why = earlier;
        }
      }
    }
    at.x += 4u;
    at.y += uint(at.x == 0u);
  }
  if (worst != 0u) {
    uvec2 control = SqaCheckRoot(root).control;
    SqaSite plain = SqaSite(site.hash, site.instruction, (site.kind & SQA_ACCESS_REPORTED) | (SQA_ACCESS_EXACT << 16u));
    uint slot = SQA_REPORT_SLOTS;
    // An invocation that counted its reports would keep the number through all of the application's shader.
    if ((control.x | control.y) != 0u) slot = sqa_claim(control, plain, false);
    if (slot < SQA_REPORT_SLOTS) sqa_publish(root, slot, plain, worst, where, size, why);
  }
}

void sqa_access(const uvec2 root, const SqaSite site, const uvec2 address, const uint size) {
  sqa_access_cells(root, site, address, size, uvec2(0u), false);
}

#define sqa_watching() (sqa_sequence != 0u)
#ifndef SQA_RANGES
#define SQA_HAS_DIRECT
#endif
// Pages say what is written, copies included.
#define sqa_skips_read_only() false
#ifdef SQA_FOOTPRINTS
#define sqa_skips(set, slot, kind) false
#define sqa_cannot_follow() sqa_note_unfollowed(sqa_sequence)
#else
#define sqa_skips(set, slot, kind)                                                     \
  ((((kind) >> 16u) & 3u) == SQA_ACCESS_LOAD && (slot) < SQA_WATCHED_SLOTS &&          \
   ((sqa_record_dword(SQA_ACTION_WATCHED + (set)) >> (slot)) & 1u) == 0u)
#endif
#include "instrument/runtime/accesses.glsl"

// Whether loads through none of these slots (a bit each) need cells: the same for all invocations of an action.
bool sqa_reads_unwatched(const uint set, const uint slots) {
  return (sqa_record_dword(SQA_ACTION_WATCHED + set) & slots) == 0u;
}

// At the start of the entry point, behind sqa_set_where. workgroup: its number and the local invocation index in the stages
// that have them, then grouped is true. ray: the stages of one launch share sqa_where and so the owner. live: not a helper.
void sqa_begin_sync(const uvec2 root, const uvec2 hash, const uint stage, const uvec3 workgroup,
                    const bool grouped, const bool ray, const bool live) {
  sqa_attempts = 0u;
  sqa_action = 0u;
  sqa_phase = 0u;
  sqa_since = 0u;
  sqa_ordered = 0u;
  sqa_sequence = 0u;
  sqa_quick = 0u;
  sqa_column = stage == SQA_STAGE_FRAGMENT ? SQA_COLUMN_FRAGMENT : SQA_COLUMN_MAIN;
  sqa_owner = 0u;
  sqa_grouped = uint(grouped);
  uvec2 engine = sqa_record_address(SQA_ACTION_ENGINE);
  uvec2 submission = sqa_record_address(SQA_ACTION_SUBMISSION);
  if (live && (engine.x | engine.y) != 0u && (submission.x | submission.y) != 0u) {
    uint first = SqaDwords(submission).dwords[SQA_SUBMISSION_FIRST_SEQUENCE];
    if (first != 0u) {
      sqa_action = sqa_record_dword(SQA_ACTION_NUMBER);
      sqa_sequence = first + sqa_record_dword(SQA_ACTION_SEQUENCE) + sqa_column;
      uint consumer = SQA_CLASS_PRE_RASTERIZATION;
      if (stage == SQA_STAGE_FRAGMENT) consumer = SQA_CLASS_FRAGMENT;
      if (stage == SQA_STAGE_COMPUTE) consumer = SQA_CLASS_COMPUTE;
      if (stage >= SQA_STAGE_RAY_GENERATION) consumer = SQA_CLASS_RAY_TRACING;
#ifdef SQA_RANGES
      consumer = SqaDwords(sqa_record_address(SQA_ACTION_FLOORS)).dwords[1];
#endif
      sqa_quick = SqaDwords(submission).dwords[SQA_SUBMISSION_ORDERED_BEFORE + consumer];
      uint own = (sqa_record_dword(SQA_ACTION_ORDERED_BEFORE) >> (stage == SQA_STAGE_FRAGMENT ? 16u : 0u)) & 0xffffu;
      if (sqa_quick + 1u == first) sqa_quick += own;
      if (grouped)
        sqa_owner = (workgroup.x << SQA_LOCAL_BITS) | (workgroup.y & ((1u << SQA_LOCAL_BITS) - 1u));
      else if (ray)
        sqa_owner = sqa_launch_number(0u);
      else
        sqa_owner = sqa_add(SqaDwords(engine).dwords[SQA_EXACT_COUNTER], 1u);
      sqa_owner &= (1u << SQA_OWNER_BITS) - 1u;
      sqa_indirect(root, hash, stage);
    }
  }
}

// A team's cells are those of its first invocation.
uint sqa_join(const uvec3 team) {
  uint alone = sqa_owner;
  uint first = team.z == 0u ? 0u : (team.z - 1u) * team.y;
  uint local = (1u << SQA_LOCAL_BITS) - 1u;
  sqa_owner = (sqa_owner & ~local) | (first & local);
  return alone;
}
void sqa_leave(const uint alone) { sqa_owner = alone; }
#include "instrument/runtime/lines.glsl"

// A barrier of the workgroup; memory: it orders buffer memory.
void sqa_passed_barrier_exact(const bool memory) {
  sqa_phase += uint(sqa_phase < SQA_MAX_PHASE);
  if (memory) sqa_since = sqa_phase;
}

// One of a part of the workgroup, which others need not pass, so that it begins no phase: what the workgroup did up to here
// counts as ordered.
void sqa_passed_part_exact(const bool memory) {
  if (memory) sqa_since = sqa_phase + 1u;
}

#ifdef SQA_RANGES
#include "instrument/runtime/range_access.glsl"
#else
// Never runs: what it calls is what the build's dead code elimination keeps.
void main() {
  uvec2 h = uvec2(0u);
  sqa_set_where(uvec3(0u));
  sqa_begin_checks();
  sqa_begin_sync(h, h, 0u, uvec3(0u), false, false, true);
  if (sqa_reads_unwatched(h.x, h.y)) return;
#ifdef SQA_RELEASES
  sqa_begin_order(true, true, true);
  sqa_before_atomic(true);
  sqa_tell_workgroup();
  sqa_passed_fence();
#endif
  sqa_passed_barrier_exact(true);
  sqa_passed_part_exact(true);
  sqa_set_ordered(true);
  sqa_access_address(h, h, h, h, 0u, 0u, true);
  sqa_access_set(h, h, h, uvec4(0u), 0u, 0u, 0u, true);
  sqa_lines_address(h, h, h, h, 0u, uvec3(0u), uvec3(0u), true);
  sqa_lines_set(h, h, h, uvec4(0u), 0u, 0u, uvec3(0u), uvec3(0u), true);
  sqa_check(h, h, h, true, true, h);
}
#endif
