// SPDX-License-Identifier: Apache-2.0
// Replaces ids in functions by others. SPIRV-Tools has the same, but needs an analysis of the whole module
// that every instruction of ours would have to be told to.
#ifndef SHADERQA_INSTRUMENT_IR_REPLACE_USES_H
#define SHADERQA_INSTRUMENT_IR_REPLACE_USES_H

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "source/opt/ir_context.h"

namespace shaderqa {

// Replaces ids in the operands of all instructions of functions except `kept`. A replacement may be replaced
// in turn.
void replace_uses(spvtools::opt::IRContext& context,
                  const std::unordered_map<uint32_t, uint32_t>& replacements,
                  const std::unordered_set<const spvtools::opt::Instruction*>& kept = {});
// Removes the names and decorations of ids that no longer exist.
void remove_names(spvtools::opt::IRContext& context, const std::unordered_map<uint32_t, uint32_t>& removed);

}  // namespace shaderqa
#endif
