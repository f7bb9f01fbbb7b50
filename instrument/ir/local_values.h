// SPDX-License-Identifier: Apache-2.0
// Tells which ids hold the same value along a stretch of code. Compilers that do not optimise compute an
// index again for each access.
#ifndef SHADERQA_INSTRUMENT_IR_LOCAL_VALUES_H
#define SHADERQA_INSTRUMENT_IR_LOCAL_VALUES_H

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

class LocalValues {
 public:
  LocalValues(const ModuleView& module, const Decorations& decorations)
      : module_(module), decorations_(decorations) {}

  // The next instruction of the stretch.
  void enter(InstructionView instruction);
  // Another stretch begins: nothing is known about memory any more.
  void forget();
  // Equal for ids that hold the same value; the id itself where nothing is known.
  uint32_t number(uint32_t id) const;

 private:
  // The version of the memory behind a pointer; 0: it may change at any time.
  uint32_t version(uint32_t pointer) const;
  uint32_t variable_of(uint32_t pointer) const;
  void store(uint32_t pointer);

  const ModuleView& module_;
  const Decorations& decorations_;
  std::map<std::vector<uint32_t>, uint32_t> known_;      // by operation and numbers of its operands
  std::unordered_map<uint32_t, uint32_t> numbers_;       // by id
  std::unordered_map<uint32_t, uint32_t> own_versions_;  // stores to a variable
  uint32_t all_versions_ = 1;                            // stores to one of them
};

}  // namespace shaderqa
#endif
