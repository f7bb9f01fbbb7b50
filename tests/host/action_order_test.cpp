// SPDX-License-Identifier: Apache-2.0
// What barriers between actions order, by stage, access, range and chain; and what that becomes elsewhere.
#include "host/order/action_order.h"

#include <gtest/gtest.h>

#include "instrument/runtime/abi_image.h"

#include <optional>
#include <random>
#include <vector>

#include "instrument/runtime/abi_order.h"

namespace shaderqa {
namespace {

constexpr uint32_t kC = SQA_CLASS_COMPUTE, kT = SQA_CLASS_TRANSFER, kF = SQA_CLASS_FRAGMENT;
constexpr uint32_t kCompute = 1u << kC, kTransfer = 1u << kT, kFragment = 1u << kF;
constexpr uint32_t kAll = (1u << SQA_CLASSES) - 1;
constexpr uint32_t kExecuted = SQA_FLOOR_EXECUTED, kAvailable = SQA_FLOOR_AVAILABLE,
                   kVisible = SQA_FLOOR_VISIBLE;

constexpr Floor inherited(uint32_t classes) { return SQA_FLOOR_INHERITED | classes; }
constexpr Floor made_visible(uint32_t classes, uint32_t of_available) {
  return inherited(classes | of_available << kAvailableShift);
}

using Command = std::vector<OrderDependency>;

// An action, then the commands one behind the other; what a later compute action finds of compute actions.
struct Row {
  const char* name;
  std::vector<Command> commands;
  Floor over, available, visible;  // 1: the action is ordered
};

const Floor kNothing = inherited(kCompute);  // nothing but what the command buffer inherits

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"full", {{{kCompute, kCompute, kCompute, kCompute}}}, 1, 1, 1},
      {"everything", {{{kAll, kAll, kAll, kAll}}}, 1, 1, 1},
      {"execution_only", {{{kCompute, kCompute}}}, 1, kNothing, kNothing},
      {"wrong_source_stage",
       {{{kTransfer, kCompute, kTransfer, kCompute}}},
       inherited(kCompute | kTransfer),
       inherited(kCompute | kTransfer),
       made_visible(kCompute, kTransfer)},
      {"wrong_source_access",
       {{{kCompute, kCompute, 0, kCompute}}},
       1,
       kNothing,
       made_visible(kCompute, kCompute)},
      {"wrong_destination_stage",
       {{{kCompute, kFragment, kCompute, kFragment}}},
       kNothing,
       kNothing,
       kNothing},
      {"wrong_destination_access", {{{kCompute, kCompute, kCompute, 0}}}, 1, 1, kNothing},
      {"chain_through_transfer",
       {{{kCompute, kTransfer, kCompute, kTransfer}}, {{kTransfer, kCompute, kTransfer, kCompute}}},
       1,
       1,
       1},
      {"chain_of_executions",
       {{{kCompute, kTransfer}}, {{kTransfer, kCompute}}},
       1,
       inherited(kCompute | kTransfer),
       kNothing},
      {"chain_made_visible_at_its_end",
       {{{kCompute, kTransfer, kCompute, 0}}, {{kTransfer, kCompute, 0, kCompute}}},
       1,
       1,
       1},
      {"chain_without_the_write",
       {{{kCompute, kTransfer}}, {{kTransfer, kCompute, kTransfer, kCompute}}},
       1,
       inherited(kCompute | kTransfer),
       made_visible(kCompute, kTransfer | kCompute)},
      {"dependencies_of_one_command_do_not_chain",
       {{{kCompute, kTransfer, kCompute, kTransfer}, {kTransfer, kCompute, kTransfer, kCompute}}},
       inherited(kCompute | kTransfer),
       inherited(kCompute | kTransfer),
       made_visible(kCompute, kTransfer)},
      {"memory_and_execution_apart",  // the second makes nothing of the first's writes visible
       {{{kCompute, kCompute, kCompute, 0}, {kCompute, kCompute, 0, kCompute}}},
       1,
       1,
       made_visible(kCompute, kCompute)},
      {"memory_then_visible",
       {{{kCompute, kCompute, kCompute, 0}}, {{kCompute, kCompute, 0, kCompute}}},
       1,
       1,
       1},
  };
  return all;
}

