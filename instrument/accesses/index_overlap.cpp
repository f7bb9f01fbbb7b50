// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/index_overlap.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace shaderqa {
namespace {

// Elements that one access touches.
constexpr uint32_t most_width = 64;
constexpr uint64_t most_elements = uint64_t{1} << 32;
// By which loops move on in all: a buffer has no more words.
constexpr uint32_t most_turns = 1U << 30;

// Whether the indices of two invocations can differ by this much: by factor * (-count + 1 ... count - 1) for
// each part. Since each factor is more than all before it add up to, two steps of a part may do at most.
bool can_differ_by(int64_t difference, std::span<const IndexPart> parts) {
  if (parts.empty()) return difference == 0;
  const auto [factor, count] = parts.back();
  const int64_t nearest = difference / int64_t{factor};
  for (int64_t steps = nearest - 1; steps <= nearest + 1; ++steps)
    if (std::abs(steps) < int64_t{count} &&
        can_differ_by(difference - steps * int64_t{factor}, parts.first(parts.size() - 1)))
      return true;
  return false;
}

// Whether digits of one id determine it.
bool covers(const std::vector<IdDigit>& digits, uint32_t size) {
  uint64_t next = 1;
  for (const IdDigit& digit : digits) {
    if (digit.divisor != next) return next >= size;
    next = digit.modulus == 0 ? size : next * digit.modulus;
  }
  return next >= size;
}

}  // namespace

bool tells_apart(const InvocationIndex& index, const InvocationIds& ids) {
  std::array<std::vector<IdDigit>, InvocationIds::axes> digits;
  for (const auto& [digit, factor] : index.factors)
    if (digit.axis < InvocationIds::axes) digits[digit.axis].push_back(digit);
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (!covers(digits[InvocationIds::workgroups + axis], ids.workgroup_count[axis])) return false;
  if (covers(digits[InvocationIds::linear], ids.size_of(InvocationIds::linear))) return true;
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (!covers(digits[axis], ids.size[axis])) return false;
  return true;
}

std::optional<std::vector<IndexPart>> parts_of(const InvocationIndex& index, const InvocationIds& ids) {
  std::vector<IndexPart> parts;
  for (const auto& [digit, factor] : index.factors)
    parts.push_back({factor, digit.axis == InvocationIds::turns ? most_turns / factor : ids.size_of(digit)});
  std::ranges::sort(parts, {}, &IndexPart::factor);
  uint64_t end = 1;
  for (const IndexPart& part : parts) {
    if (part.factor < end) return std::nullopt;
    end = uint64_t{part.factor} * part.count;
    if (end > most_elements) return std::nullopt;
  }
  if (!tells_apart(index, ids)) return std::nullopt;
  return parts;
}

bool are_apart(const TouchedElements& a, const TouchedElements& b, std::span<const IndexPart> parts,
               uint32_t bits) {
  if (a.width > most_width || b.width > most_width) return false;
  const int64_t end = parts.empty() ? 1 : int64_t{parts.back().factor} * parts.back().count;
  const int64_t around = int64_t{1} << bits;
  if (end > around) return false;
  // Distances at which the elements of the two overlap, modulo `around`; 0 is that of an invocation to
  // itself.
  const int64_t apart = (int64_t{a.constant} - int64_t{b.constant}) & (around - 1);
  for (int64_t overlap = 1 - int64_t{b.width}; overlap < int64_t{a.width}; ++overlap)
    for (const int64_t distance : {apart + overlap, apart + overlap - around, apart + overlap + around})
      if (distance != 0 && std::abs(distance) < end && can_differ_by(distance, parts)) return false;
  return true;
}

}  // namespace shaderqa
