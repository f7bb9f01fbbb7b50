// SPDX-License-Identifier: Apache-2.0
// Where what an invocation has noted about itself has to be reported.
#ifndef SHADERQA_INSTRUMENT_PASSES_INVOCATION_ENDS_H
#define SHADERQA_INSTRUMENT_PASSES_INVOCATION_ENDS_H

#include <cstdint>
#include <vector>

#include "instrument/ir/module_view.h"
#include "source/opt/ir_context.h"

namespace shaderqa {

// The instructions of the module behind which an invocation executes nothing, or nothing that has an effect
// (a helper invocation). Instructions may be inserted before them.
std::vector<spvtools::opt::Instruction*> invocation_ends(spvtools::opt::IRContext& context,
                                                         uint32_t entry_function);

// For each loop that may never end because of a wrong value, the instruction that instructions of the end of
// an iteration may be inserted before: loops with calls, unless a comparison of integers ends them or they
// have a hint to unroll. `view` has the words that the module was made from.
std::vector<spvtools::opt::Instruction*> ends_of_iterations(spvtools::opt::IRContext& context,
                                                            const ModuleView& view);

}  // namespace shaderqa
#endif
