// SPDX-License-Identifier: Apache-2.0
// One walk over the words of the functions: who calls whom, and where the DebugPrintf are.
#ifndef SHADERQA_INSTRUMENT_IR_FUNCTION_SCAN_H
#define SHADERQA_INSTRUMENT_IR_FUNCTION_SCAN_H

#include <cstdint>
#include <vector>

#include "instrument/ir/module_view.h"

namespace shaderqa {

struct PrintfInstruction {
  uint32_t offset = 0;       // of the OpExtInst
  uint32_t function = 0;     // index in module order
  uint32_t ordinal = 0;      // among the module's DebugPrintf
  uint32_t line_offset = 0;  // of the OpLine or DebugLine in force, 0 for none
  bool reachable = false;    // from the entry point
};

// DebugPrintf instructions in module order. `entry_function` is the id of the entry point's function.
std::vector<PrintfInstruction> find_printf_instructions(const ModuleView& module, uint32_t entry_function);

// Which functions, by index in module order, the entry point's function calls, itself included.
std::vector<bool> reachable_functions(const ModuleView& module, uint32_t entry_function);

// The extended instruction number; everything else in the set is unknown.
constexpr uint32_t debug_printf_instruction = 1;
constexpr std::string_view debug_printf_set = "NonSemantic.DebugPrintf";

}  // namespace shaderqa
#endif
