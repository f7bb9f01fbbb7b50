// SPDX-License-Identifier: Apache-2.0
// A shader's mutants, which its lines name: `//- NAME` at the end of a line that the mutant lacks, `//~ NAME:
// CODE` of one that it has CODE instead of. `//= WHY` says why a barrier has none.
#ifndef SHADERQA_TESTS_E2E_MUTANTS_H
#define SHADERQA_TESTS_E2E_MUTANTS_H

#include <string>
#include <vector>

namespace algorithms {

std::vector<std::string> mutants_of(const std::string& shader);
// The shader as it is, where it has no mutant of that name. Lines keep their numbers.
std::string mutated(const std::string& shader, const std::string& name);
// Lines with barriers or atomics that say nothing of a mutant.
std::vector<std::string> unmarked_lines(const std::string& shader);

}  // namespace algorithms
#endif
