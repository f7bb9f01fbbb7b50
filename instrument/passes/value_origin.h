// SPDX-License-Identifier: Apache-2.0
// Follows a component of a floating-point value back to the operation that made it, through what only moves
// it, and says which operands a report of NaN or infinity shows.
#ifndef SHADERQA_INSTRUMENT_PASSES_VALUE_ORIGIN_H
#define SHADERQA_INSTRUMENT_PASSES_VALUE_ORIGIN_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "instrument/ir/decorations.h"
#include "instrument/ir/placed_instructions.h"
#include "instrument/ir/source_positions.h"
#include "instrument/ir/value_bits.h"
#include "instrument/ir/value_names.h"

namespace shaderqa {

// A scalar, or a component of a vector, or the whole vector (OriginOperand::whole).
struct OperandValue {
  uint32_t id = 0;
  uint32_t component = 0;
  bool whole = false;
};

struct FoundOrigin {
  ValueOrigin origin;
  std::vector<OperandValue> operands;  // of which `origin` has the names; all dominate the value
};

class ValueOrigins {
 public:
  ValueOrigins(const ModuleView& module, const Decorations& decorations,
               const std::vector<PlacedInstruction>& placed);

  // value: a scalar or vector of floating-point numbers.
  FoundOrigin of(uint32_t value, uint32_t component);

 private:
  struct Place {
    InstructionView definition;
    uint32_t id = 0, component = 0;
  };
  // Where the component comes from once moves are looked through.
  Place follow(uint32_t value, uint32_t component) const;
  // One step; false: it is the origin.
  bool step(Place& place) const;
  // The value that the same block stores last before this load of a variable of the function; 0: not known.
  uint32_t stored_value(uint32_t load, uint32_t variable) const;
  uint32_t variable_behind(uint32_t pointer) const;
  // A function that values come from: what its only return gives.
  struct Callee {
    std::vector<uint32_t> parameters;
    uint32_t returned = 0;  // 0: nothing, or there are several
    uint32_t returns = 0;
  };
  void read_callees();
  // What made the value that a call returns, with the operands that its arguments are. False: not known.
  bool add_returned(const Place& call, FoundOrigin& found) const;
  // The caller's value that an operand in the callee stands for; 0: there is none.
  uint32_t argument(const Place& call, uint32_t callee, uint32_t operand) const;
  bool only_loads(uint32_t callee, uint32_t parameter) const;
  void add_operands(const Place& place, FoundOrigin& found) const;
  void add_operand(FoundOrigin& found, uint32_t id, uint32_t component, const NumericType& type) const;

  const ModuleView& module_;
  const std::vector<PlacedInstruction>& placed_;
  const ValueNames names_;
  mutable SourcePositions positions_;
  std::unordered_map<uint32_t, size_t> results_;      // index in placed_ by result
  std::vector<Callee> callees_;                       // in module order
  std::unordered_map<uint32_t, uint32_t> functions_;  // index in callees_ by id
};

}  // namespace shaderqa
#endif
