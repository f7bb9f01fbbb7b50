// SPDX-License-Identifier: Apache-2.0
// Finds what values of a shader are of an invocation's id.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_INVOCATION_INDICES_H
#define SHADERQA_INSTRUMENT_ACCESSES_INVOCATION_INDICES_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrument/accesses/invocation_index.h"
#include "instrument/accesses/loop_variables.h"
#include "instrument/accesses/uniform_products.h"
#include "instrument/ir/control_flow.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"
#include "instrument/ir/variable_stores.h"

namespace shaderqa {

class InvocationIndices {
 public:
  // What is known of an integer when the pipeline is made.
  using Constants = std::function<std::optional<uint32_t>(uint32_t id)>;

  InvocationIndices(const ModuleView& module, const Decorations& decorations, InvocationIds ids = {},
                    Constants constants = {});
  InvocationIndices(const InvocationIndices&) = delete;  // what it finds refers to it
  InvocationIndices& operator=(const InvocationIndices&) = delete;

  // What a value of 32 bits is, or a component of a vector of such.
  InvocationIndex of(uint32_t id, uint32_t component = 0) const;
  // Those of the module.
  const VariableStores& stores() const;
  const ControlFlow& flow() const;
  UniformProducts& products() const { return products_; }

 private:
  // Nothing: no value has been found yet, on the way round a loop.
  using Index = std::optional<InvocationIndex>;
  using Part = std::pair<uint32_t, uint32_t>;  // id and component

  Index find(uint32_t id, uint32_t component, uint32_t depth) const;
  Index compute(uint32_t id, uint32_t component, uint32_t depth) const;
  // One of these values, whichever. turns: where those of a loop's turns meet; 0: they may be of other turns.
  Index any_of(Part part, const std::vector<uint32_t>& values, uint32_t component, uint32_t turns,
               uint32_t depth) const;
  // What a load reads that has been stored to a variable.
  Index stored_to(uint32_t variable, InstructionView load, uint32_t component, uint32_t depth) const;
  Index loaded(InstructionView load, uint32_t component, uint32_t depth) const;
  Index constructed(InstructionView construct, uint32_t component, uint32_t depth) const;
  Index shuffled(InstructionView shuffle, uint32_t component, uint32_t depth) const;
  Index combined(InstructionView operation, uint32_t component, uint32_t depth) const;
  InvocationIndex result_of(spv::Op op, const InvocationIndex& left, const InvocationIndex& right) const;
  InvocationIndex divided(const InvocationIndex& dividend, const InvocationIndex& by, bool remainder) const;
  // The same of one digit.
  std::optional<InvocationIndex> divided(const IdDigit& digit, uint32_t by, bool remainder) const;
  Index built_in(uint32_t pointer, uint32_t component) const;
  // What all invocations of a dispatch read from a push constant or a uniform block.
  Index shared(InstructionView load, uint32_t component) const;
  InvocationIndex product_of(const InvocationIndex& a, const InvocationIndex& b) const;
  InvocationIndex component_of_id(uint32_t axis) const;
  Index component_of_all(uint32_t axis) const;   // of GlobalInvocationId
  uint32_t components_of(uint32_t value) const;  // 0: neither a scalar nor a vector of integers

  const ModuleView& module_;
  const Decorations& decorations_;
  const InvocationIds ids_;
  const Constants constants_;
  mutable std::optional<VariableStores> stores_;
  mutable std::optional<ControlFlow> flow_;
  mutable std::optional<LoopVariables> loop_variables_;
  mutable UniformProducts products_;
  mutable std::map<Part, InvocationIndex> known_;
  mutable std::map<Part, Index> open_;  // loops, and what is assumed of them
  mutable uint32_t steps_ = 0;
};

}  // namespace shaderqa
#endif
