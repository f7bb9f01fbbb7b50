// SPDX-License-Identifier: Apache-2.0
// Operations of subgroups in shaders with functions that are called.
#ifndef SHADERQA_INSTRUMENT_PASSES_SUBGROUP_OPERATIONS_H
#define SHADERQA_INSTRUMENT_PASSES_SUBGROUP_OPERATIONS_H

#include <cstdint>
#include <vector>

#include "instrument/ir/module_editor.h"

namespace shaderqa {

// NVIDIA's driver 580 was seen to crash when it compiled a shader that gets values from other invocations of
// its subgroup (reductions, shuffles) and calls any function that is not inlined, however little that does;
// it does not where the operation stands in a function of its own. So if one of `added`, the words of
// functions that are added to the module, has the control DontInline, each such OpGroupNonUniform instruction
// (reductions, scans, shuffles, rotations, broadcasts, and swaps of quads) becomes a call. Returns the words
// of the functions that are called.
std::vector<uint32_t> move_subgroup_operations(ModuleEditor& module, const std::vector<uint32_t>& added);

}  // namespace shaderqa
#endif
