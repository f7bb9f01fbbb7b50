// SPDX-License-Identifier: Apache-2.0
// Where a command buffer stands among all that was submitted: inside an execution, and as shaders are told.
#include <gtest/gtest.h>

#include <utility>

#include "host/order/submission_order.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_submission.h"

namespace shaderqa {
namespace {

constexpr uint32_t kC = SQA_CLASS_COMPUTE, kT = SQA_CLASS_TRANSFER;
constexpr uint32_t kCompute = 1u << kC;

// Numbers up to which all is ordered hold inside only if nothing in front of the primary is left out.
TEST(SubmissionOrigins, InsideAnExecutionOnlyACompletePastCounts) {
  OrderState entry;
  const OrderDependency barrier{kCompute, kCompute, kCompute, kCompute};
  entry.apply({&barrier, 1}, 3);
  SubmissionOrigin place;
  place.queue = 2;
  place.first = 100;
  for (const auto& [ordered, inside] :
       {std::pair<uint64_t, uint64_t>{97, 97}, {98, 98}, {99, 102}, {100, 102}, {0, 0}}) {
    place.ordered_before[kC] = ordered;
    const SubmissionOrigin inner = inner_place(place, entry, 5, kCompute);
    EXPECT_EQ(inner.ordered_before[kC], inside) << ordered;
    EXPECT_EQ(inner.ordered_before[kT], 0u);
    EXPECT_EQ(inner.first, 105u);
    EXPECT_EQ(inner.queue, 2u);
  }
}

TEST(SubmissionOrigins, AreWrittenWithNumbersOfTheirEpoch) {
  constexpr uint64_t epoch = SQA_EPOCH_BIT;
  SubmissionOrigin place;
  place.queue = 1;
  place.first = 3 * epoch + 7;
  place.ordered_before[kC] = 3 * epoch + 6;
  place.ordered_before[kT] = 3 * epoch - 1;  // of the epoch before
  place.others[0] = 3 * epoch + 5;
  place.others[1] = 3 * epoch + 4;  // its own queue
  place.others[SQA_MAX_QUEUES - 1] = 3 * epoch;
  place.inherited[SQA_FLOOR_EXECUTED][kC][kT] = 3 * epoch + 1;
  place.inherited[SQA_FLOOR_VISIBLE_UNIFORM][SQA_CLASSES - 1][SQA_CLASSES - 1] = 3 * epoch + 2;
  place.inherited[SQA_FLOOR_VISIBLE][kT][kC] = 2 * epoch + 3;
  InheritedFloors floors;
  const auto of_class = [&](uint32_t kind, uint32_t producer, uint32_t consumer) {
    return floors.number(kind, producer, SQA_FLOOR_INHERITED | 1u << consumer, 0);
  };
  const uint32_t executed = of_class(SQA_FLOOR_EXECUTED, kC, kT),
                 visible = of_class(SQA_FLOOR_VISIBLE, kT, kC),
                 last = of_class(SQA_FLOOR_VISIBLE_UNIFORM, SQA_CLASSES - 1, SQA_CLASSES - 1);
  abi::SubmissionState state{};
  write_submission_state(place, floors, 12, state);
  EXPECT_EQ(state.queue, 1u);
  EXPECT_EQ(state.serial, 12u);
  EXPECT_EQ(state.first_sequence, epoch + 7) << "an odd epoch";
  EXPECT_EQ(state.ordered_before[kC], epoch + 6);
  EXPECT_EQ(state.ordered_before[kT], 0u);
  EXPECT_EQ(state.queue_floors[0], epoch + 5);
  EXPECT_EQ(state.queue_floors[1], 0u);
  EXPECT_EQ(state.queue_floors[SQA_MAX_QUEUES - 1], 0u) << "the first number of an epoch is none";
  EXPECT_EQ(state.floors[executed], epoch + 1);
  EXPECT_EQ(state.floors[last], epoch + 2);
  EXPECT_EQ(state.floors[visible], 0u);
}

}  // namespace
}  // namespace shaderqa
