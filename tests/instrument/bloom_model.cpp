// SPDX-License-Identifier: Apache-2.0
#include "bloom_model.h"

#include <algorithm>

namespace shaderqa::test {
namespace {

constexpr size_t lock_hashes = 8;
constexpr uint32_t granule_bytes = 16;
constexpr uint32_t max_granules = 256;

uint64_t byte_mask(uint64_t address, uint32_t size) {
  return (((uint64_t{1} << size) - 1) << (address % granule_bytes)) & 0xffff;
}

uint64_t word_mask(uint64_t address, uint32_t size) {
  const uint64_t words = (address % 4 + size + 3) / 4;
  return (((uint64_t{1} << words) - 1) << (address / 4 % 4)) & 0xf;
}

}  // namespace

const std::array<uint32_t, 16> bloom_primes{1103515245, 1103518333, 1103539331, 1103633207, 10006121, 4004951,
                                            5005159,    6004811,    383,        821,        661,      1091,
                                            1117,       3947,       4253,       7691};

uint32_t bloom_hash(uint64_t address, uint32_t prime, uint32_t salt) {
  uint32_t x = static_cast<uint32_t>(address) >> 4;
  uint32_t y = (static_cast<uint32_t>(address >> 32) & 0xffff) | salt << 16;
  for (int round = 0; round < 6; ++round) {
    const uint32_t next = (x >> 8 ^ y) * prime;
    y = (y >> 8 ^ x) * prime;
    x = next;
  }
  return x;
}

uint32_t bloom_lock_mask(uint32_t id, uint32_t index) {
  static constexpr std::array<uint32_t, lock_hashes> first_bits{0, 9, 18, 23, 1, 9, 17, 22};
  const uint32_t bits = id >> first_bits[index];
  return 256u << (bits & 7) | 65536u << (bits >> 3 & 7) | 16777216u << (bits >> 6 & 7);
}

uint64_t bloom_invalidation_mask(uint64_t address, uint32_t size, Access access) {
  static constexpr std::array<uint64_t, 5> by_type{0x0fffff0000, 0xffffffffff, 0xf0ffffffff, 0x0fffff0000,
                                                   0x00ffff0000};
  const uint64_t bytes = byte_mask(address, size);
  const uint64_t words = word_mask(address, size);
  return by_type[static_cast<size_t>(access)] & (bytes | bytes << 16 | words << 32 | words << 36);
}

bool BloomModel::granule(uint64_t address, uint32_t size, Access access, const Accessor& who) {
  const uint64_t bytes = byte_mask(address, size);
  const uint64_t words = word_mask(address, size);
  const auto bucket = [&](size_t i) -> uint64_t& {
    return buckets_[bloom_hash(address, bloom_primes[i], who.salt) & (buckets_.size() - 1)];
  };
  uint64_t earlier = ~uint64_t{0};
  for (size_t i = 0; i < bloom_primes.size(); ++i) {
    uint64_t& marks = bucket(i);
    earlier &= marks;
    marks |= bloom_invalidation_mask(address, size, access);
  }
  // Reads that an execution dependency ordered: they forbid writes, and nothing else.
  uint64_t unordered = earlier;
  if (who.reads_ordered) unordered &= (earlier & 0xffff) << 16 | 0xffff;
  if (who.writes_available) unordered &= 0xffff;
  const bool writes = access == Access::store || access == Access::atomic;
  const bool exclusive = ((writes ? unordered : earlier) >> 16 & bytes) == 0;
  const bool holds = exclusive || (writes && (~earlier & bytes) != 0);
  bool hazard = false;
  switch (access) {
    case Access::load:
      hazard = (unordered & bytes) != 0;
      break;
    case Access::store:
      hazard = (unordered >> 16 & bytes) != 0;
      break;
    case Access::atomic:
      hazard = !who.reads_ordered && !who.writes_available && (earlier >> 32 & words) != 0;
      break;
    case Access::indirect:
      hazard = (earlier >> 36 & words) != 0;
      break;
    case Access::atomic_load:
      break;
  }
  bool mine = true;
  bool of_workgroup = who.passed_barrier && who.workgroup != 0;
  for (size_t i = 0; i < lock_hashes; ++i) {
    const uint32_t index = static_cast<uint32_t>(i);
    const uint64_t own = uint64_t{bloom_lock_mask(who.invocation, index)} << 32;
    const uint64_t shared = uint64_t{bloom_lock_mask(who.workgroup, index)} << 32;
    uint64_t& locks = bucket(i);
    mine = mine && (locks & own) == own;
    of_workgroup = of_workgroup && (locks & shared) == shared;
    if (exclusive || (hazard && holds)) locks |= own | (who.workgroup != 0 ? shared : 0);
  }
  return hazard && !mine && !of_workgroup;
}

bool BloomModel::access(uint64_t address, uint32_t size, Access access, const Accessor& who) {
  bool hazard = false;
  uint32_t done = 0;
  for (uint32_t n = 0; n < max_granules && done < size; ++n) {
    const uint64_t at = address + done;
    const uint32_t part = std::min(granule_bytes - static_cast<uint32_t>(at % granule_bytes), size - done);
    hazard = granule(at, part, access, who) || hazard;
    done += part;
  }
  return hazard;
}

}  // namespace shaderqa::test
