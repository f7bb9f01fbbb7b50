// SPDX-License-Identifier: Apache-2.0
// A cell of the exact engine (docs/exact.md): who accessed a word last.
#ifndef SHADERQA_HOST_ORDER_CELL_H
#define SHADERQA_HOST_ORDER_CELL_H

#include <cstdint>
#include <string>

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

// SQA_ACCESS_*.
uint32_t cell_access_type(const Cell& cell);
// "load", "store", "atomic".
const char* cell_access(const Cell& cell);
// "local invocation 7 of workgroup 3", for a stage with workgroups; else how many there are, or "" where that
// says nothing.
std::string cell_owner(const Cell& cell, Stage stage);

}  // namespace shaderqa
#endif
