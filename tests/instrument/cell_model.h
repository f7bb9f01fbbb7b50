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
                   : kind == SQA_KIND_WRITE ? SQA_BEFORE_MIXED
                                            : SQA_BEFORE_ATOMIC;
  return before == 0 || before == now ? now : SQA_BEFORE_MIXED;
}
// `before`, where it holds for all bytes of `mine`.
uint kept_before(const uint before, const CellModel old, const CellModel mine) {
  return (mine.mask & ~old.mask) == 0 ? before : 0;
}

// How an access of the same action stands to what a cell holds.
struct RelationModel {
  bool same_group;
  bool same_owner;
  bool mixed;   // several invocations have different bytes, and it is not known which: the lowest bit of the
                // owner
  bool judged;  // the cell says enough for a verdict
  uint old_before;
  uint shared_spread;
  uint shared_owner;
};

RelationModel relation_of(const CellModel old, const CellModel mine, const bool grouped) {
  RelationModel of;
  of.same_group =
      grouped && old.spread < SQA_SPREAD_SEVERAL && ((old.owner ^ mine.owner) >> SQA_LOCAL_BITS) == 0;
  of.same_owner = old.owner == mine.owner && old.spread == SQA_SPREAD_INVOCATION;
  of.mixed = old.spread != SQA_SPREAD_INVOCATION && (old.owner & 1) != 0;
  of.judged = !of.mixed || (old.spread == SQA_SPREAD_WORKGROUP && !of.same_group);
  of.old_before = kept_before(old.before, old, mine);
  of.shared_spread = of.same_group ? SQA_SPREAD_WORKGROUP : SQA_SPREAD_SEVERAL;
  of.shared_owner = of.same_group ? (mine.owner >> SQA_LOCAL_BITS) << SQA_LOCAL_BITS : 0;
  return of;
}

// The cell after another access by the same invocation without a barrier in between. `next` holds `mine`.
void model_again(const CellModel old, const CellModel mine, const RelationModel of, CellModel& next) {
  bool stronger = old.kind == SQA_KIND_WRITE || (sqa_is_atomic(old.kind) && mine.kind == SQA_KIND_READ);
  if (old.kind == mine.kind) {
    next = old;
    next.mask |= mine.mask;
  } else if (stronger) {
    next = old;
  }
  next.before = of.old_before;
}

// Two reads, or two atomics, of the same bytes. Returns as model_hazard_within.
uint model_hazard_alike(const CellModel old, const CellModel mine, const RelationModel of, CellModel& next) {
  bool narrow = old.kind == SQA_KIND_ATOMIC_WORKGROUP || mine.kind == SQA_KIND_ATOMIC_WORKGROUP;
  bool others = !of.same_group && !of.same_owner;
  if (others && of.judged &&
      ((sqa_is_atomic(mine.kind) && narrow) || sqa_conflict_before(old.before, mine.kind))) {
    next.spread = SQA_SPREAD_REPORTED;
    return SQA_MISSING_ORDER;
  }
  if (of.same_owner) {
    next.before = of.old_before;
    return 0;
  }
  next = old;
  // Otherwise it would not be known which bytes have which scope.
  if (old.kind != mine.kind && old.mask != mine.mask) return 0;
  // Kept for one workgroup only: several would be accused of their own earlier accesses.
  next.before = of.same_group ? of.old_before : 0;
  next.mask |= mine.mask;
  next.spread = of.shared_spread;
  next.owner = of.shared_owner | uint(of.mixed || old.mask != mine.mask);
  next.phase = of.same_group ? mine.phase : 0;
  if (narrow) next.kind = SQA_KIND_ATOMIC_WORKGROUP;
  return 0;
}

// Within an action (docs/internals/exact.md, "The state machine"). next: what the cell becomes. Returns 0 (no
// hazard) or SQA_MISSING_*. grouped: owners have workgroups. since: from this phase on, no barrier of the
// workgroup orders accesses before this one.
uint model_hazard_within(const CellModel old, const CellModel mine, const bool grouped, const uint since,
                         CellModel& next) {
  next = mine;
  uint hazard = 0;
  bool overlap = (old.mask & mine.mask) != 0;
  const RelationModel of = relation_of(old, mine, grouped);
  uint ordered_before = kept_before(before_with(old.before, old.kind), old, mine);
  bool conflict = sqa_conflict(old.kind, mine.kind);
  if (old.spread == SQA_SPREAD_REPORTED) {
    next = old;
  } else if (of.same_owner && old.phase == mine.phase) {
    model_again(old, mine, of, next);
  } else if (!overlap) {
    if (of.same_group && old.phase != mine.phase) {
      next.before = ordered_before;
    } else if (old.kind == mine.kind) {
      next = old;
      next.before = of.same_group ? of.old_before : 0;
      next.mask |= mine.mask;
      next.spread = of.shared_spread;
      next.owner = of.shared_owner | 1;
    } else if (old.kind != SQA_KIND_READ) {
      next = old;
    }
  } else if (of.same_group && old.phase < since) {
    next.before = ordered_before;
  } else if (of.same_group && old.phase == SQA_MAX_PHASE && conflict) {
    next = old;
  } else if (conflict) {
    if (of.same_owner) {
      // An invocation's own accesses are in order, with or without a barrier.
      next.before = ordered_before;
    } else if (of.judged) {
      hazard = of.same_group && old.phase != mine.phase ? SQA_MISSING_MEMORY : SQA_MISSING_ORDER;
      next.spread = SQA_SPREAD_REPORTED;
    } else {
      next = old;
    }
  } else {
    hazard = model_hazard_alike(old, mine, of, next);
  }
  // What came before can only conflict with accesses of other workgroups, but with any of those.
  if (hazard == 0 && overlap && !of.same_group && !of.same_owner && old.spread != SQA_SPREAD_REPORTED &&
      sqa_conflict_before(old.before, mine.kind)) {
    hazard = SQA_MISSING_ORDER;
    next = mine;
    next.spread = SQA_SPREAD_REPORTED;
  }
  return hazard;
}

#endif
