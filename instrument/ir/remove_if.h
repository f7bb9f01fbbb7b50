// SPDX-License-Identifier: Apache-2.0
// Removes instructions from one of the lists of a module in SPIRV-Tools' IR.
#ifndef SHADERQA_INSTRUMENT_IR_REMOVE_IF_H
#define SHADERQA_INSTRUMENT_IR_REMOVE_IF_H

#include "source/opt/instruction.h"

namespace shaderqa {

// Whether it removed any.
template <typename Range, typename Predicate>
bool remove_instructions_if(Range range, Predicate&& predicate) {
  bool removed = false;
  for (auto it = range.begin(); it != range.end();) {
    spvtools::opt::Instruction* instruction = &*it;
    ++it;
    if (!predicate(*instruction)) continue;
    instruction->RemoveFromList();
    delete instruction;
    removed = true;
  }
  return removed;
}

}  // namespace shaderqa
#endif
