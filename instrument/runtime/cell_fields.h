// SPDX-License-Identifier: Apache-2.0
// The exact engine's cell (docs/internals/exact.md): 64 bits for each 4-byte word of memory, which say who
// accessed it last. The only place that knows where its fields lie: GLSL and C++ take cells apart and put
// them together with the accessors below. GLSL has a cell as its low and its high dword.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_CELL_FIELDS_H
#define SHADERQA_INSTRUMENT_RUNTIME_CELL_FIELDS_H

// --- Values of the fields.
#define SQA_KIND_READ 0
#define SQA_KIND_WRITE 1
#define SQA_KIND_ATOMIC 2
#define SQA_KIND_ATOMIC_WORKGROUP 3
#define SQA_SPREAD_INVOCATION 0  // one invocation made the accesses,
#define SQA_SPREAD_WORKGROUP 1   // several of one workgroup,
#define SQA_SPREAD_SEVERAL 2     // or of several workgroups
#define SQA_SPREAD_REPORTED 3    // a hazard was reported here
#define SQA_BEFORE_READ 1        // what came before, and is ordered; 0: nothing
#define SQA_BEFORE_ATOMIC 2
#define SQA_BEFORE_WRITE 3  // of several, the greatest
// Together with SQA_SPREAD_SEVERAL: the cell holds two actions (below).
#define SQA_BEFORE_OLDER 1
#define SQA_TAG_COMMAND 0  // no shader's: what a command does by itself

// --- The fields: each one's first bit, and how many bits it has.
#define SQA_CELL_MASK 0  // the bytes of the word, a bit each; none: an atomic load of the whole word
#define SQA_CELL_MASK_BITS 4
#define SQA_CELL_KIND 4  // SQA_KIND_*
#define SQA_CELL_KIND_BITS 2
#define SQA_CELL_SPREAD 6  // SQA_SPREAD_*
#define SQA_CELL_SPREAD_BITS 2
#define SQA_CELL_BEFORE 8  // SQA_BEFORE_*
#define SQA_CELL_BEFORE_BITS 2
#define SQA_CELL_TAG 10  // of the site
#define SQA_CELL_TAG_BITS 10
#define SQA_CELL_PHASE 20  // barriers that the invocation had passed
#define SQA_CELL_PHASE_BITS 7
#define SQA_CELL_OWNER 27  // the invocation: begins in the low dword and ends in the high one
#define SQA_OWNER_BITS 22
#define SQA_LOCAL_BITS 10     // the owner's low bits: the local invocation index; above: the workgroup
#define SQA_CELL_SEQUENCE 49  // of the action, with SQA_EPOCH_BIT
#define SQA_CELL_SEQUENCE_BITS 15

// The low n bits.
#define SQA_ONES(n) ((1u << (n)) - 1u)

#define SQA_CELL_MASK_ONES SQA_ONES(SQA_CELL_MASK_BITS)
#define SQA_MAX_PHASE 127
#define SQA_TAGS 1024
// Kind, spread and before are next to each other: the state that cases and outcomes (below) begin with.
#define SQA_CELL_STATE SQA_CELL_KIND
#define SQA_CELL_STATE_BITS (SQA_CELL_KIND_BITS + SQA_CELL_SPREAD_BITS + SQA_CELL_BEFORE_BITS)
// The parts of the owner in the two dwords.
#define SQA_CELL_OWNER_LOW_BITS (32 - SQA_CELL_OWNER)
#define SQA_CELL_OWNER_HIGH SQA_ONES(SQA_OWNER_BITS - SQA_CELL_OWNER_LOW_BITS)
// In the high dword: the owner's bits that say which invocation of its workgroup it is.
#define SQA_CELL_LOCAL_HIGH (SQA_ONES(SQA_LOCAL_BITS) >> SQA_CELL_OWNER_LOW_BITS)

