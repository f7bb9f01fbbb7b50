// SPDX-License-Identifier: Apache-2.0
// A tree reduction level by level, and one in a single dispatch.
#include <numeric>

#include "algorithm.h"
#include "program.h"

namespace algorithms {
namespace {

uint32_t sum_of(const std::vector<uint32_t>& values) {
  return std::accumulate(values.begin(), values.end(), 0u);
}

bool run_tree(Program& program) {
  constexpr uint32_t kCount = 20000;
  const std::vector<uint32_t> numbers = some_numbers(kCount, 1000);
  const auto values = program.buffer("values", numbers);
  const auto partial = program.zeroes("partial", 5120);
  const auto sums = program.zeroes("sums", 80), total = program.zeroes("total", 1);
  const uint32_t groups = (kCount + 255) / 256;
  program.dispatch(0, {values, partial, sums}, {kCount}, groups);
  program.barrier("between_levels");
  program.dispatch(0, {sums, partial, total}, {groups}, 1);
  program.run();
  return program.words(total)[0] == sum_of(numbers);
}

bool run_last_block(Program& program) {
  constexpr uint32_t kCount = 3000, kGroups = (kCount + 63) / 64;
  const std::vector<uint32_t> numbers = some_numbers(kCount, 1000);
  const auto values = program.buffer("values", numbers);
  const auto partial = program.buffer("partial", std::vector<uint32_t>(kGroups, 7));
  const auto state = program.buffer("state", {99, 99});
  program.dispatch(0, {state}, {2, 0}, 1);
  program.barrier("cleared");
  program.dispatch(1, {values, partial, state}, {kCount}, kGroups);
  program.run();
  return program.words(state)[1] == sum_of(numbers);
}

}  // namespace

Algorithm tree_reduction() {
  return {.name = "tree_reduction", .shaders = {"reduce"}, .barriers = {"between_levels"}, .run = run_tree};
}

Algorithm last_block_reduction() {
  return {.name = "last_block_reduction",
          .shaders = {"fill", "last_block"},
          .barriers = {"cleared"},
          .run = run_last_block,
          .missed = {"acquire"}};
}

}  // namespace algorithms
