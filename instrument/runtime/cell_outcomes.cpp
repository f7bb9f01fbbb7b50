// SPDX-License-Identifier: Apache-2.0
#include "instrument/runtime/cell_outcomes.h"

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

using uint = uint32_t;
#include "instrument/runtime/cell_kinds.glsl"

uint outcome(uint kind, uint spread, uint before) { return sqa_cell_state_of(kind, spread, before); }

uint hazard(uint kind, uint missing) {
  return outcome(kind, SQA_SPREAD_REPORTED, 0) | missing << SQA_OUTCOME_HAZARD;
}

// An access, what it finds in a cell, and how the two are related.
class Meeting {
 public:
  explicit Meeting(uint at);
  uint outcome_of() const;

 private:
  uint of_one_invocation() const;
  uint of_other_bytes() const;
  uint of_conflict() const;
  uint of_alike() const;

  uint found_kind_, found_before_, spread_;
  uint kind_;
  bool atomic_read_, found_atomic_read_;  // atomic loads
  bool overlap_, same_mask_;
  bool same_group_, same_phase_, behind_, last_phase_;
  bool same_owner_;
  bool mixed_;  // several invocations, this one among them
  bool others_;
  // What came before counts where it covers all bytes of this access.
  bool covered_;
  uint before_;
  // Found accesses that stay, and what takes their place: this access alone, or ordered behind them.
  uint stays_, ordered_;
  // What came before can only conflict with accesses of other workgroups, but with any of those.
  bool hits_before_;
  bool weaker_, stronger_;
};

Meeting::Meeting(uint at) {
  const uint found = sqa_cell_with_state(0u, at & SQA_ONES(SQA_CELL_STATE_BITS));
  found_kind_ = sqa_cell_kind(found);
  found_before_ = sqa_cell_before(found);
  spread_ = sqa_cell_spread(found);
  kind_ = at >> SQA_CASE_OWN_KIND & SQA_ONES(SQA_CELL_KIND_BITS);
  const uint masks = at & SQA_CASE_MASKS;
  const bool atomic_read_both = masks == SQA_CASE_ATOMIC_READ_BOTH;
  atomic_read_ =
      masks == SQA_CASE_ATOMIC_READ_OF_WHOLE || masks == SQA_CASE_ATOMIC_READ_OF_PART || atomic_read_both;
  found_atomic_read_ = masks == SQA_CASE_ATOMIC_READ_FOUND || atomic_read_both;
  // An atomic load has all bytes of the word.
  overlap_ = (at & SQA_CASE_OVERLAP) || atomic_read_ || found_atomic_read_;
  same_mask_ = !(at & SQA_CASE_OTHER_MASK);
  same_group_ = at & SQA_CASE_GROUP;
  same_phase_ = !(at & SQA_CASE_OTHER_PHASE);
  behind_ = at & SQA_CASE_BEHIND;
  last_phase_ = at & SQA_CASE_LAST_PHASE;
  same_owner_ = spread_ == SQA_SPREAD_INVOCATION && (at & SQA_CASE_OWNER);
  mixed_ = spread_ != SQA_SPREAD_INVOCATION && (at & SQA_CASE_OWNER);
  others_ = !same_group_ && !same_owner_;
  covered_ = (at & SQA_CASE_COVERED) || found_atomic_read_;
  before_ = covered_ ? found_before_ : 0;
  stays_ = outcome(found_kind_, spread_, found_before_) | SQA_OUTCOME_FOUND;
  // An atomic load conflicts with writes alone, and those conflict with whatever comes after it: what came
  // before need not say that there was one.
  const uint before_now = found_atomic_read_ ? before_ : sqa_before_with(before_, found_kind_);
  ordered_ = outcome(kind_, SQA_SPREAD_INVOCATION, covered_ ? before_now : 0);
  // Before an atomic load there may have been reads and atomics only.
  hits_before_ = overlap_ && others_ && !atomic_read_ && sqa_conflict_before(found_before_, kind_);
  // Atomic loads are the weakest kind.
  weaker_ = atomic_read_ && !found_atomic_read_;
  // If one invocation made two accesses, the cell keeps the one that conflicts with more.
  stronger_ = weaker_ || found_kind_ == SQA_KIND_WRITE ||
              (sqa_is_atomic(found_kind_) && kind_ == SQA_KIND_READ) ||
              (found_kind_ == SQA_KIND_ATOMIC_WORKGROUP && kind_ == SQA_KIND_ATOMIC);
}

uint Meeting::of_one_invocation() const {
  if (found_kind_ == kind_ && atomic_read_ == found_atomic_read_)
    return outcome(kind_, spread_, before_) | SQA_OUTCOME_FOUND | SQA_OUTCOME_BOTH_MASKS;
  return stronger_ ? outcome(found_kind_, spread_, before_) | SQA_OUTCOME_FOUND
                   : outcome(kind_, SQA_SPREAD_INVOCATION, before_);
}