class OrderOfActions : public testing::TestWithParam<Row> {};

TEST_P(OrderOfActions, IsAsTheBarriersSay) {
  OrderState state;
  for (const Command& command : GetParam().commands) state.apply(command, 1);
  EXPECT_EQ(state.floor(kExecuted, kC, kC, 64), GetParam().over);
  EXPECT_EQ(state.floor(kAvailable, kC, kC, 64), GetParam().available);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 64), GetParam().visible);
}

INSTANTIATE_TEST_SUITE_P(, OrderOfActions, testing::ValuesIn(rows()),
                         [](const testing::TestParamInfo<Row>& row) { return row.param.name; });

TEST(ActionOrder, ReadsOfUniformBuffersHaveFloorsOfTheirOwn) {
  constexpr uint32_t uniform = SQA_FLOOR_VISIBLE_UNIFORM;
  OrderState state;
  OrderDependency dependency{kCompute, kCompute, kCompute, kCompute};
  state.apply(Command{dependency}, 1);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 64), 1u);
  EXPECT_EQ(state.floor(uniform, kC, kC, 64), kNothing);
  dependency.reads = 0;
  dependency.uniform_reads = kCompute;
  dependency.begin = 64;
  dependency.end = 128;
  state.apply(Command{dependency}, 2);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 64), 1u);
  EXPECT_EQ(state.floor(uniform, kC, kC, 64), 2u);
  EXPECT_EQ(state.floor(uniform, kC, kC, 128), kNothing) << "outside of its range";
  EXPECT_EQ(state.ordered_for(kC, kCompute, 1), 1u) << "the short way is for other reads";
  OrderState outer;
  outer.execute(state, 10);
  EXPECT_EQ(outer.floor(uniform, kC, kC, 64), 12u);
  const AbsoluteFloors none{};
  EXPECT_EQ(outer.evaluate(100, none)[uniform][kC][kC], 111u);
  EXPECT_EQ(outer.evaluate(100, none)[kVisible][kC][kC], 110u);
}

TEST(ActionOrder, LaterBarriersCoverMore) {
  OrderState state;
  state.apply(Command{{kCompute, kCompute, kCompute, kCompute}}, 1);
  state.apply(Command{{kCompute, kCompute, kCompute, kCompute}}, 5);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 0), 5u);
  state.apply(Command{{kCompute, kFragment, kCompute, kFragment}}, 7);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 0), 5u);
  EXPECT_EQ(state.floor(kVisible, kC, kF, 0), 7u);
}

TEST(ActionOrder, ARangeCoversOnlyItself) {
  OrderState state;
  state.apply(Command{{kCompute, kCompute, kCompute, kCompute, 100, 200}}, 1);
  EXPECT_EQ(state.floor(kExecuted, kC, kC, 300), 1u) << "an execution dependency is about all memory";
  EXPECT_EQ(state.floor(kVisible, kC, kC, 99), inherited(kCompute));
  EXPECT_EQ(state.floor(kVisible, kC, kC, 100), 1u);
  EXPECT_EQ(state.floor(kAvailable, kC, kC, 199), 1u);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 200), inherited(kCompute));
  EXPECT_EQ(state.block_dwords(), size_t{SQA_FLOOR_HEADER_DWORDS + 2 * SQA_REGION_DWORDS});
  state.apply(Command{{kCompute, kCompute, kCompute, kCompute}}, 1);
  EXPECT_EQ(state.block_dwords(), size_t{SQA_FLOOR_HEADER_DWORDS + SQA_REGION_DWORDS})
      << "the range is nothing of its own any more";
}

TEST(ActionOrder, RangesChain) {
  OrderState state;
  state.apply(Command{{kCompute, kTransfer, kCompute, kTransfer, 100, 200}}, 1);
  state.apply(Command{{kTransfer, kCompute, kTransfer, kCompute, 150, 200}}, 2);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 150), 1u);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 100) & SQA_FLOOR_INHERITED, SQA_FLOOR_INHERITED);
  EXPECT_EQ(state.floor(kAvailable, kC, kC, 100), 1u) << "available stays so along an execution dependency";
  state.apply(Command{{kTransfer, kCompute, 0, kCompute}}, 3);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 100), 1u);
}

