// SPDX-License-Identifier: Apache-2.0
// Algorithms of several shaders and barriers whose results the CPU knows, and what of them a mutant leaves
// out.
#ifndef SHADERQA_TESTS_E2E_ALGORITHM_H
#define SHADERQA_TESTS_E2E_ALGORITHM_H

#include <string_view>
#include <vector>

namespace algorithms {

class Program;

struct Algorithm {
  const char* name = "";
  std::vector<const char*> shaders = {};   // files beside this one, whose lines name mutants (mutants.h)
  std::vector<const char*> barriers = {};  // of the command buffer: without one it is wrong
  // Records, runs, and says whether the result is what the CPU computes.
  bool (*run)(Program& program) = nullptr;
  // Mutants that the exact engine does not find: docs/internals/exact.md says why.
  std::vector<const char*> missed = {};
};

const std::vector<Algorithm>& all();
const Algorithm& find(std::string_view name);  // throws

// One a file.
Algorithm tree_reduction();
Algorithm last_block_reduction();
Algorithm radix_sort();
Algorithm look_back_scan();
Algorithm matrix_multiply();
Algorithm histogram();
Algorithm bounding_volumes();
Algorithm particles();

}  // namespace algorithms
#endif
