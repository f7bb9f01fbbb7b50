// SPDX-License-Identifier: Apache-2.0
// The exact engine's own shaders: one records what commands access in its cells
// (instrument/runtime/range_access.glsl), one checks the reads that fragment shaders have logged
// (logged_reads.glsl), one looks up descriptors in descriptor buffers (resolve.glsl).
#ifndef SHADERQA_INSTRUMENT_RUNTIME_RANGE_ACCESS_H
#define SHADERQA_INSTRUMENT_RUNTIME_RANGE_ACCESS_H

#include <cstdint>
#include <span>

namespace shaderqa {

// SPIR-V 1.3, entry point "main". Specialisation constants 0 to 3 are the addresses of ExactState and of
// Root, low and high; 4 is SQA_RANGES_*. footprints: see SyncOptions.
std::span<const uint32_t> range_access_shader(bool footprints);
// The same, without 2 to 4.
std::span<const uint32_t> logged_reads_shader();
std::span<const uint32_t> resolve_shader();

}  // namespace shaderqa
#endif
