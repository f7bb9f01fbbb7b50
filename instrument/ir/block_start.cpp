// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/block_start.h"

namespace shaderqa {

using spvtools::opt::Instruction;

Instruction* start_of(spvtools::opt::BasicBlock& block) {
  Instruction* start = &*block.begin();
  for (Instruction& instruction : block)
    if (instruction.opcode() == spv::Op::OpVariable || instruction.opcode() == spv::Op::OpPhi)
      start = instruction.NextNode();
  return start;
}

Instruction* start_of(spvtools::opt::IRContext& context, uint32_t function_id) {
  for (auto& function : *context.module())
    if (function.result_id() == function_id && function.begin() != function.end())
      return start_of(*function.begin());
  return nullptr;
}

}  // namespace shaderqa
