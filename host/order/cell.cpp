// SPDX-License-Identifier: Apache-2.0
#include "host/order/cell.h"

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {

Cell Cell::unpack(uint64_t bits) {
  const abi::CellFields cell =
      abi::unpack_cell(static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32));
  return {cell.mask, cell.kind, cell.spread, cell.before, cell.tag, cell.phase, cell.owner, cell.sequence};
}

uint64_t Cell::pack() const {
  return abi::pack_cell({mask, kind, spread, before, tag, phase, owner, sequence});
}

uint32_t cell_access(const Cell& cell) {
  // An atomic load has no bytes.
  if (cell.kind == SQA_KIND_READ) return cell.mask == 0 ? SQA_ACCESS_ATOMIC : SQA_ACCESS_LOAD;
  return cell.kind == SQA_KIND_WRITE ? SQA_ACCESS_STORE : SQA_ACCESS_ATOMIC;
}

CellOwner cell_owner(const Cell& cell) {
  CellOwner owner;
  if (cell.spread == SQA_SPREAD_WORKGROUP) owner.spread = Spread::workgroup;
  if (cell.spread == SQA_SPREAD_SEVERAL) owner.spread = Spread::several;
  owner.workgroup = cell.owner >> SQA_LOCAL_BITS;
  owner.local_invocation = cell.owner & ((1u << SQA_LOCAL_BITS) - 1);
  return owner;
}

bool may_name(const Cell& cell, uint32_t owner) {
  if (cell.spread == SQA_SPREAD_SEVERAL) return true;
  return cell.spread == SQA_SPREAD_WORKGROUP && cell.owner >> SQA_LOCAL_BITS == owner >> SQA_LOCAL_BITS &&
         (cell.owner & SQA_CELL_NAMED) == (owner << 1 & SQA_CELL_NAMED);
}

}  // namespace shaderqa
