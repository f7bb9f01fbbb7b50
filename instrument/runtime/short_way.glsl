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
  const uint site = (SQA_TAGS - 1u) << SQA_CELL_TAG;
  const uint kind_bits = 3u << SQA_CELL_KIND;
  const uint before_bits = 3u << SQA_CELL_BEFORE;
  const uint local_high = ((1u << SQA_LOCAL_BITS) - 1u) >> 5u;  // of the owner, in the high word
  uint way = SQA_WAY_LONG;
  next_low = own_low;
  if (found_high >> 17u != own_high >> 17u) {
    if (found_high >> 17u <= ordered_before) way = SQA_WAY_REPLACE;
  } else {
    uint kind = (own_low >> SQA_CELL_KIND) & 3u;
    uint found_kind = (found_low >> SQA_CELL_KIND) & 3u;
    uint before = (found_low >> SQA_CELL_BEFORE) & 3u;
    uint spread = (found_low >> SQA_CELL_SPREAD) & 3u;
    bool same_bytes = ((found_low ^ own_low) & 15u) == 0u;
    if (((found_low ^ own_low) & ~(site | kind_bits | before_bits)) == 0u && found_high == own_high) {
      // This invocation was here, in this phase: the stronger kind stays.
      bool stays = found_kind == kind || found_kind == SQA_KIND_WRITE || (found_kind >= SQA_KIND_ATOMIC && kind == SQA_KIND_READ);
      way = stays ? SQA_WAY_STAY : SQA_WAY_REPLACE;
      next_low |= before << SQA_CELL_BEFORE;
    } else if (same_bytes && kind == found_kind && (kind == SQA_KIND_READ || kind == SQA_KIND_ATOMIC) && before == 0u &&
               spread == SQA_SPREAD_SEVERAL && (found_low >> SQA_CELL_PHASE) == 0u && (found_high & 0x1ffffu) == 0u) {
      way = SQA_WAY_STAY;  // one more of many
    } else if (grouped && same_bytes && spread < SQA_SPREAD_SEVERAL && ((found_high ^ own_high) & ~local_high) == 0u &&
               (spread == SQA_SPREAD_INVOCATION || ((found_low >> SQA_CELL_OWNER) & 1u) == 0u)) {
      uint phase = (found_low >> SQA_CELL_PHASE) & uint(SQA_MAX_PHASE);
      bool alike = kind == found_kind && kind != SQA_KIND_WRITE && spread == SQA_SPREAD_WORKGROUP;
      if (phase < since) {
        // Its workgroup was here, before a barrier.
        uint now = found_kind == SQA_KIND_READ ? 1u : (found_kind == SQA_KIND_WRITE ? 3u : 2u);
        way = SQA_WAY_REPLACE;
        next_low |= (before == 0u || before == now ? now : 3u) << SQA_CELL_BEFORE;
      } else if (alike && phase == ((own_low >> SQA_CELL_PHASE) & uint(SQA_MAX_PHASE))) {
        way = SQA_WAY_STAY;  // one more of its workgroup
      }
    }
  }
  return way;
}
