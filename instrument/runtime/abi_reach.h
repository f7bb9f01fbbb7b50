// SPDX-License-Identifier: Apache-2.0
// SQA_REACH_* of abi_exact.h, packed.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_REACH_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_REACH_H

#include <array>
#include <cstdint>
#include <span>

#include "instrument/runtime/abi_exact.h"

namespace shaderqa::reach {

// log2 of the numbers of workgroups that are told apart along x, y and z, a bit each: along it there are
// more. The last one of an axis is the largest number that is followed.
inline constexpr std::array<uint8_t, SQA_REACH_Y - SQA_REACH_X> levels_x{0, 3, 5, 6, 8, 9, 10, 16, 20};
inline constexpr std::array<uint8_t, SQA_REACH_Z - SQA_REACH_Y> levels_y{0, 3, 6, 9, 12, 16};
inline constexpr std::array<uint8_t, SQA_REACH_STORED - SQA_REACH_Z> levels_z{0, 4, 8, 16};

struct Axis {
  uint32_t first = 0;  // bit
  std::span<const uint8_t> levels;
};
inline constexpr std::array<Axis, 3> axes{
    {{SQA_REACH_X, levels_x}, {SQA_REACH_Y, levels_y}, {SQA_REACH_Z, levels_z}}};

// For an entry: workgroups have numbers from `first` on.
inline uint32_t of_workgroups(const Axis& axis, uint32_t first, uint32_t count) {
  const uint64_t end = uint64_t{first} + count;
  uint32_t bits = 0;
  for (size_t n = 0; n < axis.levels.size(); ++n) {
    const bool more = end > uint64_t{1} << axis.levels[n];
    // Numbers that are too large are not followed even if there is one workgroup.
    if (more && (count > 1 || end > uint64_t{1} << axis.levels.back())) bits |= 1U << (axis.first + n);
  }
  return bits;
}

// For an access: no more than 2^log2, or than fewer by which workgroups are told apart.
inline uint32_t at_most(const Axis& axis, uint32_t log2) {
  size_t level = 0;
  while (level + 1 < axis.levels.size() && axis.levels[level + 1] <= log2) ++level;
  return 1U << (axis.first + level);
}

}  // namespace shaderqa::reach
#endif
