// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_IR_STRUCTURED_LOOPS_H
#define SHADERQA_INSTRUMENT_IR_STRUCTURED_LOOPS_H

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "source/opt/basic_block.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {

// The blocks of a function by their labels.
std::unordered_map<uint32_t, const spvtools::opt::BasicBlock*> blocks_by_label(
    const spvtools::opt::Function& function);

// The blocks of the loop with this header and merge block, by label, the header first. find: a block of the
// function by its label, null if there is none.
std::vector<uint32_t> blocks_of_loop(
    uint32_t header, uint32_t merge,
    const std::function<const spvtools::opt::BasicBlock*(uint32_t label)>& find);

// The instructions of a function that each of its calls executes at most once.
std::unordered_set<const spvtools::opt::Instruction*> instructions_outside_loops(
    spvtools::opt::Function& function);

}  // namespace shaderqa
#endif