TEST(ActionOrder, RangesOfImagesNeverJoinThoseOfBuffers) {
  OrderState state;
  constexpr uint64_t image = abi::image_addresses;
  for (uint32_t i = 0; i < 40; ++i) {
    state.apply(Command{{kCompute, kCompute, kCompute, kCompute, 1000 * i, 1000 * i + 10}}, i + 1);
    state.apply(Command{{kCompute, kCompute, kCompute, kCompute, image + 1000 * i, image + 1000 * i + 10}},
                i + 1);
  }
  EXPECT_EQ(state.block_dwords(), size_t{SQA_FLOOR_HEADER_DWORDS + SQA_MAX_REGIONS * SQA_REGION_DWORDS});
  EXPECT_EQ(state.floor(kVisible, kC, kC, image / 2), kNoFloor | 1u << SQA_CLASS_COMPUTE)
      << "what lies between them is in no range";
  EXPECT_NE(state.floor(kVisible, kC, kC, image), kNoFloor | 1u << SQA_CLASS_COMPUTE);
}

// A transition behind the first number, which a transfer has: its barrier has these stages and accesses.
TEST(ActionOrder, ALayoutTransitionIsBetweenTheSidesOfItsBarrier) {
  constexpr uint32_t own = SQA_CLASS_TRANSITION;
  const auto floors_with = [](const OrderDependency& dependency, uint32_t kind, uint32_t producer) {
    return OrderState().within(own, Command{dependency}, 1, 1).floor(kind, producer, own, 150);
  };
  const OrderDependency right{kTransfer, kCompute, kTransfer, kCompute, 100, 200};
  EXPECT_EQ(floors_with(right, kExecuted, kT), 1u);
  EXPECT_EQ(floors_with(right, kAvailable, kT), 1u);
  EXPECT_EQ(floors_with({kTransfer, kCompute, 0, kCompute, 100, 200}, kExecuted, kT), 1u);
  EXPECT_EQ(floors_with({kTransfer, kCompute, 0, kCompute, 100, 200}, kAvailable, kT),
            inherited(kTransfer | 1u << own))
      << "what it overwrites is not available";
  EXPECT_EQ(floors_with({kFragment, kCompute, kFragment, kCompute, 100, 200}, kExecuted, kT),
            inherited(kFragment | 1u << own))
      << "what its source is ordered behind at the begin of the command buffer, and transitions are";
  EXPECT_EQ(floors_with({0, kCompute, 0, kCompute, 100, 200}, kExecuted, kT), inherited(kAll))
      << "without a source, whatever anything is ordered behind there";
  const OrderDependency of_others{kFragment, kCompute, kFragment, kCompute, 100, 200};
  EXPECT_EQ(OrderState().within(own, Command{of_others}, 1, 1, true).floor(kExecuted, kT, own, 150),
            inherited(kAll))
      << "an image's new owner";

  OrderState state;
  state.apply(Command{right}, 2);
  state.order_behind(own, Command{right}, 2);
  EXPECT_EQ(state.floor(kExecuted, own, kC, 150), 2u);
  EXPECT_EQ(state.floor(kVisible, own, kC, 150), 2u);
  EXPECT_NE(state.floor(kVisible, own, kC, 200), 2u) << "it is of other memory";
  EXPECT_EQ(state.floor(kAvailable, own, kC, 200), 2u)
      << "earlier transitions come before this one, and what they wrote elsewhere is available";
  state.order_behind(own, Command{{kCompute, kCompute, kCompute, kCompute}}, 3);
  EXPECT_EQ(state.floor(kVisible, own, kC, 200), 3u) << "that of a render pass is of all memory";
  EXPECT_NE(state.floor(kExecuted, own, kF, 150), 2u);
  OrderState behind_all;
  behind_all.apply(Command{{kAll, kAll, kAll, kAll}}, 1);
  EXPECT_EQ(
      behind_all.within(own, Command{{0, kCompute, 0, 0, 100, 200}}, 1, 1).floor(kAvailable, kT, own, 150),
      1u)
      << "without a source: behind all that earlier barriers have ordered before anything";
  EXPECT_EQ(
      behind_all.within(own, Command{{0, kCompute, 0, 0, 100, 200}}, 2, 2).floor(kExecuted, kT, own, 150),
      1u);
}

