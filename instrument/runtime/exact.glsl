// SPDX-License-Identifier: Apache-2.0
// The exact engine of the synchronisation check (docs/internals/exact.md): each access is compared with the last one to its words, whose
// place in the words' cells it then takes.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_footprints.h"
#include "instrument/runtime/abi_image.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_ranges.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/abi_table.h"
#include "instrument/runtime/cell_fields.h"
#include "instrument/runtime/accesses_state.glsl"

// Accesses are those of commands, not of shaders.
#if defined(SQA_RANGES) && !defined(SQA_READ_LOG)
#define SQA_COMMANDS
#endif

uint sqa_sequence;  // of this stage's accesses; 0: nothing is checked
uint sqa_owner;     // of this invocation

// What reports give as dispatch and invocation id.
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

// Keep the state of an invocation small: it takes registers from the application's shader.
uint sqa_ordered_before;  // accesses up to this sequence number are ordered before this invocation's, whatever they are
uint sqa_column;          // SQA_COLUMN_*
uint sqa_grouped;         // not 0: owner >> SQA_LOCAL_BITS is its workgroup; passed_*
uint sqa_since;           // from this phase on, no barrier orders accesses before this invocation's

// In sqa_grouped, since the last barrier of the workgroup:
const uint passed_memory_barrier = 2u;  // a memory barrier was passed,
const uint passed_part = 4u;             // a barrier of a part of the workgroup,
const uint passed_narrow_barrier = 16u;  // one whose scope is the subgroup,
const uint passed_early_barrier = 32u;   // or one before any access
const uint ordered_partly = 8u;          // ever since: what came shortly before has been ordered only up to a phase (sqa_since)
const uint passed_any = passed_memory_barrier | passed_narrow_barrier | passed_early_barrier;
const uint released_shift = 8u;          // sqa_passed_barrier_strict

const uint max_words = SQA_EXACT_MOST_WORDS;
// After this many failed swaps an invocation gives up: the word is contended, and others have seen each other.
const uint max_swaps = 8u;
#define SQA_OUT(T) out T
#ifdef SQA_RELEASES
#define SQA_PHASE_TIMES 1u
#else
#define SQA_PHASE_TIMES 0u
#endif
// The phase behind the next barrier of the workgroup.
#define sqa_next_phase() ((sqa_phase | SQA_PHASE_TIMES) < SQA_MAX_PHASE ? (sqa_phase | SQA_PHASE_TIMES) + 1u : uint(SQA_MAX_PHASE))
#include "instrument/runtime/cell_kinds.glsl"
#include "instrument/runtime/cell_actions.glsl"
#include "instrument/runtime/cell_case.glsl"
#include "instrument/runtime/fast_path.glsl"
#include "instrument/runtime/named.glsl"
#ifdef SQA_RELEASES
#include "instrument/runtime/releases.glsl"
#endif
#ifdef SQA_FOOTPRINTS
#include "instrument/runtime/footprints.glsl"
#endif

// Whether the access in the cell is ordered before this invocation's by something that neither the table nor the floors see.
// own: as sqa_fast_path's.
bool sqa_is_ordered(const uvec2 found, const uvec2 own) {
#ifdef SQA_RELEASES
  return sqa_ordered != 0u || sqa_names_itself(found) || sqa_may_be_acquired(found, own);
#else
  return sqa_ordered != 0u || sqa_names_itself(found);
#endif
}

// The cell of an access that is ordered behind what it found in this way. place: SQA_CASE_* of the two. Other workgroups, and later
// actions, may be ordered behind neither, so the cell says what came before where that was the same workgroup.
uvec2 sqa_cell_behind(const uvec2 found, const uvec2 own, const uint place) {
  uvec2 next = own;
#ifdef SQA_RELEASES
  const uint kept = SQA_CASE_GROUP | SQA_CASE_COVERED;
  if ((place & kept) == kept) next.x |= sqa_cell_before_field(sqa_before_behind(found.x));
#endif
  return next;
}

#include "instrument/runtime/pages.glsl"

#define sqa_sequences() SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_SEQUENCES]
#define sqa_sequence_info(sequence) SqaDwords(sqa_sequences()).dwords[sequence]

#include "instrument/runtime/floors.glsl"
#include "instrument/runtime/beside.glsl"

