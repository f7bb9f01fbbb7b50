// SPDX-License-Identifier: Apache-2.0
// The rules of the cells, compiled from the source that shaders run, against an oracle that remembers every
// access: random traces of one action, on one word. Everything they report must be a race; missed races are
// counted.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa::test {
namespace {

using uint = uint32_t;
#define SQA_OUT(T) T&
#include "instrument/runtime/cell_rules.glsl"
#undef SQA_OUT

using CellModel = abi::CellFields;

constexpr uint kSequence = 7;
constexpr uint kSubgroup = 2;  // invocations

// Beside SQA_KIND_*: an atomic load. Only its cell has no bytes.
constexpr uint kAtomicRead = 4;

struct Access {
  uint group = 0, local = 0;
  uint phase = 0;  // with the barriers of subgroups in its low bits, where there are any
  uint since = 0, since_part = 0;
  uint kind = 0;
  uint mask = 0;  // bytes
  uint owner() const { return group << SQA_LOCAL_BITS | local; }
};

bool is_atomic(uint kind) { return kind == SQA_KIND_ATOMIC || kind == SQA_KIND_ATOMIC_WORKGROUP; }
bool reads(uint kind) { return kind == SQA_KIND_READ || kind == kAtomicRead; }

bool conflict(const Access& a, const Access& b) {
  const uint bytes_a = a.mask == SQA_MASK_OF_LONG ? 15 : a.mask;
  const uint bytes_b = b.mask == SQA_MASK_OF_LONG ? 15 : b.mask;
  if ((bytes_a & bytes_b) == 0 || (reads(a.kind) && reads(b.kind))) return false;
  const bool narrow = a.kind == SQA_KIND_ATOMIC_WORKGROUP || b.kind == SQA_KIND_ATOMIC_WORKGROUP;
  if (is_atomic(a.kind) && is_atomic(b.kind)) return (a.group != b.group && narrow) || a.mask != b.mask;
  if ((a.kind == kAtomicRead && is_atomic(b.kind)) || (b.kind == kAtomicRead && is_atomic(a.kind)))
    return a.group != b.group && narrow;
  return true;
}

// Whether neither program order nor a barrier orders the two, of which b comes later.
bool is_race(const Access& a, const Access& b) {
  if (!conflict(a, b)) return false;
  if (a.group != b.group) return true;
  if (a.local == b.local || a.phase < b.since) return false;
  return a.local / kSubgroup != b.local / kSubgroup || a.phase >= b.since_part;
}

struct Packed {
  uint low = 0, high = 0;
};
Packed pack(const CellModel& cell) {
  const uint64_t bits = abi::pack_cell(cell);
  return {static_cast<uint>(bits), static_cast<uint>(bits >> 32)};
}
CellModel unpack(const Packed& cell) { return abi::unpack_cell(cell.low, cell.high); }

SqaSelf self_of(const Access& access) { return {true, access.since, access.since_part, kSubgroup}; }
Packed cell_of(const Access& access) {
  const bool atomic_read = access.kind == kAtomicRead;
  return pack({atomic_read ? 0 : access.mask, atomic_read ? SQA_KIND_READ : access.kind,
               SQA_SPREAD_INVOCATION, 0, 1, access.phase, access.owner(), kSequence});
}
uint hazard_within(const Access& found, const Access& mine) {
  const Packed old = cell_of(found), own = cell_of(mine);
  return sqa_cell_hazard(old.low, old.high, own.low, own.high, self_of(mine));
}

// A word's two cells, as sqa_meet (exact.glsl) has them.
class Word {
 public:
  bool access(const Access& access) {
    const Packed own = cell_of(access);
    const SqaSelf self = self_of(access);
    Packed& joined = reads(access.kind) ? read_ : modified_;
    const Packed& other = reads(access.kind) ? modified_ : read_;
    if (reported_) return false;
    uint hazard = 0;
    if (joined.high != 0) {
      hazard = sqa_cell_hazard(joined.low, joined.high, own.low, own.high, self);
      Packed next;
      sqa_cell_joined(joined.low, joined.high, own.low, own.high, self, next.low, next.high);
      EXPECT_FALSE(sqa_cell_two_actions(next.low));
      EXPECT_EQ(sqa_cell_sequence(next.high), kSequence);
      const bool plain = access.kind == SQA_KIND_READ || access.kind == SQA_KIND_WRITE;
      if (plain && sqa_cell_is_past(joined.low, joined.high, own.high, 0, true, self.since)) {
        EXPECT_EQ(hazard, 0u);
        EXPECT_EQ(next.low, own.low);
        EXPECT_EQ(next.high, own.high);
      } else if (access.kind != SQA_KIND_WRITE && sqa_cell_stays(joined.low, joined.high, own.low, own.high)) {
        EXPECT_EQ(hazard, 0u);
        EXPECT_EQ(next.low, joined.low);
        EXPECT_EQ(next.high, joined.high);
        return false;
      }
      joined = next;
    } else {
      joined = own;
    }
    if (hazard == 0 && other.high != 0 && !sqa_cell_is_past(other.low, other.high, own.high, 0, true, self.since))
      hazard = sqa_cell_hazard(other.low, other.high, own.low, own.high, self);
    reported_ = hazard != 0;
    return reported_;
  }

