// SPDX-License-Identifier: Apache-2.0
// Where an instruction of SPIRV-Tools' IR was in the words it came from: what reports name it by.
#ifndef SHADERQA_INSTRUMENT_IR_PLACED_INSTRUCTIONS_H
#define SHADERQA_INSTRUMENT_IR_PLACED_INSTRUCTIONS_H

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/ir/module_view.h"
#include "source/opt/ir_context.h"

namespace shaderqa {

struct PlacedInstruction {
  spvtools::opt::Instruction* instruction = nullptr;
  uint32_t offset = 0;        // in the view's words
  uint32_t line_offset = 0;   // of the OpLine or DebugLine in force, 0 for none
  uint32_t function = 0;      // index in module order
  uint32_t scope_offset = 0;  // of the DebugScope in force, 0 for none
};

// Those in blocks of the functions that the entry point reaches, in module order. To be called before
// anything is changed in functions; the instructions stay valid while they are not deleted. Nothing: IR and
// words are not of the same module.
std::optional<std::vector<PlacedInstruction>> place_instructions(spvtools::opt::IRContext& context,
                                                                 const ModuleView& view,
                                                                 uint32_t entry_function);

}  // namespace shaderqa
#endif
