// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/invocation_index.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace shaderqa {
namespace {

uint32_t mask_of(uint32_t bits) { return bits == 32 ? UINT32_MAX : (1U << bits) - 1; }

uint32_t without_sign(uint32_t step) {
  const uint32_t negative = 0 - step;
  return std::min(step, negative);
}

// A part of the index that goes on where another one begins or ends, and that place; 0: there is none.
std::pair<IdDigit, uint32_t> part_to_split(const std::map<IdDigit, uint32_t>& factors) {
  for (const auto& [digit, factor] : factors) {
    const uint64_t end = uint64_t{digit.divisor} * digit.modulus;
    for (const auto& [other, times] : factors) {
      for (const uint64_t cut : {uint64_t{other.divisor}, uint64_t{other.divisor} * other.modulus}) {
        const bool inside = cut > digit.divisor && (digit.modulus == 0 || cut < end);
        if (digit.axis < InvocationIds::axes && other.axis == digit.axis && other.product == digit.product &&
            inside && cut <= INT32_MAX && cut % digit.divisor == 0 && end % cut == 0)
          return {digit, static_cast<uint32_t>(cut)};
      }
    }
  }
  return {};
}

}  // namespace

bool is_shared(const InvocationIndex& index) {
  return index.is_exact() && std::ranges::all_of(index.factors, [](const auto& each) {
           return each.first.axis == InvocationIds::none;
         });
}

// Turns that are not said to be those of one loop are two numbers, whose sum is any multiple of what both
// steps are multiples of.
void add_part(InvocationIndex& index, const IdDigit& digit, uint32_t factor) {
  uint32_t& sum = index.factors[digit];
  const bool is_unknown = digit.axis == InvocationIds::turns && digit.divisor == 0;
  sum = is_unknown ? std::gcd(without_sign(sum), without_sign(factor)) : sum + factor;
}

InvocationIndex common_part(InvocationIndex a, const InvocationIndex& b) {
  uint32_t differs = a.constant ^ b.constant;
  for (const auto& [digit, factor] : b.factors) {
    const auto other = a.factors.find(digit);
    differs |= factor ^ (other == a.factors.end() ? 0 : other->second);
  }
  for (const auto& [digit, factor] : a.factors)
    if (!b.factors.contains(digit)) differs |= factor;
  const auto same = static_cast<uint32_t>(std::countr_zero(differs));
  const uint32_t bits = std::min({a.known_bits, b.known_bits, same});
  return with_bits(std::move(a), bits);
}

InvocationIndex with_bits(InvocationIndex index, uint32_t bits) {
  index.known_bits = bits;
  const uint32_t mask = mask_of(bits);
  index.constant &= mask;
  for (auto& [digit, factor] : index.factors) factor &= mask;
  std::erase_if(index.factors, [](const auto& each) { return each.second == 0; });
  return index;
}

InvocationIndex sum_of(InvocationIndex a, const InvocationIndex& b, uint32_t sign) {
  a.constant += sign * b.constant;
  for (const auto& [digit, factor] : b.factors) add_part(a, digit, sign * factor);
  const uint32_t bits = std::min(a.known_bits, b.known_bits);
  return with_bits(std::move(a), bits);
}

InvocationIndex scaled(InvocationIndex index, uint32_t by) {
  index.constant *= by;
  for (auto& [digit, factor] : index.factors) factor *= by;
  // A factor of 2^n makes the lowest n bits of the unknown part 0.
  const auto zeros = static_cast<uint32_t>(std::countr_zero(by));
  const uint32_t bits = std::min(32U, index.known_bits + zeros);
  return with_bits(std::move(index), bits);
}

InvocationIndex with_rising_turns(const InvocationIndex& index) {
  const uint32_t mask = mask_of(index.known_bits);
  InvocationIndex rising = index;
  for (const auto& [digit, factor] : index.factors) {
    if (digit.axis != InvocationIds::turns || factor <= mask / 2) continue;
    rising.factors.erase(digit);
    add_part(rising, {InvocationIds::turns, 0, 0, digit.product}, (0 - factor) & mask);
  }
  return rising;
}

