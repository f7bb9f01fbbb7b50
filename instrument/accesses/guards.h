// SPDX-License-Identifier: Apache-2.0
// Comparisons that hold wherever a block is executed: those of the branches that lead there.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_GUARDS_H
#define SHADERQA_INSTRUMENT_ACCESSES_GUARDS_H

#include <cstdint>
#include <vector>

#include "instrument/ir/control_flow.h"
#include "instrument/ir/module_view.h"
#include "instrument/ir/variable_stores.h"

namespace shaderqa {

struct Guard {
  enum class Relation : uint8_t { less, at_most, equal } relation = Relation::equal;
  uint32_t left = 0, right = 0;  // ids of integers, or of vectors of these
  uint32_t component = 0;        // which one of a vector is compared
  uint32_t branch = 0;           // the block that branches on it
  bool is_signed = false;        // compares signed integers
};

// label: of the block. Conditions may be joined by "and", "or" and "not", also by branches, as compilers make
// them of && and ||, compare vectors, or come through variables. What is joined more deeply is left out.
std::vector<Guard> guards_of(const ModuleView& module, const ControlFlow& flow, const VariableStores& stores,
                             uint32_t label);

}  // namespace shaderqa
#endif
