// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_IR_BLOCK_START_H
#define SHADERQA_INSTRUMENT_IR_BLOCK_START_H

#include <cstdint>

#include "source/opt/ir_context.h"

namespace shaderqa {

// The function with this id; null: the module has none.
spvtools::opt::Function* function_with(spvtools::opt::IRContext& context, uint32_t id);

// The first instruction before which others may be inserted: behind variables and phis, which come before
// everything else but the debug instructions among them.
spvtools::opt::Instruction* start_of(spvtools::opt::BasicBlock& block);
// The same of a function's first block. Null: the module has no such function with blocks.
spvtools::opt::Instruction* start_of(spvtools::opt::IRContext& context, uint32_t function_id);

}  // namespace shaderqa
#endif
