// SPDX-License-Identifier: Apache-2.0
// Which barriers are listed as redundant: random programs, in which the order of every conflicting pair must
// not change without them, as OrderState has it; and the programs that the list is made for.
#include "host/order/barrier_ledger.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "instrument/runtime/abi_footprints.h"
#include "instrument/runtime/abi_order.h"

namespace shaderqa {
namespace {

constexpr uint32_t kC = SQA_CLASS_COMPUTE, kT = SQA_CLASS_TRANSFER, kF = SQA_CLASS_FRAGMENT,
                   kI = SQA_CLASS_INDIRECT;
constexpr uint32_t kCompute = 1u << kC, kTransfer = 1u << kT, kFragment = 1u << kF;
constexpr uint32_t kImages = 1u << 20;  // a stage that is of no class
constexpr uint64_t kBase = uint64_t{7} << SQA_FOOTPRINT_LOG2;

// Classes stand for stages and for accesses.
PassedDependency passed(const OrderDependency& order) {
  PassedDependency one;
  one.order = order;
  one.source_scope = one.source_stages = order.source;
  one.destination_scope = one.destination_stages = order.destination;
  one.source_access = order.writes;
  one.destination_access = order.reads;
  one.begin = order.begin;
  one.end = order.end;
  return one;
}

PassedBarrier passed(const std::vector<OrderDependency>& command) {
  PassedBarrier barrier;
  for (const OrderDependency& one : command) barrier.dependencies.push_back(passed(one));
  return barrier;
}

struct Access {
  uint32_t word = 0;
  uint32_t how = SQA_FOOTPRINT_READ;
};
struct Step {
  bool action = false;
  uint32_t class_number = 0;
  std::vector<Access> accesses;
  std::vector<OrderDependency> command;
};

Step action(uint32_t class_number, std::vector<Access> accesses) {
  return {true, class_number, std::move(accesses), {}};
}
Step barrier(std::vector<OrderDependency> command) { return {false, 0, {}, std::move(command)}; }
const OrderDependency kFull{kCompute, kCompute, kCompute, kCompute};

struct Program {
  std::vector<Step> steps;

  BarrierLedger judge() const {
    BarrierLedger ledger;
    std::vector<Footprint> footprints;
    std::vector<uint32_t> classes{0};
    size_t barriers = 0;
    for (const Step& step : steps) {
      if (!step.action) {
        ledger.pass(ledger.site("barrier " + std::to_string(barriers++), ""),
                    std::make_shared<PassedBarrier>(passed(step.command)), classes.size());
        continue;
      }
      ledger.use(1u << step.class_number, kUsesFollowed);
      for (const Access& access : step.accesses) {
        Footprint one{classes.size(), kBase >> SQA_FOOTPRINT_LOG2, access.how, {}};
        one.words[access.word / 32] = 1u << access.word % 32;
        footprints.push_back(one);
      }
      classes.push_back(step.class_number);
    }
    ledger.add(
        footprints, [&](uint64_t number) { return classes.at(number); }, [](uint64_t) { return 0; });
    return ledger;
  }

