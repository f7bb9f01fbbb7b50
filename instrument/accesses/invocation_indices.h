// SPDX-License-Identifier: Apache-2.0
// Values of a shader that are sums of constant multiples of the components of an invocation's id, or of
// digits of these, and of a constant.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_INVOCATION_INDICES_H
#define SHADERQA_INSTRUMENT_ACCESSES_INVOCATION_INDICES_H

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"
#include "instrument/ir/variable_stores.h"

namespace shaderqa {

// id[axis] / divisor % modulus.
struct IdDigit {
  uint32_t axis = 0;
  uint32_t divisor = 1;
  uint32_t modulus = 0;  // 0: all that is left
  bool operator==(const IdDigit&) const = default;
  bool operator<(const IdDigit& other) const {
    return std::tie(axis, divisor, modulus) < std::tie(other.axis, other.divisor, other.modulus);
  }
};

// The sum of factor * digit, plus the constant, modulo 2^known_bits. 0 bits: nothing is known of it.
struct InvocationIndex {
  std::map<IdDigit, uint32_t> factors;  // none of them 0
  uint32_t constant = 0;
  uint32_t known_bits = 32;

  bool is_exact() const { return known_bits == 32; }
  // Whether it is factor * id[axis] + constant, or the constant alone: then 0.
  std::optional<uint32_t> factor_of(uint32_t axis) const;
  bool operator==(const InvocationIndex&) const = default;
};

// a + sign * b.
InvocationIndex sum_of(InvocationIndex a, const InvocationIndex& b, uint32_t sign);
InvocationIndex scaled(InvocationIndex index, uint32_t by);
// The same, of which no more bits are known.
InvocationIndex with_bits(InvocationIndex index, uint32_t bits);

// The same, with digits split where others begin or end: 8 * id - 7 * (id % 8) is id % 8 + 64 * (id / 8), and
// id + id / 32 is id % 32 + 33 * (id / 32).
InvocationIndex with_split_digits(InvocationIndex index);

// Which id, and how many invocations there are.
struct InvocationIds {
  // The axis of LocalInvocationIndex, unless the workgroup is a row: then 0.
  static constexpr uint32_t linear = 3;
  // The axis of WorkgroupId.x; y and z follow.
  static constexpr uint32_t workgroups = 4;
  static constexpr uint32_t axes = 7;

  spv::BuiltIn builtin = spv::BuiltIn::GlobalInvocationId;
  std::array<uint32_t, 3> size{};  // of the workgroup, for LocalInvocationId; 0: not known
  // For LocalInvocationId: at most so many workgroups. Then GlobalInvocationId is followed, too, as the sum
  // that it is. 0: invocations of different workgroups are not told apart.
  std::array<uint32_t, 3> workgroup_count{};

  bool is_row() const { return size[1] == 1 && size[2] == 1; }
  uint32_t size_of(uint32_t axis) const;
  uint32_t size_of(const IdDigit& digit) const;  // 0: not known
};

class InvocationIndices {
 public:
  // What is known of an integer when the pipeline is made.
  using Constants = std::function<std::optional<uint32_t>(uint32_t id)>;

  InvocationIndices(const ModuleView& module, const Decorations& decorations, InvocationIds ids = {},
                    Constants constants = {});

  // What a value of 32 bits is, or a component of a vector of such.
  InvocationIndex of(uint32_t id, uint32_t component = 0) const;
  // Those of the module.
  const VariableStores& stores() const;

 private:
  // Nothing: no value has been found yet, on the way round a loop.
  using Index = std::optional<InvocationIndex>;
  using Part = std::pair<uint32_t, uint32_t>;  // id and component

  Index find(uint32_t id, uint32_t component, uint32_t depth) const;
  Index compute(uint32_t id, uint32_t component, uint32_t depth) const;
  // One of these values, whichever.
  Index any_of(Part part, const std::vector<uint32_t>& values, uint32_t component, uint32_t depth) const;
  Index loaded(InstructionView load, uint32_t component, uint32_t depth) const;
  Index constructed(InstructionView construct, uint32_t component, uint32_t depth) const;
  Index shuffled(InstructionView shuffle, uint32_t component, uint32_t depth) const;
  Index combined(InstructionView operation, uint32_t component, uint32_t depth) const;
  InvocationIndex divided(const InvocationIndex& dividend, const InvocationIndex& by, bool remainder) const;
  // The same of one digit.
  std::optional<InvocationIndex> divided(const IdDigit& digit, uint32_t by, bool remainder) const;
  Index built_in(uint32_t pointer, uint32_t component) const;
  InvocationIndex component_of_id(uint32_t axis) const;
  Index component_of_all(uint32_t axis) const;   // of GlobalInvocationId
  uint32_t components_of(uint32_t value) const;  // 0: neither a scalar nor a vector of integers
  // What is stored to a variable; empty: not known.
  std::vector<uint32_t> stored(uint32_t variable) const;

  const ModuleView& module_;
  const Decorations& decorations_;
  const InvocationIds ids_;
  const Constants constants_;
  mutable std::optional<VariableStores> stores_;
  mutable std::map<Part, InvocationIndex> known_;
  mutable std::map<Part, Index> open_;  // loops, and what is assumed of them
  mutable uint32_t steps_ = 0;
};

}  // namespace shaderqa
#endif
