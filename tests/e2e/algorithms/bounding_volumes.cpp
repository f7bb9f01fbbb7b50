// SPDX-License-Identifier: Apache-2.0
// A tree of bounding boxes over points on a curve, built in parallel (Karras 2012).
#include <algorithm>
#include <array>
#include <utility>

#include "algorithm.h"
#include "program.h"

namespace algorithms {
namespace {

constexpr uint32_t kLeaves = 200;
using Box = std::array<uint32_t, 4>;

uint32_t code_of(uint32_t x, uint32_t y) {
  uint32_t code = 0;
  for (uint32_t bit = 0; bit < 15; ++bit) code |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
  return code;
}

// Distinct ones, in the order of their codes.
std::vector<uint32_t> make_points() {
  const std::vector<uint32_t> numbers = some_numbers(2 * kLeaves, 1u << 15);
  std::vector<std::pair<uint32_t, uint32_t>> by_code;
  for (uint32_t i = 0; i < kLeaves; ++i) by_code.emplace_back(code_of(numbers[2 * i], numbers[2 * i + 1]), i);
  std::ranges::sort(by_code);
  std::vector<uint32_t> points;
  for (const auto& [code, i] : by_code) points.insert(points.end(), {numbers[2 * i], numbers[2 * i + 1]});
  return points;
}

// A node holds those of the leaves [first, behind) whose codes have the most leading bits in common.
void expect_node(const Program& program, Program::BufferId children, Program::BufferId bounds, uint32_t node,
                 const std::vector<uint32_t>& points, uint32_t& leaf, Box& box, bool& right) {
  if (node >= kLeaves - 1) {
    right = right && node - (kLeaves - 1) == leaf;  // from left to right, each once
    if (!right) return;
    box = {points[2 * leaf], points[2 * leaf + 1], points[2 * leaf], points[2 * leaf + 1]};
    ++leaf;
  } else {
    Box boxes[2];
    for (uint32_t side = 0; side < 2 && right; ++side)
      expect_node(program, children, bounds, program.words(children)[2 * node + side], points, leaf,
                  boxes[side], right);
    for (uint32_t n = 0; n < 4 && right; ++n)
      box[n] = n < 2 ? std::min(boxes[0][n], boxes[1][n]) : std::max(boxes[0][n], boxes[1][n]);
  }
  right = right && std::ranges::equal(box, program.words(bounds).subspan(4 * node, 4));
}

bool run_bounds(Program& program) {
  constexpr uint32_t kGroups = (kLeaves + 63) / 64;
  const std::vector<uint32_t> numbers = make_points();
  const auto points = program.buffer("points", numbers);
  const auto codes = program.zeroes("codes", kLeaves), children = program.zeroes("children", 2 * kLeaves);
  const auto parents = program.zeroes("parents", 2 * kLeaves), bounds = program.zeroes("bounds", 8 * kLeaves);
  const auto visits = program.buffer("visits", std::vector<uint32_t>(kLeaves, 1));
  program.dispatch(0, {visits}, {kLeaves, 0}, kGroups);
  program.dispatch(1, {points, codes}, {kLeaves}, kGroups);
  program.barrier("codes");
  program.dispatch(2, {codes, children, parents}, {kLeaves}, kGroups);
  program.barrier("hierarchy");
  program.dispatch(3, {points, children, parents, visits, bounds}, {kLeaves}, kGroups);
  program.run();
  bool right = true;
  uint32_t leaf = 0;
  Box box{};
  expect_node(program, children, bounds, 0, numbers, leaf, box, right);
  return right && leaf == kLeaves;
}

}  // namespace

Algorithm bounding_volumes() {
  return {.name = "bounding_volumes",
          .shaders = {"fill", "bvh_codes", "bvh_hierarchy", "bvh_bounds"},
          .barriers = {"codes", "hierarchy"},
          .run = run_bounds,
          .missed = {"acquire"}};
}

}  // namespace algorithms