  std::vector<bool> redundant() const {
    std::vector<bool> all;
    const BarrierLedger ledger = judge();
    for (const BarrierSite& site : ledger.sites()) all.push_back(site.not_judged.empty() && !site.needed);
    return all;
  }
};

bool writes(uint32_t how) { return how != SQA_FOOTPRINT_READ; }
bool conflict(uint32_t a, uint32_t b) {
  return (writes(a) || writes(b)) && !(a == SQA_FOOTPRINT_ATOMIC && b == SQA_FOOTPRINT_ATOMIC);
}

// Whether OrderState orders the accesses, with the barriers that are not left out.
bool is_ordered(const Program& program, size_t earlier, const Access& first, size_t later,
                const Access& second, const std::vector<bool>& left_out) {
  OrderState state;
  uint32_t position = 0, place = 0;
  size_t barriers = 0;
  for (size_t i = 0; i < later; ++i) {
    const Step& step = program.steps[i];
    if (i == earlier) place = position;
    if (step.action) {
      ++position;
    } else if (!left_out.at(barriers++)) {
      state.apply(step.command, position);
    }
  }
  uint32_t kind = writes(second.how) ? SQA_FLOOR_AVAILABLE : SQA_FLOOR_VISIBLE;
  if (!writes(first.how)) kind = SQA_FLOOR_EXECUTED;
  const Floor floor = state.floor(kind, program.steps[earlier].class_number,
                                  program.steps[later].class_number, kBase + first.word * 4);
  return !(floor & SQA_FLOOR_INHERITED) && place < floor;
}

// Somebody writes the whole word in between.
bool is_hidden(const Program& program, size_t earlier, size_t later, uint32_t word) {
  for (size_t i = earlier + 1; i < later; ++i) {
    for (const Access& access : program.steps[i].accesses) {
      if (access.word == word && access.how == SQA_FOOTPRINT_WRITE) return true;
    }
  }
  return false;
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t end) { return std::uniform_int_distribution<uint32_t>(0, end - 1)(engine_); }
  uint32_t classes() {
    const uint32_t all[] = {kC, kC, kC, kT, kF, kI};
    uint32_t mask = 0;
    for (uint32_t count = 1 + below(2); count; --count) mask |= 1u << all[below(6)];
    return mask;
  }
  OrderDependency dependency() {
    OrderDependency one{classes(), classes()};
    if (below(4) != 0) one.writes = one.source;
    if (below(4) != 0) one.reads = one.destination;
    if (below(3) == 0) {
      one.begin = kBase + below(6) * 4;
      one.end = one.begin + (1 + below(6)) * 4;
    }
    return one;
  }
  Program program() {
    Program made;
    const uint32_t length = 3 + below(12);
    for (uint32_t i = 0; i < length; ++i) {
      if (below(2) == 0) {
        const uint32_t all[] = {kC, kC, kC, kT, kF, kI};
        const uint32_t class_number = all[below(6)];
        std::vector<Access> accesses;
        for (uint32_t count = 1 + below(3); count; --count) {
          accesses.push_back({below(8), class_number == kI ? 0 : below(4)});
        }
        made.steps.push_back(action(class_number, accesses));
      } else {
        std::vector<OrderDependency> command{dependency()};
        if (below(4) == 0) command.push_back(dependency());
        made.steps.push_back(barrier(command));
        if (below(4) == 0) made.steps.push_back(made.steps.back());
      }
    }
    return made;
  }

 private:
  std::mt19937 engine_;
};

TEST(BarrierLedger, WithoutRedundantBarriersEveryPairIsOrderedAsBefore) {
  size_t pairs = 0, listed = 0, all = 0;
  for (uint32_t seed = 0; seed < 40000; ++seed) {
    Random random(seed);
    const Program program = random.program();
    const std::vector<bool> redundant = program.redundant(), none(redundant.size());
    all += redundant.size();
    for (const bool one : redundant) listed += one ? 1 : 0;
    for (size_t later = 0; later < program.steps.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        for (const Access& first : program.steps[earlier].accesses) {
          for (const Access& second : program.steps[later].accesses) {
            if (first.word != second.word || !conflict(first.how, second.how)) continue;
            if (is_hidden(program, earlier, later, first.word)) continue;
            if (!is_ordered(program, earlier, first, later, second, none)) continue;
            ++pairs;
            ASSERT_TRUE(is_ordered(program, earlier, first, later, second, redundant))
                << "seed " << seed << ", steps " << earlier << " and " << later;
          }
        }
      }
    }
  }
  EXPECT_GT(pairs, 20000u);
  EXPECT_GT(listed, all / 10);
  EXPECT_LT(listed, all);
}

constexpr uint32_t kRead = SQA_FOOTPRINT_READ, kWrite = SQA_FOOTPRINT_WRITE, kAtomic = SQA_FOOTPRINT_ATOMIC;

