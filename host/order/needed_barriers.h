// SPDX-License-Identifier: Apache-2.0
// Which of the barriers between two conflicting accesses those need (docs/redundant.md). Pure functions.
#ifndef SHADERQA_HOST_ORDER_NEEDED_BARRIERS_H
#define SHADERQA_HOST_ORDER_NEEDED_BARRIERS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/order/action_order.h"

namespace shaderqa {

// One dependency of a command: in classes, and as the application asked for it, for comparisons.
struct PassedDependency {
  OrderDependency order;
  // Masks of stages: with those that are before or behind them in the pipeline, and those alone that are
  // named.
  uint64_t source_scope = 0, destination_scope = 0;
  uint64_t source_stages = 0, destination_stages = 0;
  // Of buffers; names of groups stand for what they hold.
  uint64_t source_access = 0, destination_access = 0;
  uint64_t begin = 0, end = UINT64_MAX;  // the memory that they are about
};

struct PassedBarrier {
  std::vector<PassedDependency> dependencies;
  // It orders what was before something else, earlier than itself: the signal of an event.
  bool from_earlier = false;
};

// Two accesses of the same words, the first of which must be over before the second begins.
struct OrderedPair {
  uint32_t earlier_class = 0, later_class = 0;  // SQA_CLASS_*
  bool earlier_writes = false, later_writes = false;
  uint64_t begin = 0, end = UINT64_MAX;  // where they meet; only part of it may be accessed by both
};

// Those of the barriers, by their numbers, that the pair may need: without all others it is ordered as it is
// with them. All, where they do not order the pair: then it is not known what does.
std::vector<size_t> needed_barriers(const OrderedPair& pair, std::span<const PassedBarrier* const> passed);

// Whether whatever `barrier` orders, `by` orders, too, where nothing that matters lies between them.
bool is_covered(const PassedBarrier& barrier, const PassedBarrier& by);

}  // namespace shaderqa
#endif
