// SPDX-License-Identifier: Apache-2.0
// Variables in memory that loops change, as compilers that do not optimise leave them: which loads read the
// same value.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_LOOP_VARIABLES_H
#define SHADERQA_INSTRUMENT_ACCESSES_LOOP_VARIABLES_H

#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>

#include "instrument/ir/control_flow.h"
#include "instrument/ir/module_view.h"
#include "instrument/ir/variable_stores.h"

namespace shaderqa {

class LoopVariables {
 public:
  // All outlive the object.
  LoopVariables(const ModuleView& module, const ControlFlow& flow, const VariableStores& stores)
      : module_(module), flow_(flow), stores_(stores) {}

  // A number for the variable and the innermost loop around the load that stores to it, larger than all ids,
  // if the load reads what the variable had when the loop's turn began. 0: it does not, or may not. Loads
  // with the same number read the same in one turn.
  uint32_t turns_of(InstructionView load, uint32_t variable);

  // Whether the load reads what the store has stored in the same turn of all loops around it, if nothing else
  // stores to the variable.
  bool is_of_same_turn(InstructionView load, const VariableStore& store) const;

 private:
  using Loop = std::pair<uint32_t, uint32_t>;  // variable and header
  struct Turns {
    uint32_t number = 0;
    // What a turn may come to once it has stored to the variable.
    std::unordered_set<uint32_t> behind_stores;
  };

  // The header of the innermost loop around the block that has one of these stores; 0: there is none.
  uint32_t changing_loop(const std::vector<VariableStore>& stored, uint32_t block) const;
  const Turns& turns(Loop loop, const std::vector<VariableStore>& stored);

  const ModuleView& module_;
  const ControlFlow& flow_;
  const VariableStores& stores_;
  std::map<Loop, Turns> known_;
};

}  // namespace shaderqa
#endif
