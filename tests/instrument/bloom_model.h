// SPDX-License-Identifier: Apache-2.0
// vkd3d-proton's synchronisation check with the changes that docs/internals/filter.md lists, on the CPU, one
// access at a time: what instrument/runtime/bloom.glsl must agree with.
#ifndef SHADERQA_TESTS_INSTRUMENT_BLOOM_MODEL_H
#define SHADERQA_TESTS_INSTRUMENT_BLOOM_MODEL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shaderqa::test {

enum class Access : uint8_t { load, store, atomic, indirect, atomic_load };

extern const std::array<uint32_t, 16> bloom_primes;
// vkd3d-proton's AddrHash, for the 16-byte granule of an address. salt: 16 bits, always 0 in vkd3d-proton.
uint32_t bloom_hash(uint64_t address, uint32_t prime, uint32_t salt = 0);
uint32_t bloom_lock_mask(uint32_t id, uint32_t index);
// What an access within one granule forbids to later ones.
uint64_t bloom_invalidation_mask(uint64_t address, uint32_t size, Access access);

struct Accessor {
  uint32_t invocation = 0;
  uint32_t workgroup = 0;  // 0: of none
  bool passed_barrier = false;
  uint32_t salt = 0;
  bool reads_ordered = false;
  bool writes_available = false;  // and the writes before
};

class BloomModel {
 public:
  explicit BloomModel(uint32_t log2_buckets) : buckets_(std::size_t{1} << log2_buckets, 0) {}

  // Marks and returns whether it is a hazard.
  bool access(uint64_t address, uint32_t size, Access access, const Accessor& who);
  void clear() { buckets_.assign(buckets_.size(), 0); }
  const std::vector<uint64_t>& buckets() const { return buckets_; }

 private:
  bool granule(uint64_t address, uint32_t size, Access access, const Accessor& who);

  std::vector<uint64_t> buckets_;
};

}  // namespace shaderqa::test
#endif