// An access that is being stored into a cell.
struct SqaUpdate {
  uvec2 own;       // what it stores into an empty cell
  uvec2 cells;     // address of the cells of some words in a row
  uint word;       // number of the cell
  uint64_t found;  // what the cell held
  bool stored;     // own is in the cell already
};

// Finds what the cell holds. A write (update.stored) is stored at once, since most words are written once in an action: until what it found
// is added, others see the write alone. A write of a part of a word must not hide who wrote another part. It and others load first, because
// most find what they would store. The loaded cell may be out of date; leaving it is only right if it holds what the access would store,
// which whoever replaced it has seen.
#define sqa_take_cell(update)                                                                                                     \
  if ((update).stored)                                                                                                            \
    (update).found = atomicExchange(SqaCells((update).cells).cells[(update).word], packUint2x32((update).own), gl_ScopeDevice, 0, \
                                    gl_SemanticsRelaxed);                                                                         \
  else                                                                                                                            \
    (update).found = SqaCells((update).cells).cells[(update).word];

// Stores `next` into the cell. Returns true if another access came in between that has not seen this one; then `found` is that
// access.
bool sqa_replace(inout SqaUpdate update, const uvec2 next) {
  uint64_t there = update.stored ? packUint2x32(update.own) : update.found;
  uint64_t seen = atomicCompSwap(SqaCells(update.cells).cells[update.word], there, packUint2x32(next), gl_ScopeDevice, 0,
                                 gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed);
  // Whoever came after an access that was stored at once has seen it.
  if (update.stored) return false;
  update.found = seen;
  return seen != there;
}

// The action of a cell that an access of this action is compared with. If the cell holds two, it is the older one where the newer one
// is this action. Two others of one class and queue: what orders the newer one orders the older one, too; if they differ, the older one
// would be forgotten next.
uvec2 sqa_other_action(const uvec2 cell, const uint sequence) {
  uvec2 other = cell;
  if (sqa_cell_two_actions(cell.x)) {
    uvec2 older;
    sqa_cell_newer(cell.x, cell.y, other.x, other.y);
    sqa_cell_older(cell.x, cell.y, older.x, older.y);
    if (sqa_cell_sequence(cell.y) == sequence ||
        sqa_sequence_info(sqa_cell_sequence(other.y)) != sqa_sequence_info(sqa_cell_sequence(older.y)))
      other = older;
  }
  return other;
}

// Slow path: store the access first, then test for a hazard. In this order the fewest values live at the same time, and so the fewest
// registers are taken from every invocation. Stores it, and tests for hazards within this action: hazard is 0 or SQA_MISSING_*.
// Returns whether the access is to be compared with that of another action. `earlier` is the cell that it is compared with.
bool sqa_store_access(inout SqaUpdate update, const uint sequence, out uint hazard, out uvec2 earlier) {
  uvec2 own = update.own;
  hazard = 0u;
  earlier = unpackUint2x32(update.found);
  if (sqa_is_overtaken(earlier.y, own.x, own.y)) return true;
  bool within = false;
  bool looking = true;
  // An access that is stored already needs no second attempt.
  [[dont_unroll]] for (uint swaps = 0u; swaps < (update.stored ? 1u : max_swaps) && looking; ++swaps) {
    earlier = unpackUint2x32(update.found);
    uvec2 next = own;
    hazard = 0u;
    within = sqa_cell_sequence(earlier.y) == sequence;
    if (sqa_cell_two_actions(earlier.x)) {
      // The reads, or atomics, of this action are among those of the cell.
      if (within && !sqa_conflict(sqa_cell_kind(earlier.x), sqa_cell_kind(own.x))) return false;
      within = false;
    }
    if (within) {
      uint at = sqa_cell_case(earlier.x, earlier.y, own.x, own.y, sqa_grouped != 0u, sqa_since);
      uvec2 engine = sqa_record_address(SQA_ACTION_ENGINE);
      uint outcomes = SqaDwords(SqaAddresses(engine).addresses[SQA_EXACT_OUTCOMES]).dwords[at >> 1u];
      hazard = sqa_cell_next(outcomes >> ((at & 1u) * 16u), earlier.x, earlier.y, own.x, own.y, next.x, next.y);
      if (hazard != 0u && sqa_is_ordered(earlier, own)) {
        hazard = 0u;
        next = sqa_cell_behind(earlier, own, at);
      }
    }
    looking = packUint2x32(next) != (update.stored ? packUint2x32(own) : update.found) && sqa_replace(update, next);
  }
  if (looking) hazard = 0u;
  return !looking && !within;
}

