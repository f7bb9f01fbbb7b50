// SPDX-License-Identifier: Apache-2.0
// A floor, as it is known while a command buffer is recorded, and the floors at its begin
// (docs/internals/exact.md).
#ifndef SHADERQA_HOST_ORDER_FLOOR_H
#define SHADERQA_HOST_ORDER_FLOOR_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "instrument/runtime/abi_order.h"

namespace shaderqa {

// How many of this command buffer's sequence numbers, counted from its begin, lie below the floor. With
// SQA_FLOOR_INHERITED it is a mask of classes instead: the floor is the highest one that any of these had
// when the command buffer began. A mask of 0 orders nothing. Visible floors have a second mask of classes
// from kAvailableShift on, whose SQA_FLOOR_AVAILABLE floors count, too: a barrier has made visible what was
// available.
using Floor = uint32_t;
inline constexpr Floor kNoFloor = SQA_FLOOR_INHERITED;
inline constexpr uint32_t kAvailableShift = 15;
inline constexpr uint32_t kAllClasses = (1u << SQA_CLASSES) - 1;

// Visits the classes of a mask. Each submission does so thousands of times, mostly for one or two classes.
template <typename Visit>
void for_each_class(uint32_t classes, const Visit& visit) {
  for (uint32_t rest = classes & kAllClasses; rest != 0; rest &= rest - 1)
    visit(static_cast<uint32_t>(std::countr_zero(rest)));
}

// The floor below which lies whatever is below one of the two.
constexpr Floor higher(Floor a, Floor b) {
  // As signed numbers those with SQA_FLOOR_INHERITED are negative. Whatever was inherited is from before this
  // command buffer, and so lies below what is its own.
  const int32_t most = std::max(static_cast<int32_t>(a), static_cast<int32_t>(b));
  return most < 0 ? a | b : static_cast<Floor>(most);
}

// By [producer][consumer].
template <typename Value>
using ClassMatrix = std::array<std::array<Value, SQA_CLASSES>, SQA_CLASSES>;

// The floors at the begin of a command buffer. For each SQA_FLOOR_*: the number of the newest earlier action
// that lies below, counted since the device was created; 0: none does.
using AbsoluteFloors = std::array<ClassMatrix<uint64_t>, SQA_INHERITED_KINDS>;

// What a floor with SQA_FLOOR_INHERITED is. reached: the classes from which dependencies lead to the
// consumer, whose SQA_FLOOR_VISIBLE_TO_ALL floors count for visible ones.
uint64_t inherited_floor(const AbsoluteFloors& inherited, uint32_t kind, uint32_t producer, Floor floor,
                         uint32_t reached);

}  // namespace shaderqa
#endif
