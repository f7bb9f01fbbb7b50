// SPDX-License-Identifier: Apache-2.0
// The state machine of a cell within one action (docs/internals/exact.md), as a table. How a cell and an access relate is a case of 16
// bits; the layer has computed in advance what follows from each case (cell_outcomes.cpp). As code in the shader, the state machine
// would take so many registers that fewer invocations run at once. Compiled as GLSL by exact.glsl and as C++, so it keeps to what
// both have: SQA_OUT(T) is an out parameter. SQA_PHASE_TIMES has the bits of a phase that are times (releases.glsl).

// own: what the access stores into an empty cell (spread: an invocation, before: nothing). grouped: owners have workgroups. since:
// from this phase on, no barrier of the workgroup orders accesses before this one.
uint sqa_cell_case(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const bool grouped,
                   const uint since) {
  uint differs = found_low ^ own_low;
  uint differs_high = sqa_cell_owner_high(found_high ^ own_high);
  uint spread = sqa_cell_spread(found_low);
  uint phase = sqa_cell_phase(found_low);
  uint at = sqa_cell_state(found_low) | (sqa_cell_kind(own_low) << SQA_CASE_OWN_KIND);
  if (sqa_cell_mask(found_low & own_low) != 0u) at |= SQA_CASE_OVERLAP;
  if (sqa_cell_mask(own_low & ~found_low) == 0u) at |= SQA_CASE_COVERED;
  if (sqa_cell_mask(differs) != 0u && !sqa_cell_atomic_read(found_low)) at |= SQA_CASE_OTHER_MASK;
  if (sqa_cell_atomic_read(own_low) && sqa_cell_mask(found_low) - 1u < SQA_CELL_MASK_ONES - 1u)
    at ^= SQA_CASE_ATOMIC_READ_OF_WHOLE ^ SQA_CASE_ATOMIC_READ_OF_PART;
  if (grouped && spread < SQA_SPREAD_SEVERAL && (differs_high & ~SQA_CELL_LOCAL_HIGH) == 0u) at |= SQA_CASE_GROUP;
  if (spread == SQA_SPREAD_INVOCATION && differs_high == 0u && sqa_cell_owner_low(differs) == 0u) at |= SQA_CASE_OWNER;
  if (spread != SQA_SPREAD_INVOCATION && sqa_cell_some_bytes(found_low) != 0u) at |= SQA_CASE_OWNER;
  // Each invocation has times of its own.
  if ((sqa_cell_phase(differs) & ~((at & SQA_CASE_OWNER) != 0u ? 0u : SQA_PHASE_TIMES)) != 0u) at |= SQA_CASE_OTHER_PHASE;
  if (phase < since) at |= SQA_CASE_BEHIND;
  if (phase == uint(SQA_MAX_PHASE)) at |= SQA_CASE_LAST_PHASE;
  return at;
}

// Computes what the cell becomes. Returns 0 (no hazard) or SQA_MISSING_*.
uint sqa_cell_next(const uint outcome, const uint found_low, const uint found_high, const uint own_low, const uint own_high,
                   SQA_OUT(uint) next_low, SQA_OUT(uint) next_high) {
  bool stays = (outcome & SQA_OUTCOME_FOUND) != 0u;
  next_low = sqa_cell_with_state(stays ? found_low : own_low, outcome & SQA_ONES(SQA_CELL_STATE_BITS));
  next_high = stays ? found_high : own_high;
  if ((outcome & SQA_OUTCOME_BOTH_MASKS) != 0u) next_low |= sqa_cell_mask(own_low);
  if ((outcome & SQA_OUTCOME_NEW_PHASE) != 0u) next_low &= ~SQA_CELL_PHASE_FIELD;
  if ((outcome & SQA_OUTCOME_OWN_PHASE) != 0u) next_low |= own_low & SQA_CELL_PHASE_FIELD;
  if ((outcome & SQA_OUTCOME_NEW_OWNER) != 0u) {
    uint named = sqa_cell_owner_low(next_low) | (sqa_cell_owner_high(next_high) << SQA_CELL_OWNER_LOW_BITS);
    if (!stays || sqa_cell_spread(found_low) != SQA_SPREAD_WORKGROUP) named <<= 1u;
    next_low &= SQA_CELL_BELOW_OWNER;
    next_high &= ~SQA_CELL_OWNER_HIGH;
    if ((outcome & SQA_OUTCOME_SOME_BYTES) != 0u) next_low |= SQA_CELL_SOME_BYTES_FIELD;
    if ((outcome & SQA_OUTCOME_OWN_GROUP) != 0u) {
      named &= SQA_CELL_NAMED;
      next_low |= named << SQA_CELL_OWNER;
      next_high |= (sqa_cell_owner_high(own_high) & ~SQA_CELL_LOCAL_HIGH) | (named >> SQA_CELL_OWNER_LOW_BITS);
    }
  }
  return (outcome >> SQA_OUTCOME_HAZARD) & 3u;
}
