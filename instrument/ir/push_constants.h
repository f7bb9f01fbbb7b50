// SPDX-License-Identifier: Apache-2.0
// Another member for the push constants of a module's entry point.
#ifndef SHADERQA_INSTRUMENT_IR_PUSH_CONSTANTS_H
#define SHADERQA_INSTRUMENT_IR_PUSH_CONSTANTS_H

#include <cstdint>
#include <string>

#include "instrument/ir/module_editor.h"

namespace shaderqa {

struct PushConstant {
  uint32_t variable = 0;
  uint32_t member = 0;  // number in its block
};

// Why the entry point's block cannot have another member at this offset; empty: it can.
std::string obstacle_to_push_constant(ModuleEditor& module, uint32_t entry_function, uint32_t offset);
// Adds that member. An entry point must not use two blocks, so the one that it has is replaced by a longer
// one. Where there is an obstacle, the result is not valid.
PushConstant add_push_constant(ModuleEditor& module, uint32_t entry_function, uint32_t type, uint32_t offset);

}  // namespace shaderqa
#endif
