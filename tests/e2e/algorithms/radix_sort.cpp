// SPDX-License-Identifier: Apache-2.0
// A radix sort of keys of 8 bits with a payload, four bits at a time.
#include <algorithm>
#include <numeric>

#include "algorithm.h"
#include "program.h"

namespace algorithms {
namespace {

bool run_sort(Program& program) {
  constexpr uint32_t kGroups = 16, kCount = 64 * kGroups;
  const std::vector<uint32_t> unsorted = some_numbers(kCount, 256);
  std::vector<uint32_t> order(kCount);
  std::iota(order.begin(), order.end(), 0u);
  auto keys = program.buffer("keys", unsorted), other_keys = program.zeroes("other keys", kCount);
  auto payload = program.buffer("payload", order), other_payload = program.zeroes("other payload", kCount);
  const auto counts = program.zeroes("counts", 16 * kGroups), digits = program.zeroes("digits", kCount);
  for (uint32_t pass = 0; pass < 2; ++pass) {
    const std::string of_pass = "_" + std::to_string(pass);
    if (pass != 0) program.barrier("scattered");
    program.dispatch(0, {keys, counts}, {pass * 4}, kGroups);
    program.barrier("counted" + of_pass);
    program.dispatch(1, {counts}, {}, 1);
    program.barrier("scanned" + of_pass);
    program.dispatch(2, {keys, counts, other_keys, payload, other_payload, digits}, {pass * 4}, kGroups);
    std::swap(keys, other_keys);
    std::swap(payload, other_payload);
  }
  program.run();
  std::ranges::stable_sort(order, {}, [&](uint32_t i) { return unsorted[i]; });
  for (uint32_t i = 0; i < kCount; ++i)
    if (program.words(payload)[i] != order[i] || program.words(keys)[i] != unsorted[order[i]]) return false;
  return true;
}

}  // namespace

Algorithm radix_sort() {
  return {.name = "radix_sort",
          .shaders = {"radix_count", "radix_scan", "radix_scatter"},
          .barriers = {"counted_0", "scanned_0", "scattered", "counted_1", "scanned_1"},
          .run = run_sort};
}

}  // namespace algorithms
