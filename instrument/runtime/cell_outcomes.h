// SPDX-License-Identifier: Apache-2.0
// The exact engine's state machine of a cell within one action (docs/internals/exact.md), as the table that
// shaders read.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_CELL_OUTCOMES_H
#define SHADERQA_INSTRUMENT_RUNTIME_CELL_OUTCOMES_H

#include <cstdint>
#include <vector>

namespace shaderqa {

// What follows from each case of sqa_cell_case (runtime/cell_case.glsl), as SQA_OUTCOME_* of cell_fields.h;
// two to a dword, the even one in the low half. SQA_CASES / 2 dwords.
std::vector<uint32_t> cell_outcomes();

}  // namespace shaderqa
#endif
