// The state machine of a cell within one action (docs/exact.md). Compiled as GLSL by exact.glsl and as C++ by its tests, so
// it keeps to what both have: SQA_OUT(T) is an out parameter.

struct SqaCell {
  uint mask, kind, spread, before, tag, phase, owner, sequence;
};

const uint before_mixed = 3u;

bool sqa_is_atomic(const uint kind) { return kind >= SQA_KIND_ATOMIC; }

// Whether accesses of these kinds need an order.
bool sqa_conflict(const uint a, const uint b) {
  return !(a == SQA_KIND_READ && b == SQA_KIND_READ) && !(sqa_is_atomic(a) && sqa_is_atomic(b));
}

// `before` of a cell: 0 nothing, 1 read, 2 atomic, 3 write or a mixture.
uint sqa_before(const uint before, const uint kind) {
  uint now = kind == SQA_KIND_READ ? 1u : (kind == SQA_KIND_WRITE ? before_mixed : 2u);
  return before == 0u || before == now ? now : before_mixed;
}
// What of it holds for all bytes of `mine`.
uint sqa_kept(const uint before, const SqaCell old, const SqaCell mine) { return (mine.mask & ~old.mask) == 0u ? before : 0u; }
bool sqa_conflict_before(const uint before, const uint kind) {
  return before == before_mixed || (before == 1u && kind != SQA_KIND_READ) || (before == 2u && !sqa_is_atomic(kind));
}

// Within an action (docs/exact.md, "The state machine"). next: what the cell becomes. Returns 0: no hazard, or
// SQA_MISSING_*. grouped: owners have workgroups. since: phase from which on accesses are not ordered before this one by a
// barrier of the workgroup.
uint sqa_hazard_within(const SqaCell old, const SqaCell mine, const bool grouped, const uint since, SQA_OUT(SqaCell) next) {
  next = mine;
  uint hazard = 0u;
  bool overlap = (old.mask & mine.mask) != 0u;
  bool same_group = grouped && old.spread < SQA_SPREAD_SEVERAL && ((old.owner ^ mine.owner) >> SQA_LOCAL_BITS) == 0u;
  bool same_owner = old.owner == mine.owner && old.spread == SQA_SPREAD_INVOCATION;
  // Several invocations have different bytes: which, is not known. The lowest bit of the owner says so.
  bool mixed = old.spread != SQA_SPREAD_INVOCATION && (old.owner & 1u) != 0u;
  uint ordered_before = sqa_kept(sqa_before(old.before, old.kind), old, mine);
  uint old_before = sqa_kept(old.before, old, mine);
  uint shared_spread = same_group ? SQA_SPREAD_WORKGROUP : SQA_SPREAD_SEVERAL;
  uint shared_owner = same_group ? (mine.owner >> SQA_LOCAL_BITS) << SQA_LOCAL_BITS : 0u;
  bool conflict = sqa_conflict(old.kind, mine.kind);
  bool judged = !mixed || (old.spread == SQA_SPREAD_WORKGROUP && !same_group);
  if (old.spread == SQA_SPREAD_REPORTED) {
    next = old;
  } else if (same_owner && old.phase == mine.phase) {
    bool stronger = old.kind == SQA_KIND_WRITE || (sqa_is_atomic(old.kind) && mine.kind == SQA_KIND_READ);
    if (old.kind == mine.kind) {
      next = old;
      next.mask |= mine.mask;
    } else if (stronger) {
      next = old;
    }
    next.before = old_before;
  } else if (!overlap) {
    if (same_group && old.phase != mine.phase) {
      next.before = ordered_before;
    } else if (old.kind == mine.kind) {
      next = old;
      next.before = same_group ? old_before : 0u;
      next.mask |= mine.mask;
      next.spread = shared_spread;
      next.owner = shared_owner | 1u;
    } else if (old.kind != SQA_KIND_READ) {
      next = old;
    }
  } else if (same_group && old.phase < since) {
    next.before = ordered_before;
  } else if (same_group && old.phase == SQA_MAX_PHASE && conflict) {
    next = old;
  } else if (conflict) {
    if (same_owner) {
      // Its own accesses are in order, barrier or not.
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
    if (others && judged && ((sqa_is_atomic(mine.kind) && narrow) || sqa_conflict_before(old.before, mine.kind))) {
      hazard = SQA_MISSING_ORDER;
      next.spread = SQA_SPREAD_REPORTED;
    } else if (same_owner) {
      next.before = old_before;
    } else if (old.kind != mine.kind && old.mask != mine.mask) {
      // Which bytes have which scope would not be known.
      next = old;
    } else {
      next = old;
      // Of one workgroup: with several, they would be accused of it themselves.
      next.before = same_group ? old_before : 0u;
      next.mask |= mine.mask;
      next.spread = shared_spread;
      next.owner = shared_owner | uint(mixed || old.mask != mine.mask);
      next.phase = same_group ? mine.phase : 0u;
      if (narrow) next.kind = SQA_KIND_ATOMIC_WORKGROUP;
    }
  }
  // What was before concerns other workgroups only, and any access of theirs.
  if (hazard == 0u && overlap && !same_group && !same_owner && old.spread != SQA_SPREAD_REPORTED &&
      sqa_conflict_before(old.before, mine.kind)) {
    hazard = SQA_MISSING_ORDER;
    next = mine;
    next.spread = SQA_SPREAD_REPORTED;
  }
  return hazard;
}
