// SPDX-License-Identifier: Apache-2.0
// Finds reads of workgroup memory whose value a subgroup operation passes on, and stores and atomics that
// follow from what such operations return. The operation returns only after all its reads have their values,
// so no store that follows from it can come before them, although Vulkan's memory model does not say so.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_PASSED_ON_READS_H
#define SHADERQA_INSTRUMENT_ACCESSES_PASSED_ON_READS_H

#include <cstdint>
#include <span>

#include "instrument/accesses/workgroup_accesses.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// In place of the subgroup's size, which is not known.
constexpr uint32_t whole_subgroup = 255;

// Sets `passed_on` and `follows_exchange`. Returns how many invocations the largest operation connects: those
// of a quad, of a cluster, or whole_subgroup; 0: the shader has none. A value is followed through variables
// of the invocation, functions and branches, but through no other memory. Where that is not exact, it counts
// as passed on.
uint32_t find_passed_on_reads(std::span<WorkgroupAccess> accesses, const ModuleView& module);

}  // namespace shaderqa
#endif
