// SPDX-License-Identifier: Apache-2.0
// Indices of elements in rows whose width only the dispatch knows: y * width + x where x < width, or where
// width is gl_NumWorkGroups.x * gl_WorkGroupSize.x.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_ROW_MAJOR_H
#define SHADERQA_INSTRUMENT_ACCESSES_ROW_MAJOR_H

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "instrument/accesses/guards.h"
#include "instrument/accesses/invocation_index.h"

namespace shaderqa {

// Any two invocations have indices that are at least `step` apart.
struct RowMajor {
  uint32_t step = 0;
  std::array<uint32_t, 3> log2{};  // of the largest number of workgroups along each axis for which that holds
};

// Whether the index has products (UniformProducts) of digits of ids.
bool is_in_rows(const InvocationIndex& index);

// ids: with the most workgroups that are followed. index: with split digits, of an access that is executed
// only where the guards hold. value_of: what a side of a guard is. Nothing: invocations are not told apart by
// it. An index that comes round to 0 is not looked for: it would be that of a buffer of more than 4 GiB, or
// that of a width that is negative or garbage.
std::optional<RowMajor> row_major(
    const InvocationIndex& index, const InvocationIds& ids, const UniformProducts& products,
    std::span<const Guard> guards,
    const std::function<InvocationIndex(uint32_t id, uint32_t component)>& value_of);

}  // namespace shaderqa
#endif
