// SPDX-License-Identifier: Apache-2.0
// What each action accessed, for the list of redundant barriers (docs/internals/redundant.md).

layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaFootprints {
  uint count;
  uint lost;
  uint reserved[2];
  uint64_t keys[SQA_FOOTPRINT_SLOTS];
  uint used[SQA_FOOTPRINT_SLOTS];
  uint words[SQA_FOOTPRINT_SLOTS * SQA_FOOTPRINT_WORDS];
};

const uint max_footprint_probes = 64u;

#define sqa_footprints() SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_FOOTPRINTS]

// Finds or claims the key's slot; SQA_FOOTPRINT_SLOTS if there is none. notes: address of Footprints.
uint sqa_footprint(const uvec2 notes, const uvec2 part, const uint how, const uint sequence) {
  SqaFootprints footprints = SqaFootprints(notes);
  uvec2 halves = uvec2(part.x, sqa_footprint_key_high(part.y, how, sequence));
  uint64_t key = packUint2x32(halves);
  uint home = (halves.x * 2654435761u) ^ (halves.y * 2246822519u);
  home ^= home >> 15u;
  uint slot = SQA_FOOTPRINT_SLOTS;
  [[dont_unroll]] for (uint n = 0u; n < max_footprint_probes && slot == SQA_FOOTPRINT_SLOTS; ++n) {
    uint at = (home + n) & (SQA_FOOTPRINT_SLOTS - 1u);
    uint64_t old = footprints.keys[at];
    if (old == 0ul) {
      old = atomicCompSwap(footprints.keys[at], 0ul, key, gl_ScopeDevice, 0, gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed);
      if (old == 0ul) {
        footprints.used[sqa_add(footprints.count, 1u)] = at;
        old = key;
      }
    }
    if (old == key) slot = at;
  }
  if (slot == SQA_FOOTPRINT_SLOTS) sqa_store(footprints.lost, 1u);
  return slot;
}

// Notes an access to unknown memory.
void sqa_note_unfollowed(const uint sequence) {
  sqa_footprint(sqa_footprints(), uvec2(SQA_FOOTPRINT_NOWHERE_LOW, SQA_FOOTPRINT_NOWHERE_HIGH), SQA_FOOTPRINT_PART, sequence);
}

void sqa_note_footprint(const uint sequence, const uint kind, const uvec2 address, const uint size) {
  if (size == 0u) return;
  uint how = kind == SQA_KIND_READ ? SQA_FOOTPRINT_READ : SQA_FOOTPRINT_ATOMIC;
  if (kind == SQA_KIND_WRITE) how = ((address.x | size) & 3u) == 0u ? SQA_FOOTPRINT_WRITE : SQA_FOOTPRINT_PART;
  uvec2 notes = sqa_footprints();
  SqaFootprints footprints = SqaFootprints(notes);
  const uint words_of_part = 32u * SQA_FOOTPRINT_WORDS;
  uvec2 part = uvec2((address.x >> SQA_FOOTPRINT_LOG2) | (address.y << (32 - SQA_FOOTPRINT_LOG2)), address.y >> SQA_FOOTPRINT_LOG2);
  uint begin = (address.x >> 2u) & (words_of_part - 1u);
  uint end = begin + (((address.x & 3u) + size + 3u) >> 2u);  // counted from the first part's begin
  uint slot = SQA_FOOTPRINT_SLOTS;
  [[dont_unroll]] for (uint dword = begin >> 5u; dword <= (end - 1u) >> 5u; ++dword) {
    uint first = dword * 32u;
    uint in_part = dword & (SQA_FOOTPRINT_WORDS - 1u);
    if (slot == SQA_FOOTPRINT_SLOTS || in_part == 0u) {
      uint parts = dword / SQA_FOOTPRINT_WORDS;
      uint carry;
      uvec2 at = uvec2(uaddCarry(part.x, parts, carry), part.y);
      at.y += carry;
      slot = sqa_footprint(notes, at, how, sequence);
    }
    uint mask = 0xffffffffu;
    if (begin > first) mask &= 0xffffffffu << (begin - first);
    if (end - first < 32u) mask &= (1u << (end - first)) - 1u;
    if (slot < SQA_FOOTPRINT_SLOTS) {
      uint word = slot * SQA_FOOTPRINT_WORDS + in_part;
      if ((footprints.words[word] & mask) != mask)
        atomicOr(footprints.words[word], mask, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
    }
  }
}
