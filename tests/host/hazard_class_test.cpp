// SPDX-License-Identifier: Apache-2.0
#include "host/findings/hazard_class.h"

#include <gtest/gtest.h>

#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

using enum HazardClass;

HazardMarks both(HazardMarks a, HazardMarks b) { return {a.low | b.low, a.high | b.high}; }

// Every access against every combination of earlier ones that forbids it, and those that do not.
TEST(HazardClasses, OfTheFilter) {
  struct Row {
    Access access;
    HazardMarks marks;
    Classified expected;
  };
  const HazardMarks atomic_and_load = both(kAtomicMarks, kLoadMarks);
  const HazardMarks store_and_load = both(kStoreMarks, kLoadMarks);
  const Row rows[] = {
      {Access::load, {0, 0}, {}},
      {Access::load, kLoadMarks, {}},
      {Access::load, kStoreMarks, {read_after_write, EarlierAccess::store_or_atomic}},
      {Access::load, kAtomicMarks, {atomic_against_plain, EarlierAccess::atomic}},
      {Access::load, atomic_and_load, {read_after_write, EarlierAccess::store_or_atomic}},
      {Access::store, {0, 0}, {}},
      {Access::store, kLoadMarks, {write_after_read, EarlierAccess::load}},
      {Access::store, kAtomicLoadMarks, {atomic_against_plain, EarlierAccess::atomic}},
      {Access::store, kStoreMarks, {write_after_write, EarlierAccess::store_or_atomic}},
      {Access::store, kAtomicMarks, {atomic_against_plain, EarlierAccess::atomic}},
      {Access::store, store_and_load, {write_after_write, EarlierAccess::store_or_atomic}},
      {Access::atomic, kAtomicMarks, {}},
      {Access::atomic, kLoadMarks, {atomic_against_plain, EarlierAccess::load}},
      {Access::atomic, kStoreMarks, {atomic_against_plain, EarlierAccess::load_or_store}},
      {Access::atomic, atomic_and_load, {atomic_against_plain, EarlierAccess::load_or_store}},
      {Access::indirect, kLoadMarks, {}},
      {Access::indirect, kStoreMarks, {read_after_write, EarlierAccess::store_or_atomic}},
      {Access::indirect, kAtomicMarks, {read_after_write, EarlierAccess::atomic}},
  };
  for (const Row& row : rows) {
    const Classified found = classify_hazard(row.access, row.marks.low, row.marks.high);
    EXPECT_EQ(found, row.expected) << to_string(row.access) << " " << row.marks.low << " " << row.marks.high
                                   << ": " << to_string(found.hazard_class) << ", "
                                   << to_string(found.earlier);
  }
}

// An atomic of word 0 says nothing about a store of word 1.
TEST(HazardClasses, OnlyWordsThatConflictCount) {
  EXPECT_EQ(classify_hazard(Access::load, 0x00ff00f0, 0x21).hazard_class, atomic_against_plain);
  EXPECT_EQ(classify_hazard(Access::load, 0x00f000f0, 0x32).hazard_class, read_after_write);
  EXPECT_EQ(classify_hazard(Access::store, 0x00f0000f, 0x03).hazard_class, write_after_read);
}

