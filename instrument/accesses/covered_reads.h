// SPDX-License-Identifier: Apache-2.0
// Finds reads of workgroup memory that the check of another access covers: the same invocation also writes
// the same place, as in `tile[i] += x`, or reads it once more, and passes nothing between the two that orders
// memory. Whoever races with the read then races with the other access.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_COVERED_READS_H
#define SHADERQA_INSTRUMENT_ACCESSES_COVERED_READS_H

#include <span>
#include <vector>

#include "instrument/accesses/workgroup_accesses.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// By number of the access. The first of equal reads without a write is not covered.
std::vector<bool> find_covered_reads(const WorkgroupAccesses& found,
                                     std::span<const PlacedInstruction> placed, const ModuleView& module,
                                     const Decorations& decorations);

}  // namespace shaderqa
#endif
