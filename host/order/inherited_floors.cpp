// SPDX-License-Identifier: Apache-2.0
#include "host/order/inherited_floors.h"

#include <algorithm>

namespace shaderqa {
namespace {

uint64_t highest(const std::array<uint64_t, SQA_CLASSES>& floors, uint32_t classes) {
  uint64_t found = 0;
  for_each_class(classes, [&](uint32_t one) { found = std::max(found, floors[one]); });
  return found;
}

}  // namespace

uint64_t inherited_floor(const AbsoluteFloors& inherited, uint32_t kind, uint32_t producer, Floor floor,
                         uint32_t reached) {
  uint64_t number =
      std::max(highest(inherited[kind][producer], floor & kAllClasses),
               highest(inherited[SQA_FLOOR_AVAILABLE][producer], floor >> kAvailableShift & kAllClasses));
  if (kind >= SQA_FLOOR_VISIBLE)
    number = std::max(number, highest(inherited[SQA_FLOOR_VISIBLE_TO_ALL][producer], reached));
  return number;
}

uint32_t InheritedFloors::slot_of(const Named& named) const {
  uint32_t hash = named.floor * 0x9e3779b1u ^ named.reached * 0x85ebca6bu ^ named.list * 0xc2b2ae35u;
  hash ^= hash >> 15;
  const auto mask = static_cast<uint32_t>(slots_.size() - 1);
  uint32_t slot = hash & mask;
  while (slots_[slot] != 0 && named_[slots_[slot] - 1] != named) slot = (slot + 1) & mask;
  return slot;
}

uint32_t InheritedFloors::number(uint32_t kind, uint32_t producer, Floor floor, uint32_t reached) {
  const Named named{kind * SQA_CLASSES + producer, floor, kind < SQA_FLOOR_VISIBLE ? 0 : reached};
  // At most half of them are taken.
  if (slots_.size() < 2 * (named_.size() + 1)) {
    slots_.assign(std::max<size_t>(kFewestSlots, 2 * slots_.size()), 0);
    for (size_t i = 0; i < named_.size(); ++i) slots_[slot_of(named_[i])] = static_cast<uint16_t>(i + 1);
  }
  uint16_t& slot = slots_[slot_of(named)];
  if (slot != 0) return kOfAll + slot - 1;
  if (is_full()) return named.list;
  named_.push_back(named);
  slot = static_cast<uint16_t>(named_.size());
  return kOfAll + slot - 1;
}

std::vector<uint64_t> InheritedFloors::evaluate(const AbsoluteFloors& inherited) const {
  std::vector<uint64_t> floors;
  floors.reserve(kOfAll + named_.size());
  constexpr Floor every_class = SQA_FLOOR_INHERITED | kAllClasses | kAllClasses << kAvailableShift;
  for (uint32_t list = 0; list < kOfAll; ++list)
    floors.push_back(
        inherited_floor(inherited, list / SQA_CLASSES, list % SQA_CLASSES, every_class, kAllClasses));
  for (const Named& named : named_)
    floors.push_back(inherited_floor(inherited, named.list / SQA_CLASSES, named.list % SQA_CLASSES,
                                     named.floor, named.reached));
  return floors;
}

}  // namespace shaderqa
