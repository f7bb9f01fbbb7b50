// SPDX-License-Identifier: Apache-2.0
#include "host/order/inherited_floors.h"

#include <algorithm>

namespace shaderqa {
namespace {

constexpr uint32_t kAllClasses = (1u << SQA_CLASSES) - 1;

uint64_t highest(const std::array<uint64_t, SQA_CLASSES>& floors, uint32_t classes) {
  uint64_t found = 0;
  for (uint32_t one = 0; one < SQA_CLASSES; ++one) {
    if (classes >> one & 1) found = std::max(found, floors[one]);
  }
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

uint32_t InheritedFloors::number(uint32_t kind, uint32_t producer, Floor floor, uint32_t reached) {
  const uint32_t list = kind * SQA_CLASSES + producer;
  if (kind < SQA_FLOOR_VISIBLE) reached = 0;
  for (uint32_t at = newest_[list]; at != kNone; at = named_[at].older) {
    if (named_[at].floor == floor && named_[at].reached == reached) return kOfAll + at;
  }
  if (is_full()) return list;
  const auto at = static_cast<uint32_t>(named_.size());
  named_.push_back({list, floor, reached, newest_[list]});
  newest_[list] = at;
  return kOfAll + at;
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
