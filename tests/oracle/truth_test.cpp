// SPDX-License-Identifier: Apache-2.0
// The truth of programs whose verdict was worked out by hand.
#include <gtest/gtest.h>

#include "forms.h"
#include "generator.h"
#include "loops.h"

namespace oracle {
namespace {

constexpr uint32_t kSubgroup = 8;

// Every other pair of programs is for two queues, and half of them have loops.
Machine machine_for(uint64_t seed) {
  Machine machine{kSubgroup, seed % 4 < 2 ? 1u : kQueues};
  machine.loops = seed % 8 < 4;
  return machine;
}

class Forms : public ::testing::TestWithParam<ExpectedForm> {};

TEST_P(Forms, HaveTheVerdictOfTheSpecification) {
  const Truth truth = truth_of(GetParam().program, kSubgroup);
  EXPECT_EQ(truth.verdict, GetParam().verdict) << describe(GetParam().program);
}

INSTANTIATE_TEST_SUITE_P(Truth, Forms, ::testing::ValuesIn(forms()),
                         [](const auto& of) { return of.param.name; });

Truth truth_of_form(const char* name) { return truth_of(form(name).program, kSubgroup); }

TEST(Truth, NamesBothSides) {
  const Truth truth = truth_of_form("update_in_place_after_a_read");
  ASSERT_EQ(truth.races.size(), 1u);
  const auto& [pair, words] = *truth.races.begin();
  EXPECT_EQ(pair.first, (Site{0, 0}));
  EXPECT_EQ(pair.second, (Site{1, 1}));
  EXPECT_EQ(pair.first_kind, Kind::read);
  EXPECT_EQ(pair.second_kind, Kind::write);
  EXPECT_EQ(words.size(), 32u);
}

TEST(Truth, NamesCommands) {
  const Truth truth = truth_of_form("copy_is_not_clear");
  ASSERT_EQ(truth.races.size(), 1u);
  EXPECT_EQ(truth.races.begin()->first.first, (Site{0, -1}));
}

TEST(Truth, RangesOfBarriersAreToTheWord) {
  const Truth truth = truth_of_form("on_a_part");
  ASSERT_EQ(truth.races.size(), 1u);
  const Words& words = truth.races.begin()->second;
  EXPECT_EQ(words.size(), 16u);
  EXPECT_EQ(words.begin()->second, 16u);
}

TEST(Truth, StencilsAreBothWaysOneSitePair) { EXPECT_EQ(truth_of_form("stencil").races.size(), 1u); }

TEST(Truth, SubgroupBarriersOrderTheirSubgroupOnly) {
  Program program = form("exchange_within_the_workgroup").program;
  program.commands[0].shader[1].execution = Scope::subgroup;
  EXPECT_EQ(truth_of(program, 8).verdict, Verdict::none);
  EXPECT_EQ(truth_of(program, 4).verdict, Verdict::race);
}

TEST(Generator, GivesWhatItsSeedsPromise) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Program program = generate(seed, machine_for(seed));
    EXPECT_EQ(truth_of(program, kSubgroup).verdict, seed % 2 == 0 ? Verdict::none : Verdict::race);
    EXPECT_EQ(describe(program), describe(generate(seed, machine_for(seed))));
  }
}

TEST(Reduction, EveryStepIsSmallerAndHasATruth) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Program program = generate(seed, machine_for(seed));
    for (const Program& smaller : smaller_programs(program, kSubgroup)) {
      EXPECT_NE(describe(smaller), describe(program));
      EXPECT_NO_THROW(truth_of(smaller, kSubgroup));
    }
  }
}

// A reduction takes turns out of the list, and halves the number of invocations.
TEST(Loops, AStridedLoopHasNoMoreTurnsThanItsList) {
  Program program = form("strided_loop").program;  // 101 elements, 32 invocations, 4 turns
  EXPECT_NE(glsl_of(program, 0, 0).find("walked < 101u"), std::string::npos);
  drop_turn(program.commands[0], 0);
  EXPECT_NE(glsl_of(program, 0, 0).find("walked < 96u"), std::string::npos);
  program.commands[0].groups /= 2;
  EXPECT_NE(glsl_of(program, 0, 0).find("walked < 48u"), std::string::npos);
}

uint32_t mark_of(const Statement& statement) { return statement.index.k; }

// A statement, a loop of two with three turns, a loop of one with two, a statement.
Command with_two_loops() {
  Command command;
  command.shader.resize(5);
  for (uint32_t i = 0; i < 5; ++i) command.shader[i].index.k = i;
  add_loop(command, {.first = 3, .length = 1, .turns = 2});
  add_loop(command, {.first = 1, .length = 2, .turns = 3});
  return command;
}

std::vector<uint32_t> marks_of(const Command& command) {
  std::vector<uint32_t> marks;
  for (const Statement& statement : command.shader) marks.push_back(mark_of(statement));
  return marks;
}

TEST(Loops, AreWrittenOut) {
  const Command command = with_two_loops();
  EXPECT_EQ(marks_of(command), (std::vector<uint32_t>{0, 1, 2, 1, 2, 1, 2, 3, 3, 4}));
  EXPECT_EQ(command.shader[4].turn, 1u);
  EXPECT_EQ(command.shader[6].turn, 2u);
  EXPECT_EQ(said_at(command, 6), 2u);
  EXPECT_EQ(said_at(command, 8), 7u);
  EXPECT_EQ(said_at(command, 9), 9u);
}

TEST(Loops, StatementsLeaveAllTurns) {
  Command command = with_two_loops();
  erase_said(command, 1);
  EXPECT_EQ(marks_of(command), (std::vector<uint32_t>{0, 2, 2, 2, 3, 3, 4}));
  erase_said(command, 0);
  EXPECT_EQ(said_at(command, 2), 0u);
  erase_said(command, 0);
  EXPECT_EQ(marks_of(command), (std::vector<uint32_t>{3, 3, 4}));
  ASSERT_EQ(command.loops.size(), 1u);
  EXPECT_EQ(said_at(command, 1), 0u);
}

TEST(Loops, LoseTheirLastTurn) {
  Command command = with_two_loops();
  drop_turn(command, 0);
  EXPECT_EQ(marks_of(command), (std::vector<uint32_t>{0, 1, 2, 1, 2, 3, 3, 4}));
  EXPECT_EQ(said_at(command, 6), 5u);
}

}  // namespace
}  // namespace oracle
