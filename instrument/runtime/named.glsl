// SPDX-License-Identifier: Apache-2.0
// Whose access a cell names (docs/internals/exact.md, "Which site a cell names").

// The invocation that a cell names. It names one of several readers of one workgroup, without the highest bit of its local index.
const uint unnamed_bit = 1u << (SQA_LOCAL_BITS - 1);
uint sqa_named(const uvec2 cell) {
  uint owner = sqa_cell_owner(cell.x, cell.y);
  if (sqa_cell_spread(cell.x) == SQA_SPREAD_WORKGROUP) owner = (owner & ~SQA_ONES(SQA_LOCAL_BITS)) | ((owner & SQA_CELL_NAMED) >> 1u);
  return owner;
}

// Whether of several accesses of this workgroup the cell names one of this invocation. It has the phase of that one, if the others' are
// earlier, so barriers may have ordered the others since.
bool sqa_names_itself(const uvec2 found) {
  return (sqa_grouped & ordered_partly) != 0u && sqa_cell_sequence(found.y) == sqa_sequence &&
         sqa_cell_spread(found.x) == SQA_SPREAD_WORKGROUP && ((sqa_named(found) ^ sqa_owner) & ~unnamed_bit) == 0u;
}
