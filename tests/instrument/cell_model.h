// SPDX-License-Identifier: Apache-2.0
// The state machine of a cell as docs/internals/exact.md describes it, on unpacked fields. The table that
// shaders read (runtime/cell_outcomes.cpp, runtime/cell_case.glsl) is compared with it. Included after
// runtime/cell_kinds.glsl, whose functions it uses.
#ifndef SHADERQA_TESTS_INSTRUMENT_CELL_MODEL_H
#define SHADERQA_TESTS_INSTRUMENT_CELL_MODEL_H

using CellModel = abi::CellFields;

// `before` of a cell whose access is replaced by one that is ordered after it.
inline uint before_with(const uint before, const uint kind) {
  const uint now = kind == SQA_KIND_READ    ? SQA_BEFORE_READ
                   : kind == SQA_KIND_WRITE ? SQA_BEFORE_WRITE
                                            : SQA_BEFORE_ATOMIC;
  return std::max<uint>(before, now);
}
// An atomic load of a word, which all bytes of the word belong to.
inline bool is_atomic_read(const CellModel& cell) { return cell.mask == 0; }
inline uint bytes_of(const CellModel& cell) { return is_atomic_read(cell) ? 15u : cell.mask; }
inline bool kinds_conflict(const CellModel& a, const CellModel& b) {
  if (is_atomic_read(a)) return sqa_conflict_atomic_read(b.kind);
  if (is_atomic_read(b)) return sqa_conflict_atomic_read(a.kind);
  return sqa_conflict(a.kind, b.kind);
}
// The cell keeps that one of two accesses by one invocation which has the greater strength.
inline uint strength(const CellModel& cell) {
  if (is_atomic_read(cell)) return 0;
  if (cell.kind == SQA_KIND_READ) return 1;
  if (cell.kind == SQA_KIND_WRITE) return 4;
  return cell.kind == SQA_KIND_ATOMIC_WORKGROUP ? 3 : 2;
}
// `before`, where it holds for all bytes of `mine`.
uint kept_before(const uint before, const CellModel old, const CellModel mine) {
  return (bytes_of(mine) & ~bytes_of(old)) == 0 ? before : 0;
}

