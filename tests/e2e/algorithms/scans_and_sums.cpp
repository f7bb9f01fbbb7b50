// SPDX-License-Identifier: Apache-2.0
// A scan with decoupled look-back, a product of matrices, a histogram.
#include <algorithm>
#include <numeric>

#include "algorithm.h"
#include "program.h"

namespace algorithms {
namespace {

bool run_look_back(Program& program) {
  constexpr uint32_t kTiles = 48, kCount = 64 * kTiles;
  const std::vector<uint32_t> numbers = some_numbers(kCount, 1000);
  const auto values = program.buffer("values", numbers);
  const auto tickets = program.buffer("tickets", {99});
  const auto flags = program.buffer("flags", std::vector<uint32_t>(kTiles, 99));
  const auto aggregates = program.zeroes("aggregates", kTiles),
             inclusives = program.zeroes("inclusives", kTiles);
  const auto sums = program.zeroes("sums", kCount);
  program.dispatch(0, {tickets}, {1, 0}, 1);
  program.dispatch(0, {flags}, {kTiles, 0}, 1);
  program.barrier("cleared");
  program.dispatch(1, {values, tickets, flags, aggregates, inclusives, sums}, {}, kTiles);
  program.run();
  std::vector<uint32_t> expected(kCount);
  std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
  return std::equal(expected.begin(), expected.end(), program.words(sums).begin());
}

std::vector<uint32_t> product(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, uint32_t size) {
  std::vector<uint32_t> c(size * size);
  for (uint32_t row = 0; row < size; ++row)
    for (uint32_t k = 0; k < size; ++k)
      for (uint32_t column = 0; column < size; ++column)
        c[row * size + column] += a[row * size + k] * b[k * size + column];
  return c;
}

bool run_multiply(Program& program) {
  constexpr uint32_t kSize = 32, kGroups = kSize / 8;
  const std::vector<uint32_t> a = some_numbers(kSize * kSize, 100);
  std::vector<uint32_t> b = a;
  std::reverse(b.begin(), b.end());
  const auto left = program.buffer("a", a), right = program.buffer("b", b);
  const auto once = program.buffer("ab", std::vector<uint32_t>(kSize * kSize, 5));
  const auto twice = program.buffer("abb", std::vector<uint32_t>(kSize * kSize, 5));
  for (const auto cleared : {once, twice})
    program.dispatch(0, {cleared}, {kSize * kSize, 0}, kSize * kSize / 64);
  program.barrier("cleared");
  program.dispatch(1, {left, right, once}, {kSize}, kGroups, kGroups, 2);
  program.barrier("multiplied");
  program.dispatch(1, {once, right, twice}, {kSize}, kGroups, kGroups, 2);
  program.run();
  const std::vector<uint32_t> expected = product(product(a, b, kSize), b, kSize);
  return std::equal(expected.begin(), expected.end(), program.words(twice).begin());
}

bool run_histogram(Program& program) {
  constexpr uint32_t kCount = 4000, kGroups = 8, kBins = 64;
  const std::vector<uint32_t> numbers = some_numbers(kCount, kBins);
  const auto values = program.buffer("values", numbers), own = program.zeroes("own", kBins * kGroups);
  const auto bins = program.buffer("bins", std::vector<uint32_t>(kBins, 3)),
             rows = program.zeroes("rows", 2 * kBins);
  const auto equalised = program.zeroes("equalised", kCount);
  program.dispatch(0, {bins}, {kBins, 0}, 1);
  program.barrier("cleared");
  program.dispatch(1, {values, own, bins}, {kCount}, kGroups);
  program.barrier("counted_all");
  program.dispatch(2, {bins, rows}, {}, 1);
  program.barrier("scanned");
  program.dispatch(3, {values, rows, equalised}, {kCount}, (kCount + 63) / 64);
  program.run();
  std::vector<uint32_t> expected(kBins);
  for (const uint32_t number : numbers) ++expected[number];
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  for (uint32_t i = 0; i < kCount; ++i)
    if (program.words(equalised)[i] != expected[numbers[i]] * 255 / kCount) return false;
  return true;
}

}  // namespace

Algorithm look_back_scan() {
  return {.name = "look_back_scan",
          .shaders = {"fill", "look_back"},
          .barriers = {"cleared"},
          .run = run_look_back,
          // release_aggregate: only in some runs does anyone read an aggregate before its sum is there.
          .missed = {"acquire", "release_aggregate"}};
}

Algorithm matrix_multiply() {
  return {.name = "matrix_multiply",
          .shaders = {"fill", "matrix_multiply"},
          .barriers = {"cleared", "multiplied"},
          .run = run_multiply};
}

Algorithm histogram() {
  return {.name = "histogram",
          .shaders = {"fill", "histogram_count", "histogram_scan", "histogram_equalise"},
          .barriers = {"cleared", "counted_all", "scanned"},
          .run = run_histogram};
}

}  // namespace algorithms
