// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_IR_OUTSIDE_LOOPS_H
#define SHADERQA_INSTRUMENT_IR_OUTSIDE_LOOPS_H

#include <unordered_set>

#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {

// The instructions of a function that each of its calls executes at most once.
std::unordered_set<const spvtools::opt::Instruction*> instructions_outside_loops(
    spvtools::opt::Function& function);

}  // namespace shaderqa
#endif
