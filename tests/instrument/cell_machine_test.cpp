// The cell's state machine, the very source that shaders run, against an oracle that remembers every access:
// random traces of one action, on a few words. What it reports must be a race; what it misses is counted.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "instrument/runtime/abi.h"

namespace shaderqa::test {
namespace {

using uint = uint32_t;
#define SQA_OUT(T) T&
#include "instrument/runtime/cell_machine.glsl"
#include "instrument/runtime/short_way.glsl"
#undef SQA_OUT

constexpr uint kSequence = 7;

struct Access {
  uint group = 0, local = 0, phase = 0;
  uint kind = 0;
  uint mask = 0;             // bytes
  bool behind_part = false;  // a barrier of a part of its workgroup was passed in this phase
  uint since() const { return phase + (behind_part ? 1 : 0); }
  uint owner() const { return group << SQA_LOCAL_BITS | local; }
};

bool is_atomic(uint kind) { return kind >= SQA_KIND_ATOMIC; }

// Nothing orders the two: not the program, not a barrier of their workgroup, nor one before the second that
// counts as such.
bool is_race(const Access& a, const Access& b) {
  if ((a.mask & b.mask) == 0 || (a.kind == SQA_KIND_READ && b.kind == SQA_KIND_READ)) return false;
  if (a.group == b.group && (a.local == b.local || a.phase != b.phase || b.behind_part)) return false;
  if (is_atomic(a.kind) && is_atomic(b.kind))
    return a.group != b.group && (a.kind == SQA_KIND_ATOMIC_WORKGROUP || b.kind == SQA_KIND_ATOMIC_WORKGROUP);
  return true;
}

struct Packed {
  uint low = 0, high = 0;
};
Packed pack(const SqaCell& cell) {
  return {cell.mask | cell.kind << SQA_CELL_KIND | cell.spread << SQA_CELL_SPREAD |
              cell.before << SQA_CELL_BEFORE | cell.tag << SQA_CELL_TAG | cell.phase << SQA_CELL_PHASE |
              cell.owner << SQA_CELL_OWNER,
          cell.owner >> 5 | cell.sequence << 17};
}

// Where the short way tells anything, it is what the machine says, but for the site.
uint expect_same(const SqaCell& found, const SqaCell& mine, uint since, uint hazard, const SqaCell& next) {
  const Packed old = pack(found), own = pack(mine), wanted = pack(next);
  uint low = 0;
  const uint way = sqa_short_way(old.low, old.high, own.low, own.high, 0, true, since, low);
  if (way == SQA_WAY_LONG) return way;
  EXPECT_EQ(hazard, 0u);
  const uint site = (SQA_TAGS - 1) << SQA_CELL_TAG;
  const Packed left = way == SQA_WAY_STAY ? old : Packed{low, own.high};
  EXPECT_EQ(left.low & ~site, wanted.low & ~site);
  EXPECT_EQ(left.high, wanted.high);
  // A write has entered itself by then.
  if (mine.kind == SQA_KIND_WRITE) {
    EXPECT_EQ(low & ~site, wanted.low & ~site);
  }
  return way;
}

class Word {
 public:
  uint ways[3] = {};  // by SQA_WAY_*

  bool access(const Access& access) {
    const SqaCell mine{access.mask, access.kind,  SQA_SPREAD_INVOCATION, 0,
                       1,           access.phase, access.owner(),        kSequence};
    SqaCell next = mine;
    uint hazard = 0;
    if (cell_.sequence == kSequence) hazard = sqa_hazard_within(cell_, mine, true, access.since(), next);
    ++ways[expect_same(cell_, mine, access.since(), hazard, next)];
    cell_ = next;
    return hazard != 0;
  }