// Transitions of a queue are executed in submission order, whatever their barriers name.
TEST(ActionOrder, ALayoutTransitionIsBehindTheOnesBeforeIt) {
  constexpr uint32_t own = SQA_CLASS_TRANSITION, change = 1u << own;
  const auto next = [](const OrderState& state) {
    return state.within(own, Command{{kFragment, kCompute, 0, 0, 300, 400}}, 2, 3);
  };
  EXPECT_EQ(next(OrderState()).floor(kExecuted, own, own, 350), 3u);
  EXPECT_EQ(next(OrderState()).floor(kAvailable, own, own, 350), 3u);
  // What is behind the first one is behind the next one; it is available where the first barrier makes it so.
  OrderState state;
  state.apply(Command{{kTransfer, kCompute | change, kTransfer, kCompute, 100, 200}}, 1);
  EXPECT_EQ(next(state).floor(kExecuted, kT, own, 350), 1u);
  EXPECT_EQ(next(state).floor(kAvailable, kT, own, 350), inherited(kFragment | kTransfer | change));
  const OrderState same = state.within(own, Command{{0, kCompute, 0, 0, 100, 200}}, 2, 3);
  EXPECT_EQ(same.floor(kAvailable, kT, own, 150), 1u);
  EXPECT_EQ(next(OrderState()).floor(kExecuted, kT, own, 350), inherited(kFragment | change))
      << "without the first barrier";
}

TEST(ActionOrder, TooManyRangesOrderMoreAndNeverLess) {
  OrderState state;
  constexpr uint32_t count = 40;
  for (uint32_t i = 0; i < count; ++i) {
    state.apply(Command{{kCompute, kCompute, kCompute, kCompute, 1000 * i, 1000 * i + 10}}, i + 1);
  }
  EXPECT_EQ(state.block_dwords(),
            size_t{SQA_FLOOR_HEADER_DWORDS + (1 + SQA_SPACE_REGIONS) * SQA_REGION_DWORDS});
  for (uint32_t i = 0; i < count; ++i) {
    const Floor floor = state.floor(kVisible, kC, kC, 1000 * i);
    EXPECT_FALSE(floor & SQA_FLOOR_INHERITED) << i;
    EXPECT_GE(floor, i + 1);
  }
  EXPECT_TRUE(state.floor(kVisible, kC, kC, 1000 * count) & SQA_FLOOR_INHERITED);
}

TEST(ActionOrder, AnEventOrdersWhatWasBeforeItWasSet) {
  OrderState state;
  const OrderState set = state;  // behind one action
  state.apply(Command{{kCompute, kCompute, kCompute, kCompute}}, 1, set);
  EXPECT_EQ(state.floor(kVisible, kC, kC, 0), 1u) << "not the two actions before the wait";
}

AbsoluteFloors all_at(uint64_t number) {
  AbsoluteFloors floors;
  for (auto& matrix : floors) {
    for (auto& row : matrix) row.fill(number);
  }
  return floors;
}

TEST(ActionOrder, FloorsAreInherited) {
  AbsoluteFloors before = all_at(3);
  before[kAvailable][kC][kT] = 50;
  OrderState state;
  AbsoluteFloors after = state.evaluate(100, before);
  EXPECT_EQ(after, before);
  // What was available to transfers becomes visible to compute.
  state.apply(Command{{kTransfer, kCompute, 0, kCompute}}, 0);
  after = state.evaluate(100, before);
  EXPECT_EQ(after[kAvailable][kC][kC], 50u);
  EXPECT_EQ(after[kVisible][kC][kC], 50u);
  EXPECT_EQ(after[kVisible][kC][kF], 3u);
  // A barrier covers all earlier submissions of its queue.
  state.apply(Command{{kCompute, kCompute, kCompute, kCompute}}, 0);
  after = state.evaluate(100, before);
  EXPECT_EQ(after[kVisible][kC][kC], 99u);
}

