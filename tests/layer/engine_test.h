// SPDX-License-Identifier: Apache-2.0
// The base of tests that run with every check on, once with each engine of the synchronisation check.
#ifndef SHADERQA_TESTS_LAYER_ENGINE_TEST_H
#define SHADERQA_TESTS_LAYER_ENGINE_TEST_H

#include <string>

#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {

// The parameter is a value of the setting `sync`; "none" leaves the other checks on.
class EngineTest : public LayerTest, public ::testing::WithParamInterface<const char*> {
 protected:
  EngineTest() {
    for (const char* check : {"PRINTF", "ASSUME", "EXPECT"}) set(std::string("SHADERQA_") + check, "1");
    set("SHADERQA_NAN", "full");
    set("SHADERQA_SYNC", GetParam());
    // The smallest filter: the null driver's memory is cleared by the CPU.
    set("SHADERQA_BLOOM_BUFFER_SIZE_LOG2", "12");
  }
};

inline std::string engine_name(const ::testing::TestParamInfo<const char*>& info) { return info.param; }

}  // namespace shaderqa::layer_tests

// Instantiates the tests of `fixture` for all engines.
#define SHADERQA_WITH_EVERY_ENGINE(fixture)                                               \
  INSTANTIATE_TEST_SUITE_P(Engines, fixture, ::testing::Values("exact", "bloom", "none"), \
                           ::shaderqa::layer_tests::engine_name)

#endif