 private:
  Packed modified_, read_;
  bool reported_ = false;
};

struct Rules {
  uint groups, locals, phases;
  std::vector<uint> kinds, masks;
  bool partial = false;  // half of the barriers order no memory
  uint parts = 1;        // phases of subgroups in a phase
};

struct Score {
  uint racy_traces = 0, found = 0, false_reports = 0;
};

// Accesses of an invocation come in the order of its phases, and a phase of a workgroup ends before its next
// one begins.
std::vector<Access> random_trace(const Rules& rules, std::mt19937& random) {
  std::vector<std::vector<Access>> of_group(rules.groups);
  const uint scale = rules.parts > 1 ? 1u << SQA_PART_PHASE_BITS : 1;
  for (uint group = 0; group < rules.groups; ++group) {
    uint since = 0;
    for (uint phase = 0; phase < rules.phases; ++phase) {
      if (phase != 0 && (!rules.partial || random() % 2 == 0)) since = phase * scale;
      // Each subgroup passes its barriers by itself.
      std::array<uint, 8> part{};
      for (uint n = random() % 3 + (rules.parts > 1 ? random() % 3 : 0); n-- > 0;) {
        Access access{group,
                      static_cast<uint>(random() % rules.locals),
                      phase * scale,
                      since,
                      0,
                      rules.kinds[random() % rules.kinds.size()],
                      rules.masks[random() % rules.masks.size()]};
        uint& passed = part[access.local / kSubgroup];
        if (passed + 1 < rules.parts && random() % 2 == 0) ++passed;
        access.phase += passed;
        if (passed != 0) access.since_part = access.phase;
        if (access.kind == kAtomicRead) access.mask = SQA_CELL_MASK_ONES;
        if (is_atomic(access.kind) && access.mask != SQA_MASK_OF_LONG) access.mask = SQA_CELL_MASK_ONES;
        if (!is_atomic(access.kind) && access.mask == SQA_MASK_OF_LONG) access.mask = SQA_CELL_MASK_ONES;
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

std::string text_of(const std::vector<Access>& trace) {
  std::string text;
  for (const Access& access : trace)
    text += "group " + std::to_string(access.group) + " local " + std::to_string(access.local) + " phase " +
            std::to_string(access.phase) + " since " + std::to_string(access.since) + "/" +
            std::to_string(access.since_part) + " kind " + std::to_string(access.kind) + " mask " +
            std::to_string(access.mask) + "\n";
  return text;
}

// missed: the shortest trace whose race was not found.
Score run(const Rules& rules, uint seed, std::string* missed = nullptr) {
  std::mt19937 random(seed);
  Score score;
  size_t shortest = SIZE_MAX;
  for (int n = 0; n < 40000; ++n) {
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
      if (reported && !races && ++score.false_reports == 1)
        ADD_FAILURE() << text_of({trace.begin(), trace.begin() + static_cast<ptrdiff_t>(i) + 1});
    }
    score.racy_traces += racy ? 1 : 0;
    score.found += racy && found ? 1 : 0;
    if (racy && !found && missed && trace.size() < shortest) {
      shortest = trace.size();
      *missed = text_of(trace);
    }
  }
  return score;
}

void expect_all_found(const Rules& rules, uint seed) {
  std::string missed;
  const Score score = run(rules, seed, &missed);
  EXPECT_EQ(score.found, score.racy_traces) << missed;
  EXPECT_GT(score.racy_traces, 1000u);
}

const std::vector<uint> kPlain{SQA_KIND_READ, SQA_KIND_WRITE};
const std::vector<uint> kAll{SQA_KIND_READ, SQA_KIND_WRITE, SQA_KIND_ATOMIC, SQA_KIND_ATOMIC_WORKGROUP};
const std::vector<uint> kWhole{15};
const std::vector<uint> kBytes{1, 2, 4, 8, 3, 12, 15};

// Reports contain cells as they are, and docs/internals/exact.md documents this layout.
TEST(CellFields, LieWhereTheyAlwaysDid) {
  const CellModel cell{15, SQA_KIND_ATOMIC, SQA_SPREAD_WORKGROUP, 3, 0x155, 0x2a, 0x2aaaaa, 0x1234};
  EXPECT_EQ(abi::pack_cell(cell), 0x2469555552a5576fu);
  EXPECT_EQ(unpack(pack(cell)), cell);
  for (const uint field : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    uint ones[8] = {};
    ones[field] = UINT32_MAX >> (32 - std::array{4, 2, 2, 2, 10, 7, 22, 15}[field]);
    const CellModel one{ones[0], ones[1], ones[2], ones[3], ones[4], ones[5], ones[6], ones[7]};
    EXPECT_EQ(unpack(pack(one)), one) << "field " << field;
  }
}

TEST(CellFields, TwoActionsFitInOneCell) {
  const CellModel newer{15, SQA_KIND_READ, SQA_SPREAD_WORKGROUP, 0, 0x2aa, 3, 0x155555, 0x7fff};
  const CellModel older{5, SQA_KIND_READ, SQA_SPREAD_INVOCATION, 2, 0x3ff, 9, 0x2aaaaa, 0x5555};
  const Packed a = pack(newer), b = pack(older);
  Packed both, again;
  sqa_cell_with_older(a.low, a.high, b.low, b.high, both.low, both.high);
  EXPECT_TRUE(sqa_cell_two_actions(both.low));
  EXPECT_EQ(unpack(both).tag, newer.tag);
  EXPECT_EQ(unpack(both).sequence, newer.sequence);
  EXPECT_EQ(unpack(both).mask, newer.mask);
  sqa_cell_older(both.low, both.high, again.low, again.high);
  EXPECT_EQ(unpack(again), (CellModel{5, SQA_KIND_READ, SQA_SPREAD_SEVERAL, 0, 0x3ff, 0, 0, 0x5555}));
}

TEST(CellFields, WorkgroupsAtRegularDistancesHaveDifferentOwners) {
  const auto group = [](uint number) {
    return sqa_cell_group(number) & SQA_ONES(SQA_OWNER_BITS - SQA_LOCAL_BITS);
  };
  EXPECT_EQ(group(4095), 4095u);
  for (const uint distance : {4095u, 4096u, 8192u, 65536u, 1u << 20}) {
    uint same = 0;
    for (uint number = 0; number < 4096; ++number) same += group(number) == group(number + distance) ? 1 : 0;
    EXPECT_EQ(same, 0u) << distance;
  }
}

TEST(CellRules, WholeWords) {
  expect_all_found({1, 4, 4, kPlain, kWhole}, 1);
  expect_all_found({3, 3, 3, kPlain, kWhole}, 2);
}

TEST(CellRules, AtomicsOfBothScopesAndSizes) {
  expect_all_found({1, 4, 4, kAll, kWhole}, 3);
  expect_all_found({3, 3, 3, kAll, kWhole}, 4);
  expect_all_found({3, 3, 3, {SQA_KIND_ATOMIC}, {SQA_CELL_MASK_ONES, SQA_MASK_OF_LONG}}, 5);
}

TEST(CellRules, BarriersThatOrderNoMemory) {
  expect_all_found({1, 4, 5, kPlain, kWhole, true}, 6);
  expect_all_found({2, 3, 5, kPlain, kWhole, true}, 7);
  std::string missed;
  const Score score = run({2, 3, 5, kAll, kWhole, true}, 8, &missed);
  EXPECT_GE(score.found * 1000, score.racy_traces * 999) << missed;
}

TEST(CellRules, BarriersOfSubgroupsOrderTheirSubgroup) {
  std::string missed;
  const Score score = run({2, 6, 3, kPlain, kWhole, true, 3}, 9, &missed);
  EXPECT_GE(score.found * 100, score.racy_traces * 98) << score.found << " of " << score.racy_traces << "\n"
                                                       << missed;
}

TEST(CellRules, AtomicLoadsConflictWithWritesAndWithTooNarrowAtomicsAlone) {
  const std::vector<uint> all{SQA_KIND_READ, SQA_KIND_WRITE, SQA_KIND_ATOMIC, SQA_KIND_ATOMIC_WORKGROUP,
                              kAtomicRead};
  expect_all_found({3, 3, 3, {SQA_KIND_WRITE, kAtomicRead}, kWhole}, 10);
  expect_all_found({3, 3, 3, {SQA_KIND_WRITE, SQA_KIND_ATOMIC, kAtomicRead}, kWhole}, 11);
  for (uint groups : {1u, 3u}) {
    // Of reads and atomic loads by several, the reads are kept.
    std::string missed;
    const Score score = run({groups, 3, 3, all, kWhole}, 12 + groups, &missed);
    EXPECT_GE(score.found * 100, score.racy_traces * 98) << score.found << " of " << score.racy_traces << "\n"
                                                         << missed;
  }
  const Score parts = run({2, 3, 3, all, kBytes}, 16);
  EXPECT_EQ(parts.false_reports, 0u);
}

TEST(CellRules, PartsOfWordsAreMissedRatherThanAccused) {
  for (uint groups : {1u, 3u}) {
    const Score score = run({groups, 4, 3, kAll, kBytes}, 17 + groups);
    EXPECT_EQ(score.false_reports, 0u);
    EXPECT_GE(score.found * 5, score.racy_traces * 4) << score.found << " of " << score.racy_traces;
  }
}

TEST(CellRules, ABarrierWithoutMemoryIsAFindingOfItsOwn) {
  const Access store{0, 1, 2, 2, 0, SQA_KIND_WRITE, 15};
  Access load{0, 2, 3, 3, 0, SQA_KIND_READ, 15};
  EXPECT_EQ(hazard_within(store, load), 0u) << "ordered";
  load.since = 2;
  EXPECT_EQ(hazard_within(store, load), uint{SQA_MISSING_MEMORY});
  load.since = 0;
  EXPECT_EQ(hazard_within(store, load), uint{SQA_MISSING_MEMORY});
}

TEST(CellRules, TheLastPhaseIsNotJudged) {
  const Access store{0, 1, SQA_MAX_PHASE, SQA_MAX_PHASE, 0, SQA_KIND_WRITE, 15};
  const Access load{0, 2, SQA_MAX_PHASE, SQA_MAX_PHASE, 0, SQA_KIND_READ, 15};
  EXPECT_EQ(hazard_within(store, load), 0u);
}

}  // namespace
}  // namespace shaderqa::test
