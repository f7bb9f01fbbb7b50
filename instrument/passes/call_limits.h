// SPDX-License-Identifier: Apache-2.0
// When the code of printing sites and of checks of values stands once in a shader and is called, rather than
// being inlined at each site.
#ifndef SHADERQA_INSTRUMENT_PASSES_CALL_LIMITS_H
#define SHADERQA_INSTRUMENT_PASSES_CALL_LIMITS_H

#include <cstddef>
#include <cstdint>

#include "instrument/shader_record.h"

namespace shaderqa {

// Up to so many sites of one kind, drivers may inline all that they run. Measured
// (docs/internals/benchmarks.md).
constexpr size_t sites_in_line = 2;

// Copies of checks of values that drivers may inline with the code of a report.
constexpr uint64_t copies_in_line = 2;
// Up to so many copies, what fails is reported at once, by a call, where no other checks are inlined; else it
// is noted, and reported at the end of the invocation.
constexpr uint64_t most_called_reports = 16;

// Drivers were seen to misbehave with functions that ray tracing stages call.
constexpr bool has_safe_calls(Stage stage) {
  return stage < Stage::ray_generation || stage > Stage::callable;
}

// With more copies of printing sites than that, loops with such sites lose their hints to unroll: one message
// in a loop of 32 iterations took a pipeline from 0.05 to 1 second on an H100, 0.1 without the hint.
constexpr uint64_t most_printing_copies = 4;
// With more printing sites than that, checks of accesses beside them are called, too; with fewer, the sites
// are inlined as those are.
constexpr size_t printing_in_line = 8;

constexpr bool calls_code_of(size_t sites, Stage stage) {
  return sites > sites_in_line && has_safe_calls(stage);
}

}  // namespace shaderqa
#endif
