// SPDX-License-Identifier: Apache-2.0
// The model against what is known of the original: its tables of masks and verdicts.
#include "bloom_model.h"

#include <gtest/gtest.h>

#include <set>

namespace shaderqa::test {
namespace {

constexpr uint64_t address = 0x0000123456789a40;
const Accessor first{.invocation = 1103633207u};
const Accessor second{.invocation = 2u * 1103633207u};

TEST(BloomModel, HashIsSixRoundsOfTheSeedsMixing) {
  // Worked out by hand for prime 1: each round is (x >> 8) ^ y, (y >> 8) ^ x.
  EXPECT_EQ(bloom_hash(0x10, 1), 1u);  // x, y = 1, 0; six swaps
  EXPECT_EQ(bloom_hash(uint64_t{1} << 32, 1), 0u);
  EXPECT_EQ(bloom_hash(0x1f, 383), bloom_hash(0x10, 383));  // a granule is 16 bytes
  EXPECT_EQ(bloom_hash(uint64_t{0xffff0000} << 32 | 0x10, 383), bloom_hash(0x10, 383));
  EXPECT_NE(bloom_hash(0x10, 383, 1), bloom_hash(0x10, 383));
  std::set<uint32_t> hashes;
  for (const uint32_t prime : bloom_primes) hashes.insert(bloom_hash(address, prime));
  EXPECT_EQ(hashes.size(), bloom_primes.size());
}

TEST(BloomModel, InvalidationMasksAreTheSeeds) {
  EXPECT_EQ(bloom_invalidation_mask(0, 16, Access::load), 0x0fffff0000u);
  EXPECT_EQ(bloom_invalidation_mask(0, 16, Access::store), 0xffffffffffu);
  EXPECT_EQ(bloom_invalidation_mask(0, 16, Access::atomic), 0xf0ffffffffu);
  EXPECT_EQ(bloom_invalidation_mask(0, 16, Access::indirect), 0x0fffff0000u);
  EXPECT_EQ(bloom_invalidation_mask(4, 4, Access::store), 0x2200f000f0u);
  EXPECT_EQ(bloom_invalidation_mask(5, 1, Access::store), 0x2200200020u);
  EXPECT_EQ(bloom_invalidation_mask(7, 2, Access::store), 0x6601800180u);  // two words
  EXPECT_EQ(bloom_invalidation_mask(8, 8, Access::atomic), 0xc0ff00ff00u);
}

TEST(BloomModel, LockMasksTakeNineBitsEach) {
  EXPECT_EQ(bloom_lock_mask(0, 0), 0x01010100u);
  EXPECT_EQ(bloom_lock_mask(0x1ff, 0), 0x80808000u);
  EXPECT_EQ(bloom_lock_mask(7u << 9, 1), 0x01018000u);
  EXPECT_EQ(bloom_lock_mask(0xff800000u, 3), 0x80808000u);
  EXPECT_EQ(bloom_lock_mask(0x7fc00000u, 7), 0x80808000u);
}

// Whether the second access is reported after the first one, by another invocation.
TEST(BloomModel, VerdictsOfTwoInvocations) {
  struct Verdict {
    Access earlier, later;
    bool hazard;
  };
  for (const Verdict& v : {Verdict{Access::store, Access::load, true},
                           {Access::store, Access::store, true},
                           {Access::load, Access::store, true},
                           {Access::atomic, Access::load, true},
                           {Access::atomic, Access::store, true},
                           {Access::load, Access::atomic, true},
                           {Access::store, Access::atomic, true},
                           {Access::load, Access::load, false},
                           {Access::atomic, Access::atomic, false},
                           {Access::indirect, Access::store, true},
                           {Access::atomic, Access::indirect, true},
                           {Access::store, Access::indirect, true},
                           {Access::indirect, Access::load, false},
                           {Access::load, Access::indirect, false},
                           {Access::atomic_load, Access::store, true},
                           {Access::atomic_load, Access::load, false},
                           {Access::atomic_load, Access::atomic, false},
                           {Access::atomic_load, Access::atomic_load, false},
                           {Access::atomic_load, Access::indirect, false},
                           {Access::load, Access::atomic_load, false},
                           {Access::atomic, Access::atomic_load, false},
                           {Access::store, Access::atomic_load, false}}) {
    BloomModel model(16);
    EXPECT_FALSE(model.access(address, 4, v.earlier, first));
    EXPECT_EQ(model.access(address, 4, v.later, second), v.hazard)
        << static_cast<int>(v.earlier) << " then " << static_cast<int>(v.later);
    BloomModel own(16);
    EXPECT_FALSE(own.access(address, 4, v.earlier, first));
    EXPECT_FALSE(own.access(address, 4, v.later, first));
  }
}

TEST(BloomModel, OnlyTheSameBytesAreAHazard) {
  BloomModel model(16);
  EXPECT_FALSE(model.access(address, 1, Access::store, first));
  EXPECT_FALSE(model.access(address + 1, 1, Access::store, second));
  EXPECT_FALSE(model.access(address + 16, 4, Access::store, second));
  EXPECT_FALSE(model.access(address + 32, 4, Access::store, first));
  EXPECT_TRUE(model.access(address + 32, 1, Access::load, second));
}

// What the original misses, and ours not: the tail of an access that straddles granules.
TEST(BloomModel, StraddlingAccessesAreCheckedWhole) {
  BloomModel model(16);
  EXPECT_FALSE(model.access(address + 4, 16, Access::store, first));
  EXPECT_TRUE(model.access(address + 16, 4, Access::load, second));
  EXPECT_FALSE(model.access(address + 20, 4, Access::load, second));
  EXPECT_FALSE(model.access(address + 64, 32, Access::store, first));
  EXPECT_TRUE(model.access(address + 80, 4, Access::load, second));
}

// Weaknesses of vkd3d-proton's check that are kept: the first reader holds the lock.
TEST(BloomModel, KnownHoles) {
  BloomModel model(16);
  EXPECT_FALSE(model.access(address, 4, Access::load, first));
  EXPECT_FALSE(model.access(address, 4, Access::load, second));
  EXPECT_FALSE(model.access(address, 4, Access::store, first));
  EXPECT_FALSE(model.access(address + 16, 4, Access::store, first));
  EXPECT_FALSE(model.access(address + 20, 4, Access::store, second));
  EXPECT_FALSE(model.access(address + 20, 4, Access::load, first));
}

TEST(BloomModel, WorkgroupsAreOrderedByTheirBarrier) {
  Accessor a = first, b = second;
  a.workgroup = b.workgroup = 77;
  BloomModel model(16);
  EXPECT_FALSE(model.access(address, 4, Access::store, a));
  EXPECT_TRUE(model.access(address, 4, Access::load, b));
  b.passed_barrier = true;
  EXPECT_FALSE(model.access(address, 4, Access::load, b));
  b.workgroup = 78;
  EXPECT_TRUE(model.access(address, 4, Access::load, b));
}

TEST(BloomModel, OrderedReadsForbidNoWrites) {
  Accessor later = second;
  later.reads_ordered = true;
  Accessor third{.invocation = 3u * 1103633207u, .reads_ordered = true};
  BloomModel model(16);
  EXPECT_FALSE(model.access(address, 4, Access::load, first));
  EXPECT_FALSE(model.access(address, 4, Access::store, later));
  EXPECT_FALSE(model.access(address, 4, Access::load, later));  // its own write
  EXPECT_TRUE(model.access(address, 4, Access::load, third));
  EXPECT_TRUE(model.access(address, 4, Access::store, third));
  // Reads, then atomics of many.
  EXPECT_FALSE(model.access(address + 16, 4, Access::load, first));
  EXPECT_FALSE(model.access(address + 16, 4, Access::atomic, later));
  EXPECT_FALSE(model.access(address + 16, 4, Access::atomic, third));
}

// An invocation writes what others have only read, and is reported. Its later accesses do not conflict with
// those reads, nor do those of its workgroup behind a barrier.
TEST(BloomModel, TheFirstToWriteHoldsTheLock) {
  Accessor a = first, b = second, mate{.invocation = 3u * 1103633207u};
  a.workgroup = 77;
  b.workgroup = mate.workgroup = 78;
  BloomModel model(16);
  EXPECT_FALSE(model.access(address, 4, Access::load, a));
  EXPECT_TRUE(model.access(address, 4, Access::store, b));
  EXPECT_FALSE(model.access(address, 4, Access::load, b)) << "its own value, and the other one only reads";
  mate.passed_barrier = true;
  EXPECT_FALSE(model.access(address, 4, Access::load, mate));
  const Accessor other{.invocation = 4u * 1103633207u, .workgroup = 79};
  EXPECT_TRUE(model.access(address, 4, Access::store, other));
  EXPECT_TRUE(model.access(address, 4, Access::load, other)) << "the first write is not ordered before it";
  // Some of the bytes are read by others, some are written.
  EXPECT_FALSE(model.access(address + 16, 4, Access::load, a));
  EXPECT_FALSE(model.access(address + 20, 4, Access::store, a));
  EXPECT_TRUE(model.access(address + 16, 8, Access::store, b));
  EXPECT_FALSE(model.access(address + 16, 4, Access::load, b));
}

TEST(BloomModel, AvailableWritesForbidReadsOnly) {
  Accessor later = second, third{.invocation = 3u * 1103633207u};
  later.reads_ordered = later.writes_available = third.reads_ordered = third.writes_available = true;
  BloomModel model(16);
  EXPECT_FALSE(model.access(address, 4, Access::store, first));
  EXPECT_TRUE(model.access(address, 4, Access::load, third)) << "not visible";
  EXPECT_FALSE(model.access(address, 4, Access::store, later));
  EXPECT_FALSE(model.access(address, 4, Access::load, later)) << "its own write";
  EXPECT_FALSE(model.access(address + 16, 4, Access::load, first));
  EXPECT_FALSE(model.access(address + 16, 4, Access::store, later));
  EXPECT_FALSE(model.access(address + 32, 4, Access::store, first));
  EXPECT_FALSE(model.access(address + 32, 4, Access::atomic, later));
}

TEST(BloomModel, SaltsAndClearsSeparate) {
  Accessor later = second;
  later.salt = 5;
  BloomModel model(16);
  EXPECT_FALSE(model.access(address, 4, Access::store, first));
  EXPECT_FALSE(model.access(address, 4, Access::store, later));
  EXPECT_TRUE(model.access(address, 4, Access::store, second));
  model.clear();
  EXPECT_FALSE(model.access(address, 4, Access::store, second));
}

// notes: with 16 MiB and 2 MiB touched by disjoint stores, 9.2e-5 false reports an access. Here 1/16 of both.
TEST(BloomModel, FalseReportsAreAsRareAsTheTheorySays) {
  BloomModel model(17);
  uint32_t reports = 0;
  const uint32_t granules = (1u << 17) / 16;
  for (uint32_t i = 0; i < granules; ++i)
    reports += model.access(address + uint64_t{i} * 16, 16, Access::store, {.invocation = i * 1103633207u});
  EXPECT_LE(reports, 8u);
}

}  // namespace
}  // namespace shaderqa::test