TEST(ActionOrder, RangesCountForAllMemoryBehindTheCommandBuffer) {
  OrderState state;
  state.apply(Command{{kCompute, kCompute, kCompute, kCompute, 100, 200}}, 4);
  EXPECT_EQ(state.evaluate(100, all_at(0))[kVisible][kC][kC], 103u);
}

TEST(ActionOrder, ASecondaryIsEvaluatedWhereItWasExecuted) {
  OrderState inner;
  inner.apply(Command{{kCompute, kCompute, kCompute, 0}}, 2);
  OrderState outer;
  outer.apply(Command{{kCompute, kFragment, kCompute, kFragment}}, 3);
  const OrderState before = outer;
  outer.execute(inner, 10);
  EXPECT_EQ(outer.floor(kAvailable, kC, kC, 0), 12u);
  EXPECT_EQ(outer.floor(kVisible, kC, kC, 0), inherited(kCompute));
  EXPECT_EQ(outer.floor(kVisible, kC, kF, 0), 3u);
  // In one step or in two.
  const AbsoluteFloors inherited_floors = all_at(7);
  const AbsoluteFloors composed = outer.evaluate(100, inherited_floors);
  const AbsoluteFloors at_entry = before.evaluate(100, inherited_floors);
  EXPECT_EQ(composed, inner.evaluate(110, at_entry));
}

class RandomCommands {
 public:
  Command next() {
    Command command;
    for (uint32_t count = 1 + pick(3); count != 0; --count) {
      OrderDependency& one = command.emplace_back(
          OrderDependency{classes(), classes(), classes(), classes(), 0, UINT64_MAX, classes()});
      if (pick(3) == 0) continue;
      one.begin = 1000 * pick(6);
      one.end = one.begin + 1000;
    }
    return command;
  }
  uint32_t pick(uint32_t most) { return static_cast<uint32_t>(random_() % most); }

 private:
  uint32_t classes() { return static_cast<uint32_t>(random_() & random_()) & kAll; }
  std::mt19937 random_{5};  // NOLINT(cert-msc51-cpp): the same commands in every run
};

// Ranges do not overlap here: of those that do, more may count as ordered in one of the two.
TEST(ActionOrder, ASecondaryOrdersWhatItsCommandsOrderInItsPlace) {
  RandomCommands commands;
  for (uint32_t round = 0; round < 200; ++round) {
    OrderState outer, inner, flat;
    uint32_t before = 0, within = 0;
    for (uint32_t i = commands.pick(5); i != 0; --i) {
      const Command command = commands.next();
      before += commands.pick(3);
      outer.apply(command, before);
      flat.apply(command, before);
    }
    for (uint32_t i = commands.pick(5); i != 0; --i) {
      const Command command = commands.next();
      within += commands.pick(3);
      inner.apply(command, within);
      flat.apply(command, before + within);
    }
    outer.execute(inner, before);
    for (uint32_t kind = 0; kind < SQA_FLOOR_KINDS; ++kind)
      for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer)
        for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer)
          for (uint64_t address = 500; address < 7000; address += 1000)
            ASSERT_EQ(outer.floor(kind, producer, consumer, address),
                      flat.floor(kind, producer, consumer, address))
                << round << " " << kind << " " << producer << " " << consumer << " " << address;
  }
}

