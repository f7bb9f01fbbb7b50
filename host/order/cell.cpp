// SPDX-License-Identifier: Apache-2.0
#include "host/order/cell.h"

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {

Cell Cell::unpack(uint64_t bits) {
  const auto field = [&](uint32_t at, uint32_t count) {
    return static_cast<uint32_t>(bits >> at) & ((1u << count) - 1);
  };
  return {field(0, 4),
          field(SQA_CELL_KIND, 2),
          field(SQA_CELL_SPREAD, 2),
          field(SQA_CELL_BEFORE, 2),
          field(SQA_CELL_TAG, 10),
          field(SQA_CELL_PHASE, 7),
          field(SQA_CELL_OWNER, SQA_OWNER_BITS),
          field(SQA_CELL_SEQUENCE, 15)};
}

uint64_t Cell::pack() const {
  return mask | uint64_t{kind} << SQA_CELL_KIND | uint64_t{spread} << SQA_CELL_SPREAD |
         uint64_t{before} << SQA_CELL_BEFORE | uint64_t{tag} << SQA_CELL_TAG |
         uint64_t{phase} << SQA_CELL_PHASE | uint64_t{owner} << SQA_CELL_OWNER |
         uint64_t{sequence} << SQA_CELL_SEQUENCE;
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

}  // namespace shaderqa
