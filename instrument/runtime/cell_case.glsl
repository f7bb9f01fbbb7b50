// SPDX-License-Identifier: Apache-2.0
// The state machine of a cell within one action (docs/exact.md), as a table: what a cell and an access are to each other is a
// case of 16 bits, for each of which the layer has worked out what follows (instrument/cell_outcomes). In line, the machine would
// take so many registers that fewer invocations run at once. Compiled as GLSL by exact.glsl and as C++, so it keeps to what
// both have: SQA_OUT(T) is an out parameter.

// Fields of a cell's low and high dword.
#define sqa_cell_mask(low) ((low) & 15u)
#define sqa_cell_kind(low) (((low) >> SQA_CELL_KIND) & 3u)
#define sqa_cell_spread(low) (((low) >> SQA_CELL_SPREAD) & 3u)
#define sqa_cell_before(low) (((low) >> SQA_CELL_BEFORE) & 3u)
#define sqa_cell_phase(low) (((low) >> SQA_CELL_PHASE) & uint(SQA_MAX_PHASE))
#define sqa_cell_sequence(high) ((high) >> 17u)
#define sqa_cell_owner(low, high) (((low) >> SQA_CELL_OWNER) | (((high) & SQA_CELL_OWNER_HIGH) << 5u))

// own: what the access enters where nothing was (spread: an invocation, before: nothing). grouped: owners have workgroups.
// since: phase from which on accesses are not ordered before this one by a barrier of the workgroup.
uint sqa_cell_case(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const bool grouped,
                   const uint since) {
  const uint local_high = ((1u << SQA_LOCAL_BITS) - 1u) >> 5u;
  uint differs = found_low ^ own_low;
  uint differs_high = (found_high ^ own_high) & SQA_CELL_OWNER_HIGH;
  uint spread = sqa_cell_spread(found_low);
  uint phase = sqa_cell_phase(found_low);
  uint at = ((found_low >> SQA_CELL_KIND) & 63u) | (sqa_cell_kind(own_low) << SQA_CASE_OWN_KIND);
  if (sqa_cell_mask(found_low & own_low) != 0u) at |= SQA_CASE_OVERLAP;
  if (sqa_cell_mask(own_low & ~found_low) == 0u) at |= SQA_CASE_COVERED;
  if (sqa_cell_mask(differs) != 0u) at |= SQA_CASE_OTHER_MASK;
  if (grouped && spread < SQA_SPREAD_SEVERAL && (differs_high & ~local_high) == 0u) at |= SQA_CASE_GROUP;
  if (spread == SQA_SPREAD_INVOCATION && differs_high == 0u && (differs >> SQA_CELL_OWNER) == 0u) at |= SQA_CASE_OWNER;
  // Several invocations have different bytes: which, is not known. The lowest bit of the owner says so.
  if (spread != SQA_SPREAD_INVOCATION && ((found_low >> SQA_CELL_OWNER) & 1u) != 0u) at |= SQA_CASE_OWNER;
  if (sqa_cell_phase(differs) != 0u) at |= SQA_CASE_OTHER_PHASE;
  if (phase < since) at |= SQA_CASE_BEHIND;
  if (phase == uint(SQA_MAX_PHASE)) at |= SQA_CASE_LAST_PHASE;
  return at;
}

// What the cell becomes. Returns 0: no hazard, or SQA_MISSING_*.
uint sqa_cell_next(const uint outcome, const uint found_low, const uint found_high, const uint own_low, const uint own_high,
                   SQA_OUT(uint) next_low, SQA_OUT(uint) next_high) {
  const uint local_high = ((1u << SQA_LOCAL_BITS) - 1u) >> 5u;
  const uint phase_bits = uint(SQA_MAX_PHASE) << SQA_CELL_PHASE;
  bool stays = (outcome & SQA_OUTCOME_FOUND) != 0u;
  next_low = ((stays ? found_low : own_low) & ~(63u << SQA_CELL_KIND)) | ((outcome & 63u) << SQA_CELL_KIND);
  next_high = stays ? found_high : own_high;
  if ((outcome & SQA_OUTCOME_BOTH_MASKS) != 0u) next_low |= sqa_cell_mask(own_low);
  if ((outcome & SQA_OUTCOME_NEW_PHASE) != 0u) next_low &= ~phase_bits;
  if ((outcome & SQA_OUTCOME_OWN_PHASE) != 0u) next_low |= own_low & phase_bits;
  if ((outcome & SQA_OUTCOME_NEW_OWNER) != 0u) {
    next_low &= (1u << SQA_CELL_OWNER) - 1u;
    next_high &= ~SQA_CELL_OWNER_HIGH;
    if ((outcome & SQA_OUTCOME_SOME_BYTES) != 0u) next_low |= 1u << SQA_CELL_OWNER;
    if ((outcome & SQA_OUTCOME_OWN_GROUP) != 0u) next_high |= own_high & SQA_CELL_OWNER_HIGH & ~local_high;
  }
  return (outcome >> SQA_OUTCOME_HAZARD) & 3u;
}