// Within an action (docs/internals/exact.md, "The state machine"). next: what the cell becomes. Returns 0 (no
// hazard) or SQA_MISSING_*. grouped: owners have workgroups. since: from this phase on, no barrier of the
// workgroup orders accesses before this one.
uint model_hazard_within(const CellModel old, const CellModel mine, const bool grouped, const uint since,
                         CellModel& next) {
  next = mine;
  uint hazard = 0;
  bool overlap = (bytes_of(old) & bytes_of(mine)) != 0;
  bool same_group =
      grouped && old.spread < SQA_SPREAD_SEVERAL && ((old.owner ^ mine.owner) >> SQA_LOCAL_BITS) == 0;
  bool same_owner = old.owner == mine.owner && old.spread == SQA_SPREAD_INVOCATION;
  // The lowest bit of the owner: several invocations have different bytes, and it is not known which.
  bool mixed = old.spread != SQA_SPREAD_INVOCATION && (old.owner & 1) != 0;
  uint ordered_before =
      kept_before(is_atomic_read(old) ? old.before : before_with(old.before, old.kind), old, mine);
  uint old_before = kept_before(old.before, old, mine);
  uint shared_spread = same_group ? SQA_SPREAD_WORKGROUP : SQA_SPREAD_SEVERAL;
  uint shared_owner = same_group ? (mine.owner >> SQA_LOCAL_BITS) << SQA_LOCAL_BITS : 0;
  // Which of several invocations of a workgroup made the access whose site is kept.
  const auto named = [&](const CellModel& whose) {
    const uint local = whose.owner & SQA_ONES(SQA_LOCAL_BITS);
    return !same_group ? 0 : (whose.spread == SQA_SPREAD_WORKGROUP ? local : local << 1) & SQA_CELL_NAMED;
  };
  bool conflict = kinds_conflict(old, mine);
  // An atomic load conflicts with writes alone, which `before` does not tell from reads and atomics.
  bool hits_before = !is_atomic_read(mine) && sqa_conflict_before(old.before, mine.kind);
  bool judged = !mixed || (old.spread == SQA_SPREAD_WORKGROUP && !same_group);
  if (old.spread == SQA_SPREAD_REPORTED) {
    next = old;
  } else if (same_owner && old.phase == mine.phase) {
    if (old.kind == mine.kind && is_atomic_read(old) == is_atomic_read(mine)) {
      next = old;
      next.mask |= mine.mask;
    } else if (strength(old) > strength(mine)) {
      next = old;
    }
    next.before = old_before;
  } else if (!overlap) {
    if (same_group && old.phase != mine.phase) {
      next.before = ordered_before;
    } else if (old.kind == mine.kind) {
      next = old;
      next.before = same_group ? old_before : 0;
      next.mask |= mine.mask;
      next.spread = shared_spread;
      next.owner = shared_owner | named(old) | 1;
    } else if (old.kind != SQA_KIND_READ) {
      next = old;
    }
  } else if (same_group && old.phase < since) {
    next.before = ordered_before;
  } else if (same_group && old.phase == SQA_MAX_PHASE && conflict) {
    next = old;
  } else if (conflict) {
    if (same_owner) {
      // An invocation's own accesses are in order, with or without a barrier. Who is behind the second one of
      // two stores is behind both.
      if (old.kind == SQA_KIND_WRITE && mine.kind == SQA_KIND_WRITE && old.mask == mine.mask)
        next.before = old_before;
      else if (strength(old) > strength(mine) && (bytes_of(mine) & ~bytes_of(old)) == 0)
        next = old;
      else
        next.before = ordered_before;
    } else if (judged) {
      hazard = same_group && old.phase != mine.phase ? SQA_MISSING_MEMORY : SQA_MISSING_ORDER;
      next.spread = SQA_SPREAD_REPORTED;
    } else {
      next = old;
    }
  } else {
    // Reads and reads, or atomics and atomics.
    bool narrow = old.kind == SQA_KIND_ATOMIC_WORKGROUP || mine.kind == SQA_KIND_ATOMIC_WORKGROUP;
    bool others = !same_group && !same_owner;
    bool atomics = sqa_is_atomic(mine.kind) || is_atomic_read(mine);
    if (others && judged && ((atomics && narrow) || hits_before)) {
      hazard = SQA_MISSING_ORDER;
      next.spread = SQA_SPREAD_REPORTED;
    } else if (is_atomic_read(mine) && !is_atomic_read(old)) {
      next = old;
    } else if (same_owner && strength(old) > strength(mine) && sqa_is_atomic(mine.kind)) {
      next = old;
    } else if (same_owner) {
      next.before = old_before;
    } else if (is_atomic_read(old) && !is_atomic_read(mine)) {
      next.before = same_group ? old_before : 0;
    } else if (old.kind != mine.kind && old.mask != mine.mask) {
      // It would not be known which bytes have which scope.
      next = old;
    } else {
      next = old;
      // Kept for one workgroup only: several would be accused of their own earlier accesses.
      next.before = same_group ? old_before : 0;
      next.mask |= mine.mask;
      next.spread = shared_spread;
      bool keeps_site = true;
      next.phase = same_group ? mine.phase : 0;
      if (narrow) next.kind = SQA_KIND_ATOMIC_WORKGROUP;
      // Who conflicts with it conflicts with the narrow one.
      if (narrow && old.kind != SQA_KIND_ATOMIC_WORKGROUP) keeps_site = false;
      // A barrier may order an access of an earlier phase before whoever comes next.
      if (same_group && old.kind == mine.kind && old.mask == mine.mask && old.phase != mine.phase && !mixed)
        keeps_site = false;
      if (!keeps_site) next.tag = mine.tag;
      next.owner = shared_owner | named(keeps_site ? old : mine) | uint(mixed || old.mask != mine.mask);
    }
  }
  // What came before can only conflict with accesses of other workgroups, but with any of those.
  if (hazard == 0 && overlap && !same_group && !same_owner && old.spread != SQA_SPREAD_REPORTED &&
      hits_before) {
    hazard = SQA_MISSING_ORDER;
    next = mine;
    next.spread = SQA_SPREAD_REPORTED;
  }
  return hazard;
}

#endif