// --- Reading. `low` and `high` are the dwords of a cell, or of two cells xor-ed: then a field is 0 where
// they agree.
#define sqa_cell_mask(low) ((low)&SQA_CELL_MASK_ONES)
// An atomic load has the kind of a read and no bytes: neither reads nor atomics conflict with it.
#define sqa_cell_atomic_read(low) (sqa_cell_mask(low) == 0u)
#define sqa_cell_kind(low) (((low) >> SQA_CELL_KIND) & SQA_ONES(SQA_CELL_KIND_BITS))
#define sqa_cell_spread(low) (((low) >> SQA_CELL_SPREAD) & SQA_ONES(SQA_CELL_SPREAD_BITS))
#define sqa_cell_before(low) (((low) >> SQA_CELL_BEFORE) & SQA_ONES(SQA_CELL_BEFORE_BITS))
#define sqa_cell_tag(low) (((low) >> SQA_CELL_TAG) & SQA_ONES(SQA_CELL_TAG_BITS))
#define sqa_cell_phase(low) (((low) >> SQA_CELL_PHASE) & SQA_ONES(SQA_CELL_PHASE_BITS))
#define sqa_cell_owner(low, high) \
  (((low) >> SQA_CELL_OWNER) | (((high)&SQA_CELL_OWNER_HIGH) << SQA_CELL_OWNER_LOW_BITS))
#define sqa_cell_sequence(high) ((high) >> (SQA_CELL_SEQUENCE - 32))
#define sqa_cell_state(low) (((low) >> SQA_CELL_STATE) & SQA_ONES(SQA_CELL_STATE_BITS))
// The owner's part in each dword.
#define sqa_cell_owner_low(low) ((low) >> SQA_CELL_OWNER)
#define sqa_cell_owner_high(high) ((high)&SQA_CELL_OWNER_HIGH)
// Whether a cell that several invocations share names none of them, nor a phase.
#define sqa_cell_of_nobody(low, high) (((low) >> SQA_CELL_PHASE) == 0u && sqa_cell_owner_high(high) == 0u)
// Where several invocations share a cell, the lowest bit of the owner says that each has other bytes, and it
// is not known which.
#define sqa_cell_some_bytes(low) (((low) >> SQA_CELL_OWNER) & 1u)
// Where they are of one workgroup, the owner's local bits above it say whose site the tag is: the low bits of
// its local invocation index, one place higher.
#define SQA_CELL_NAMED (SQA_ONES(SQA_LOCAL_BITS) & ~1u)

// --- Writing.
// What the owner says of a workgroup: its number, if that fits. Others share it, at no regular distances.
#define sqa_cell_group(number) \
  ((number) ^ (((number) >> (SQA_OWNER_BITS - SQA_LOCAL_BITS)) * SQA_GROUP_FACTOR))
#define SQA_GROUP_FACTOR 2481u
// The dwords of an access that has found nothing (one invocation, nothing before), still without its bytes.
#define sqa_cell_low(kind, tag, phase, owner)                                          \
  (((kind) << SQA_CELL_KIND) | ((tag) << SQA_CELL_TAG) | ((phase) << SQA_CELL_PHASE) | \
   ((owner) << SQA_CELL_OWNER))
#define sqa_cell_high(owner, sequence) \
  (((owner) >> SQA_CELL_OWNER_LOW_BITS) | ((sequence) << (SQA_CELL_SEQUENCE - 32)))
#define sqa_cell_with_mask(low, mask) (((low) & ~SQA_CELL_MASK_ONES) | (mask))
#define sqa_cell_with_state(low, state) \
  (((low) & ~(SQA_ONES(SQA_CELL_STATE_BITS) << SQA_CELL_STATE)) | ((state) << SQA_CELL_STATE))
#define sqa_cell_state_of(kind, spread, before)                \
  ((kind) | ((spread) << (SQA_CELL_SPREAD - SQA_CELL_STATE)) | \
   ((before) << (SQA_CELL_BEFORE - SQA_CELL_STATE)))
