// SPDX-License-Identifier: Apache-2.0
#include "instrument/runtime/cell_outcomes.h"

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

using uint = uint32_t;
#include "instrument/runtime/cell_kinds.glsl"

uint outcome(uint kind, uint spread, uint before) { return sqa_cell_state_of(kind, spread, before); }

uint outcome_of(uint at) {
  const uint found = sqa_cell_with_state(0u, at & SQA_ONES(SQA_CELL_STATE_BITS));
  const uint found_kind = sqa_cell_kind(found), spread = sqa_cell_spread(found);
  const uint found_before = sqa_cell_before(found);
  const uint kind = at >> SQA_CASE_OWN_KIND & SQA_ONES(SQA_CELL_KIND_BITS);
  const uint masks = at & SQA_CASE_MASKS;
  const bool atomic_read_both = masks == SQA_CASE_ATOMIC_READ_BOTH;
  const bool atomic_read =
      masks == SQA_CASE_ATOMIC_READ_OF_WHOLE || masks == SQA_CASE_ATOMIC_READ_OF_PART || atomic_read_both;
  const bool found_atomic_read = masks == SQA_CASE_ATOMIC_READ_FOUND || atomic_read_both;
  // An atomic load has all bytes of the word.
  const bool overlap = (at & SQA_CASE_OVERLAP) || atomic_read || found_atomic_read;
  const bool same_mask = !(at & SQA_CASE_OTHER_MASK);
  const bool same_group = at & SQA_CASE_GROUP;
  const bool same_owner = spread == SQA_SPREAD_INVOCATION && (at & SQA_CASE_OWNER);
  const bool mixed = spread != SQA_SPREAD_INVOCATION && (at & SQA_CASE_OWNER);
  const bool same_phase = !(at & SQA_CASE_OTHER_PHASE);
  // What came before counts where it covers all bytes of this access.
  const bool covered = (at & SQA_CASE_COVERED) || found_atomic_read;
  const uint before = covered ? found_before : 0;

  const uint stays = outcome(found_kind, spread, found_before) | SQA_OUTCOME_FOUND;
  const uint comes = outcome(kind, SQA_SPREAD_INVOCATION, 0);
  // An atomic load conflicts with writes alone, and those conflict with whatever comes after it: what came
  // before need not say that there was one.
  const uint before_now = found_atomic_read ? before : sqa_before_with(before, found_kind);
  const uint ordered = outcome(kind, SQA_SPREAD_INVOCATION, covered ? before_now : 0);
  const auto hazard = [&](uint missing) {
    return outcome(kind, SQA_SPREAD_REPORTED, 0) | missing << SQA_OUTCOME_HAZARD;
  };
  const bool others = !same_group && !same_owner;
  // What came before can only conflict with accesses of other workgroups, but with any of those.
  // Before an atomic load there may have been reads and atomics only.
  const bool hits_before = overlap && others && !atomic_read && sqa_conflict_before(found_before, kind);
  // Atomic loads are the weakest kind.
  const bool weaker = atomic_read && !found_atomic_read;
  // Of two accesses by one invocation the cell keeps the one that conflicts with more.
  const bool stronger =
      weaker || found_kind == SQA_KIND_WRITE || (sqa_is_atomic(found_kind) && kind == SQA_KIND_READ);
  const bool same_kind = found_kind == kind && atomic_read == found_atomic_read;
  const bool conflict = atomic_read || found_atomic_read
                            ? sqa_conflict_atomic_read(found_kind) || sqa_conflict_atomic_read(kind)
                            : sqa_conflict(found_kind, kind);

  if (spread == SQA_SPREAD_REPORTED) return stays;
  if (same_owner && same_phase) {
    if (same_kind) return outcome(kind, spread, before) | SQA_OUTCOME_FOUND | SQA_OUTCOME_BOTH_MASKS;
    return stronger ? outcome(found_kind, spread, before) | SQA_OUTCOME_FOUND
                    : outcome(kind, SQA_SPREAD_INVOCATION, before);
  }
  if (!overlap) {
    if (same_group && !same_phase) return ordered;
    if (found_kind != kind) return found_kind == SQA_KIND_READ ? comes : stays;
    return outcome(kind, same_group ? SQA_SPREAD_WORKGROUP : SQA_SPREAD_SEVERAL, same_group ? before : 0) |
           SQA_OUTCOME_FOUND | SQA_OUTCOME_BOTH_MASKS | SQA_OUTCOME_NEW_OWNER | SQA_OUTCOME_SOME_BYTES |
           (same_group ? SQA_OUTCOME_OWN_GROUP : 0);
  }
  if (same_group && (at & SQA_CASE_BEHIND)) return ordered;
  if (conflict) {
    if (same_group && (at & SQA_CASE_LAST_PHASE)) return stays;
    // An invocation's own accesses are in order, with or without a barrier. A stronger one stays where it
    // was: others, for whom no barrier orders it, conflict with it still.
    if (same_owner) return covered && stronger && found_kind != kind ? stays : ordered;
    if (!mixed || (spread == SQA_SPREAD_WORKGROUP && !same_group))
      return hazard(same_group && !same_phase ? SQA_MISSING_MEMORY : SQA_MISSING_ORDER);
    return hits_before ? hazard(SQA_MISSING_ORDER) : stays;
  }
  // Reads and reads, atomics and atomics, or an atomic load and one of these.
  const bool narrow = found_kind == SQA_KIND_ATOMIC_WORKGROUP || kind == SQA_KIND_ATOMIC_WORKGROUP;
  const bool judged = others && (!mixed || spread == SQA_SPREAD_WORKGROUP);
  if (hits_before || (judged && (sqa_is_atomic(kind) || atomic_read) && narrow))
    return hazard(SQA_MISSING_ORDER);
  // Beside an atomic load, reads and atomics are kept: they conflict with more.
  if (weaker) return stays;
  if (found_atomic_read && !atomic_read)
    return outcome(kind, SQA_SPREAD_INVOCATION, same_group || same_owner ? before : 0);
  if (same_owner) return outcome(kind, SQA_SPREAD_INVOCATION, before);
  // It would not be known which bytes have which scope.
  if (found_kind != kind && !same_mask) return stays;
  // What came before is kept for one workgroup only: several would be accused of their own earlier accesses.
  return outcome(narrow ? uint{SQA_KIND_ATOMIC_WORKGROUP} : found_kind,
                 same_group ? SQA_SPREAD_WORKGROUP : SQA_SPREAD_SEVERAL, same_group ? before : 0) |
         SQA_OUTCOME_FOUND | SQA_OUTCOME_BOTH_MASKS | SQA_OUTCOME_NEW_PHASE | SQA_OUTCOME_NEW_OWNER |
         (same_group ? SQA_OUTCOME_OWN_PHASE | SQA_OUTCOME_OWN_GROUP : 0) |
         (mixed || !same_mask ? SQA_OUTCOME_SOME_BYTES : 0);
}

}  // namespace

std::vector<uint32_t> cell_outcomes() {
  std::vector<uint32_t> outcomes(SQA_CASES / 2);
  for (uint at = 0; at < SQA_CASES; ++at) outcomes[at / 2] |= outcome_of(at) << (at % 2 * 16);
  return outcomes;
}

}  // namespace shaderqa