TEST(HazardClasses, OfTheExactEngine) {
  struct Row {
    Access access;
    uint32_t kind;  // of the cell
    Classified expected;
  };
  const Row rows[] = {
      {Access::load, SQA_KIND_WRITE, {read_after_write, EarlierAccess::store}},
      {Access::load, SQA_KIND_ATOMIC, {atomic_against_plain, EarlierAccess::atomic}},
      {Access::store, SQA_KIND_READ, {write_after_read, EarlierAccess::load}},
      {Access::store, SQA_KIND_WRITE, {write_after_write, EarlierAccess::store}},
      {Access::store, SQA_KIND_ATOMIC_WORKGROUP, {atomic_against_plain, EarlierAccess::atomic}},
      {Access::atomic, SQA_KIND_READ, {atomic_against_plain, EarlierAccess::load}},
      {Access::atomic, SQA_KIND_WRITE, {atomic_against_plain, EarlierAccess::store}},
      {Access::atomic, SQA_KIND_ATOMIC_WORKGROUP, {workgroup_atomics, EarlierAccess::atomic}},
      {Access::indirect, SQA_KIND_WRITE, {read_after_write, EarlierAccess::store}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(classify_exact_hazard(row.access, cell_of(row.kind), Missing::order, true), row.expected)
        << to_string(row.access) << " " << row.kind;
    EXPECT_EQ(classify_exact_hazard(row.access, cell_of(row.kind), Missing::memory, true),
              (Classified{execution_only, row.expected.earlier}));
  }
}

// A load conflicts with no load, but with the store that the workgroup made before it.
TEST(HazardClasses, WhatCameBeforeTheCellsAccess) {
  const auto cell = [](uint32_t kind, uint32_t before, uint32_t spread = SQA_SPREAD_WORKGROUP) {
    Cell one = cell_of(kind);
    one.before = before;
    one.spread = spread;
    return one;
  };
  const Cell stored = cell(SQA_KIND_READ, SQA_BEFORE_WRITE), changed = cell(SQA_KIND_READ, SQA_BEFORE_ATOMIC);
  const auto classified = [](Access access, const Cell& found, bool same_action = true) {
    return classify_exact_hazard(access, found, Missing::order, same_action);
  };
  EXPECT_EQ(classified(Access::load, stored), (Classified{read_after_write, EarlierAccess::store}));
  EXPECT_EQ(classified(Access::load, changed), (Classified{atomic_against_plain, EarlierAccess::atomic}));
  EXPECT_EQ(classified(Access::atomic, cell(SQA_KIND_ATOMIC, SQA_BEFORE_READ)),
            (Classified{atomic_against_plain, EarlierAccess::load}));
  EXPECT_EQ(classified(Access::atomic, cell(SQA_KIND_ATOMIC, SQA_BEFORE_WRITE)),
            (Classified{atomic_against_plain, EarlierAccess::store}));
  EXPECT_EQ(classified(Access::atomic, cell(SQA_KIND_ATOMIC, SQA_BEFORE_ATOMIC)),
            (Classified{workgroup_atomics, EarlierAccess::atomic}));
  EXPECT_TRUE(precedes_cell(Access::load, stored, true));
  EXPECT_FALSE(precedes_cell(Access::store, stored, true)) << "a store conflicts with the load";
  EXPECT_EQ(classified(Access::store, stored).earlier, EarlierAccess::load);
  // Between actions, execution orders a load, and not what was stored before it.
  EXPECT_EQ(classified(Access::store, stored, false), (Classified{write_after_write, EarlierAccess::store}));
  EXPECT_EQ(classified(Access::store, changed, false),
            (Classified{atomic_against_plain, EarlierAccess::atomic}));
  EXPECT_EQ(classified(Access::atomic, stored, false),
            (Classified{atomic_against_plain, EarlierAccess::store}));
  EXPECT_EQ(classified(Access::atomic, changed, false).earlier, EarlierAccess::load);
  EXPECT_EQ(classified(Access::store, cell(SQA_KIND_READ, SQA_BEFORE_READ), false).earlier,
            EarlierAccess::load);
  EXPECT_FALSE(precedes_cell(Access::load, cell(SQA_KIND_WRITE, SQA_BEFORE_WRITE), true));
  Cell atomic_load = cell(SQA_KIND_READ, SQA_BEFORE_ATOMIC);
  atomic_load.mask = 0;
  EXPECT_TRUE(precedes_cell(Access::load, atomic_load, false))
      << "the atomic before it is what a load races with";
  EXPECT_FALSE(precedes_cell(Access::load, cell(SQA_KIND_READ, SQA_BEFORE_OLDER, SQA_SPREAD_SEVERAL), true))
      << "a cell of two actions";
}

}  // namespace
}  // namespace shaderqa::test
