// SPDX-License-Identifier: Apache-2.0
// Random choices that are the same for the same seed, with every standard library.
#ifndef SHADERQA_TESTS_ORACLE_CHANCE_H
#define SHADERQA_TESTS_ORACLE_CHANCE_H

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>

namespace oracle {

class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}

  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  template <typename T>
  T pick(std::initializer_list<T> list) {
    return *std::next(list.begin(), below(static_cast<uint32_t>(list.size())));
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace oracle
#endif