// What is added to a low dword in which the field is 0.
#define sqa_cell_before_field(before) ((before) << SQA_CELL_BEFORE)
#define sqa_cell_spread_field(spread) ((spread) << SQA_CELL_SPREAD)
#define SQA_CELL_SOME_BYTES_FIELD (1u << SQA_CELL_OWNER)
// The bits of a field in its dword.
#define SQA_CELL_KIND_FIELD (SQA_ONES(SQA_CELL_KIND_BITS) << SQA_CELL_KIND)
#define SQA_CELL_BEFORE_FIELD (SQA_ONES(SQA_CELL_BEFORE_BITS) << SQA_CELL_BEFORE)
#define SQA_CELL_TAG_FIELD (SQA_ONES(SQA_CELL_TAG_BITS) << SQA_CELL_TAG)
#define SQA_CELL_PHASE_FIELD (SQA_ONES(SQA_CELL_PHASE_BITS) << SQA_CELL_PHASE)
#define SQA_CELL_BELOW_OWNER SQA_ONES(SQA_CELL_OWNER)

// --- Two actions in one cell: reads of both, or atomics of both, that are not ordered. The older one's
// sequence number, tag and bytes lie where the phase and the owner of one action would.
#define sqa_cell_two_actions(low) (sqa_cell_spread(low) == SQA_SPREAD_SEVERAL && sqa_cell_before(low) != 0u)
#define sqa_cell_older_field(low, high)                                      \
  (sqa_cell_sequence(high) | (sqa_cell_tag(low) << SQA_CELL_SEQUENCE_BITS) | \
   (sqa_cell_mask(low) << (SQA_CELL_SEQUENCE_BITS + SQA_CELL_TAG_BITS)))
#define sqa_cell_older_in_low(older) ((older) << SQA_CELL_PHASE)
#define sqa_cell_older_in_high(older) ((older) >> (32 - SQA_CELL_PHASE))
#define sqa_cell_older_of(low, high) \
  (((low) >> SQA_CELL_PHASE) | (sqa_cell_owner_high(high) << (32 - SQA_CELL_PHASE)))
#define sqa_cell_older_low(older)                                                          \
  (((((older) >> SQA_CELL_SEQUENCE_BITS) & SQA_ONES(SQA_CELL_TAG_BITS)) << SQA_CELL_TAG) | \
   (((older) >> (SQA_CELL_SEQUENCE_BITS + SQA_CELL_TAG_BITS)) & SQA_CELL_MASK_ONES))
#define sqa_cell_older_high(older) (((older)&SQA_ONES(SQA_CELL_SEQUENCE_BITS)) << (SQA_CELL_SEQUENCE - 32))

// --- The table of what follows when an access meets a cell of its own action (cell_case.glsl,
// cell_outcomes.cpp). A case's low bits are the cell's state.
#define SQA_CASE_OWN_KIND 6     // 2 bits
#define SQA_CASE_OVERLAP 0x100  // the masks have bytes in common
#define SQA_CASE_COVERED 0x200  // the cell has all bytes of the access
#define SQA_CASE_OTHER_MASK 0x400
// Atomic loads take the combinations of these three that masks cannot have.
#define SQA_CASE_MASKS 0x700
#define SQA_CASE_ATOMIC_READ_FOUND 0x000
#define SQA_CASE_ATOMIC_READ_OF_WHOLE 0x600  // the access is an atomic load; the cell has the whole word,
#define SQA_CASE_ATOMIC_READ_OF_PART 0x100   // or a part of it
#define SQA_CASE_ATOMIC_READ_BOTH 0x200
#define SQA_CASE_GROUP 0x800   // the cell is of the same workgroup
#define SQA_CASE_OWNER 0x1000  // one invocation's: the same one; several invocations': each has other bytes
#define SQA_CASE_OTHER_PHASE 0x2000
#define SQA_CASE_BEHIND 0x4000  // a barrier of the workgroup orders it before the access
#define SQA_CASE_LAST_PHASE 0x8000
#define SQA_CASES 0x10000
// An outcome's low bits are the new cell's state. Its other fields are those of the access, or, with
// SQA_OUTCOME_FOUND, those of the cell, changed as the other bits say.
#define SQA_OUTCOME_FOUND 0x40
#define SQA_OUTCOME_BOTH_MASKS 0x80
#define SQA_OUTCOME_HAZARD 8           // 2 bits, SQA_MISSING_*
#define SQA_OUTCOME_NEW_PHASE 0x400    // 0,
#define SQA_OUTCOME_OWN_PHASE 0x800    // or the phase of the access
#define SQA_OUTCOME_NEW_OWNER 0x1000   // nobody,
#define SQA_OUTCOME_OWN_GROUP 0x2000   // or the workgroup of the access,
#define SQA_OUTCOME_SOME_BYTES 0x4000  // whose invocations each have other bytes

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

