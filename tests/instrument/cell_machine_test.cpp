// SPDX-License-Identifier: Apache-2.0
// The cell's state machine, compiled from the source that shaders run, against an oracle that remembers every
// access: random traces of one action, on one word. Everything it reports must be a race; missed races are
// counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"
#include "instrument/runtime/cell_outcomes.h"

namespace shaderqa::test {
namespace {

using uint = uint32_t;
#define SQA_OUT(T) T&
#define SQA_PHASE_TIMES 0u
#include "instrument/runtime/cell_kinds.glsl"
// It uses the functions of the file above.

#include "instrument/runtime/cell_actions.glsl"
#include "instrument/runtime/cell_case.glsl"
#include "instrument/runtime/fast_path.glsl"
#undef SQA_OUT
#include "tests/instrument/cell_model.h"

constexpr uint kSequence = 7;

// Beside SQA_KIND_*: an atomic load. Only its cell has no bytes.
constexpr uint kAtomicRead = 4;

struct Access {
  uint group = 0, local = 0, phase = 0;
  uint kind = 0;
  uint mask = 0;             // bytes
  bool behind_part = false;  // a barrier of a part of its workgroup was passed in this phase
  uint ordered = 0;          // from this phase on, no barrier with memory semantics lies before it
  uint since() const { return behind_part ? phase + 1 : ordered; }
  uint owner() const { return group << SQA_LOCAL_BITS | local; }
};

bool is_atomic(uint kind) { return kind >= SQA_KIND_ATOMIC; }
bool reads(uint kind) { return kind == SQA_KIND_READ || kind == kAtomicRead; }

// Whether neither program order nor a barrier of their workgroup orders the two.
bool is_race(const Access& a, const Access& b) {
  if ((a.mask & b.mask) == 0 || (reads(a.kind) && reads(b.kind))) return false;
  if (a.group == b.group && (a.local == b.local || a.phase < b.since())) return false;
  if (is_atomic(a.kind) && is_atomic(b.kind))
    return a.group != b.group && (a.kind == SQA_KIND_ATOMIC_WORKGROUP || b.kind == SQA_KIND_ATOMIC_WORKGROUP);
  return true;
}

struct Packed {
  uint low = 0, high = 0;
};
Packed pack(const CellModel& cell) {
  const uint64_t bits = abi::pack_cell(cell);
  return {static_cast<uint>(bits), static_cast<uint>(bits >> 32)};
}
CellModel unpack(const Packed& cell) { return abi::unpack_cell(cell.low, cell.high); }

struct Verdict {
  uint hazard = 0;
  Packed next;
};
Verdict judge(const CellModel& found, const CellModel& mine, bool grouped, uint since) {
  const Packed old = pack(found), own = pack(mine);
  static const std::vector<uint32_t> outcomes = cell_outcomes();
  const uint at = sqa_cell_case(old.low, old.high, own.low, own.high, grouped, since);
  Verdict verdict;
  verdict.hazard = sqa_cell_next(outcomes[at >> 1] >> ((at & 1) * 16), old.low, old.high, own.low, own.high,
                                 verdict.next.low, verdict.next.high);
  return verdict;
}
// For invocations that have workgroups.
uint hazard_within(const CellModel& found, const CellModel& mine, uint since) {
  return judge(found, mine, true, since).hazard;
}

// Holds what shaders run against the model.
void expect_model(const CellModel& found, const CellModel& mine, bool grouped, uint since) {
  CellModel next{};
  const uint hazard = model_hazard_within(found, mine, grouped, since, next);
  const Verdict verdict = judge(found, mine, grouped, since);
  EXPECT_EQ(verdict.hazard, hazard);
  EXPECT_EQ(unpack(verdict.next), next);
}

// Where the fast path decides, it decides as the state machine does, except for the site.
uint expect_same(const CellModel& found, const CellModel& mine, uint since, const Verdict& verdict) {
  const Packed old = pack(found), own = pack(mine);
  uint low = 0;
  const uint path = sqa_fast_path(old.low, old.high, own.low, own.high, 0, true, since, low);
  if (path == SQA_PATH_SLOW) return path;
  EXPECT_EQ(verdict.hazard, 0u);
  const uint site = SQA_CELL_TAG_FIELD;
  const Packed left = path == SQA_PATH_KEEP ? old : Packed{low, own.high};
  EXPECT_EQ(left.low & ~site, verdict.next.low & ~site);
  EXPECT_EQ(left.high, verdict.next.high);
  // A write has been stored by then.
  if (mine.kind == SQA_KIND_WRITE) {
    EXPECT_EQ(low & ~site, verdict.next.low & ~site);
  }
  return path;
}

class Word {
 public:
  uint paths[3] = {};  // by SQA_PATH_*

