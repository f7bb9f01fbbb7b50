// SPDX-License-Identifier: Apache-2.0
// Which instructions are atomics on memory.
#ifndef SHADERQA_INSTRUMENT_IR_ATOMICS_H
#define SHADERQA_INSTRUMENT_IR_ATOMICS_H

#include "source/latest_version_spirv_header.h"

namespace shaderqa {

inline bool is_atomic(spv::Op op) {
  switch (op) {
    case spv::Op::OpAtomicFlagTestAndSet:
    case spv::Op::OpAtomicFlagClear:
    case spv::Op::OpAtomicFMinEXT:
    case spv::Op::OpAtomicFMaxEXT:
    case spv::Op::OpAtomicFAddEXT:
      return true;
    default:
      return op >= spv::Op::OpAtomicLoad && op <= spv::Op::OpAtomicXor;
  }
}

// The pointer, scope and semantics are words 3 to 5 of those with a result, else 1 to 3.
inline bool atomic_has_result(spv::Op atomic) {
  return atomic != spv::Op::OpAtomicStore && atomic != spv::Op::OpAtomicFlagClear;
}

}  // namespace shaderqa
#endif
