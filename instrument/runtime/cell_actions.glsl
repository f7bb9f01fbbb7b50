// SPDX-License-Identifier: Apache-2.0
// A cell between actions (docs/internals/exact.md): which accesses of two actions conflict, and cells that hold two actions. Compiled
// as GLSL by exact.glsl and as C++ by its tests, so it keeps to what both have: SQA_OUT(T) is an out parameter.

// Whether the newest access of a cell needs an order with this one, by another invocation. Both are low dwords; found is a cell, own what
// the access stores into an empty one.
bool sqa_newest_conflicts(const uint found_low, const uint own_low) {
  uint kind = sqa_cell_kind(own_low);
  uint found_kind = sqa_cell_kind(found_low);
  if (sqa_cell_atomic_read(own_low) || sqa_cell_atomic_read(found_low))
    return sqa_conflict_atomic_read(kind) || sqa_conflict_atomic_read(found_kind);
  // Atomics of the workgroup's scope do not order each other in two actions, nor in two workgroups.
  return sqa_conflict(found_kind, kind) || (sqa_is_atomic(kind) && (found_kind == SQA_KIND_ATOMIC_WORKGROUP || kind == SQA_KIND_ATOMIC_WORKGROUP));
}

// The same for accesses of two actions, and for what came before the newest one.
bool sqa_actions_conflict(const uint found_low, const uint own_low) {
  uint before = sqa_cell_before(found_low);
  bool atomic_read = sqa_cell_atomic_read(own_low);
  // What came before an atomic load may be reads and atomics only.
  bool conflict = sqa_newest_conflicts(found_low, own_low) || (before != 0u && !atomic_read && sqa_conflict_before(before, sqa_cell_kind(own_low)));
  return conflict && (sqa_cell_mask(found_low & own_low) != 0u || atomic_read || sqa_cell_atomic_read(found_low));
}

// Whether an access of another action conflicts, if at all, only with reads: those need no availability. Both are low dwords, found is a
// cell. An atomic conflicts with neither the atomics in the cell nor those before it.
bool sqa_only_reads_conflict(const uint found_low, const uint own_low) {
  uint found_kind = sqa_cell_kind(found_low);
  // A bit for each of what came before and each kind of the access.
  uint only = found_kind == SQA_KIND_READ ? 0xcffu : found_kind == SQA_KIND_ATOMIC ? 0x40u : 0u;
  return ((only >> (sqa_cell_before(found_low) * 4u + sqa_cell_kind(own_low))) & 1u) != 0u;
}

// Whether one cell can hold both, which do not conflict: reads of both, or atomics of both.
bool sqa_actions_join(const uint found_low, const uint own_low) {
  return sqa_is_atomic(sqa_cell_kind(found_low)) == sqa_is_atomic(sqa_cell_kind(own_low)) &&
         sqa_cell_atomic_read(found_low) == sqa_cell_atomic_read(own_low);
}

// The cell of two actions: own is the newer one.
void sqa_cell_with_older(const uint own_low, const uint own_high, const uint older_low, const uint older_high, SQA_OUT(uint) next_low,
                         SQA_OUT(uint) next_high) {
  uint older = sqa_cell_older_field(older_low, older_high);
  next_low = (own_low & (SQA_CELL_MASK_ONES | SQA_CELL_KIND_FIELD | SQA_CELL_TAG_FIELD)) | sqa_cell_spread_field(uint(SQA_SPREAD_SEVERAL)) |
             sqa_cell_before_field(uint(SQA_BEFORE_OLDER)) | sqa_cell_older_in_low(older);
  next_high = (own_high & ~SQA_CELL_OWNER_HIGH) | sqa_cell_older_in_high(older);
}

// The two actions of a cell, as cells of their own.
void sqa_cell_newer(const uint low, const uint high, SQA_OUT(uint) newer_low, SQA_OUT(uint) newer_high) {
  newer_low = low & SQA_ONES(SQA_CELL_PHASE) & ~SQA_CELL_BEFORE_FIELD;
  newer_high = high & ~SQA_CELL_OWNER_HIGH;
}
void sqa_cell_older(const uint low, const uint high, SQA_OUT(uint) older_low, SQA_OUT(uint) older_high) {
  uint older = sqa_cell_older_of(low, high);
  older_low = (low & SQA_CELL_KIND_FIELD) | sqa_cell_spread_field(uint(SQA_SPREAD_SEVERAL)) | sqa_cell_older_low(older);
  older_high = sqa_cell_older_high(older);
}
