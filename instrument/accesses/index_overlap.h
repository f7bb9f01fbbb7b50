// SPDX-License-Identifier: Apache-2.0
// Whether the elements that different invocations touch with two accesses overlap, by their indices.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_INDEX_OVERLAP_H
#define SHADERQA_INSTRUMENT_ACCESSES_INDEX_OVERLAP_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "instrument/accesses/invocation_index.h"

namespace shaderqa {

// Whether the digits determine the invocation.
bool tells_apart(const InvocationIndex& index, const InvocationIds& ids);

// Part of an index: a factor, and how many values the digit has that it is of.
struct IndexPart {
  uint32_t factor = 0, count = 0;
};

// From the smallest factor on; each is more than all before it add up to. Nothing: they are not so, or do not
// tell invocations apart. index: with split digits.
std::optional<std::vector<IndexPart>> parts_of(const InvocationIndex& index, const InvocationIds& ids);

// Elements that an invocation touches: this many, from an index on.
struct TouchedElements {
  uint32_t constant = 0;  // of the index, all else of which the parts are
  uint32_t width = 0;
};

// Whether no two different invocations touch the same, where the indices of both have these parts, and count
// modulo 2^bits.
bool are_apart(const TouchedElements& a, const TouchedElements& b, std::span<const IndexPart> parts,
               uint32_t bits);

}  // namespace shaderqa
#endif
