// SPDX-License-Identifier: Apache-2.0
// The exact engine's own shaders: one records what commands access in its cells
// (instrument/runtime/range_access.glsl), one checks the reads that the stages of draws have logged
// (logged_reads.glsl), one looks up descriptors in descriptor buffers (resolve.glsl).
#ifndef SHADERQA_INSTRUMENT_RUNTIME_RANGE_ACCESS_H
#define SHADERQA_INSTRUMENT_RUNTIME_RANGE_ACCESS_H

#include <cstdint>
#include <span>

namespace shaderqa {

// SPIR-V 1.3, entry point "main". Specialisation constants 0 and 1 are the address of Root, low and high; 2
// is SQA_RANGES_*. footprints: see SyncOptions.
std::span<const uint32_t> range_access_shader(bool footprints);
// The same. buffered: descriptors may be in descriptor buffers or heaps.
std::span<const uint32_t> logged_reads_shader(bool buffered);
// The same, without 2.
std::span<const uint32_t> resolve_shader();

}  // namespace shaderqa
#endif
