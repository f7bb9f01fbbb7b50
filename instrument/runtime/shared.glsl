// SPDX-License-Identifier: Apache-2.0
// Accesses to workgroup memory that nothing orders. docs/internals/workgroup-memory.md explains the cells. All
// atomics are relaxed, and the only barrier is the one at the start of the entry point, where flow is uniform.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/abi_shared.h"

// The pass replaces it by a variable as long as the module needs: cells, one word for releases, and a bit for
// each cell that has been written, if that is asked for. In a module whose variables are blocks (SQA_BLOCK) it is one too.
#ifdef SQA_BLOCK
struct SqaSharedCells { uint cells[1024]; };
shared SqaSharedCells sqa_shared_cells;
#define sqa_cell(at) sqa_shared_cells.cells[at]
#else
shared uint sqa_shared_cells[1024];
#define sqa_cell(at) sqa_shared_cells[at]
#endif

uint sqa_shared_layout;   // WorkgroupLayout::id
uint sqa_shared_me;       // phase, subphase and owner, as in a cell
uint sqa_shared_ordered;  // cells below this are of accesses that are ordered before
uint sqa_shared_lanes;    // of a subgroup, where subgroups are told apart
uint sqa_shared_orders;   // what this invocation has done since the last control barrier
const uint passed_fence = 1u;
const uint has_acquired = 2u;
const uint passed_narrow_fence = 4u;
const uint passed_early_fence = 8u;
const uint passed_any_fence = passed_fence | passed_narrow_fence;  // a barrier's: for which subgroup is not told apart
const uint ordered_partly = 32u;    // ever since: what came shortly before has been ordered only up to a phase
const uint has_read = 16u;          // strict: it has read what may be a release, and not acquired it yet
const uint released_shift = 8u;     // strict: the bits above are the phase before which all was released

// The code of a report is large, so where there are many accesses, what is found is noted, and reported at the end.
const uint most_notes = 4u;
uint sqa_shared_noted;                      // how many
// No uvec4: glslang would give them the type of an array in a block, with its stride, which a private variable must not have.
uvec2 sqa_shared_note_sites[most_notes];
uvec2 sqa_shared_note_cells[most_notes];    // cell, what it held
uvec2 sqa_shared_note_details[most_notes];  // sqa_shared_me, size

#define sqa_report_dispatch() sqa_shared_layout
#define sqa_report_invocation() sqa_shared_me
#include "instrument/runtime/report.glsl"

#define sqa_cell_load(at) atomicLoad(sqa_cell(at), gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed)
#define sqa_cell_store(at, v) atomicStore(sqa_cell(at), v, gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed)
#define sqa_cell_max(at, v) atomicMax(sqa_cell(at), v, gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed)
#define sqa_cell_or(at, v) atomicOr(sqa_cell(at), v, gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed)

uint sqa_tag_bits(const uint shape) { return shape & 255u; }
uint sqa_owner_bits(const uint shape) { return shape >> 8u & 255u; }
uint sqa_state_shift(const uint shape) { return (shape & 255u) + (shape >> 8u & 255u); }
uint sqa_subphase_shift(const uint shape) { return sqa_state_shift(shape) + uint(SQA_SHARED_STATE_BITS); }
uint sqa_subphase_bits(const uint shape) { return shape >> 16u & 127u; }
uint sqa_phase_shift(const uint shape) { return sqa_subphase_shift(shape) + sqa_subphase_bits(shape); }
uint sqa_state(const uint shape, const uint cell) {
  return cell >> sqa_state_shift(shape) & ((1u << SQA_SHARED_STATE_BITS) - 1u);
}
uint sqa_owner(const uint shape, const uint cell) {
  return cell >> sqa_tag_bits(shape) & ((1u << sqa_owner_bits(shape)) - 1u);
}
uint sqa_subphase(const uint shape, const uint cell) {
  return cell >> sqa_subphase_shift(shape) & ((1u << sqa_subphase_bits(shape)) - 1u);
}
// Without GLSL.std.450, which the module may not import.
uint sqa_greater(const uint a, const uint b) { return a > b ? a : b; }
bool sqa_is_one_of(const uint state, const uint states) { return (states >> state & 1u) != 0u; }

