// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/block_start.h"

namespace shaderqa {

using spvtools::opt::Instruction;

spvtools::opt::Function* function_with(spvtools::opt::IRContext& context, uint32_t id) {
  for (auto& function : *context.module())
    if (function.result_id() == id) return &function;
  return nullptr;
}

Instruction* start_of(spvtools::opt::BasicBlock& block) {
  Instruction* start = &*block.begin();
  for (Instruction& instruction : block)
    if (instruction.opcode() == spv::Op::OpVariable || instruction.opcode() == spv::Op::OpPhi)
      start = instruction.NextNode();
  return start;
}

Instruction* start_of(spvtools::opt::IRContext& context, uint32_t function_id) {
  spvtools::opt::Function* const function = function_with(context, function_id);
  return function && function->begin() != function->end() ? start_of(*function->begin()) : nullptr;
}

}  // namespace shaderqa