uint Meeting::of_other_bytes() const {
  if (same_group_ && !same_phase_) return ordered_;
  if (found_kind_ != kind_)
    return found_kind_ == SQA_KIND_READ ? outcome(kind_, SQA_SPREAD_INVOCATION, 0) : stays_;
  return outcome(kind_, same_group_ ? SQA_SPREAD_WORKGROUP : SQA_SPREAD_SEVERAL, same_group_ ? before_ : 0) |
         SQA_OUTCOME_FOUND | SQA_OUTCOME_BOTH_MASKS | SQA_OUTCOME_NEW_OWNER | SQA_OUTCOME_SOME_BYTES |
         (same_group_ ? SQA_OUTCOME_OWN_GROUP : 0);
}

uint Meeting::of_conflict() const {
  if (same_group_ && last_phase_) return stays_;
  // An invocation's own accesses are in order, with or without a barrier. A stronger one stays where it
  // was: others, for whom no barrier orders it, conflict with it still.
  if (same_owner_) {
    // Who comes after the later one of two stores comes after both. So the cell is that of one access, which
    // has a time.
    if (found_kind_ == SQA_KIND_WRITE && kind_ == SQA_KIND_WRITE && same_mask_)
      return outcome(kind_, SQA_SPREAD_INVOCATION, before_);
    return covered_ && stronger_ && found_kind_ != kind_ ? stays_ : ordered_;
  }
  if (!mixed_ || (spread_ == SQA_SPREAD_WORKGROUP && !same_group_))
    return hazard(kind_, same_group_ && !same_phase_ ? SQA_MISSING_MEMORY : SQA_MISSING_ORDER);
  return hits_before_ ? hazard(kind_, SQA_MISSING_ORDER) : stays_;
}

// Reads and reads, atomics and atomics, or an atomic load and one of these.
uint Meeting::of_alike() const {
  const bool narrow = found_kind_ == SQA_KIND_ATOMIC_WORKGROUP || kind_ == SQA_KIND_ATOMIC_WORKGROUP;
  const bool judged = others_ && (!mixed_ || spread_ == SQA_SPREAD_WORKGROUP);
  if (hits_before_ || (judged && (sqa_is_atomic(kind_) || atomic_read_) && narrow))
    return hazard(kind_, SQA_MISSING_ORDER);
  // Beside an atomic load, reads and atomics are kept: they conflict with more.
  if (weaker_) return stays_;
  if (found_atomic_read_ && !atomic_read_)
    return outcome(kind_, SQA_SPREAD_INVOCATION, same_group_ || same_owner_ ? before_ : 0);
  if (same_owner_) return narrow && stronger_ ? stays_ : outcome(kind_, SQA_SPREAD_INVOCATION, before_);
  // It would not be known which bytes have which scope.
  if (found_kind_ != kind_ && !same_mask_) return stays_;
  // What came before is kept for one workgroup only: several would be accused of their own earlier accesses.
  // If the scopes differ, the narrow one is named, since others conflict with that. A barrier may order an
  // access of an earlier phase before whoever comes next, so the later one is named.
  const bool earlier_phase = same_group_ && !same_phase_ && same_mask_ && !mixed_;
  const bool keeps_site = found_kind_ == kind_ ? !earlier_phase : found_kind_ == SQA_KIND_ATOMIC_WORKGROUP;
  return outcome(narrow ? uint{SQA_KIND_ATOMIC_WORKGROUP} : found_kind_,
                 same_group_ ? SQA_SPREAD_WORKGROUP : SQA_SPREAD_SEVERAL, same_group_ ? before_ : 0) |
         (keeps_site ? SQA_OUTCOME_FOUND : 0u) | SQA_OUTCOME_BOTH_MASKS | SQA_OUTCOME_NEW_PHASE |
         SQA_OUTCOME_NEW_OWNER | (same_group_ ? SQA_OUTCOME_OWN_PHASE | SQA_OUTCOME_OWN_GROUP : 0) |
         (mixed_ || !same_mask_ ? SQA_OUTCOME_SOME_BYTES : 0);
}

uint Meeting::outcome_of() const {
  if (spread_ == SQA_SPREAD_REPORTED) return stays_;
  if (same_owner_ && same_phase_) return of_one_invocation();
  if (!overlap_) return of_other_bytes();
  if (same_group_ && behind_) return ordered_;
  const bool conflict = atomic_read_ || found_atomic_read_
                            ? sqa_conflict_atomic_read(found_kind_) || sqa_conflict_atomic_read(kind_)
                            : sqa_conflict(found_kind_, kind_);
  return conflict ? of_conflict() : of_alike();
}

}  // namespace

std::vector<uint32_t> cell_outcomes() {
  std::vector<uint32_t> outcomes(SQA_CASES / 2);
  for (uint at = 0; at < SQA_CASES; ++at) outcomes[at / 2] |= Meeting(at).outcome_of() << (at % 2 * 16);
  return outcomes;
}

}  // namespace shaderqa