 private:
  SqaCell cell_{};
};

struct Rules {
  uint groups, locals, phases;
  std::vector<uint> kinds, masks;
  bool parts = false;  // half of the accesses lie behind a barrier of a part of the workgroup
};

struct Score {
  uint racy_traces = 0, found = 0, false_reports = 0;
  uint ways[3] = {};  // by SQA_WAY_*
};

// Each invocation's accesses come in the order of its phases, and a phase of a workgroup ends before its next
// begins.
std::vector<Access> random_trace(const Rules& rules, std::mt19937& random) {
  std::vector<std::vector<Access>> of_group(rules.groups);
  for (uint group = 0; group < rules.groups; ++group) {
    for (uint phase = 0; phase < rules.phases; ++phase) {
      for (uint n = random() % 3; n-- > 0;)
        of_group[group].push_back({group, static_cast<uint>(random() % rules.locals), phase,
                                   rules.kinds[random() % rules.kinds.size()],
                                   rules.masks[random() % rules.masks.size()],
                                   rules.parts && random() % 2 == 0});
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
      // Once a word raced nothing more is said of it, so only the first report can be false.
      if (reported && !races) ++score.false_reports;
    }
    for (uint way = 0; way < 3; ++way) score.ways[way] += word.ways[way];
    score.racy_traces += racy ? 1 : 0;
    score.found += racy && found ? 1 : 0;
  }
  return score;
}

const std::vector<uint> kPlain{SQA_KIND_READ, SQA_KIND_WRITE};
const std::vector<uint> kAll{SQA_KIND_READ, SQA_KIND_WRITE, SQA_KIND_ATOMIC, SQA_KIND_ATOMIC_WORKGROUP};
const std::vector<uint> kWhole{15};
const std::vector<uint> kBytes{1, 2, 4, 8, 3, 12, 15};

TEST(CellMachine, WholeWordsInAWorkgroup) {
  const Score score = run({1, 4, 4, kPlain, kWhole}, 1);
  EXPECT_EQ(score.false_reports, 0u);
  EXPECT_EQ(score.found, score.racy_traces);
  EXPECT_GT(score.racy_traces, 1000u);
}

TEST(CellMachine, WholeWordsOfSeveralWorkgroups) {
  const Score score = run({3, 3, 3, kPlain, kWhole}, 2);
  for (const uint way : score.ways) EXPECT_GT(way, 1000u);
  EXPECT_EQ(score.false_reports, 0u);
  EXPECT_EQ(score.found, score.racy_traces);
}

TEST(CellMachine, AtomicsOfBothScopes) {
  const Score score = run({3, 3, 3, kAll, kWhole}, 3);
  EXPECT_EQ(score.false_reports, 0u);
  // An invocation's plain read behind its own atomic is not remembered.
  EXPECT_GE(score.found * 100, score.racy_traces * 99) << score.found << " of " << score.racy_traces;
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

TEST(CellMachine, ABarrierWithoutMemoryIsAFindingOfItsOwn) {
  const SqaCell store{15, SQA_KIND_WRITE, 0, 0, 1, 2, 1, kSequence};
  const SqaCell load{15, SQA_KIND_READ, 0, 0, 2, 3, 2, kSequence};
  SqaCell next{};
  EXPECT_EQ(sqa_hazard_within(store, load, true, 3, next), 0u) << "ordered";
  EXPECT_EQ(sqa_hazard_within(store, load, true, 2, next), uint{SQA_MISSING_MEMORY});
  EXPECT_EQ(sqa_hazard_within(store, load, true, 0, next), uint{SQA_MISSING_MEMORY});
}

TEST(CellMachine, TheLastPhaseIsNotJudged) {
  const SqaCell store{15, SQA_KIND_WRITE, 0, 0, 1, SQA_MAX_PHASE, 1, kSequence};
  const SqaCell load{15, SQA_KIND_READ, 0, 0, 2, SQA_MAX_PHASE, 2, kSequence};
  SqaCell next{};
  EXPECT_EQ(sqa_hazard_within(store, load, true, SQA_MAX_PHASE, next), 0u);
}

}  // namespace
}  // namespace shaderqa::test
