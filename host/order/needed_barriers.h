// SPDX-License-Identifier: Apache-2.0
// Which of the barriers between two conflicting accesses are needed to order them
// (docs/internals/redundant.md). Pure functions.
#ifndef SHADERQA_HOST_ORDER_NEEDED_BARRIERS_H
#define SHADERQA_HOST_ORDER_NEEDED_BARRIERS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/order/action_order.h"

namespace shaderqa {

// One dependency of a command: in classes, and with the application's own masks for comparisons.
struct PassedDependency {
  OrderDependency order;
  // Stages: *_scope with those before or after them in the pipeline, *_stages only those that are named.
  uint64_t source_scope = 0, destination_scope = 0;
  uint64_t source_stages = 0, destination_stages = 0;
  // Accesses to buffers. Bits that stand for several accesses are replaced by those.
  uint64_t source_access = 0, destination_access = 0;
  uint64_t begin = 0, end = UINT64_MAX;  // addresses of the memory that the accesses are to
};

struct PassedBarrier {
  std::vector<PassedDependency> dependencies;
  // A wait for an event: it orders what came before the event was set, not what came before itself.
  bool from_earlier = false;
};

// Two accesses to the same words, of which the first must be complete before the second begins.
struct OrderedPair {
  uint32_t earlier_class = 0, later_class = 0;  // SQA_CLASS_*
  bool earlier_writes = false, later_writes = false;
  uint64_t begin = 0, end = UINT64_MAX;  // addresses from the first to behind the last word that both access
};

// Indices of the barriers that the pair may need: these alone order the pair as all together do. If the
// barriers do not order the pair, all of them: then something unknown does.
std::vector<size_t> needed_barriers(const OrderedPair& pair, std::span<const PassedBarrier* const> passed);

// Whether `by` orders all that `barrier` orders, if nothing that matters lies between the two.
bool is_covered(const PassedBarrier& barrier, const PassedBarrier& by);

}  // namespace shaderqa
#endif
