// SPDX-License-Identifier: Apache-2.0
// Where the variables of a picture's expression are: in memory, or in values that the compiler made of them.
#ifndef SHADERQA_INSTRUMENT_PASSES_PICTURE_NAMES_H
#define SHADERQA_INSTRUMENT_PASSES_PICTURE_NAMES_H

#include <map>
#include <string>
#include <vector>

#include "instrument/ir/placed_instructions.h"
#include "instrument/passes/picture_expression.h"

namespace shaderqa {

// A value that the variable has from this instruction on.
struct NamedValue {
  size_t at = 0;       // number among the placed instructions; of the value itself, or of a DebugValue
  uint32_t value = 0;  // id
};

// A variable of the source: in memory (`pointer`), or in the values that it has one after the other.
struct ShownVariable {
  uint32_t pointer = 0;
  uint32_t type = 0;  // of the value
  std::vector<NamedValue> values;
};

struct ShownVariables {
  uint32_t function = 0;  // id: the value is taken in it
  std::map<std::string, ShownVariable> variables;
  std::string problem;  // not empty: the names are there, but cannot be shown
};

// function 0: the shader has no function that sees all names. Names come from debug information and OpName.
// The function of the entry point is preferred, then the first one of the module.
ShownVariables find_shown_variables(const ModuleView& view, const EntryPoint& entry_point,
                                    const std::vector<PlacedInstruction>& placed,
                                    const PictureExpression& expression);

}  // namespace shaderqa
#endif