// Every invocation calls it first. where: the owner, and the size of its subgroup (0: not told apart). words: all of
// sqa_shared_cells. team: the invocation's number and how many there are.
void sqa_begin_shared(const uint layout_id, const uint shape, const uvec2 where, const uint words, const uvec2 team) {
  sqa_attempts = 0u;
  sqa_action = 0u;
  sqa_shared_layout = layout_id;
  sqa_shared_me = where.x << sqa_tag_bits(shape) | 1u << sqa_phase_shift(shape);
  sqa_shared_ordered = 1u << sqa_phase_shift(shape);
  sqa_shared_lanes = where.y;
  sqa_shared_orders = 0u;
  sqa_shared_noted = 0u;
  // An owner that does not fit would be taken for another one.
  if (where.x >= 1u << sqa_owner_bits(shape)) sqa_shared_ordered = 0xffffffffu;
  for (uint at = team.x; at < words; at += team.y) sqa_cell_store(at, 0u);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

// After a control barrier of the workgroup. What barriers of the subgroup order stays ordered behind one that orders nothing by itself, so
// then the subphase goes on. Returns whether there are no more phases: from here on everything counts as ordered.
bool sqa_shared_next_phase(const uint shape, const bool orders) {
  uint phase = (sqa_shared_me >> sqa_phase_shift(shape)) + 1u;
  bool last = phase >> (31u - sqa_phase_shift(shape)) >= 2u || sqa_shared_ordered == 0xffffffffu;
  if (last) phase -= 1u;
  uint subphase = orders ? 0u : sqa_subphase(shape, sqa_shared_me);
  uint owner = sqa_owner(shape, sqa_shared_me);
  sqa_shared_me = phase << sqa_phase_shift(shape) | subphase << sqa_subphase_shift(shape) | owner << sqa_tag_bits(shape);
  if (last) sqa_shared_ordered = 0xffffffffu;
  return last;
}
// What the workgroup did before the phase of `before` is ordered before what follows, and what it did since then is not.
void sqa_shared_order_partly(const uint before) {
  if (before > sqa_shared_ordered) sqa_shared_orders |= ordered_partly;
  sqa_shared_ordered = before;
}
// ordering: the barrier's semantics include workgroup memory.
void sqa_passed_shared_barrier(const uint shape, const bool ordering) {
  bool orders = ordering || (sqa_shared_orders & passed_any_fence) != 0u;
  if (!sqa_shared_next_phase(shape, orders)) {
    uint phase = sqa_shared_me >> sqa_phase_shift(shape);
    if (orders)
      sqa_shared_ordered = phase << sqa_phase_shift(shape);
    else if ((sqa_shared_orders & passed_early_fence) != 0u)
      sqa_shared_order_partly((phase - 1u) << sqa_phase_shift(shape));
  }
  // What was acquired stays so where the barrier orders nothing.
  sqa_shared_orders &= ordering ? ordered_partly : ordered_partly | has_acquired;
}

// What of the releases was read is acquired: by a memory barrier behind the atomic.
void sqa_shared_acquires() {
  if ((sqa_shared_orders & has_read) != 0u) sqa_shared_orders |= has_acquired;
}
void sqa_shared_order_before(const uint shape, const uint phase) {
  uint before = phase << sqa_phase_shift(shape);
  if (before > sqa_shared_ordered) sqa_shared_ordered = before;
}
// As sqa_passed_shared_barrier, where a memory barrier is asked for behind the control barrier, too.
void sqa_passed_shared_barrier_strict(const uint shape, const bool releases, const bool acquires) {
  uint orders = sqa_shared_orders;
  uint released = orders >> released_shift;
  uint phase = sqa_shared_me >> sqa_phase_shift(shape);
  if (!sqa_shared_next_phase(shape, releases && acquires)) {
    if ((orders & passed_early_fence) != 0u && released < phase) released = phase;
    if (releases || (orders & passed_any_fence) != 0u) released = phase + 1u;
    if (acquires) sqa_shared_order_before(shape, released);
    if (acquires && released <= phase) orders |= ordered_partly;
  }
  // Behind a barrier that orders all, only what is read from then on matters.
  sqa_shared_orders = orders & ordered_partly;
  sqa_shared_orders |= (releases && acquires ? 0u : orders & (has_acquired | has_read)) | released << released_shift;
  if (acquires) sqa_shared_acquires();
}

// After a control barrier of the subgroup. What a lane has acquired, or passed, its subgroup has.
void sqa_passed_shared_subgroup_barrier(const uint shape, const bool follows) {
  uint unit = 1u << sqa_subphase_shift(shape);
  if (sqa_subphase(shape, sqa_shared_me) + 1u < 1u << sqa_subphase_bits(shape)) sqa_shared_me += unit;
  if (follows) sqa_shared_orders |= passed_fence | has_acquired;
}

// After a memory barrier with workgroup memory in its semantics. wide: its scope is not only the subgroup. acquires: others may have
// released before a barrier that this invocation has passed, though it did not itself. early: nothing of this phase lies before it.
void sqa_passed_shared_fence(const uint shape, const bool wide, const bool acquires, const bool early) {
  uint passed = passed_narrow_fence;
  if (wide) passed = early ? passed_early_fence : passed_fence;
  sqa_shared_orders |= passed;
  if (acquires && sqa_shared_ordered != 0xffffffffu)
    sqa_shared_order_partly(sqa_shared_me >> sqa_phase_shift(shape) << sqa_phase_shift(shape));
}

// The same behind sqa_passed_shared_barrier_strict. What a fence of subgroup scope acquires is not told apart.
void sqa_passed_shared_fence_strict(const uint shape, const bool wide, const bool acquires, const bool early) {
  sqa_passed_shared_fence(shape, wide, acquires, early);
  uint before = sqa_shared_ordered;
  sqa_shared_order_before(shape, sqa_shared_orders >> released_shift);
  if (sqa_shared_ordered != before) sqa_shared_orders |= ordered_partly;
  sqa_shared_acquires();
}

// Before an atomic. at: the word for releases. releases: by its own semantics.
void sqa_before_shared_atomic(const uint shape, const uint at, const bool releases) {
  if (releases || (sqa_shared_orders & (passed_fence | passed_narrow_fence | passed_early_fence)) != 0u) sqa_cell_max(at, sqa_shared_me >> sqa_phase_shift(shape));
}
// After an atomic whose result is used.
void sqa_after_shared_atomic() { sqa_shared_orders |= has_acquired; }
// The same under strict, where its own semantics do not acquire.
void sqa_after_shared_read() { sqa_shared_orders |= has_read; }

bool sqa_same_subgroup(const uint shape, const uint old, const uint mine) {
  uint lanes = sqa_shared_lanes;
  bool same = false;
  if (lanes != 0u && sqa_is_one_of(sqa_state(shape, old), SQA_SHARED_ONE_SUBGROUP))
    same = sqa_owner(shape, old) / lanes == sqa_owner(shape, mine) / lanes;
  return same;
}
// A barrier of their subgroup lies between all that the cell holds and this access. The last subphase has no end.
bool sqa_later_in_subgroup(const uint shape, const uint old, const uint mine) {
  uint subphase = sqa_subphase(shape, mine);
  uint bits = sqa_subphase_bits(shape);
  bool later = bits != 0u && (subphase > sqa_subphase(shape, old) || subphase == (1u << bits) - 1u);
  return later && sqa_same_subgroup(shape, old, mine);
}
// A subgroup operation has passed on what the accesses in the cell have read, and this access depends on what it returned.
bool sqa_follows_reads(const uint shape, const uint old, const uint mine) {
  uint width = shape >> 24u;
  bool follows = false;
  if (width != 0u) {
    uint state = sqa_state(shape, old);
    // The cell names one of several reads.
    if (width > sqa_shared_lanes || !sqa_is_one_of(state, SQA_SHARED_ONE_INVOCATION)) width = sqa_shared_lanes;
    follows = sqa_is_one_of(state, SQA_SHARED_PASSED_ON) && sqa_owner(shape, old) / width == sqa_owner(shape, mine) / width;
  }
  return follows;
}
bool sqa_is_own(const uint shape, const uint old, const uint mine) {
  return sqa_owner(shape, old) == sqa_owner(shape, mine) &&
         sqa_is_one_of(sqa_state(shape, old), SQA_SHARED_ONE_INVOCATION);
}
// Whether of several accesses the cell names this invocation's. It has the phase of that one, if the others' are earlier.
bool sqa_names_itself(const uint shape, const uint old, const uint mine) {
  return sqa_is_one_of(sqa_state(shape, old), SQA_SHARED_SEVERAL) && sqa_owner(shape, old) == sqa_owner(shape, mine);
}
// The same, where something may have ordered the others since.
bool sqa_may_be_ordered(const uint shape, const uint old, const uint mine) {
  return (shape & uint(SQA_SHARED_PARTLY_ORDERED)) != 0u && (sqa_shared_orders & ordered_partly) != 0u && sqa_names_itself(shape, old, mine);
}
bool sqa_is_behind(const uint state) {
  return state == SQA_SHARED_BEHIND_ONE || state == SQA_SHARED_BEHIND_GROUP;
}

// A read behind the same invocation's write of an earlier phase, which is not ordered: whoever conflicts with the read does so with the write.
bool sqa_keeps_own_write(const uint shape, const uint old) {
  uint written = sqa_shared_me & ((1u << sqa_state_shift(shape)) - 1u) | SQA_SHARED_WRITE_ONE << sqa_state_shift(shape);
  return (shape & uint(SQA_SHARED_PARTLY_ORDERED)) != 0u && old >= sqa_shared_ordered &&
         ((old ^ written) & ((1u << sqa_subphase_shift(shape)) - 1u)) < 1u << sqa_tag_bits(shape);
}

// kind: the state that this access has by itself.
bool sqa_shared_conflict(const uint shape, const uint old, const uint mine, const uint kind) {
  uint conflicts = SQA_SHARED_WRITE_CONFLICTS;
  if (kind == SQA_SHARED_PEEK_ONE) conflicts = SQA_SHARED_PEEK_CONFLICTS;
  bool is_read = sqa_is_one_of(kind, SQA_SHARED_READS);
  if (is_read) conflicts = SQA_SHARED_READ_CONFLICTS;
  if (kind == SQA_SHARED_ATOMIC_ONE) conflicts = SQA_SHARED_ATOMIC_CONFLICTS;
  uint state = sqa_state(shape, old);
  bool foreign_read = is_read && sqa_is_behind(state) && !sqa_same_subgroup(shape, old, mine);
  return old >= sqa_shared_ordered && (sqa_is_one_of(state, conflicts) || foreign_read) &&
         !sqa_is_own(shape, old, mine) && !sqa_may_be_ordered(shape, old, mine) && !sqa_later_in_subgroup(shape, old, mine) && !sqa_follows_reads(shape, old, mine);
}

// The cell for both accesses, which do not conflict.
uint sqa_shared_join(const uint shape, const uint old, const uint mine, const uint kind) {
  uint state = sqa_state(shape, old);
  uint above = sqa_state_shift(shape);
  uint low_bits = (1u << above) - 1u;
  uint phases = sqa_greater(old, mine) >> sqa_subphase_shift(shape) << sqa_subphase_shift(shape);
  uint joined = sqa_greater(old, mine);
  bool is_read = sqa_is_one_of(kind, SQA_SHARED_READS);
  // Something may order the older of the two, and not the other one: then it must not seem as new as that.
  bool needs_phase = (shape & uint(SQA_SHARED_PARTLY_ORDERED)) != 0u && (old ^ mine) >> sqa_phase_shift(shape) != 0u;
  bool both_read = is_read && sqa_is_one_of(state, SQA_SHARED_READS);
  if (sqa_later_in_subgroup(shape, old, mine)) {
    if (is_read && (sqa_is_behind(state) || state == SQA_SHARED_WRITE_ONE) && !needs_phase)
      joined = phases | SQA_SHARED_BEHIND_ONE << above | (mine & low_bits);
  } else if (sqa_is_own(shape, old, mine)) {
    uint both = sqa_greater(state, kind);
    bool old_reads = sqa_is_one_of(state, SQA_SHARED_READS) && !sqa_follows_reads(shape, old, mine);
    if (both == SQA_SHARED_ATOMIC_ONE && (is_read || old_reads)) both = SQA_SHARED_MIXED_ONE;
    if (!needs_phase) joined = phases | both << above | ((state > kind ? old : mine) & low_bits);
  } else if (is_read && sqa_is_behind(state)) {
    joined = phases | SQA_SHARED_BEHIND_GROUP << above | (old & low_bits);
  } else if (both_read || kind != SQA_SHARED_WRITE_ONE && state >= kind && state < kind + 3u) {
    // The first of several is kept, so that a later writer among them does not name itself; but a barrier may order one of an earlier
    // phase before that writer.
    bool same = sqa_same_subgroup(shape, old, mine);
    uint several = kind + (same ? 1u : 2u);
    bool passed = kind == SQA_SHARED_PASSED_ONE || sqa_is_one_of(state, SQA_SHARED_PASSED_ON);
    if (both_read) several = !same ? SQA_SHARED_READ_SEVERAL : passed ? SQA_SHARED_PASSED_GROUP : SQA_SHARED_READ_GROUP;
    uint named = (old ^ mine) >> sqa_subphase_shift(shape) == 0u ? old : sqa_greater(old, mine);
    joined = phases | several << above | (named & low_bits);
  }
  return joined;
}

// The access's phase and owner are sqa_shared_me. old: what the cell held.
void sqa_shared_report(const uvec2 root, const SqaSite site, const uint shape, const uint cell, const uint old,
                       const uint size) {
  uint state = sqa_state(shape, old);
  uint access = SQA_ACCESS_ATOMIC;
  bool behind = sqa_is_behind(state);
  bool foreign = behind && !sqa_same_subgroup(shape, old, sqa_shared_me);
  // An atomic conflicts with the reads among the reads and atomics of one invocation. The cell names an atomic.
  bool read_before = state == SQA_SHARED_MIXED_ONE && (site.kind >> 16u & 3u) == SQA_ACCESS_ATOMIC;
  if (sqa_is_one_of(state, SQA_SHARED_READS) || behind || read_before) access = SQA_ACCESS_LOAD;
  if (state == SQA_SHARED_WRITE_ONE || foreign) access = SQA_ACCESS_STORE;
  uint by = SQA_SHARED_BY_SEVERAL;
  if (sqa_is_one_of(state, SQA_SHARED_ONE_SUBGROUP)) by = SQA_SHARED_BY_GROUP;
  if (sqa_is_one_of(state, SQA_SHARED_ONE_INVOCATION) && !foreign) by = SQA_SHARED_BY_ONE;
  uint owner = sqa_owner(shape, old);
  uint tag = old & ((1u << sqa_tag_bits(shape)) - 1u);
  // One of several accesses was this invocation's: another one's is not known. Nor is a write that was read since.
  if (by != SQA_SHARED_BY_ONE && owner == sqa_owner(shape, sqa_shared_me) || foreign || read_before) tag = 0u;
  uint flags = 0u;
  if (sqa_shared_lanes != 0u) {
    flags = SQA_SHARED_OWNER_IS_LANE;
    owner = owner / sqa_shared_lanes << 16u | owner % sqa_shared_lanes;
  }
  uint phase = sqa_shared_me >> sqa_phase_shift(shape);
  uint missing = old >> sqa_phase_shift(shape) == phase ? SQA_MISSING_ORDER : SQA_MISSING_MEMORY;
  uvec2 control = SqaCheckRoot(root).control;
  if ((control.x | control.y) != 0u) {
    // Conflicts with accesses of other kinds, and at other places as far as the low bits of their tags differ, are findings of their own.
    uint kind = site.kind ^ (access << 20u | (tag & 3u) << claim_place);
    uint slot = sqa_claim(control, SqaSite(site.hash, site.instruction, kind), true);
    if (slot < SQA_REPORT_SLOTS)
      sqa_publish(root, slot, site, missing, uvec2(cell, phase - 1u), size,
                  uvec2(tag | access << 16u | by << 20u | flags, owner));
  }
}

// Whether this access conflicts with what the cell held: then returns that, otherwise 0, and the cell is for both. old: what
// it held, of the same phase or not ordered before it. mine: what this access has stored there, unless old was greater.
// releases: the word for releases; 0: the shader has none.
uint sqa_shared_slow(const uint shape, const uint cell, const uint old, const uint mine, const uint kind, const uint releases) {
  uint found = old;
  bool conflict = sqa_shared_conflict(shape, old, mine, kind);
  if (!conflict) {
    uint joined = sqa_shared_join(shape, old, mine, kind);
    if (joined > sqa_greater(old, mine)) {
      // Somebody may have come in between.
      found = sqa_cell_max(cell, joined);
      conflict = found != sqa_greater(old, mine) && sqa_shared_conflict(shape, found, mine, kind);
    }
  }
  if (conflict && releases != 0u && (sqa_shared_orders & has_acquired) != 0u) {
    // What was released in an earlier phase is not this access, unless the phase is that of one of this invocation's own.
    uint released = sqa_cell_load(releases);
    uint accessed = sqa_names_itself(shape, found, mine) ? sqa_shared_ordered : found;
    conflict = released < accessed >> sqa_phase_shift(shape);
  }
  return conflict ? found : 0u;
}

// Stores the access, and if it conflicts, does `what` with `found` as sqa_shared_slow returns it. mark: state and tag of this
// access. range: the first cell of the variable and how many it has; accesses behind its end are the program's error, and have
// no cell. A macro, since the two that do something with what is found do it within the branch: with one more behind it, a
// reduction took 5 % longer on an H100.
#define sqa_shared_check(shape, range, cell, mark, releases, what)                                                       \
  if (cell - range.x < range.y) {                                                                                        \
    uint mine = sqa_shared_me | mark;                                                                                    \
    uint kind = sqa_state(shape, mark);                                                                                  \
    uint old = 0u;                                                                                                       \
    bool news = true;                                                                                                    \
    if (sqa_is_one_of(kind, SQA_SHARED_READS)) {                                                                         \
      /* Reads are many, and most find that what they would store is there: a difference only in bits below the state,   \
         or only in the tag. */                                                                                          \
      old = sqa_cell_load(cell);                                                                                         \
      uint shift = sqa_state_shift(shape);                                                                               \
      uint differs = old ^ sqa_shared_me;                                                                                \
      news = (differs ^ (SQA_SHARED_READ_SEVERAL << shift)) >= 1u << shift &&                                            \
             (differs ^ (kind << shift)) >= 1u << sqa_tag_bits(shape) &&                                                 \
             (differs ^ (SQA_SHARED_WRITE_ONE << shift)) >= 1u << sqa_tag_bits(shape);                                   \
      if (sqa_keeps_own_write(shape, old)) news = false;                                                                 \
    }                                                                                                                    \
    if (news) {                                                                                                          \
      old = sqa_cell_max(cell, mine);                                                                                    \
      if (old >= sqa_shared_ordered && (old ^ mine) >= 1u << sqa_tag_bits(shape)) {                                      \
        uint found = sqa_shared_slow(shape, cell, old, mine, kind, releases);                                            \
        if (found != 0u) what;                                                                                           \
      }                                                                                                                  \
    }                                                                                                                    \
  }

// One cell, or the next `count` cells from `cell` on. What is found is reported at once.
void sqa_shared_access(const uvec2 root, const uvec2 hash, const uvec2 site, const uint shape, const uvec2 range,
                       const uint cell, const uint mark, const uint size, const uint releases) {
  sqa_shared_check(shape, range, cell, mark, releases,
                   sqa_shared_report(root, SqaSite(hash, site.x, site.y), shape, cell, found, size))
}
void sqa_shared_accesses(const uvec2 root, const uvec2 hash, const uvec2 site, const uint shape, const uvec2 range,
                         const uint cell, const uint count, const uint mark, const uint size, const uint releases) {
  [[dont_unroll]] for (uint n = 0u; n < count; ++n)
    sqa_shared_access(root, hash, site, shape, range, cell + n, mark, size, releases);
}

// What one access finds again and again of another one takes one note. The last note is for another access.
void sqa_shared_note(const uvec2 site, const uint shape, const uint cell, const uint old, const uint size) {
  uint at = sqa_shared_noted;
  bool again = at != 0u && sqa_shared_note_sites[at - 1u].x == site.x;
  if (again && at < most_notes - 1u)
    again = ((sqa_shared_note_cells[at - 1u].y ^ old) & ((1u << sqa_tag_bits(shape)) - 1u)) == 0u;
  if (at < most_notes && !again) {
    sqa_shared_note_sites[at] = site;
    sqa_shared_note_cells[at] = uvec2(cell, old);
    sqa_shared_note_details[at] = uvec2(sqa_shared_me, size);
    sqa_shared_noted = at + 1u;
  }
}
void sqa_shared_access_noted(const uvec2 site, const uint shape, const uvec2 range, const uint cell, const uint mark,
                             const uint size, const uint releases) {
  sqa_shared_check(shape, range, cell, mark, releases, sqa_shared_note(site, shape, cell, found, size))
}
void sqa_shared_accesses_noted(const uvec2 site, const uint shape, const uvec2 range, const uint cell, const uint count,
                               const uint mark, const uint size, const uint releases) {
  [[dont_unroll]] for (uint n = 0u; n < count; ++n)
    sqa_shared_access_noted(site, shape, range, cell + n, mark, size, releases);
}
// At the end of the invocation, which makes no access any more.
void sqa_report_shared_notes(const uvec2 root, const uvec2 hash, const uint shape) {
  [[dont_unroll]] for (uint n = 0u; n < sqa_shared_noted; ++n) {
    uvec2 site = sqa_shared_note_sites[n], cell = sqa_shared_note_cells[n];
    sqa_shared_me = sqa_shared_note_details[n].x;
    sqa_shared_report(root, SqaSite(hash, site.x, site.y), shape, cell.x, cell.y, sqa_shared_note_details[n].y);
  }
}

// written: the first word of the bits of written cells.
void sqa_shared_written(const uvec2 range, const uint cell, const uint count, const uint written) {
  [[dont_unroll]] for (uint n = 0u; n < count; ++n) {
    uint at = cell + n;
    if (at - range.x < range.y) sqa_cell_or(written + (at >> 5u), 1u << (at & 31u));
  }
}
void sqa_shared_read(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec2 range, const uint cell,
                     const uint count, const uint written, const uint size) {
  [[dont_unroll]] for (uint n = 0u; n < count; ++n) {
    uint at = cell + n;
    if (at - range.x < range.y && (sqa_cell_load(written + (at >> 5u)) >> (at & 31u) & 1u) == 0u) {
      uvec2 control = SqaCheckRoot(root).control;
      if ((control.x | control.y) != 0u) {
        SqaSite where = SqaSite(hash, site.x, site.y);
        uint slot = sqa_claim(control, where, true);
        if (slot < SQA_REPORT_SLOTS) sqa_publish(root, slot, where, 0u, uvec2(at, 0u), size, uvec2(0u));
      }
    }
  }
}

// Never runs: the build's dead code elimination keeps what it calls.
void main() {
  sqa_set_where(uvec3(0u));
  sqa_begin_shared(0u, 0u, uvec2(0u), 0u, uvec2(0u));
  sqa_passed_shared_barrier(0u, true);
  sqa_passed_shared_subgroup_barrier(0u, true);
  sqa_passed_shared_fence(0u, true, true, true);
  sqa_before_shared_atomic(0u, 0u, true);
  sqa_after_shared_atomic();
  sqa_passed_shared_barrier_strict(0u, true, true);
  sqa_passed_shared_fence_strict(0u, true, true, true);
  sqa_after_shared_read();
  sqa_shared_access(uvec2(0u), uvec2(0u), uvec2(0u), 0u, uvec2(0u), 0u, 0u, 0u, 0u);
  sqa_shared_accesses(uvec2(0u), uvec2(0u), uvec2(0u), 0u, uvec2(0u), 0u, 0u, 0u, 0u, 0u);
  sqa_shared_access_noted(uvec2(0u), 0u, uvec2(0u), 0u, 0u, 0u, 0u);
  sqa_shared_accesses_noted(uvec2(0u), 0u, uvec2(0u), 0u, 0u, 0u, 0u, 0u);
  sqa_report_shared_notes(uvec2(0u), uvec2(0u), 0u);
  sqa_shared_written(uvec2(0u), 0u, 0u, 0u);
  sqa_shared_read(uvec2(0u), uvec2(0u), uvec2(0u), uvec2(0u), 0u, 0u, 0u, 0u);
}