// Each range is ordered as if the command had no other, also where their stages are the same.
TEST(ActionOrder, RangesOfOneCommandAreApartFromEachOther) {
  OrderState together, alone;
  const OrderDependency execution{kCompute, kFragment, 0, 0};
  const OrderDependency first{kCompute, kFragment, kCompute, kFragment, 100, 200};
  const OrderDependency second{kCompute, kFragment, kCompute, 0, 300, 400};
  together.apply(Command{execution, first, execution, second}, 3);
  alone.apply(Command{second}, 3);
  EXPECT_EQ(together.floor(kExecuted, kC, kF, 0), 3u);
  EXPECT_EQ(together.floor(kVisible, kC, kF, 150), 3u);
  EXPECT_EQ(together.floor(kAvailable, kC, kF, 350), 3u);
  EXPECT_EQ(together.floor(kVisible, kC, kF, 350), alone.floor(kVisible, kC, kF, 350));
  EXPECT_EQ(together.floor(kAvailable, kC, kF, 250), alone.floor(kAvailable, kC, kF, 250));
  // A later barrier passes on what each has made available, and no more.
  together.apply(Command{{kFragment, kTransfer, 0, kTransfer}}, 4);
  EXPECT_EQ(together.floor(kVisible, kC, kT, 150), 3u);
  EXPECT_EQ(together.floor(kVisible, kC, kT, 350), 3u);
  EXPECT_NE(together.floor(kVisible, kC, kT, 250), 3u);
}

TEST(ActionOrder, ABlockIsWhatShadersRead) {
  OrderState state;
  state.apply(Command{{kCompute, kFragment, kCompute, kFragment, 0x100000000, 0x100000100}}, 6);
  std::vector<uint32_t> block(state.block_dwords());
  InheritedFloors inherited;
  state.write_block(SQA_CLASS_PRE_RASTERIZATION, inherited, block.data());
  AbsoluteFloors begin{};
  begin[kVisible][kC][SQA_CLASS_PRE_RASTERIZATION] = 11;
  begin[kVisible][kC][SQA_CLASS_INDIRECT] = 12;
  const std::vector<uint64_t> floors = inherited.evaluate(begin);
  EXPECT_EQ(block[0], 2u);
  EXPECT_EQ(block[1], uint32_t{SQA_CLASS_PRE_RASTERIZATION});
  const uint32_t* region = block.data() + SQA_FLOOR_HEADER_DWORDS + SQA_REGION_DWORDS;
  EXPECT_EQ(region[0], 0u);
  EXPECT_EQ(region[1], 1u);
  EXPECT_EQ(region[2], 0x100u);
  const auto at = [&](uint32_t column, uint32_t kind, uint32_t producer) {
    return region[4 + (column * SQA_FLOOR_KINDS + kind) * SQA_CLASSES + producer];
  };
  EXPECT_EQ(at(SQA_COLUMN_FRAGMENT, kVisible, kC), 6u);
  EXPECT_EQ(at(SQA_COLUMN_FRAGMENT, kExecuted, kC), 6u);
  EXPECT_EQ(floors.at(at(SQA_COLUMN_MAIN, kVisible, kC) & ~SQA_FLOOR_INHERITED), 11u);
  EXPECT_EQ(floors.at(at(SQA_COLUMN_INDIRECT, kVisible, kC) & ~SQA_FLOOR_INHERITED), 12u);
}

// It is where write_block() puts the region that holds for the memory.
TEST(ActionOrder, MemoryHasARegionIfOneHoldsForAllOfIt) {
  OrderState state;
  EXPECT_FALSE(state.has_regions());
  EXPECT_EQ(state.region_of(0x100, 0x200), 0u);
  const auto ordered = [](uint64_t begin, uint64_t end) {
    return Command{{kCompute, kCompute, kCompute, kCompute, begin, end}};
  };
  state.apply(ordered(0x100, 0x200), 1);
  state.apply(ordered(0x1000, 0x2000), 2);
  ASSERT_TRUE(state.has_regions());
  std::vector<uint32_t> block(state.block_dwords());
  InheritedFloors inherited;
  state.write_block(SQA_CLASS_COMPUTE, inherited, block.data());
  const auto visible = [&](uint64_t begin, uint64_t end) {
    const std::optional<uint32_t> region = state.region_of(begin, end);
    if (!region) return UINT32_MAX;
    return block[SQA_FLOOR_HEADER_DWORDS + 4 + *region + kVisible * SQA_CLASSES + kC];
  };
  EXPECT_EQ(visible(0x100, 0x200), 1u);
  EXPECT_EQ(visible(0x180, 0x184), 1u);
  EXPECT_EQ(visible(0x1000, 0x1100), 2u);
  EXPECT_EQ(visible(0x200, 0x1000) & SQA_FLOOR_INHERITED, SQA_FLOOR_INHERITED) << "between them";
  EXPECT_EQ(visible(0xfc, 0x104), UINT32_MAX) << "it begins before the region";
  EXPECT_EQ(visible(0x1ffc, 0x2004), UINT32_MAX) << "it ends behind it";
  state.apply(ordered(0x1800, 0x3000), 3);
  EXPECT_FALSE(state.region_of(0x1900, 0x1a00)) << "two hold for it";
  EXPECT_NE(state.region_of(0x1000, 0x1800).value_or(0), 0u);
}

