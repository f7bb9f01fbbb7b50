// SPDX-License-Identifier: Apache-2.0
// What people call a value: the variable that it was loaded from, "Particles.speed[i].x", the operation that
// computed it, "the result of sqrt", or a name that debug information has for it.
#ifndef SHADERQA_INSTRUMENT_IR_VALUE_NAMES_H
#define SHADERQA_INSTRUMENT_IR_VALUE_NAMES_H

#include <cstdint>
#include <string>
#include <unordered_map>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

class ValueNames {
 public:
  ValueNames(const ModuleView& module, const Decorations& decorations);

  std::string of_value(uint32_t id) const { return of_value(id, 0); }
  std::string of_pointer(uint32_t id) const { return of_pointer(id, 0); }
  // "division", "sqrt", "OpDot".
  std::string of_operation(InstructionView instruction) const;
  // The number in the set GLSL.std.450; 0: it is no instruction of the set.
  uint32_t glsl_number(InstructionView instruction) const;

 private:
  std::string of_value(uint32_t id, uint32_t depth) const;
  std::string of_pointer(uint32_t id, uint32_t depth) const;
  // Appends what the indices from that word on choose in the type.
  void append_indices(std::string& name, uint32_t type, InstructionView instruction, uint32_t word,
                      bool literals, uint32_t depth) const;
  void read_debug_values();

  const ModuleView& module_;
  const Decorations& decorations_;
  std::unordered_map<uint32_t, std::string> debug_names_;  // of values and variables of functions
};

}  // namespace shaderqa
#endif
