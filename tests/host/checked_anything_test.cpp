// SPDX-License-Identifier: Apache-2.0
// What --allow-incomplete accepts: a run in which something was checked.
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "host/summary/verdict.h"

namespace shaderqa {
namespace {

ProcessRecord with(std::initializer_list<std::pair<Tally, uint64_t>> tallies, const char* checks = "sync") {
  ProcessRecord record;
  record.checks = checks;
  record.tallies[static_cast<size_t>(Tally::devices)] = 1;
  for (const auto& [tally, number] : tallies) record.tallies[static_cast<size_t>(tally)] = number;
  return record;
}

TEST(CheckedAnything, NeedsAShader) {
  EXPECT_FALSE(checked_anything({with({}, "printf")}));
  EXPECT_FALSE(checked_anything({with({{Tally::shaders_excluded, 3}}, "printf")}));
  EXPECT_TRUE(checked_anything({with({{Tally::shaders_checked, 1}}, "printf")}));
  EXPECT_TRUE(checked_anything({with({{Tally::shaders_nothing, 1}}, "printf")}));
}

TEST(CheckedAnything, NeedsASubmissionInTheChosenPart) {
  ProcessRecord record = with({{Tally::shaders_checked, 1}, {Tally::submissions, 2}}, "values");
  EXPECT_FALSE(checked_anything({record}));
  record.tallies[static_cast<size_t>(Tally::submissions_checked)] = 1;
  EXPECT_TRUE(checked_anything({record}));
}

TEST(CheckedAnything, NeedsAnActionWhereThoseAreCounted) {
  EXPECT_FALSE(checked_anything({with({{Tally::shaders_checked, 1}})}));
  EXPECT_TRUE(checked_anything({with({{Tally::shaders_checked, 1}, {Tally::actions, 20}})}))
      << "none had anything to check";
  for (const Tally missed : {Tally::actions_unchecked, Tally::actions_left_out, Tally::actions_late}) {
    EXPECT_FALSE(checked_anything({with({{Tally::shaders_checked, 1}, {Tally::actions, 20}, {missed, 16}})}))
        << "the others had nothing to check";
    EXPECT_TRUE(checked_anything({with(
        {{Tally::shaders_checked, 1}, {Tally::actions, 20}, {Tally::actions_checked, 1}, {missed, 16}})}));
  }
}

}  // namespace
}  // namespace shaderqa