TEST(BarrierLedger, OfTwoThatAreAlikeTheLaterOneIsListed) {
  const Program program{
      {action(kC, {{0, kWrite}}), barrier({kFull}), barrier({kFull}), action(kC, {{0, kRead}})}};
  EXPECT_EQ(program.redundant(), (std::vector<bool>{false, true}));
  EXPECT_EQ(program.judge().sites()[1].covered_by, "barrier 0");
}

TEST(BarrierLedger, OfTwoTheNarrowerOneIsListed) {
  OrderDependency narrow = kFull;
  narrow.begin = kBase;
  narrow.end = kBase + 4;
  const Program program{
      {action(kC, {{0, kWrite}}), barrier({narrow}), barrier({kFull}), action(kC, {{0, kRead}})}};
  EXPECT_EQ(program.redundant(), (std::vector<bool>{true, false}));
}

TEST(BarrierLedger, ListsBarriersBetweenActionsOnOtherWords) {
  const Program program{{action(kC, {{0, kWrite}}), barrier({kFull}), action(kC, {{1, kWrite}})}};
  EXPECT_EQ(program.redundant(), std::vector<bool>{true});
}

TEST(BarrierLedger, ListsBarriersBetweenAtomicsAndBetweenReads) {
  const Program program{
      {action(kC, {{0, kAtomic}, {1, kRead}}), barrier({kFull}), action(kC, {{0, kAtomic}, {1, kRead}})}};
  EXPECT_EQ(program.redundant(), std::vector<bool>{true});
}

TEST(BarrierLedger, ListsTheBarrierOfOtherMemory) {
  OrderDependency other = kFull;
  other.begin = kBase + 64;
  other.end = kBase + 128;
  const Program program{
      {action(kC, {{0, kWrite}}), barrier({kFull}), barrier({other}), action(kC, {{0, kRead}})}};
  EXPECT_EQ(program.redundant(), (std::vector<bool>{false, true}));
}

TEST(BarrierLedger, KeepsBothEndsOfAChain) {
  const Program program{{action(kC, {{0, kWrite}}), barrier({{kCompute, kTransfer, kCompute, kTransfer}}),
                         barrier({{kTransfer, kFragment, kTransfer, kFragment}}), action(kF, {{0, kRead}})}};
  EXPECT_EQ(program.redundant(), (std::vector<bool>{false, false}));
}

TEST(BarrierLedger, KeepsBarriersBetweenEveryReaderAndTheNextWrite) {
  const Program program{{action(kF, {{0, kRead}}), barrier({{kFragment, kCompute, 0, 0}}),
                         action(kC, {{0, kRead}}), barrier({{kCompute, kTransfer, 0, 0}}),
                         action(kT, {{0, kWrite}})}};
  EXPECT_EQ(program.redundant(), (std::vector<bool>{false, false}));
}

TEST(BarrierLedger, KeepsWhatLiesBetweenAccessesThatNothingOrders) {
  const Program program{{action(kC, {{0, kWrite}}), barrier({{kTransfer, kTransfer, kTransfer, kTransfer}}),
                         action(kC, {{0, kRead}})}};
  EXPECT_EQ(program.redundant(), std::vector<bool>{false});
}

TEST(BarrierLedger, ASiteThatIsNeededOnceIsNotListed) {
  BarrierLedger ledger;
  for (int run = 0; run < 3; ++run) {
    ledger.everything_done();
    const size_t site = ledger.site("barrier 0", "");
    const uint64_t first = static_cast<uint64_t>(run) * 2 + 1;
    ledger.pass(site, std::make_shared<PassedBarrier>(passed(std::vector<OrderDependency>{kFull})),
                first + 1);
    Footprint write{first, 0, kWrite, {}}, read{first + 1, 0, kRead, {}};
    write.words[0] = 1;
    read.words[0] = run == 1 ? 1 : 2;
    ledger.add(
        {write, read}, [](uint64_t) { return kC; }, [](uint64_t) { return 0; });
  }
  ASSERT_EQ(ledger.sites().size(), 1u);
  EXPECT_EQ(ledger.sites()[0].passed, 3u);
  EXPECT_TRUE(ledger.sites()[0].needed);
}