InvocationIndex with_any_turns(const InvocationIndex& index) {
  const InvocationIndex rising = with_rising_turns(index);
  InvocationIndex any = rising;
  std::erase_if(any.factors, [](const auto& each) { return each.first.axis == InvocationIds::turns; });
  for (const auto& [digit, factor] : rising.factors)
    if (digit.axis == InvocationIds::turns)
      add_part(any, {InvocationIds::turns, 0, 0, digit.product}, factor);
  return any;
}

std::optional<uint32_t> InvocationIndex::factor_of(uint32_t axis) const {
  if (!is_exact() || factors.size() > 1) return std::nullopt;
  if (factors.empty()) return 0;
  const auto& [digit, factor] = *factors.begin();
  return digit == IdDigit{axis, 1, 0} ? std::optional(factor) : std::nullopt;
}

InvocationIndex with_split_digits(InvocationIndex index) {
  for (auto [digit, cut] = part_to_split(index.factors); cut != 0;
       std::tie(digit, cut) = part_to_split(index.factors)) {
    const uint32_t factor = index.factors.at(digit), count = cut / digit.divisor;
    index.factors.erase(digit);
    index.factors[{digit.axis, digit.divisor, count, digit.product}] += factor;
    index.factors[{digit.axis, cut, digit.modulus / count, digit.product}] += factor * count;
  }
  const uint32_t bits = index.known_bits;
  return with_bits(std::move(index), bits);
}

uint32_t InvocationIds::size_of(uint32_t axis) const {
  if (axis >= workgroups) return workgroup_count[axis - workgroups];
  return axis == linear ? size[0] * size[1] * size[2] : size[axis];
}

uint32_t InvocationIds::size_of(const IdDigit& digit) const {
  if (digit.product != 0 || digit.axis >= axes) return 0;
  const uint32_t left = (size_of(digit.axis) + digit.divisor - 1) / digit.divisor;
  return digit.modulus == 0 ? left : std::min(left, digit.modulus);
}

InvocationIndex either_of(const InvocationIndex& a, const InvocationIndex& b, uint32_t by,
                          const UniformProducts& products) {
  std::map<uint32_t, uint32_t> steps;  // by product
  const auto take = [&](uint32_t product, uint32_t step) {
    steps[product] = std::gcd(steps[product], without_sign(step));
  };
  InvocationIndex first = a, second = b;
  for (InvocationIndex* each : {&first, &second})
    std::erase_if(each->factors, [&](const auto& part) {
      const auto& [digit, step] = part;
      const bool is_own = digit.axis == InvocationIds::turns && (digit.divisor == by || digit.divisor == 0);
      if (is_own) take(digit.product, step);
      return is_own;
    });
  const InvocationIndex apart = sum_of(second, first, UINT32_MAX);
  if (!is_shared(apart)) return common_part(a, b);
  // What goes backwards may become negative, which no comparison with a limit would say.
  const auto grows = [&](uint32_t product, uint32_t step) {
    return static_cast<int32_t>(step) >= 0 && (product == 0 || products.counted_axis(product));
  };
  bool forward = grows(0, apart.constant);
  if (apart.constant != 0) take(0, apart.constant);
  for (const auto& [digit, step] : apart.factors) {
    forward = forward && grows(digit.product, step);
    take(digit.product, step);
  }
  const bool was_backwards = std::ranges::any_of(a.factors, [](const auto& part) {
    return part.first.axis == InvocationIds::turns && part.first.divisor == 0;
  });
  const uint32_t meeting = forward && !was_backwards ? by : 0;
  for (const auto& [product, step] : steps) first.factors[{InvocationIds::turns, meeting, 0, product}] = step;
  return first;
}

}  // namespace shaderqa