// What was visible to all accesses of the classes from which dependencies lead to the consumer counts.
TEST(ActionOrder, ABlockNamesFloorsOfTheClassesThatLeadToIt) {
  OrderState state;
  state.apply(Command{{kTransfer, kFragment, 0, 0}}, 0);
  state.apply(Command{{kFragment, kCompute, 0, 0}}, 0);
  std::vector<uint32_t> block(state.block_dwords());
  InheritedFloors inherited;
  state.write_block(SQA_CLASS_COMPUTE, inherited, block.data());
  const auto floor_at = [&](uint32_t kind, const AbsoluteFloors& begin) {
    const uint32_t floor = block[SQA_FLOOR_HEADER_DWORDS + 4 + kind * SQA_CLASSES + kC];
    return inherited.evaluate(begin).at(floor & ~SQA_FLOOR_INHERITED);
  };
  for (const uint32_t from : {uint32_t{kC}, uint32_t{SQA_CLASS_TRANSFER}, uint32_t{SQA_CLASS_FRAGMENT}}) {
    AbsoluteFloors executed{}, visible{}, visible_to_all{};
    executed[kExecuted][kC][from] = 3;
    visible[kVisible][kC][from] = 4;
    visible_to_all[SQA_FLOOR_VISIBLE_TO_ALL][kC][from] = 5;
    EXPECT_EQ(floor_at(kExecuted, executed), 3u) << from;
    EXPECT_EQ(floor_at(kVisible, visible), from == kC ? 4u : 0u) << from;
    EXPECT_EQ(floor_at(kVisible, visible_to_all), 5u) << from;
    EXPECT_EQ(floor_at(kExecuted, visible_to_all), 0u);
  }
  // Nothing but a barrier makes anything visible to the host.
  AbsoluteFloors begin{};
  begin[SQA_FLOOR_VISIBLE_TO_ALL][kC][SQA_CLASS_TRANSFER] = 4;
  state.apply(Command{{kTransfer, 1u << SQA_CLASS_HOST, 0, 0}}, 0);
  const AbsoluteFloors end = state.evaluate(5, begin);
  EXPECT_EQ(end[kVisible][kC][kC], 4u);
  EXPECT_EQ(end[kVisible][kC][SQA_CLASS_HOST], 0u);
}

// A command that only reads, or writes, may not be ordered in all ways, and cannot run earlier all the same.
TEST(ActionOrder, ExecutionAloneSaysWhatCannotRunEarlier) {
  OrderState state;
  EXPECT_EQ(state.executed_for(kC, kCompute, 5), 0u);
  EXPECT_EQ(state.executed_for(kC, 0, 5), 5u) << "nobody did anything";
  const OrderDependency execution{kCompute, kCompute, 0, 0};
  state.apply(Command{execution}, 3);
  EXPECT_EQ(state.executed_for(kC, kCompute, 5), 3u);
  EXPECT_EQ(state.ordered_for(kC, kCompute, 5), 0u);
  EXPECT_EQ(state.executed_for(kC, kCompute | 1u << SQA_CLASS_TRANSFER, 5), 0u);
  EXPECT_EQ(state.executed_for(SQA_CLASS_TRANSFER, kCompute, 5), 0u);
}

}  // namespace
}  // namespace shaderqa
