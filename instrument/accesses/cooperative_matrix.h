// SPDX-License-Identifier: Apache-2.0
// What loads and stores of cooperative matrices touch: a number of lines (rows or columns), one stride apart.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_COOPERATIVE_MATRIX_H
#define SHADERQA_INSTRUMENT_ACCESSES_COOPERATIVE_MATRIX_H

#include <cstdint>
#include <optional>

#include "instrument/ir/memory_layout.h"

namespace shaderqa {

// Ids of integers, each with the number of bytes in one of its units. 0: not an access of this kind.
struct MatrixLines {
  uint32_t count = 0;
  uint32_t length = 0, component_size = 0;
  uint32_t stride = 0, stride_unit = 0;
  bool of_workgroup = false;  // the workgroup's invocations do it together, not a subgroup's
};

// An instruction that moves cooperative matrices (or vectors) between registers and memory.
struct MatrixAccess {
  bool stores = false;
  uint32_t pointer = 0;
  std::optional<MatrixLines> lines;  // nothing: their layout in memory is not known
};

// Nothing if the instruction is not one of these.
std::optional<MatrixAccess> matrix_access(const ModuleView& module, const MemoryLayout& layout,
                                          InstructionView instruction);

}  // namespace shaderqa
#endif
