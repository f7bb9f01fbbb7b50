// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of subgroups in shaders with functions that are called.
#ifndef SHADERQA_INSTRUMENT_PASSES_SUBGROUP_ARITHMETIC_H
#define SHADERQA_INSTRUMENT_PASSES_SUBGROUP_ARITHMETIC_H

#include <cstdint>
#include <vector>

#include "instrument/ir/module_editor.h"

namespace shaderqa {

// NVIDIA's driver 580 was seen to crash when it compiled a shader that reduces over its subgroups and calls
// any function that is not inlined, however little that does; it does not where the reduction stands in a
// function of its own. So if one of `added`, the words of functions that are added to the module, has the
// control DontInline, each OpGroupNonUniform instruction of arithmetic (IAdd to LogicalXor) becomes a call.
// Returns the words of the functions that are called.
std::vector<uint32_t> move_subgroup_arithmetic(ModuleEditor& module, const std::vector<uint32_t>& added);

}  // namespace shaderqa
#endif
