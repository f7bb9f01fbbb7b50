// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_IR_LOOP_HINTS_H
#define SHADERQA_INSTRUMENT_IR_LOOP_HINTS_H

#include "source/opt/instruction.h"

namespace shaderqa {

// Whether an OpLoopMerge asks the driver to unroll.
bool has_unroll_hint(const spvtools::opt::Instruction& merge);
// Asks it not to. The other controls are facts about the loop and stay.
void remove_unroll_hint(spvtools::opt::Instruction& merge);

}  // namespace shaderqa
#endif