TEST(BarrierLedger, WhatWasKnownToBeOverNeedsNoBarrier) {
  BarrierLedger ledger;
  ledger.pass(ledger.site("barrier", ""),
              std::make_shared<PassedBarrier>(passed(std::vector<OrderDependency>{kFull})), 2);
  Footprint write{1, 0, kWrite, {}}, read{2, 0, kRead, {}};
  write.words[0] = read.words[0] = 1;
  ledger.add(
      {write, read}, [](uint64_t) { return kC; }, [](uint64_t) { return 1; });
  EXPECT_FALSE(ledger.sites()[0].needed);
}

// before, the barrier, behind: what is not followed word by word lies around it.
bool is_judged(uint32_t before, uint32_t behind, uint64_t stages = kCompute) {
  BarrierLedger ledger;
  ledger.use(stages, before);
  ledger.pass(ledger.site("barrier", ""),
              std::make_shared<PassedBarrier>(passed(std::vector<OrderDependency>{kFull})), 1);
  ledger.use(stages, behind);
  return ledger.sites()[0].not_judged.empty();
}

TEST(BarrierLedger, DoesNotJudgeWhatMayOrderUnfollowedAccesses) {
  EXPECT_TRUE(is_judged(kUsesFollowed, kUsesFollowed));
  EXPECT_TRUE(is_judged(kUsesFollowed, kUsesImages));
  EXPECT_TRUE(is_judged(kUsesImages, kUsesFollowed));
  EXPECT_FALSE(is_judged(kUsesImages, kUsesImages));
  EXPECT_FALSE(is_judged(kUsesFollowed, kUsesUnfollowed));
  EXPECT_FALSE(is_judged(kUsesUnfollowed, kUsesFollowed));
  EXPECT_FALSE(is_judged(kUsesUnfollowed, kUsesUnfollowed));
  EXPECT_TRUE(is_judged(kUsesImages | kUsesUnfollowed, kUsesImages | kUsesUnfollowed, kTransfer));
}

TEST(BarrierLedger, DoesNotJudgeALinkOfAChainBetweenUnfollowedAccesses) {
  const auto pass = [](BarrierLedger& ledger, const char* name, uint32_t from, uint32_t to) {
    ledger.pass(ledger.site(name, ""),
                std::make_shared<PassedBarrier>(passed(std::vector<OrderDependency>{{from, to, from, to}})),
                1);
  };
  BarrierLedger ledger;
  ledger.use(kImages, kUsesImages);
  pass(ledger, "in", kImages, kCompute);
  pass(ledger, "link", kCompute, kCompute);
  pass(ledger, "out", kCompute, kFragment);
  ledger.use(kFragment, kUsesImages);
  for (const BarrierSite& site : ledger.sites()) EXPECT_FALSE(site.not_judged.empty()) << site.text;
}

TEST(BarrierLedger, WhatIsLostStaysUnjudged) {
  BarrierLedger ledger;
  const auto pass = [&](const char* name) {
    ledger.pass(ledger.site(name, ""), std::make_shared<PassedBarrier>(), 1);
  };
  pass("before");
  ledger.lose("because");
  pass("behind");
  ledger.everything_done();
  pass("later");
  EXPECT_EQ(ledger.sites()[0].not_judged, "because");
  EXPECT_EQ(ledger.sites()[1].not_judged, "because");
  EXPECT_EQ(ledger.sites()[2].not_judged, "");
  ledger.lose_all("for good");
  ledger.everything_done();
  pass("last");
  EXPECT_EQ(ledger.sites()[2].not_judged, "for good");
  EXPECT_EQ(ledger.sites()[3].not_judged, "for good");
}

}  // namespace
}  // namespace shaderqa
