// SPDX-License-Identifier: Apache-2.0
// What cell_case.glsl and cell_actions.glsl decide, for an access with all bytes of its word, in less code. Compiled as GLSL by words.glsl
// and as C++ by its tests, which compare the two.

// As sqa_cell_case.
uint sqa_cell_case_whole(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const bool grouped,
                         const uint since) {
  uint differs_high = sqa_cell_owner_high(found_high ^ own_high);
  uint spread = sqa_cell_spread(found_low);
  uint mask = sqa_cell_mask(found_low);
  uint phase = sqa_cell_phase(found_low);
  uint at = sqa_cell_state(found_low) | (sqa_cell_kind(own_low) << SQA_CASE_OWN_KIND);
  if (mask != 0u) at |= SQA_CASE_OVERLAP | (mask == SQA_CELL_MASK_ONES ? SQA_CASE_COVERED : SQA_CASE_OTHER_MASK);
  if (grouped && spread < SQA_SPREAD_SEVERAL && (differs_high & ~SQA_CELL_LOCAL_HIGH) == 0u) at |= SQA_CASE_GROUP;
  bool owner = spread == SQA_SPREAD_INVOCATION ? (differs_high | sqa_cell_owner_low(found_low ^ own_low)) == 0u
                                               : sqa_cell_some_bytes(found_low) != 0u;
  if (owner) at |= SQA_CASE_OWNER;
  if ((sqa_cell_phase(found_low ^ own_low) & ~(owner ? 0u : SQA_PHASE_TIMES)) != 0u) at |= SQA_CASE_OTHER_PHASE;
  if (phase < since) at |= SQA_CASE_BEHIND;
  if (phase == uint(SQA_MAX_PHASE)) at |= SQA_CASE_LAST_PHASE;
  return at;
}

// As sqa_actions_conflict, for an access of this kind, by two tables of bits: by what the cell has, and by what came before that.
bool sqa_actions_conflict_whole(const uint found_low, const uint kind) {
  uint has = sqa_cell_atomic_read(found_low) ? 4u : sqa_cell_kind(found_low);
  uint by_kind = 0x2fbfeu >> (has * 4u + kind);
  uint by_before = 0xf3e0u >> (sqa_cell_before(found_low) * 4u + kind);
  return ((by_kind | by_before) & 1u) != 0u;
}
