// SPDX-License-Identifier: Apache-2.0
// Cells of later actions. Draws of one render pass run at the same time, and a tiler runs the vertex shaders of all of them first, so an
// access may find that of a later draw. What draws read by themselves, and what they have logged, is checked when later draws have run.
// Included by exact.glsl.

// Whether what the cell has is of a later draw of the same render pass, and no barrier lies between the two: neither is ordered before the
// other. For actions other than draws nothing is (SQA_ACTION_SEQUENCE).
bool sqa_is_beside(const uint found_high, const uint sequence) {
  uint dword = sqa_record_dword(SQA_ACTION_SEQUENCE);
#ifdef SQA_COMMANDS
  uint first = sequence;
#else
  uint first = sequence - sqa_column;
#endif
  uint found = sqa_cell_sequence(found_high);
  uint ahead = found - first;
  return sqa_sequence_last(dword) != 0u && ((found ^ sequence) & SQA_EPOCH_BIT) == 0u && ahead >= sqa_sequence_own(dword) &&
         ahead <= sqa_sequence_last(dword) - sqa_sequence_number(dword);
}

#ifdef SQA_RANGES
// Whether the cell's access has a later number: then it is worth more than a read, which is not stored in its place.
bool sqa_is_overtaken(const uint found_high, const uint own_low, const uint own_high) {
  uint later = sqa_cell_sequence(found_high), sequence = sqa_cell_sequence(own_high);
  return sqa_cell_kind(own_low) == SQA_KIND_READ && later > sequence && ((later ^ sequence) & SQA_EPOCH_BIT) == 0u;
}
#else
#define sqa_is_overtaken(found_high, own_low, own_high) false
#endif
