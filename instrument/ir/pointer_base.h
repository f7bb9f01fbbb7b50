// SPDX-License-Identifier: Apache-2.0
// Where a pointer comes from.
#ifndef SHADERQA_INSTRUMENT_IR_POINTER_BASE_H
#define SHADERQA_INSTRUMENT_IR_POINTER_BASE_H

#include <cstdint>

#include "instrument/ir/module_view.h"

namespace shaderqa {

// The pointer that access chains and copies lead back to. Null: the id has no definition, or the chain is
// longer than those of valid modules; malformed ones may be endless.
inline InstructionView base_of_pointer(const ModuleView& module, uint32_t pointer) {
  constexpr uint32_t max_depth = 64;
  for (uint32_t depth = 0; depth < max_depth; ++depth) {
    const InstructionView definition = module.definition(pointer);
    switch (definition.op()) {
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
      case spv::Op::OpCopyObject:
        pointer = definition.word(3);
        break;
      default:
        return definition;
    }
  }
  return {};
}

}  // namespace shaderqa
#endif
