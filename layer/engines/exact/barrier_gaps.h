// SPDX-License-Identifier: Apache-2.0
// What a barrier lacks to order two accesses, in words for a report. Pure functions.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_BARRIER_GAPS_H
#define SHADERQA_LAYER_ENGINES_EXACT_BARRIER_GAPS_H

#include <cstdint>
#include <string>
#include <vector>

#include "layer/engines/exact/access_classes.h"
#include "layer/engines/exact/exact_commands.h"

namespace shaderqa::layer {

// One side of a hazard.
struct OrderedAccess {
  uint32_t class_number = 0;         // SQA_CLASS_*
  AccessWay way = AccessWay::reads;  // writes: a store or an atomic
  bool writes() const { return way == AccessWay::writes; }
};

// "the vkCmdPipelineBarrier after action 3 has no VK_ACCESS_SHADER_WRITE_BIT in srcAccessMask". The
// dependency that lacks least counts. Empty if the barrier lacks nothing. `address`: that of the memory; 0 if
// it is not known.
std::string missing_from(const RecordedBarrier& barrier, const OrderedAccess& earlier,
                         const OrderedAccess& later, uint64_t address);
// The same for the barrier that lacks least, the latest of several; empty if there is none that lacks
// something.
std::string nearest_gap(const std::vector<RecordedBarrier>& latest_first, const OrderedAccess& earlier,
                        const OrderedAccess& later, uint64_t address);

}  // namespace shaderqa::layer
#endif
