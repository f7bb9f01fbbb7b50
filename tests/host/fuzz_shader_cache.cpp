// SPDX-License-Identifier: Apache-2.0
// Reads cached results that were damaged behind the checksum's back, and uses what is taken as a device does.
// Usage: fuzz_shader_cache [ITERATIONS [SEED]]. A defect shows as a crash, a sanitizer's report, or an exit
// code of 1.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "host/cache/result_bytes.h"
#include "host/findings/check_table.h"
#include "host/printf/printf_table.h"
#include "tests/host/result_builder.h"

namespace shaderqa::test {
namespace {

using Random = std::mt19937_64;

size_t below(Random& random, size_t limit) { return static_cast<size_t>(random() % limit); }

void damage(Random& random, std::string& bytes) {
  for (size_t i = 1 + below(random, 4); i > 0 && !bytes.empty(); --i) {
    const size_t at = below(random, bytes.size());
    switch (below(random, 5)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(random, 8));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, bytes, below(random, bytes.size()), below(random, 64));
        break;
      default:  // a count of almost everything
        bytes.replace(at, 8, std::string(8, static_cast<char>(random())));
        break;
    }
  }
}

// Whether the bytes were taken.
bool fuzz_result(Random& random) {
  std::string bytes = to_bytes(some_result(static_cast<uint32_t>(below(random, 40))));
  damage(random, bytes);
  const auto result = result_from_bytes(bytes);
  if (!result) return false;
  if (to_bytes(*result) != bytes) {
    std::fprintf(stderr, "fuzz_shader_cache: what was read is written in another way\n");
    std::exit(1);
  }
  PrintfTable prints;
  prints.add(result->record);
  for (const PrintfSite& site : result->record.printf_sites) prints.find_entry(site.id);
  CheckTable checks;
  checks.add(result->record);
  return true;
}

}  // namespace
}  // namespace shaderqa::test

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 100000;
  shaderqa::test::Random random(argc > 2 ? static_cast<uint64_t>(std::atoll(argv[2])) : 1);
  int taken = 0;
  for (int i = 0; i < iterations; ++i) taken += shaderqa::test::fuzz_result(random);
  std::printf("fuzz_shader_cache: %d iterations, %d taken\n", iterations, taken);
  return taken == 0 && iterations >= 1000;
}
