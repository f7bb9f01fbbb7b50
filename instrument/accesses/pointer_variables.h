// SPDX-License-Identifier: Apache-2.0
// Function and Private variables that hold pointers into storage buffers (VariablePointers). Tells for which
// of them every pointer can be followed from its store to its load.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_POINTER_VARIABLES_H
#define SHADERQA_INSTRUMENT_ACCESSES_POINTER_VARIABLES_H

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/ir/placed_instructions.h"

namespace shaderqa {

class PointerVariables {
 public:
  // Takes the code that the entry point reaches.
  PointerVariables(const ModuleView& module, std::span<const PlacedInstruction> placed);

  // What a pointer leads to: all of a variable, or the part of it that the indices name.
  struct Path {
    uint32_t variable = 0;
    std::vector<uint32_t> indices;
  };
  // Nothing unless that is a variable that holds pointers and all of whose stores are understood.
  std::optional<Path> path(uint32_t pointer) const;
  // Whether a value of the type is or contains such a pointer.
  bool holds_pointers(uint32_t type) const { return holds_pointers(type, 0); }

 private:
  bool holds_pointers(uint32_t type, uint32_t depth) const;
  std::optional<Path> any_path(uint32_t pointer) const;
  void scan(const PlacedInstruction& at);
  void escapes(uint32_t pointer);
  void store(uint32_t pointer, uint32_t value);

  const ModuleView& module_;
  const bool any_;  // the module may have such variables
  std::unordered_set<uint32_t> escaped_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> copies_;  // from a variable: into these, as a whole
  mutable std::unordered_map<uint32_t, bool> holds_;            // by type
};

}  // namespace shaderqa
#endif
