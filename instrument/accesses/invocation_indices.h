// SPDX-License-Identifier: Apache-2.0
// Values of a shader that are a constant multiple of a component of GlobalInvocationID, plus a constant.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_INVOCATION_INDICES_H
#define SHADERQA_INSTRUMENT_ACCESSES_INVOCATION_INDICES_H

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// factor * GlobalInvocationID[axis] + constant, modulo 2^32.
struct InvocationIndex {
  uint32_t factor = 0, constant = 0;
  uint32_t axis = 0;  // where the factor is not 0
};

class InvocationIndices {
 public:
  InvocationIndices(const ModuleView& module, const Decorations& decorations)
      : module_(module), decorations_(decorations) {}

  // What a value of 32 bits is, or a component of a vector of such. Nothing: it is not known.
  std::optional<InvocationIndex> of(uint32_t id, uint32_t component = 0) const {
    return of(id, component, 0);
  }

 private:
  using Index = std::optional<InvocationIndex>;
  Index of(uint32_t id, uint32_t component, uint32_t depth) const;
  Index loaded(uint32_t pointer, uint32_t component, uint32_t depth) const;
  Index constructed(InstructionView construct, uint32_t component, uint32_t depth) const;
  Index shuffled(InstructionView shuffle, uint32_t component, uint32_t depth) const;
  Index combined(InstructionView operation, uint32_t component, uint32_t depth) const;
  bool is_invocation(uint32_t pointer) const;
  uint32_t components_of(uint32_t value) const;  // 0: neither a scalar nor a vector of integers
  // The value of the only store to a variable of the invocation; 0: there is none, or it is not known.
  uint32_t stored_once(uint32_t variable) const;
  std::unordered_map<uint32_t, uint32_t> find_stores() const;

  const ModuleView& module_;
  const Decorations& decorations_;
  mutable std::optional<std::unordered_map<uint32_t, uint32_t>> stored_;  // see find_stores()
};

// The number of invocations of a workgroup by dimension; nothing if it may change.
std::optional<std::array<uint32_t, 3>> workgroup_size(const ModuleView& module,
                                                      const EntryPoint& entry_point);

}  // namespace shaderqa
#endif
