// SPDX-License-Identifier: Apache-2.0
// Random damage to modules: the same damage for the same random seed.
#ifndef SHADERQA_TESTS_INSTRUMENT_MUTATION_H
#define SHADERQA_TESTS_INSTRUMENT_MUTATION_H

#include <cstdint>
#include <random>

#include "support.h"

namespace shaderqa::test {

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  Module mutate(Module words);
  InstrumentOptions options();
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }

 private:
  std::mt19937_64 random_;
};

struct MutationStatistics {
  size_t untouched = 0, instrumented = 0, refused = 0;
  size_t valid = 0;  // mutated modules that the validator accepts
};

// One mutation of one module: rewrites it, and if it is valid the result must be too. Returns what is wrong,
// or nothing.
std::string try_mutation(Mutator& mutator, const Module& module, spv_target_env environment,
                         MutationStatistics& statistics);

}  // namespace shaderqa::test
#endif
