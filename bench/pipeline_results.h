// SPDX-License-Identifier: Apache-2.0
// What shaders of pipeline_bench are given, and what they must compute from it.
#ifndef SHADERQA_BENCH_PIPELINE_RESULTS_H
#define SHADERQA_BENCH_PIPELINE_RESULTS_H

#include <cstdint>
#include <span>
#include <string>

namespace pipeline_bench {

// The buffers at bindings 0, 1 and 2; the last one gets the results.
struct Data {
  std::span<uint32_t> first, second;
  std::span<const uint32_t> results;
};

// How the results of one shader are tested on the host.
struct Test {
  void (*fill)(const Data& data) = nullptr;
  std::string (*problem)(const Data& data) = nullptr;  // empty: they are right
};

extern const Test sort_test, transform_test, attention_test, lighting_test;

}  // namespace pipeline_bench
#endif