static_assert(SQA_CELL_MASK == 0 && SQA_CELL_KIND == SQA_CELL_MASK + SQA_CELL_MASK_BITS &&
                  SQA_CELL_SPREAD == SQA_CELL_KIND + SQA_CELL_KIND_BITS &&
                  SQA_CELL_BEFORE == SQA_CELL_SPREAD + SQA_CELL_SPREAD_BITS &&
                  SQA_CELL_TAG == SQA_CELL_BEFORE + SQA_CELL_BEFORE_BITS &&
                  SQA_CELL_PHASE == SQA_CELL_TAG + SQA_CELL_TAG_BITS &&
                  SQA_CELL_OWNER == SQA_CELL_PHASE + SQA_CELL_PHASE_BITS &&
                  SQA_CELL_SEQUENCE == SQA_CELL_OWNER + SQA_OWNER_BITS &&
                  SQA_CELL_SEQUENCE + SQA_CELL_SEQUENCE_BITS == 64,
              "the fields fill 64 bits and do not overlap");
static_assert(SQA_CELL_OWNER < 32 && SQA_CELL_SEQUENCE >= 32, "only the owner lies in both dwords");
static_assert(SQA_MAX_PHASE == SQA_ONES(SQA_CELL_PHASE_BITS) && SQA_TAGS == 1 << SQA_CELL_TAG_BITS);
static_assert(SQA_LOCAL_BITS >= SQA_CELL_OWNER_LOW_BITS && SQA_LOCAL_BITS < SQA_OWNER_BITS);
static_assert(SQA_CELL_SEQUENCE_BITS + SQA_CELL_TAG_BITS + SQA_CELL_MASK_BITS <=
                  SQA_CELL_PHASE_BITS + SQA_OWNER_BITS,
              "an older action fits in place of the phase and the owner");
static_assert(SQA_CASE_OWN_KIND == SQA_CELL_STATE_BITS && SQA_OUTCOME_FOUND == 1 << SQA_CELL_STATE_BITS);

// A cell taken apart.
struct CellFields {
  uint32_t mask, kind, spread, before, tag, phase, owner, sequence;
  bool operator==(const CellFields&) const = default;
};

constexpr CellFields unpack_cell(uint32_t low, uint32_t high) {
  return {sqa_cell_mask(low), sqa_cell_kind(low),  sqa_cell_spread(low),      sqa_cell_before(low),
          sqa_cell_tag(low),  sqa_cell_phase(low), sqa_cell_owner(low, high), sqa_cell_sequence(high)};
}

constexpr uint64_t pack_cell(const CellFields& cell) {
  const uint32_t low =
      cell.mask | sqa_cell_with_state(sqa_cell_low(cell.kind, cell.tag, cell.phase, cell.owner),
                                      sqa_cell_state_of(cell.kind, cell.spread, cell.before));
  return uint64_t{sqa_cell_high(cell.owner, cell.sequence)} << 32 | low;
}

}  // namespace shaderqa::abi
#endif
#endif
