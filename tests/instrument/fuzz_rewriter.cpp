// SPDX-License-Identifier: Apache-2.0
// fuzz_rewriter [ITERATIONS [SEED [FIRST]]]: mutates the test shaders and rewrites them, from iteration
// FIRST. Stops at the first problem.
#include <cstdio>
#include <cstdlib>

#include "mutation.h"

int main(int argc, char** argv) {
  using namespace shaderqa::test;
  const uint64_t iterations = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 100000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1;
  const uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 0) : 0;
  std::vector<std::pair<Module, spv_target_env>> modules;
  for (const auto& name : shader_names()) modules.emplace_back(load_shader(name), environment_of(name));
  for (const auto& name : sync_shader_names())
    modules.emplace_back(load_sync_shader(name), environment_of(name));
  MutationStatistics statistics;
  for (uint64_t i = first; i < first + iterations; ++i) {
    // A seed of its own for each iteration, so that one can be repeated alone.
    Mutator mutator(seed * 0x9e3779b97f4a7c15u + i);
    const auto& [module, environment] = modules[mutator.below(static_cast<uint32_t>(modules.size()))];
    const std::string problem = try_mutation(mutator, module, environment, statistics);
    if (problem.empty()) continue;
    std::printf("seed %llu, iteration %llu: %s\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(i), problem.c_str());
    return 1;
  }
  std::printf("%llu mutations: %zu untouched, %zu refused, %zu instrumented, %zu of those valid\n",
              static_cast<unsigned long long>(iterations), statistics.untouched, statistics.refused,
              statistics.instrumented, statistics.valid);
}
