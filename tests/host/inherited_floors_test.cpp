// SPDX-License-Identifier: Apache-2.0
// The numbers of floors that command buffers inherit.
#include "host/order/inherited_floors.h"

#include <gtest/gtest.h>

namespace shaderqa {
namespace {

constexpr uint32_t kC = SQA_CLASS_COMPUTE, kT = SQA_CLASS_TRANSFER;
constexpr Floor of_classes(uint32_t classes, uint32_t of_available = 0) {
  return SQA_FLOOR_INHERITED | classes | of_available << kAvailableShift;
}

TEST(InheritedFloors, TheSameFloorHasOneNumber) {
  InheritedFloors floors;
  const uint32_t first = floors.number(SQA_FLOOR_EXECUTED, kC, of_classes(1), 0);
  EXPECT_EQ(floors.number(SQA_FLOOR_EXECUTED, kC, of_classes(1), 0), first);
  EXPECT_EQ(floors.number(SQA_FLOOR_EXECUTED, kC, of_classes(1), 7), first)
      << "reached is about visible floors";
  EXPECT_NE(floors.number(SQA_FLOOR_EXECUTED, kC, of_classes(2), 0), first);
  EXPECT_NE(floors.number(SQA_FLOOR_EXECUTED, kT, of_classes(1), 0), first);
  EXPECT_NE(floors.number(SQA_FLOOR_AVAILABLE, kC, of_classes(1), 0), first);
  const uint32_t visible = floors.number(SQA_FLOOR_VISIBLE, kC, of_classes(1), 0);
  EXPECT_NE(floors.number(SQA_FLOOR_VISIBLE, kC, of_classes(1), 1), visible);
}

TEST(InheritedFloors, TheHighestFloorOfTheClassesCounts) {
  InheritedFloors floors;
  AbsoluteFloors begin{};
  begin[SQA_FLOOR_VISIBLE][kC][0] = 3;
  begin[SQA_FLOOR_VISIBLE][kC][1] = 5;
  begin[SQA_FLOOR_AVAILABLE][kC][2] = 7;
  begin[SQA_FLOOR_VISIBLE_TO_ALL][kC][3] = 9;
  const uint32_t nothing = floors.number(SQA_FLOOR_VISIBLE, kC, kNoFloor, 0),
                 both = floors.number(SQA_FLOOR_VISIBLE, kC, of_classes(3), 0),
                 made_visible = floors.number(SQA_FLOOR_VISIBLE, kC, of_classes(3, 4), 0),
                 reached = floors.number(SQA_FLOOR_VISIBLE, kC, of_classes(3, 4), 8);
  const std::vector<uint64_t> values = floors.evaluate(begin);
  EXPECT_EQ(values.at(nothing), 0u);
  EXPECT_EQ(values.at(both), 5u);
  EXPECT_EQ(values.at(made_visible), 7u);
  EXPECT_EQ(values.at(reached), 9u);
}

// Too much order hides hazards; too little would invent them.
TEST(InheritedFloors, WithoutNumbersLeftTheFloorOfAllClassesStandsIn) {
  InheritedFloors floors;
  uint32_t classes = 1;
  for (; !floors.is_full(); ++classes) {
    ASSERT_LT(classes, 1u << SQA_CLASSES);
    ASSERT_LT(floors.number(SQA_FLOOR_VISIBLE, kC, of_classes(classes), 0), uint32_t{SQA_INHERITED_FLOORS});
  }
  AbsoluteFloors begin{};
  begin[SQA_FLOOR_VISIBLE][kC][SQA_CLASSES - 1] = 4;
  begin[SQA_FLOOR_VISIBLE][kT][SQA_CLASSES - 1] = 6;
  const uint32_t known = floors.number(SQA_FLOOR_VISIBLE, kC, of_classes(1), 0),
                 late = floors.number(SQA_FLOOR_VISIBLE, kC, of_classes(classes), 0);
  const std::vector<uint64_t> values = floors.evaluate(begin);
  EXPECT_LE(values.size(), size_t{SQA_INHERITED_FLOORS});
  EXPECT_EQ(values.at(known), 0u);
  EXPECT_EQ(values.at(late), 4u);
}

}  // namespace
}  // namespace shaderqa
