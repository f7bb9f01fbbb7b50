// SPDX-License-Identifier: Apache-2.0
// A cell of the exact engine (docs/internals/exact.md): who accessed a word last. The only place of the host
// that takes a cell's 64 bits apart.
#ifndef SHADERQA_HOST_ORDER_CELL_H
#define SHADERQA_HOST_ORDER_CELL_H

#include <cstdint>

#include "instrument/runtime/abi_report.h"
#include "instrument/shader_record.h"

namespace shaderqa {

struct Cell {
  uint32_t mask = 0;    // bytes of the word
  uint32_t kind = 0;    // SQA_KIND_*
  uint32_t spread = 0;  // SQA_SPREAD_*
  uint32_t before = 0;
  uint32_t tag = 0;  // site_tag
  uint32_t phase = 0;
  uint32_t owner = 0;
  uint32_t sequence = 0;  // 0: nobody

  // Any bits are a cell.
  static Cell unpack(uint64_t bits);
  uint64_t pack() const;
  bool operator==(const Cell&) const = default;
};

// SQA_ACCESS_LOAD, SQA_ACCESS_STORE or SQA_ACCESS_ATOMIC.
uint32_t cell_access(const Cell& cell);

// How many invocations made the accesses that a cell stands for.
enum class Spread : uint8_t {
  invocation,  // one
  workgroup,   // several of one workgroup
  several      // of several workgroups
};
struct CellOwner {
  Spread spread = Spread::invocation;
  uint32_t workgroup = 0;         // from 4096 on not its number, but a hash
  uint32_t local_invocation = 0;  // of one invocation
};
CellOwner cell_owner(const Cell& cell);
// Whether the cell is of several invocations, and its site may be that of this one among them, by its owner
// as a cell would have it.
bool may_name(const Cell& cell, uint32_t owner);

}  // namespace shaderqa
#endif
