// SPDX-License-Identifier: Apache-2.0
// Some compilers write debug instructions that refer to id 0 (glslang of 2023: those for buffer references).
// Drivers take such modules, since they skip non-semantic instructions; SPIRV-Tools parses none of them. Nor
// does it parse instructions of sets that it does not know between two blocks, where optimisers end scopes.
#ifndef SHADERQA_INSTRUMENT_IR_BROKEN_DEBUG_INFO_H
#define SHADERQA_INSTRUMENT_IR_BROKEN_DEBUG_INFO_H

#include <vector>

#include "instrument/ir/module_view.h"

namespace shaderqa {

// The words with OpNops in place of each NonSemantic.* extended instruction that refers to id 0 or to an id
// beyond the bound, or is in a function and in none of its blocks, of the non-semantic instructions that
// refer to one of these, and of their names. All others stay where they are. Empty: nothing is broken.
std::vector<uint32_t> without_broken_debug_info(Words words);

}  // namespace shaderqa
#endif