  bool access(const Access& access) {
    const bool atomic_read = access.kind == kAtomicRead;
    const CellModel mine{atomic_read ? 0 : access.mask,
                         atomic_read ? SQA_KIND_READ : access.kind,
                         SQA_SPREAD_INVOCATION,
                         0,
                         1,
                         access.phase,
                         access.owner(),
                         kSequence};
    Verdict verdict{0, pack(mine)};
    if (cell_.sequence == kSequence) {
      expect_model(cell_, mine, true, access.since());
      verdict = judge(cell_, mine, true, access.since());
    }
    ++paths[expect_same(cell_, mine, access.since(), verdict)];
    cell_ = unpack(verdict.next);
    return verdict.hazard != 0;
  }

 private:
  CellModel cell_{};
};

struct Rules {
  uint groups, locals, phases;
  std::vector<uint> kinds, masks;
  bool parts = false;       // half of the accesses lie behind a barrier of a part of the workgroup
  bool executions = false;  // half of the barriers have no memory semantics
};

struct Score {
  uint racy_traces = 0, found = 0, false_reports = 0;
  uint paths[3] = {};  // by SQA_PATH_*
};

// Accesses of an invocation come in the order of its phases, and a phase of a workgroup ends before its next
// one begins.
std::vector<Access> random_trace(const Rules& rules, std::mt19937& random) {
  std::vector<std::vector<Access>> of_group(rules.groups);
  for (uint group = 0; group < rules.groups; ++group) {
    uint ordered = 0;
    for (uint phase = 0; phase < rules.phases; ++phase) {
      if (!rules.executions || random() % 2 == 0) ordered = phase;
      for (uint n = random() % 3; n-- > 0;) {
        Access access{group,
                      static_cast<uint>(random() % rules.locals),
                      phase,
                      rules.kinds[random() % rules.kinds.size()],
                      rules.masks[random() % rules.masks.size()],
                      rules.parts && random() % 2 == 0,
                      ordered};
        if (access.kind == kAtomicRead) access.mask = SQA_CELL_MASK_ONES;
        of_group[group].push_back(access);
      }
    }
  }
  std::vector<Access> trace;
  std::vector<size_t> next(rules.groups);
  for (;;) {
    std::vector<uint> open;
    for (uint group = 0; group < rules.groups; ++group)
      if (next[group] < of_group[group].size()) open.push_back(group);
    if (open.empty()) return trace;
    const uint group = open[random() % open.size()];
    trace.push_back(of_group[group][next[group]++]);
  }
}

Score run(const Rules& rules, uint seed) {
  std::mt19937 random(seed);
  Score score;
  for (int n = 0; n < 20000; ++n) {
    const std::vector<Access> trace = random_trace(rules, random);
    Word word;
    bool racy = false, found = false;
    for (size_t i = 0; i < trace.size(); ++i) {
      bool races = false;
      for (size_t j = 0; j < i; ++j) races = races || is_race(trace[j], trace[i]);
      const bool reported = word.access(trace[i]);
      racy = racy || races;
      found = found || reported;
      // After a race nothing more is reported for the word, so only the first report can be false.
      if (reported && !races) ++score.false_reports;
    }
    for (uint path = 0; path < 3; ++path) score.paths[path] += word.paths[path];
    score.racy_traces += racy ? 1 : 0;
    score.found += racy && found ? 1 : 0;
  }
  return score;
}

const std::vector<uint> kPlain{SQA_KIND_READ, SQA_KIND_WRITE};
const std::vector<uint> kAll{SQA_KIND_READ, SQA_KIND_WRITE, SQA_KIND_ATOMIC, SQA_KIND_ATOMIC_WORKGROUP};
const std::vector<uint> kWhole{15};
const std::vector<uint> kBytes{1, 2, 4, 8, 3, 12, 15};

// Reports contain cells as they are, and docs/internals/exact.md documents this layout.
TEST(CellFields, LieWhereTheyAlwaysDid) {
  const CellModel cell{15,       SQA_KIND_ATOMIC, SQA_SPREAD_WORKGROUP, SQA_BEFORE_WRITE, 0x155, 0x2a,
                       0x2aaaaa, 0x1234};
  EXPECT_EQ(abi::pack_cell(cell), 0x2469555552a5576fu);
  EXPECT_EQ(unpack(pack(cell)), cell);
  for (const uint field : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    uint ones[8] = {};
    ones[field] = UINT32_MAX >> (32 - std::array{4, 2, 2, 2, 10, 7, 22, 15}[field]);
    const CellModel one{ones[0], ones[1], ones[2], ones[3], ones[4], ones[5], ones[6], ones[7]};
    EXPECT_EQ(unpack(pack(one)), one) << "field " << field;
  }
}

TEST(CellMachine, WholeWordsInAWorkgroup) {
  const Score score = run({1, 4, 4, kPlain, kWhole}, 1);
  EXPECT_EQ(score.false_reports, 0u);
  EXPECT_EQ(score.found, score.racy_traces);
  EXPECT_GT(score.racy_traces, 1000u);
}

TEST(CellMachine, WholeWordsOfSeveralWorkgroups) {
  const Score score = run({3, 3, 3, kPlain, kWhole}, 2);
  for (const uint path : score.paths) EXPECT_GT(path, 1000u);
  EXPECT_EQ(score.false_reports, 0u);
  EXPECT_EQ(score.found, score.racy_traces);
}

TEST(CellMachine, AtomicsOfBothScopes) {
  const Score score = run({3, 3, 3, kAll, kWhole}, 3);
  EXPECT_EQ(score.false_reports, 0u);
  // An invocation's plain read after its own atomic is not remembered.
  EXPECT_GE(score.found * 100, score.racy_traces * 99) << score.found << " of " << score.racy_traces;
}

TEST(CellMachine, AtomicLoadsConflictWithWritesAndWithTooNarrowAtomicsAlone) {
  const std::vector<uint> all{SQA_KIND_READ, SQA_KIND_WRITE, SQA_KIND_ATOMIC, SQA_KIND_ATOMIC_WORKGROUP,
                              kAtomicRead};
  for (uint groups : {1u, 3u}) {
    const Score score = run({groups, 3, 3, all, kWhole}, 10 + groups);
    EXPECT_EQ(score.false_reports, 0u);
    EXPECT_GE(score.found * 100, score.racy_traces * 95) << score.found << " of " << score.racy_traces;
  }
  const Score alone = run({3, 3, 3, {SQA_KIND_READ, SQA_KIND_ATOMIC, kAtomicRead}, kWhole}, 14);
  EXPECT_EQ(alone.false_reports, 0u);
  const Score stored = run({3, 3, 3, {SQA_KIND_WRITE, kAtomicRead}, kWhole}, 15);
  EXPECT_EQ(stored.false_reports, 0u);
  // After an invocation's own write and its atomic load behind a barrier, the write is not remembered.
  EXPECT_GE(stored.found * 1000, stored.racy_traces * 995) << stored.found << " of " << stored.racy_traces;
  // Stores of parts, which an atomic load finds or is found by.
  const Score parts = run({2, 3, 3, all, kBytes}, 16);
  EXPECT_EQ(parts.false_reports, 0u);
}

TEST(CellMachine, AnAtomicLoadAmongOthersIsNoHazard) {
  const CellModel atomic_load{0, SQA_KIND_READ, 0, 0, 1, 0, 1, kSequence};
  const uint other = 1u << SQA_LOCAL_BITS;
  for (const uint kind : {SQA_KIND_READ, SQA_KIND_ATOMIC}) {
    const CellModel access{15, kind, 0, 0, 2, 0, other, kSequence};
    EXPECT_EQ(hazard_within(atomic_load, access, 0), 0u);
    EXPECT_EQ(hazard_within(access, atomic_load, 0), 0u);
  }
  const CellModel store{15, SQA_KIND_WRITE, 0, 0, 2, 0, other, kSequence};
  EXPECT_EQ(hazard_within(atomic_load, store, 0), uint{SQA_MISSING_ORDER});
  EXPECT_EQ(hazard_within(store, atomic_load, 0), uint{SQA_MISSING_ORDER});
}

TEST(CellMachine, PartsOfWordsAreMissedRatherThanAccused) {
  for (uint groups : {1u, 3u}) {
    const Score score = run({groups, 4, 3, kAll, kBytes}, 4 + groups);
    EXPECT_EQ(score.false_reports, 0u);
    EXPECT_GE(score.found * 4, score.racy_traces * 3) << score.found << " of " << score.racy_traces;
  }
}

TEST(CellMachine, BarriersOfAPartOfTheWorkgroupInventNothing) {
  const Score score = run({3, 3, 3, kAll, kWhole, true}, 8);
  EXPECT_EQ(score.false_reports, 0u);
  EXPECT_GE(score.found * 100, score.racy_traces * 95) << score.found << " of " << score.racy_traces;
}

TEST(CellMachine, BarriersWithoutMemoryOrderNothing) {
  for (uint groups : {1u, 3u}) {
    const Score score = run({groups, 3, 4, kPlain, kWhole, false, true}, 20 + groups);
    EXPECT_EQ(score.false_reports, 0u);
    EXPECT_GE(score.found * 1000, score.racy_traces * 995) << score.found << " of " << score.racy_traces;
    const Score all = run({groups, 3, 4, kAll, kWhole, false, true}, 30 + groups);
    EXPECT_EQ(all.false_reports, 0u);
    EXPECT_GE(all.found * 100, all.racy_traces * 97) << all.found << " of " << all.racy_traces;
  }
}

// The word that one invocation writes and all of its workgroup read, with barrier() alone in between.
TEST(CellMachine, TheWritersOwnReadDoesNotHideItsWrite) {
  for (const uint kind : {SQA_KIND_WRITE, SQA_KIND_ATOMIC}) {
    const CellModel first{15, kind, 0, 0, 1, 0, 5, kSequence};
    const CellModel again{15, SQA_KIND_READ, 0, 0, 2, 1, 5, kSequence};
    const CellModel other{15, SQA_KIND_READ, 0, 0, 2, 1, 6, kSequence};
    const Verdict own = judge(first, again, true, 0);
    EXPECT_EQ(own.hazard, 0u);
    EXPECT_EQ(hazard_within(unpack(own.next), other, 0), uint{SQA_MISSING_MEMORY});
    EXPECT_EQ(hazard_within(unpack(own.next), other, 1), 0u) << "ordered";
  }
}

// Accesses of two actions, `older` first: `mine` is of a third one.
TEST(CellActions, ReadsOfTwoActionsAreBothRemembered) {
  const Packed older = pack({3, SQA_KIND_READ, SQA_SPREAD_WORKGROUP, 0, 77, 9, 1234, 5});
  const Packed newer = pack({12, SQA_KIND_READ, 0, 0, 88, 3, 4321, 6});
  ASSERT_TRUE(sqa_actions_join(older.low, newer.low));
  EXPECT_FALSE(sqa_actions_conflict(older.low, newer.low));
  Packed both, taken;
  sqa_cell_with_older(newer.low, newer.high, older.low, older.high, both.low, both.high);
  EXPECT_TRUE(sqa_cell_two_actions(both.low));
  EXPECT_FALSE(sqa_cell_two_actions(older.low));
  sqa_cell_newer(both.low, both.high, taken.low, taken.high);
  EXPECT_EQ(unpack(taken), (CellModel{12, SQA_KIND_READ, SQA_SPREAD_SEVERAL, 0, 88, 0, 0, 6}));
  sqa_cell_older(both.low, both.high, taken.low, taken.high);
  EXPECT_EQ(unpack(taken), (CellModel{3, SQA_KIND_READ, SQA_SPREAD_SEVERAL, 0, 77, 0, 0, 5}));
}

TEST(CellActions, WhatNeedsAnOrderBetweenActions) {
  const auto low = [](uint kind, uint mask, uint before = 0) {
    return pack({mask, kind, SQA_SPREAD_WORKGROUP, before, 1, 0, 0, kSequence}).low;
  };
  const uint read = low(SQA_KIND_READ, 15), write = low(SQA_KIND_WRITE, 15),
             atomic = low(SQA_KIND_ATOMIC, 15);
  const uint narrow = low(SQA_KIND_ATOMIC_WORKGROUP, 15), atomic_load = low(SQA_KIND_READ, 0);
  EXPECT_FALSE(sqa_actions_conflict(read, read));
  EXPECT_TRUE(sqa_actions_conflict(read, write));
  EXPECT_TRUE(sqa_actions_conflict(write, read));
  EXPECT_TRUE(sqa_actions_conflict(atomic, read));
  EXPECT_FALSE(sqa_actions_conflict(atomic, atomic));
  EXPECT_TRUE(sqa_actions_conflict(atomic, narrow));
  EXPECT_TRUE(sqa_actions_conflict(narrow, narrow));
  EXPECT_FALSE(sqa_actions_conflict(atomic_load, atomic));
  EXPECT_FALSE(sqa_actions_conflict(read, atomic_load));
  EXPECT_TRUE(sqa_actions_conflict(atomic_load, write));
  EXPECT_FALSE(sqa_actions_conflict(low(SQA_KIND_WRITE, 3), low(SQA_KIND_WRITE, 12)));
  EXPECT_TRUE(sqa_actions_conflict(low(SQA_KIND_READ, 15, SQA_BEFORE_WRITE), read));
  EXPECT_FALSE(sqa_actions_join(read, atomic_load));
  EXPECT_TRUE(sqa_actions_join(atomic, narrow));
}

// Reads need an execution dependency alone.
TEST(CellActions, WhatNeedsNoAvailability) {
  const auto low = [](uint kind, uint before = 0) {
    return pack({15, kind, SQA_SPREAD_WORKGROUP, before, 1, 0, 0, kSequence}).low;
  };
  const uint read = low(SQA_KIND_READ), write = low(SQA_KIND_WRITE), atomic = low(SQA_KIND_ATOMIC);
  EXPECT_TRUE(sqa_only_reads_conflict(low(SQA_KIND_READ), write));
  EXPECT_TRUE(sqa_only_reads_conflict(low(SQA_KIND_READ, SQA_BEFORE_READ), write));
  EXPECT_FALSE(sqa_only_reads_conflict(low(SQA_KIND_READ, SQA_BEFORE_ATOMIC), write));
  EXPECT_TRUE(sqa_only_reads_conflict(low(SQA_KIND_READ, SQA_BEFORE_ATOMIC), atomic));
  EXPECT_FALSE(sqa_only_reads_conflict(low(SQA_KIND_READ, SQA_BEFORE_WRITE), atomic));
  EXPECT_FALSE(sqa_only_reads_conflict(low(SQA_KIND_READ, SQA_BEFORE_WRITE), read));
  EXPECT_TRUE(sqa_only_reads_conflict(low(SQA_KIND_ATOMIC, SQA_BEFORE_READ), atomic));
  EXPECT_FALSE(sqa_only_reads_conflict(low(SQA_KIND_ATOMIC, SQA_BEFORE_WRITE), atomic));
  // The cell of two actions takes the place of one only if the atomic itself was made available.
  EXPECT_FALSE(sqa_only_reads_conflict(atomic, atomic));
  EXPECT_FALSE(sqa_only_reads_conflict(low(SQA_KIND_ATOMIC, SQA_BEFORE_READ), write));
  EXPECT_FALSE(sqa_only_reads_conflict(low(SQA_KIND_ATOMIC_WORKGROUP, SQA_BEFORE_READ), atomic));
  EXPECT_FALSE(sqa_only_reads_conflict(low(SQA_KIND_WRITE, SQA_BEFORE_READ), write));
}

// One more reader of a word that is in a cell of two actions leaves it.
TEST(CellActions, MoreReadersOfTheNewerActionLeaveTheCell) {
  const Packed older = pack({15, SQA_KIND_READ, 0, 0, 77, 9, 1234, 5});
  const Packed mine = pack({15, SQA_KIND_READ, 0, 0, 88, 3, 4321, kSequence});
  const Packed write = pack({15, SQA_KIND_WRITE, 0, 0, 88, 3, 4321, kSequence});
  Packed both;
  sqa_cell_with_older(mine.low, mine.high, older.low, older.high, both.low, both.high);
  uint low = 0;
  EXPECT_EQ(sqa_fast_path(both.low, both.high, mine.low, mine.high, 0, true, 0, low), SQA_PATH_KEEP);
  EXPECT_EQ(sqa_fast_path(both.low, both.high, write.low, write.high, 0, true, 4, low), SQA_PATH_SLOW);
}

TEST(CellMachine, IsTheModelForWhateverACellHolds) {
  std::mt19937 random(9);
  const auto below = [&](uint n) { return static_cast<uint>(random() % n); };
  const auto owner = [&] { return below(3) << SQA_LOCAL_BITS | below(2) << 6 | below(2); };
  const auto phase = [&] { return below(4) == 0 ? uint{SQA_MAX_PHASE} - below(2) : below(4); };
  for (int n = 0; n < 3000000 && !HasFailure(); ++n) {
    CellModel found{1 + below(15),   below(4), below(4), below(4),
                    below(SQA_TAGS), phase(),  owner(),  kSequence};
    CellModel mine{1 + below(15), below(4), SQA_SPREAD_INVOCATION, 0, below(SQA_TAGS), phase(),
                   owner(),       kSequence};
    if (found.spread == SQA_SPREAD_SEVERAL) found.before = 0;  // else two actions
    for (CellModel* cell : {&found, &mine})
      if (cell->kind == SQA_KIND_READ && below(2) == 0) cell->mask = 0;
    expect_model(found, mine, below(4) != 0, below(2) == 0 ? mine.phase : below(SQA_MAX_PHASE + 2));
  }
}

TEST(CellMachine, ABarrierWithoutMemoryIsAFindingOfItsOwn) {
  const CellModel store{15, SQA_KIND_WRITE, 0, 0, 1, 2, 1, kSequence};
  const CellModel load{15, SQA_KIND_READ, 0, 0, 2, 3, 2, kSequence};
  EXPECT_EQ(hazard_within(store, load, 3), 0u) << "ordered";
  EXPECT_EQ(hazard_within(store, load, 2), uint{SQA_MISSING_MEMORY});
  EXPECT_EQ(hazard_within(store, load, 0), uint{SQA_MISSING_MEMORY});
}

TEST(CellMachine, TheLastPhaseIsNotJudged) {
  const CellModel store{15, SQA_KIND_WRITE, 0, 0, 1, SQA_MAX_PHASE, 1, kSequence};
  const CellModel load{15, SQA_KIND_READ, 0, 0, 2, SQA_MAX_PHASE, 2, kSequence};
  EXPECT_EQ(hazard_within(store, load, SQA_MAX_PHASE), 0u);
}

}  // namespace
}  // namespace shaderqa::test
