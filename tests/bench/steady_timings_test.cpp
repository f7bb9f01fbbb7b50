// SPDX-License-Identifier: Apache-2.0
// When the benchmarks take a GPU's clocks for settled.
#include "bench/steady_timings.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

void add(SteadyTimings& timings, std::initializer_list<double> microseconds) {
  for (const double one : microseconds) timings.add(one);
}

TEST(SteadyTimings, AFullWindowOfLikeTimingsIsSteady) {
  SteadyTimings timings;
  add(timings, {100, 104, 100, 104});
  EXPECT_FALSE(timings.steady());
  timings.add(100);
  EXPECT_TRUE(timings.steady());
}

TEST(SteadyTimings, RisingClocksAreNotSteadyUntilTheSlowTimingsHaveLeftTheWindow) {
  SteadyTimings timings;
  add(timings, {570, 300, 150, 100, 100, 100, 100});
  EXPECT_FALSE(timings.steady());
  add(timings, {100});
  EXPECT_TRUE(timings.steady());
}

TEST(SteadyTimings, ALowClockIsNotSteadyOnceAHigherOneWasSeen) {
  SteadyTimings timings;
  add(timings, {100, 100, 100, 100, 100});
  ASSERT_TRUE(timings.steady());
  timings.restart();
  EXPECT_FALSE(timings.steady());
  add(timings, {570, 570, 570, 570, 570});
  EXPECT_FALSE(timings.steady());
  add(timings, {100, 100, 100, 100, 100});
  EXPECT_TRUE(timings.steady());
}

TEST(SteadyTimings, OneDisturbedTimingIsNotSteady) {
  SteadyTimings timings;
  add(timings, {100, 100, 106, 100, 100});
  EXPECT_FALSE(timings.steady());
}

}  // namespace
}  // namespace bench
