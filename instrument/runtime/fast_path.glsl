// SPDX-License-Identifier: Apache-2.0
// The fast path: what most accesses find in a cell, decided from the packed dwords alone. The table (cell_case.glsl) and the
// floors decide the same, and need more registers. Compiled as GLSL by exact.glsl and as C++ by its tests, as cell_case.glsl is.

#define SQA_PATH_SLOW 0u     // not decided here
#define SQA_PATH_KEEP 1u     // the cell already holds what the access would store, or more
#define SQA_PATH_REPLACE 2u  // no hazard; the access leaves next_low and own_high

// SQA_BEFORE_* of an access that is ordered behind the one in the cell, of the same workgroup, and takes its place.
uint sqa_before_behind(const uint found_low) {
  uint before = sqa_cell_before(found_low);
  return sqa_cell_atomic_read(found_low) ? before : sqa_before_with(before, sqa_cell_kind(found_low));
}

// own: what the access stores into an empty cell (spread: an invocation, before: nothing). ordered_before: the sequence number up
// to which all accesses of other actions are ordered before this one; 0: none.
uint sqa_fast_path(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const uint ordered_before,
                   const bool grouped, const uint since, SQA_OUT(uint) next_low) {
  uint path = SQA_PATH_SLOW;
  next_low = own_low;
  if (sqa_cell_sequence(found_high) != sqa_cell_sequence(own_high)) {
    if (sqa_cell_sequence(found_high) <= ordered_before) path = SQA_PATH_REPLACE;
  } else {
    uint kind = sqa_cell_kind(own_low);
    uint found_kind = sqa_cell_kind(found_low);
    uint before = sqa_cell_before(found_low);
    uint spread = sqa_cell_spread(found_low);
    bool same_bytes = sqa_cell_mask(found_low ^ own_low) == 0u;
    if (((found_low ^ own_low) & ~(SQA_CELL_TAG_FIELD | SQA_CELL_KIND_FIELD | SQA_CELL_BEFORE_FIELD)) == 0u && found_high == own_high) {
      // The same invocation in the same phase: the stronger kind is kept, of atomics that of the workgroup.
      bool kept = found_kind == kind || found_kind == SQA_KIND_WRITE || (found_kind >= SQA_KIND_ATOMIC && (kind & 1u) == 0u);
      path = kept ? SQA_PATH_KEEP : SQA_PATH_REPLACE;
      next_low |= sqa_cell_before_field(before);
    } else if (same_bytes && kind == found_kind && (kind == SQA_KIND_READ || kind == SQA_KIND_ATOMIC) &&
               spread == SQA_SPREAD_SEVERAL && (before != 0u || sqa_cell_of_nobody(found_low, found_high))) {
      path = SQA_PATH_KEEP;  // one more of many invocations, in a cell of one action or of two
    } else if (grouped && same_bytes && spread < SQA_SPREAD_SEVERAL && ((found_high ^ own_high) & ~SQA_CELL_LOCAL_HIGH) == 0u &&
               (spread == SQA_SPREAD_INVOCATION || sqa_cell_some_bytes(found_low) == 0u)) {
      uint phase = sqa_cell_phase(found_low);
      bool alike = kind == found_kind && kind != SQA_KIND_WRITE && spread == SQA_SPREAD_WORKGROUP;
      if (phase < since) {
        // An access of the same workgroup, before a barrier.
        path = SQA_PATH_REPLACE;
        next_low |= sqa_cell_before_field(sqa_before_behind(found_low));
      } else if (alike && phase == sqa_cell_phase(own_low)) {
        path = SQA_PATH_KEEP;  // one more invocation of the workgroup
      }
    }
  }
  return path;
}
