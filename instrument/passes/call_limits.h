// SPDX-License-Identifier: Apache-2.0
// When the code of printing sites and of checks of values stands once in a shader and is called, rather than
// being inlined at each site.
#ifndef SHADERQA_INSTRUMENT_PASSES_CALL_LIMITS_H
#define SHADERQA_INSTRUMENT_PASSES_CALL_LIMITS_H

#include <cstddef>

#include "instrument/shader_record.h"

namespace shaderqa {

// Up to so many sites of one kind, drivers may inline all that they run. Measured
// (docs/internals/benchmarks.md).
constexpr size_t sites_in_line = 2;

// Drivers were seen to misbehave with functions that ray tracing stages call.
constexpr bool has_safe_calls(Stage stage) {
  return stage < Stage::ray_generation || stage > Stage::callable;
}

constexpr bool calls_code_of(size_t sites, Stage stage) {
  return sites > sites_in_line && has_safe_calls(stage);
}

}  // namespace shaderqa
#endif
