// SPDX-License-Identifier: Apache-2.0
// Finds the stores to variables of an invocation that are only stored to and loaded.
#ifndef SHADERQA_INSTRUMENT_IR_VARIABLE_STORES_H
#define SHADERQA_INSTRUMENT_IR_VARIABLE_STORES_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "instrument/ir/module_view.h"

namespace shaderqa {

struct VariableStore {
  uint32_t value = 0;
  uint32_t offset = 0;  // of the OpStore in the module's words; 0: the value is the initializer
};

struct VariableStores {
  // By variable (of storage class Function or Private): what is stored to it as a whole, in module order.
  // Variables that are stored to in parts or used in other ways than by loads, whole or in parts, are left
  // out.
  std::unordered_map<uint32_t, std::vector<VariableStore>> by_variable;
  // By the id of a load of one of these, as a whole: what the last store in front of it in its block stored.
  std::unordered_map<uint32_t, uint32_t> loaded;
};
VariableStores find_variable_stores(const ModuleView& module);

}  // namespace shaderqa
#endif