// Compares a stored access with that of another action, `earlier`. Returns 0 or SQA_MISSING_ORDER. joins: a cell may hold both.
uint sqa_compare_actions(inout SqaUpdate update, const uint sequence, const uint column, const uvec2 address, const bool joins,
                         inout uvec2 earlier) {
  uvec2 own = update.own;
  uint hazard = 0u;
  earlier = sqa_other_action(earlier, sequence);
  bool conflict = sqa_actions_conflict(earlier.x, own.x);
  bool pending = conflict && sqa_is_beside(earlier.y, sequence);
  if (!pending && (conflict || (joins && sqa_actions_join(earlier.x, own.x))))
    pending = sqa_is_pending(earlier, own.x, sequence, column, address);
  if (pending) {
    if (conflict) {
      if (!sqa_is_ordered(earlier, own)) hazard = SQA_MISSING_ORDER;
    } else {
      // What is ordered behind this access need not be ordered behind the other one.
      uvec2 both;
      sqa_cell_with_older(own.x, own.y, earlier.x, earlier.y, both.x, both.y);
      update.found = packUint2x32(own);
      update.stored = false;
      sqa_replace(update, both);
    }
  }
  return hazard;
}

// SQA_KIND_* of an access, by its site's kind argument. An atomic load is a read here, and has no bytes in its mask.
uint sqa_access_kind(const uint site_kind) {
  uint type = (site_kind >> 16u) & 3u;
  uint kind = SQA_KIND_READ;
  if (type == SQA_ACCESS_STORE) kind = SQA_KIND_WRITE;
  if (type == SQA_ACCESS_ATOMIC && (site_kind & SQA_ACCESS_ONLY_READS) == 0u)
    kind = (site_kind & SQA_ACCESS_WORKGROUP_SCOPE) != 0u ? SQA_KIND_ATOMIC_WORKGROUP : SQA_KIND_ATOMIC;
  return kind;
}

#include "instrument/runtime/race_map.glsl"

#include "instrument/runtime/hazards.glsl"

