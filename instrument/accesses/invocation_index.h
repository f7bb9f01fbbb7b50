// SPDX-License-Identifier: Apache-2.0
// Sums of constant multiples of the components of an invocation's id, or of digits of these, and of a
// constant; and of products of these with values that a whole dispatch shares.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_INVOCATION_INDEX_H
#define SHADERQA_INSTRUMENT_ACCESSES_INVOCATION_INDEX_H

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "instrument/accesses/uniform_products.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// id[axis] / divisor % modulus, times a shared product. With InvocationIds::turns in place of an axis any
// integer, none of them negative if divisor is the phi where the values of a loop's turns meet, and not 0.
struct IdDigit {
  uint32_t axis = 0;
  uint32_t divisor = 1;
  uint32_t modulus = 0;  // 0: all that is left
  uint32_t product = 0;  // UniformProducts' number; 0: times 1
  bool operator==(const IdDigit&) const = default;
  bool operator<(const IdDigit& other) const {
    return std::tie(axis, divisor, modulus, product) <
           std::tie(other.axis, other.divisor, other.modulus, other.product);
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

// Whether it is the same for all invocations.
bool is_shared(const InvocationIndex& index);
// As much as is the same of both.
InvocationIndex common_part(InvocationIndex a, const InvocationIndex& b);
// One of the two, both of which are exact: the first one, and any multiple of what they differ by, if that is
// shared. by: the phi where they meet; 0: they may be values of other times.
InvocationIndex either_of(const InvocationIndex& a, const InvocationIndex& b, uint32_t by,
                          const UniformProducts& products);

// The same, where turns by which the index falls are said of no loop.
InvocationIndex with_rising_turns(const InvocationIndex& index);
// The same, where no turns are said to be those of a loop.
InvocationIndex with_any_turns(const InvocationIndex& index);
// factor * digit more.
void add_part(InvocationIndex& index, const IdDigit& digit, uint32_t factor);

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
  // In place of an axis: 1, for products alone; and how often a loop has turned.
  static constexpr uint32_t none = axes, turns = axes + 1;

  spv::BuiltIn builtin = spv::BuiltIn::GlobalInvocationId;
  std::array<uint32_t, 3> size{};  // of the workgroup, for LocalInvocationId; 0: not known
  // For LocalInvocationId: at most so many workgroups. Then GlobalInvocationId is followed, too, as the sum
  // that it is. 0: invocations of different workgroups are not told apart.
  std::array<uint32_t, 3> workgroup_count{};
  bool products = false;  // UniformProducts are followed, and loops

  bool is_row() const { return size[1] == 1 && size[2] == 1; }
  uint32_t size_of(uint32_t axis) const;
  uint32_t size_of(const IdDigit& digit) const;  // 0: not known, or times a product
};

}  // namespace shaderqa
#endif
