// SPDX-License-Identifier: Apache-2.0
// Which numbers command buffers get, and what queues, semaphores, fences and the host order between them.
#include "host/order/submission_order.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_submission.h"

namespace shaderqa {
namespace {

constexpr uint32_t kC = SQA_CLASS_COMPUTE, kT = SQA_CLASS_TRANSFER;
constexpr uint32_t kCompute = 1u << kC, kTransfer = 1u << kT;

// As vkQueueWaitIdle: a fence behind all that was given to the queue, and the host's wait for it.
void wait_until_idle(SubmissionOrder& order, uint32_t queue) {
  constexpr uint64_t fence = 0xffff0001;
  order.signal_fence(queue, fence);
  order.fence_seen(fence, true);
  order.destroy_fence(fence);
}

class SubmissionOrderTest : public testing::Test {
 protected:
  // A command buffer with so many numbers and no barrier.
  SubmissionOrigin submit(uint32_t queue, uint32_t numbers = 1) {
    const SubmissionOrigin place = order_.begin(queue, numbers, kCompute);
    order_.end(place, OrderState());
    return place;
  }
  static uint64_t visible(const SubmissionOrigin& place) {
    return place.inherited[SQA_FLOOR_VISIBLE][kC][kC];
  }

  SubmissionOrder order_;
};

TEST_F(SubmissionOrderTest, SubmissionOrderAloneOrdersNothing) {
  EXPECT_EQ(submit(0, 3).first, 1u);
  const SubmissionOrigin second = submit(0);
  EXPECT_EQ(second.first, 4u);
  EXPECT_EQ(visible(second), 0u);
  EXPECT_EQ(submit(1).first, 5u) << "numbers are the device's";
}

TEST_F(SubmissionOrderTest, ABarrierAtTheEndOrdersTheNextCommandBuffer) {
  const SubmissionOrigin first = order_.begin(0, 2, kCompute);
  OrderState exit;
  const OrderDependency barrier{kCompute, kCompute, kCompute, kCompute};
  exit.apply({&barrier, 1}, 1);
  order_.end(first, exit);
  EXPECT_EQ(visible(submit(0)), 1u) << "not the action behind the barrier";
  EXPECT_EQ(visible(submit(1)), 0u);
}

TEST_F(SubmissionOrderTest, ABinarySemaphoreOrdersQueues) {
  order_.create_semaphore(7, false, 0, false);
  submit(0, 5);
  order_.signal(0, 7, 0);
  submit(0, 5);
  EXPECT_EQ(submit(1).others[0], 0u);
  order_.wait(1, 7, 0, kCompute);
  EXPECT_EQ(submit(1).others[0], 5u);
  // And those behind that one.
  order_.signal(1, 7, 0);
  order_.wait(2, 7, 0, kCompute);
  const SubmissionOrigin third = submit(2);
  EXPECT_EQ(third.others[0], 5u);
  EXPECT_EQ(third.others[1], 12u);
}

// What a wait for a semaphore made visible is visible to whatever dependencies lead to from its stages, even
// if they make nothing visible themselves. What a barrier made visible to copies is visible to copies.
TEST_F(SubmissionOrderTest, WhatASemaphoreMadeVisibleStaysSoBehindAnExecutionDependency) {
  const OrderDependency execution{kTransfer, kCompute, 0, 0};
  for (const bool by_semaphore : {true, false}) {
    SubmissionOrder order;
    order.create_semaphore(7, false, 0, false);
    const SubmissionOrigin first = order.begin(0, 5, kCompute);
    OrderState exit;
    const OrderDependency barrier{kCompute, kTransfer, kCompute, kTransfer};
    if (!by_semaphore) exit.apply({&barrier, 1}, 5);
    order.end(first, exit);
    if (by_semaphore) {
      order.signal(0, 7, 0);
      order.wait(0, 7, 0, kTransfer);
    }
    const SubmissionOrigin second = order.begin(0, 1, kTransfer);
    EXPECT_EQ(visible(second), 0u);
    EXPECT_EQ(second.inherited[SQA_FLOOR_VISIBLE][kC][kT], 5u);
    OrderState inner;
    inner.apply({&execution, 1}, 1);
    OrderState outer;
    outer.execute(inner, 0);
    for (const OrderState& state : {inner, outer}) {
      const AbsoluteFloors floors = state.evaluate(second.first, second.inherited);
      EXPECT_EQ(floors[SQA_FLOOR_EXECUTED][kC][kC], 5u);
      EXPECT_EQ(floors[SQA_FLOOR_VISIBLE][kC][kC], by_semaphore ? 5u : 0u);
    }
    order.end(second, inner);
    EXPECT_EQ(visible(order.begin(0, 1, kCompute)), by_semaphore ? 5u : 0u)
        << "of the next command buffer, too";
  }
}

TEST_F(SubmissionOrderTest, ASemaphoreOfTheSameQueueOrdersTheStagesThatWait) {
  order_.create_semaphore(7, false, 0, false);
  submit(0, 5);
  order_.signal(0, 7, 0);
  order_.wait(0, 7, 0, kTransfer);
  const SubmissionOrigin place = submit(0);
  EXPECT_EQ(place.inherited[SQA_FLOOR_AVAILABLE][kC][kT], 5u);
  EXPECT_EQ(visible(place), 0u);
}

TEST_F(SubmissionOrderTest, ATimelineSemaphoreOrdersByValue) {
  order_.create_semaphore(7, true, 10, false);
  submit(0, 5);
  order_.signal(0, 7, 11);
  submit(0, 5);
  order_.signal(0, 7, 12);
  order_.wait(1, 7, 10, kCompute);
  EXPECT_EQ(submit(1).others[0], 0u) << "its initial value";
  order_.wait(1, 7, 11, kCompute);
  EXPECT_EQ(submit(1).others[0], 5u);
  order_.wait(1, 7, 12, kCompute);
  EXPECT_EQ(submit(1).others[0], 10u);
}

TEST_F(SubmissionOrderTest, AWaitBeforeItsSignalOrdersEverythingUntilThen) {
  order_.create_semaphore(7, true, 0, false);
  order_.wait(1, 7, 3, kCompute);
  EXPECT_EQ(submit(1).others[0], uint64_t{SQA_EPOCH_BIT - 1});
  submit(0, 5);
  order_.signal(0, 7, 3);
  EXPECT_EQ(submit(1).others[0], 6u);
}

TEST_F(SubmissionOrderTest, IsInOrderWhereNothingWaitsForWhatIsSubmittedLater) {
  order_.create_semaphore(7, true, 0, false);
  EXPECT_TRUE(submit(0).in_order);
  order_.wait(1, 7, 3, kCompute);
  EXPECT_FALSE(submit(1).in_order);
  EXPECT_FALSE(submit(2).in_order) << "it may wait for the other queue";
  order_.signal(0, 7, 3);
  EXPECT_TRUE(submit(2).in_order);
  abi::SubmissionState state;
  write_submission_state(submit(2), {}, 0, state);
  EXPECT_EQ(state.in_order, 1u);
}

TEST_F(SubmissionOrderTest, IsNotInOrderBehindWaitsThatOthersOrTheHostEnd) {
  order_.wait_for_host();
  EXPECT_FALSE(submit(0).in_order);
  EXPECT_TRUE(order_.is_in_order()) << "semaphores are";
  order_.create_semaphore(7, true, 0, true);
  order_.wait(1, 7, 3, kCompute);
  EXPECT_FALSE(order_.is_in_order());
}

// Whatever ended the wait, it ended before the semaphore was destroyed: what is submitted much later it does
// not order.
TEST_F(SubmissionOrderTest, AWaitForADestroyedSemaphoreOrdersWhatIsSubmittedUntilThen) {
  constexpr uint64_t first_end = SQA_EPOCH_BIT - 1, second_end = 2 * uint64_t{SQA_EPOCH_BIT} - 1;
  for (const uint64_t handle : {7, 8}) order_.create_semaphore(handle, true, 0, false);
  order_.wait(1, 7, 3, kCompute);
  order_.wait(2, 8, 3, kCompute);
  order_.destroy_semaphore(7);
  submit(0, SubmissionOrder::kMostNumbers - 1);
  ASSERT_EQ(epoch_of(submit(0, 3).first), 1u);
  EXPECT_EQ(submit(1).others[0], first_end);
  EXPECT_EQ(submit(2).others[0], second_end) << "that of the other one is waited for yet";
}

TEST_F(SubmissionOrderTest, SemaphoresThatOthersMaySignalAreForeign) {
  order_.create_semaphore(7, false, 0, false);
  order_.create_semaphore(8, true, 0, true);
  EXPECT_FALSE(order_.is_foreign(7));
  EXPECT_TRUE(order_.is_foreign(8));
  EXPECT_TRUE(order_.is_foreign(9)) << "nobody knows it";
  order_.destroy_semaphore(7);
  EXPECT_TRUE(order_.is_foreign(7));
}

// The oldest of very many values are forgotten: a wait for one of them is then ordered behind a later one.
TEST_F(SubmissionOrderTest, OldValuesOfATimelineSemaphoreOrderMore) {
  order_.create_semaphore(7, true, 0, false);
  for (uint64_t value = 1; value <= 256; ++value) {
    submit(0);
    order_.signal(0, 7, value);
  }
  order_.wait(1, 7, 1, kCompute);
  EXPECT_EQ(submit(1).others[0], 1u);
  submit(0);
  order_.signal(0, 7, 300);
  order_.wait(2, 7, 1, kCompute);
  EXPECT_EQ(submit(2).others[0], 2u);
  order_.wait(3, 7, 257, kCompute);
  EXPECT_EQ(submit(3).others[0], 258u) << "queue 1 took a number before the last signal";
}

TEST_F(SubmissionOrderTest, ADestroyedFenceMayHaveSignalledAnything) {
  submit(0, 5);
  order_.signal_fence(0, 4);
  submit(0, 5);
  order_.destroy_fence(4);
  order_.fence_seen(4, true);
  EXPECT_EQ(visible(submit(0)), 10u);
  EXPECT_FALSE(order_.is_complete(0, 1)) << "but none is sure";
}

TEST_F(SubmissionOrderTest, AHostsSignalOrdersWhatTheHostWaitedFor) {
  order_.create_semaphore(7, true, 0, false);
  submit(0, 5);
  wait_until_idle(order_, 0);
  submit(0, 5);
  order_.signal_from_host(7, 3);
  order_.wait(1, 7, 3, kCompute);
  EXPECT_EQ(submit(1).others[0], 5u);
}

TEST_F(SubmissionOrderTest, SemaphoresOfOthersOrderEverything) {
  order_.create_semaphore(7, false, 0, true);
  submit(0, 5);
  order_.wait(1, 7, 0, kCompute);
  EXPECT_GE(submit(1).others[0], 5u);
  order_.wait(2, 99, 0, kCompute);
  EXPECT_GE(submit(2).others[0], 5u);
}

TEST_F(SubmissionOrderTest, AnAcquiredImageOrdersNothing) {
  order_.create_semaphore(7, false, 0, false);
  submit(0, 5);
  order_.signal_from_outside(7, 8);
  order_.wait(0, 7, 0, kCompute);
  EXPECT_EQ(visible(submit(0)), 0u);
  order_.fence_seen(8, true);
  EXPECT_EQ(visible(submit(0)), 0u);
}

TEST_F(SubmissionOrderTest, AFenceOrdersWhatItCovers) {
  submit(0, 5);
  submit(1, 5);
  order_.signal_fence(0, 4);
  submit(0, 5);
  order_.fence_seen(4, true);
  EXPECT_TRUE(order_.is_complete(0, 5));
  EXPECT_FALSE(order_.is_complete(0, 6));
  EXPECT_FALSE(order_.is_complete(1, 10));
  EXPECT_EQ(visible(submit(0)), 5u);
  const SubmissionOrigin other = submit(1);
  EXPECT_EQ(other.others[0], 5u);
  EXPECT_EQ(visible(other), 0u);
}

TEST_F(SubmissionOrderTest, WhatTheHostSeesOfATimelineSemaphoreOrdersByValue) {
  order_.create_semaphore(7, true, 10, false);
  submit(0, 5);
  order_.signal(0, 7, 12);
  order_.semaphore_seen(7, 9, true);
  order_.semaphore_seen(7, 10, true);
  EXPECT_EQ(submit(1).others[0], 0u) << "it had its initial value before";
  order_.semaphore_seen(7, 11, true);
  EXPECT_EQ(submit(1).others[0], 5u) << "only the signal of 12 can have raised it to 11";
  EXPECT_FALSE(order_.is_complete(0, 5)) << "but another queue may";
  order_.semaphore_seen(7, 12, true);
  EXPECT_TRUE(order_.is_complete(0, 5));
}

class HostViewTest : public SubmissionOrderTest {
 protected:
  static constexpr uint32_t kH = SQA_CLASS_HOST;
  // With a barrier to the host at its end.
  SubmissionOrigin submit_for_host(uint32_t queue, uint32_t numbers = 1) {
    const SubmissionOrigin place = order_.begin(queue, numbers, kCompute);
    OrderState exit;
    const OrderDependency barrier{kCompute, 1u << kH, kCompute, 1u << kH};
    exit.apply({&barrier, 1}, numbers);
    order_.end(place, exit);
    return place;
  }
  bool unread(const QueueClock& seen = {}) {
    bool unread = false;
    view_ = order_.host_view(seen, unread);
    return unread;
  }
  HostView view_;
};

TEST_F(HostViewTest, WaitingMakesNothingVisible) {
  submit(0, 5);
  EXPECT_FALSE(unread()) << "it has not waited";
  EXPECT_EQ(view_.done[0], 0u);
  wait_until_idle(order_, 0);
  EXPECT_TRUE(unread());
  EXPECT_EQ(view_.done[0], 5u);
  EXPECT_EQ(view_.visible[0][kC], 0u);
  EXPECT_EQ(visible(submit(0)), 5u) << "but to the device";
  EXPECT_TRUE(unread());
}

TEST_F(HostViewTest, ABarrierToTheHostDoes) {
  submit_for_host(0, 5);
  wait_until_idle(order_, 0);
  EXPECT_FALSE(unread());
  EXPECT_EQ(view_.visible[0][kC], 5u);
  submit(0);
  wait_until_idle(order_, 0);
  EXPECT_TRUE(unread());
  EXPECT_EQ(view_.done[0], 6u);
  EXPECT_EQ(view_.visible[0][kC], 5u);
  EXPECT_FALSE(unread({6})) << "looked at already";
}

TEST_F(HostViewTest, OnlyOfWhatItIsSure) {
  submit(0, 5);
  order_.something_seen();
  EXPECT_FALSE(unread());
  order_.signal_fence(0, 4);
  order_.fence_seen(4, false);
  EXPECT_FALSE(unread());
  order_.fence_seen(4, true);
  EXPECT_TRUE(unread());
}

TEST_F(HostViewTest, AnotherQueueThatWaitedMayHaveDoneIt) {
  order_.create_semaphore(7, false, 0, false);
  submit(0, 5);
  submit(0, 5);
  order_.signal(0, 7, 0);
  order_.device_idle();
  submit(1);
  const QueueClock seen{0, 11};  // of the other queue nothing is asked
  EXPECT_TRUE(unread(seen)) << "the host's own wait does not count";
  order_.wait(1, 7, 0, kCompute);
  EXPECT_FALSE(unread(seen));
  EXPECT_EQ(view_.visible[0][kC], 10u);
}

TEST_F(HostViewTest, AnUnknownCommandBufferMayHaveDoneIt) {
  submit(0, 5);
  order_.pass_unknown(0);
  wait_until_idle(order_, 0);
  EXPECT_FALSE(unread());
}

// Checks begin again: nothing is compared with what came before, and nothing is known to be complete by that.
TEST_F(SubmissionOrderTest, WhatIsForgottenIsOrderedOnAllQueues) {
  submit(0, 5);
  submit(1, 3);
  order_.forget_earlier();
  const SubmissionOrigin later = order_.begin(1, 2, 1u << SQA_CLASS_COMPUTE);
  EXPECT_EQ(later.others[0], 5u);
  for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer)
    EXPECT_EQ(later.ordered_before[consumer], 8u) << consumer;
  EXPECT_FALSE(order_.is_complete(0, 5));
  EXPECT_LT(order_.begin(0, 1, 1u << SQA_CLASS_COMPUTE).ordered_before[SQA_CLASS_COMPUTE], 10u)
      << "what comes afterwards is compared with";
}

TEST_F(HostViewTest, ItsOwnWorkIsCompleteWhereNothingWasBeforeIt) {
  submit(0, 5);
  order_.device_idle();
  const SubmissionOrigin own = order_.begin(1, 1, 0);
  EXPECT_FALSE(order_.everything_complete());
  order_.own_complete(1, own.first);
  EXPECT_TRUE(order_.everything_complete());
}

TEST_F(SubmissionOrderTest, WaitsOfUnknownReasonOrderEverythingAndAreNotSure) {
  submit(0, 5);
  order_.something_seen();
  EXPECT_EQ(visible(submit(0)), 5u);
  EXPECT_FALSE(order_.is_complete(0, 5));
  wait_until_idle(order_, 0);
  EXPECT_TRUE(order_.is_complete(0, 6));
  submit(1);
  order_.device_idle();
  EXPECT_TRUE(order_.is_complete(1, 7));
}

TEST_F(SubmissionOrderTest, AnEpochStartsWhenNumbersRunOut) {
  submit(0, SubmissionOrder::kMostNumbers - 1);
  wait_until_idle(order_, 0);
  EXPECT_FALSE(order_.begin(0, 1, kCompute).starts_epoch);
  const SubmissionOrigin place = order_.begin(0, 3, kCompute);
  EXPECT_TRUE(place.starts_epoch);
  EXPECT_EQ(sequence_of(place.first), uint32_t{SQA_EPOCH_BIT} + 1);
  abi::SubmissionState state;
  InheritedFloors floors;
  const uint32_t visible = floors.number(SQA_FLOOR_VISIBLE, kC, SQA_FLOOR_INHERITED | kCompute, 0);
  write_submission_state(place, floors, 9, state);
  EXPECT_EQ(state.first_sequence, uint32_t{SQA_EPOCH_BIT} + 1);
  EXPECT_EQ(state.serial, 9u);
  EXPECT_EQ(state.floors[visible], 0u) << "of another epoch";
  order_.end(place, OrderState());
  wait_until_idle(order_, 0);
  write_submission_state(order_.begin(0, 1, kCompute), floors, 10, state);
  EXPECT_EQ(state.floors[visible], uint32_t{SQA_EPOCH_BIT} + 3);
}

TEST_F(SubmissionOrderTest, AnExecutedCommandBufferStandsWhereItWasExecuted) {
  submit(0, 3);
  const SubmissionOrigin place = order_.begin(0, 10, kCompute);
  OrderState entry;
  const OrderDependency barrier{kCompute, kCompute, kCompute, kCompute};
  entry.apply({&barrier, 1}, 2);
  const SubmissionOrigin inner = inner_place(place, entry, 4, kCompute);
  EXPECT_EQ(inner.first, place.first + 4);
  EXPECT_EQ(visible(inner), place.first + 1);
}

TEST_F(SubmissionOrderTest, QuickIsWhatABarrierOfAllProducersLeaves) {
  const SubmissionOrigin first = order_.begin(0, 2, kCompute);
  EXPECT_EQ(first.ordered_before[kC], 0u);
  OrderState exit;
  const OrderDependency barrier{kCompute, kCompute | kTransfer, kCompute, kCompute};
  exit.apply({&barrier, 1}, 2);
  order_.end(first, exit);
  const SubmissionOrigin second = order_.begin(0, 1, kTransfer);
  EXPECT_EQ(second.ordered_before[kC], 2u);
  EXPECT_EQ(second.ordered_before[kT], 0u) << "its reads see nothing of it";
  order_.end(second, exit);
  EXPECT_EQ(order_.begin(0, 1, kCompute).ordered_before[kC], 0u) << "nothing ever ordered transfers";
}

TEST_F(SubmissionOrderTest, QuickEndsWhereAnotherQueueIsNotWaitedFor) {
  submit(0, 3);
  wait_until_idle(order_, 0);
  EXPECT_EQ(order_.begin(0, 1, kCompute).ordered_before[kC], 3u);
  submit(1, 2);
  wait_until_idle(order_, 0);
  EXPECT_EQ(order_.begin(0, 1, kCompute).ordered_before[kC], 0u) << "nothing of that queue was waited for";
  order_.device_idle();
  const SubmissionOrigin place = order_.begin(0, 1, kCompute);
  EXPECT_EQ(place.ordered_before[kC] + 1, place.first);
}

// Whatever barriers, semaphores and waits there were: nothing ordered_before is without order.
TEST_F(SubmissionOrderTest, QuickIsAlwaysOrdered) {
  std::mt19937 random(3);
  struct Known {
    uint32_t queue, producer;
    uint64_t number;
  };
  for (int round = 0; round < 200; ++round) {
    SubmissionOrder order;
    order.create_semaphore(1, true, 0, false);
    std::vector<Known> known;
    uint64_t value = 0, checked = 0;
    for (int step = 0; step < 60; ++step) {
      const uint32_t queue = random() % 3;
      if (random() % 4 == 0) order.wait(queue, 1, value, 1u << random() % SQA_CLASSES);
      const uint32_t producer = random() % 3, numbers = 1 + random() % 3;
      const SubmissionOrigin place = order.begin(queue, numbers, 1u << producer);
      for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
        for (const Known& one : known) {
          if (one.number > place.ordered_before[consumer]) continue;
          ++checked;
          if (one.queue != queue) {
            ASSERT_LE(one.number, place.others[one.queue]);
          }
          // Reads of uniform buffers do not use it.
          for (uint32_t kind = 0; one.queue == queue && kind <= SQA_FLOOR_VISIBLE; ++kind)
            ASSERT_LE(one.number, place.inherited[kind][one.producer][consumer]);
        }
      }
      for (uint32_t i = 0; i < numbers; ++i) known.push_back({queue, producer, place.first + i});
      OrderState exit;
      if (random() % 2) {
        const auto classes = [&] { return static_cast<uint32_t>(random() % (1u << SQA_CLASSES)); };
        const OrderDependency barrier{classes(), classes(), classes(), classes()};
        exit.apply({&barrier, 1}, random() % (numbers + 1));
      }
      order.end(place, exit);
      if (random() % 4 == 0) order.signal(queue, 1, ++value);
      if (random() % 8 == 0) wait_until_idle(order, queue);
    }
    ASSERT_GT(checked, 0u);
  }
}

TEST_F(SubmissionOrderTest, QuickWithinACommandBufferCountsItsOwnProducers) {
  OrderState state;
  EXPECT_EQ(state.ordered_for(kC, 0, 5), 5u) << "nobody did anything";
  EXPECT_EQ(state.ordered_for(kC, kCompute, 5), 0u);
  const OrderDependency barrier{kCompute, kCompute, kCompute, kCompute};
  state.apply({&barrier, 1}, 3);
  EXPECT_EQ(state.ordered_for(kC, kCompute, 5), 3u);
  EXPECT_EQ(state.ordered_for(kC, kCompute | kTransfer, 5), 0u);
  const SubmissionOrigin place = order_.begin(0, 5, kCompute);
  EXPECT_EQ(inner_place(place, state, 4, kCompute).ordered_before[kC], place.first + 2);
}

}  // namespace
}  // namespace shaderqa