// direct: address of the first word's cell, which the cells of the other words follow; 0: each page's cells are looked up.
// alone: SQA_ALONE_*.
void sqa_access_cells(const uvec2 root, const SqaSite site, const uvec2 address, const uint size, const uvec2 direct,
                      const uint alone) {
  uint type = (site.kind >> 16u) & 3u;
  bool uniform_read = type == SQA_ACCESS_LOAD && (site.kind & SQA_ACCESS_UNIFORM) != 0u;
  uint kind = sqa_access_kind(site.kind);
  uint sequence = sqa_sequence;
#ifdef SQA_FOOTPRINTS
  sqa_note_footprint(sequence, kind, address, size);
#endif
  uvec2 own = uvec2(sqa_cell_low(kind, (site.kind >> SQA_ACCESS_TAG_SHIFT) & (SQA_TAGS - 1u), sqa_phase, sqa_owner),
                    sqa_cell_high(sqa_owner, sequence));
#ifdef SQA_RELEASES
  if (type == SQA_ACCESS_ATOMIC) sqa_atomic_at = sqa_location(address);
  sqa_follow |= follow_accessed;
#endif
  // Most accesses cover whole words.
  bool whole = (site.kind & SQA_ACCESS_WORDS) != 0u;
  uvec2 at = address;  // its lowest two bits: the first byte of the word that is accessed
  uint end = (whole ? 0u : address.x & 3u) + size;
  bool by_page = (direct.x | direct.y) == 0u;
  uvec2 page = uvec2(0u);
  // No other invocation touches these words, and the accesses of other actions are ordered before: there is nothing to compare.
  bool blind = alone != SQA_ALONE_NOT && (site.kind & SQA_ACCESS_OWN) != 0u && sqa_ordered_before + 1u == sequence;
  uint worst = 0u;
  uvec2 where = uvec2(0u);
  uvec2 why = uvec2(0u);
  uint n = 0u;  // the word
  // Goes on after a hazard: others would not find an access that is not stored.
  [[dont_unroll]] while (n < max_words && n * 4u + (at.x & 3u) < end) {
    if (by_page && (n == 0u || (at.x & 0xffffu) == 0u)) page = sqa_page_with_parts(at);
    bool parts = by_page && (page.x & SQA_PAGE_PARTS) != 0u;
    // Reads of memory that nothing writes need no cell.
    bool watched = !by_page || (page.x & SQA_PAGE_WRITTEN) != 0u || (kind != SQA_KIND_READ && (page.x | page.y) != 0u);
    if (blind) {
      if (kind == SQA_KIND_WRITE || alone == SQA_ALONE_REPLACES) SqaCells(direct).cells[n] = packUint2x32(own | uvec2(SQA_CELL_MASK_ONES, 0u));
    } else if (watched) {
      // The layer marks pages that shaders write before they run, except those of descriptors that are written later.
      if (by_page && (page.x & SQA_PAGE_WRITTEN) == 0u) {
        page.x |= SQA_PAGE_WRITTEN;
        sqa_mark_page(at, page);
      }
      uint high = end - n * 4u;
      uint mask = SQA_CELL_MASK_ONES;
      if (!whole && !parts) mask = (SQA_CELL_MASK_ONES << (at.x & 3u)) & (high < 4u ? SQA_ONES(high) : SQA_CELL_MASK_ONES);
      if ((site.kind & SQA_ACCESS_ONLY_READS) != 0u) mask = 0u;
      own.x = sqa_cell_with_mask(own.x, mask);
      SqaUpdate update;
      update.own = own;
      update.cells = by_page ? uvec2(sqa_page_cells(page.x), page.y) : direct;
      update.word = by_page ? sqa_page_cell(page.x, at.x) : n;
      update.stored = kind == SQA_KIND_WRITE && mask == SQA_CELL_MASK_ONES;
      sqa_take_cell(update)
      uvec2 found = unpackUint2x32(update.found);
      uvec2 next = own;
      uint path = sqa_fast_path(found.x, found.y, own.x, own.y, uniform_read ? 0u : sqa_ordered_before, sqa_grouped != 0u, sqa_since, next.x);
      bool looking = path == SQA_PATH_SLOW;
      if (update.stored ? next.x != own.x : path == SQA_PATH_REPLACE) looking = looking || sqa_replace(update, next);
      if (looking) {
        uvec2 earlier;
        uint hazard;
        uint column = sqa_column | (uniform_read ? SQA_COLUMN_UNIFORM : 0u);
        if (sqa_store_access(update, sequence, hazard, earlier))
          hazard = sqa_compare_actions(update, sequence, column, at, true, earlier);
        if (hazard != 0u && worst == 0u) {
          worst = hazard;
          where = at;
          why = earlier;
        }
      }
    }
    at.x = parts ? at.x + 1u : (at.x & ~3u) + 4u;
    at.y += uint(at.x == 0u);
    n += uint((at.x & 3u) == 0u);
  }
  if (worst != 0u) sqa_report_hazard(root, site, worst, where, sqa_whole_access(size), why);
}

void sqa_access(const uvec2 root, const SqaSite site, const uvec2 address, const uint size) {
  sqa_access_cells(root, site, address, size, uvec2(0u), SQA_ALONE_NOT);
}

#include "instrument/runtime/texels.glsl"

#define sqa_watching() (sqa_sequence != 0u)
#ifndef SQA_RANGES
#define SQA_HAS_DIRECT
#endif
// Pages know what is written, also by copies.
#define sqa_skips_read_only() false
#ifdef SQA_FOOTPRINTS
#define sqa_skips(set, slot, kind) false
#define sqa_cannot_follow() sqa_note_unfollowed(sqa_sequence)
#else
#define sqa_skips(set, slot, kind)                                                     \
  ((((kind) >> 16u) & 3u) == SQA_ACCESS_LOAD && (slot) < SQA_WATCHED_SLOTS &&          \
   ((sqa_record_dword(SQA_ACTION_WATCHED + (set)) >> (slot)) & 1u) == 0u)
