// SPDX-License-Identifier: Apache-2.0
// What the null driver's compiler does.
#ifndef SHADERQA_TESTS_LAYER_COMPILER_KIT_H
#define SHADERQA_TESTS_LAYER_COMPILER_KIT_H

#include <cstdint>
#include <vector>

#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {

// It takes its time for all shaders but those.
inline void compile_slowly(uint32_t milliseconds, const std::vector<Words>& quick) {
  null_driver::Config config;
  config.pipeline_ms = milliseconds;
  config.quick_words = quick;
  driver().configure(config);
}

// It refuses all shaders but those.
inline void accept(const std::vector<Words>& words) {
  null_driver::Config config;
  config.accepted_words = words;
  driver().configure(config);
}

}  // namespace shaderqa::layer_tests
#endif
