// SPDX-License-Identifier: Apache-2.0
// What most accesses find in a cell, told from the packed words alone: the table (cell_case.glsl) and the floors say the same of
// them, and need more registers. Compiled as GLSL by exact.glsl and as C++ by its tests, as cell_case.glsl is.

#define SQA_WAY_LONG 0u     // not told here
#define SQA_WAY_STAY 1u     // the cell says what the access would leave, or more
#define SQA_WAY_REPLACE 2u  // no hazard; what the access leaves is next_low and own_high

// own: what the access enters where nothing was (spread: an invocation, before: nothing). ordered_before: sequence number up to which
// whatever other actions did is ordered before it; 0: none.
uint sqa_short_way(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const uint ordered_before,
                   const bool grouped, const uint since, SQA_OUT(uint) next_low) {
  uint way = SQA_WAY_LONG;
  next_low = own_low;
  if (sqa_cell_sequence(found_high) != sqa_cell_sequence(own_high)) {
    if (sqa_cell_sequence(found_high) <= ordered_before) way = SQA_WAY_REPLACE;
  } else {
    uint kind = sqa_cell_kind(own_low);
    uint found_kind = sqa_cell_kind(found_low);
    uint before = sqa_cell_before(found_low);
    uint spread = sqa_cell_spread(found_low);
    bool same_bytes = sqa_cell_mask(found_low ^ own_low) == 0u;
    if (((found_low ^ own_low) & ~(SQA_CELL_TAG_FIELD | SQA_CELL_KIND_FIELD | SQA_CELL_BEFORE_FIELD)) == 0u && found_high == own_high) {
      // This invocation was here, in this phase: the stronger kind stays.
      bool stays = found_kind == kind || found_kind == SQA_KIND_WRITE || (found_kind >= SQA_KIND_ATOMIC && kind == SQA_KIND_READ);
      way = stays ? SQA_WAY_STAY : SQA_WAY_REPLACE;
      next_low |= sqa_cell_before_field(before);
    } else if (same_bytes && kind == found_kind && (kind == SQA_KIND_READ || kind == SQA_KIND_ATOMIC) && before == 0u &&
               spread == SQA_SPREAD_SEVERAL && sqa_cell_of_nobody(found_low, found_high)) {
      way = SQA_WAY_STAY;  // one more of many
    } else if (grouped && same_bytes && spread < SQA_SPREAD_SEVERAL && ((found_high ^ own_high) & ~SQA_CELL_LOCAL_HIGH) == 0u &&
               (spread == SQA_SPREAD_INVOCATION || sqa_cell_some_bytes(found_low) == 0u)) {
      uint phase = sqa_cell_phase(found_low);
      bool alike = kind == found_kind && kind != SQA_KIND_WRITE && spread == SQA_SPREAD_WORKGROUP;
      if (phase < since) {
        // Its workgroup was here, before a barrier.
        uint now = found_kind == SQA_KIND_READ ? 1u : (found_kind == SQA_KIND_WRITE ? 3u : 2u);
        way = SQA_WAY_REPLACE;
        next_low |= sqa_cell_before_field(before == 0u || before == now ? now : 3u);
      } else if (alike && phase == sqa_cell_phase(own_low)) {
        way = SQA_WAY_STAY;  // one more of its workgroup
      }
    }
  }
  return way;
}