#endif
#ifdef SQA_DESCRIPTOR_BUFFERS
#include "instrument/runtime/descriptor_buffers.glsl"
#endif
#include "instrument/runtime/reach.glsl"
#ifndef SQA_RANGES
#include "instrument/runtime/words.glsl"
// Arguments of an indirect command are accesses of another column, and have numbers of their own.
void sqa_access_arguments(const uvec2 root, const SqaSite site, const uvec2 address, const uint size) {
  uint column = sqa_column;
  uint ordered_before = sqa_ordered_before;
  sqa_sequence += SQA_COLUMN_INDIRECT - column;
  sqa_column = SQA_COLUMN_INDIRECT;
  sqa_ordered_before = 0u;
#ifdef SQA_FOOTPRINTS
  sqa_access(root, site, address, size);
#else
  sqa_words(root, site.hash, uvec2(site.instruction, site.kind), address, size, uvec2(0u), SQA_ALONE_NOT);
#endif
  sqa_sequence -= SQA_COLUMN_INDIRECT - column;
  sqa_column = column;
  sqa_ordered_before = ordered_before;
}
#define sqa_access_arguments(root, site, address, size) sqa_access_arguments(root, site, address, size)
#endif
#include "instrument/runtime/accesses.glsl"
#include "instrument/runtime/barriers.glsl"
#ifndef SQA_COMMANDS
#include "instrument/runtime/image.glsl"
// Where an entry of a read log lies.
uvec2 sqa_log_entry(const uvec2 log, const uint number) {
  return unpackUint2x32(packUint2x32(log) + uint64_t(SQA_READ_HEADER) + uint64_t(number) * uint64_t(SQA_READ_DWORDS * 4));
}
#endif
#ifndef SQA_RANGES
#include "instrument/runtime/queue.glsl"
#include "instrument/runtime/read_log.glsl"
#endif

// Whether no load through these slots (a bit each) needs a cell. The answer is the same for all invocations of an action.
bool sqa_reads_unwatched(const uint set, const uint slots) {
  return (sqa_record_dword(SQA_ACTION_WATCHED + set) & slots) == 0u;
}

// Called at the start of the entry point, after sqa_set_where. workgroup: its number and the local invocation index, in stages
// that have them; then grouped is true. named: invocations with the same sqa_where (and workgroup, which has the position within the
// patch in tessellation evaluation shaders) are one owner: all of a launch, or of a vertex. live: not a helper invocation.
void sqa_begin_sync(const uint stage, const uvec3 workgroup, const bool grouped, const bool named, const bool live) {
  sqa_attempts = 0u;
  sqa_action = 0u;
  sqa_phase = 0u;
  sqa_since = 0u;
  sqa_ordered = 0u;
  sqa_sequence = 0u;
  sqa_ordered_before = 0u;
  sqa_column = stage == SQA_STAGE_FRAGMENT ? SQA_COLUMN_FRAGMENT : SQA_COLUMN_MAIN;
  sqa_owner = 0u;
  sqa_grouped = uint(grouped);
  uvec2 engine = sqa_record_address(SQA_ACTION_ENGINE);
  uvec2 submission = sqa_record_address(SQA_ACTION_SUBMISSION);
  if (live && (engine.x | engine.y) != 0u && (submission.x | submission.y) != 0u) {
    uint first = SqaDwords(submission).dwords[SQA_SUBMISSION_FIRST_SEQUENCE];
    if (first != 0u) {
      sqa_action = sqa_record_dword(SQA_ACTION_NUMBER);
      sqa_sequence = first + sqa_sequence_number(sqa_record_dword(SQA_ACTION_SEQUENCE)) + sqa_column;
      uint consumer = SQA_CLASS_PRE_RASTERIZATION;
      if (stage == SQA_STAGE_FRAGMENT) consumer = SQA_CLASS_FRAGMENT;
      if (stage == SQA_STAGE_COMPUTE) consumer = SQA_CLASS_COMPUTE;
      if (stage >= SQA_STAGE_RAY_GENERATION) consumer = SQA_CLASS_RAY_TRACING;
#ifdef SQA_COMMANDS
      consumer = SqaDwords(sqa_record_address(SQA_ACTION_FLOORS)).dwords[1];
#endif
      sqa_ordered_before = SqaDwords(submission).dwords[SQA_SUBMISSION_ORDERED_BEFORE + consumer];
      uint own = (sqa_record_dword(SQA_ACTION_ORDERED_BEFORE) >> (stage == SQA_STAGE_FRAGMENT ? 16u : 0u)) & 0xffffu;
      if (sqa_ordered_before + 1u == first) sqa_ordered_before += own;
      if (grouped)
        sqa_owner = (sqa_cell_group(workgroup.x) << SQA_LOCAL_BITS) | (workgroup.y & ((1u << SQA_LOCAL_BITS) - 1u));
      else if (named)
        sqa_owner = sqa_named_number(0u, workgroup);
      else
        sqa_owner = sqa_add(SqaDwords(engine).dwords[SQA_EXACT_COUNTER], 1u);
      sqa_owner &= (1u << SQA_OWNER_BITS) - 1u;
    }
  }
}

// The cells of a team name its first invocation.
uint sqa_join(const uvec3 team) {
  uint alone = sqa_owner;
  uint first = team.z == 0u ? 0u : (team.z - 1u) * team.y;
  uint local = (1u << SQA_LOCAL_BITS) - 1u;
  sqa_owner = (sqa_owner & ~local) | (first & local);
  return alone;
}
void sqa_leave(const uint alone) { sqa_owner = alone; }
#include "instrument/runtime/lines.glsl"

#ifdef SQA_RESOLVE
#include "instrument/runtime/resolve.glsl"
#elif defined(SQA_READ_LOG)
#include "instrument/runtime/logged_reads.glsl"
#elif defined(SQA_RANGES)
#include "instrument/runtime/range_access.glsl"
#else
// Never runs: the build's dead code elimination keeps what it calls.
void main() {
  uvec2 h = uvec2(0u);
  sqa_set_where(uvec3(0u));
  sqa_begin_checks();
  sqa_begin_sync(0u, uvec3(0u), false, false, true);
  sqa_tell_begun(h, h);
  sqa_indirect(h, h, 0u);
  if (sqa_reads_unwatched(h.x, h.y) || sqa_group_leaves_out(h.x, h.y) || sqa_tile_leaves_out(h.x, h.y) ||
      sqa_tile_logs_nothing(h.x, h.y))
    return;
#ifdef SQA_RELEASES
  sqa_begin_order(true, true, true, 0u);
  sqa_begin_strict();
  sqa_before_atomic(h.x);
  sqa_before_local_atomic(true);
  sqa_tell_workgroup();
  sqa_passed_fence(true);
  sqa_passed_acquire();
  sqa_reach_part(true);
  sqa_passed_part_exact(true);
#endif
  sqa_passed_barrier_exact(true);
  sqa_passed_memory_barrier_exact(true, true, true);
  sqa_passed_barrier_strict(true, true);
  sqa_passed_memory_barrier_strict(true, true, true);
  sqa_set_ordered(true);
  sqa_begin_images(true);
  sqa_passed_barrier_images(true);
  sqa_passed_barrier_images_strict(true, true);
  sqa_passed_memory_barrier_images(true, true);
  sqa_passed_memory_barrier_images_strict(true, true);
  sqa_access_image(h, h, h, uvec4(0u), 0u, uvec4(0u), 0u, true);
  sqa_access_input(h, h, h, uvec4(0u), 0u, uvec4(0u), true);
  sqa_access_sampled(h, h, h, uvec4(0u), 0u, vec4(0.0), uvec3(0u), 0.0, 0u, true);
  sqa_use_log(h);
  sqa_use_queue(h);
  sqa_begin_findings();
  sqa_note_hazard(h, SqaSite(h, 0u, 0u), 0u, h, 0u, h);
  sqa_note_layout(h, SqaSite(h, 0u, 0u), 0u, 0u);
  sqa_report_findings(h, h);
  sqa_access_address(h, h, h, h, 0u, 0u, true);
  sqa_access_set(h, h, h, uvec4(0u), 0u, 0u, 0u, true);
  sqa_words_address(h, h, h, h, 0u, 0u, true);
  sqa_words_set(h, h, h, uvec4(0u), 0u, 0u, 0u, true);
  sqa_direct_set(h, h, h, uvec4(0u), 0u, 0u, 0u, true);
  sqa_lines_address(h, h, h, h, 0u, uvec3(0u), uvec3(0u), true);
  sqa_lines_set(h, h, h, uvec4(0u), 0u, 0u, uvec3(0u), uvec3(0u), true);
  sqa_check(h, h, h, true, true, h);
  sqa_check_operands(h, h, h, true, true, h, uvec3(0u));
  sqa_begin_failures();
  sqa_note_failure(h, SqaSite(h, 0u, 0u), h, uvec3(0u));
  sqa_report_failures(h, h);
}
#endif
