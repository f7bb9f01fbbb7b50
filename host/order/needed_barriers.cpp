// SPDX-License-Identifier: Apache-2.0
#include "host/order/needed_barriers.h"

#include <algorithm>
#include <numeric>

#include "instrument/runtime/abi_order.h"

namespace shaderqa {
namespace {

// Classes that are one stage each: a dependency that reaches the stage reaches all accesses of the class.
constexpr uint32_t kPlainClasses = 1u << SQA_CLASS_COMPUTE | 1u << SQA_CLASS_FRAGMENT |
                                   1u << SQA_CLASS_RAY_TRACING | 1u << SQA_CLASS_INDIRECT;

uint32_t bit(uint32_t class_number) { return 1u << class_number; }

bool has_all(uint64_t mask, uint64_t of) { return (of & ~mask) == 0; }

// Classes that the barriers looked at so far reach from the earlier access.
struct Reached {
  uint32_t executed = 0;   // the access is complete before they begin
  uint32_t available = 0;  // its write is available to them
};

// What one barrier contributes to the order of the pair.
struct Part {
  uint32_t sources = 0;       // classes that it continues the chain from
  uint32_t destinations = 0;  // classes that it extends the chain to
  bool makes_visible = false;
};

bool touches(const OrderDependency& order, const OrderedPair& pair) {
  return order.begin < pair.end && pair.begin < order.end;
}

// A read only needs to be complete. The execution dependency of a barrier for other memory is enough for
// that.
Part part_for_read(const PassedBarrier& barrier, const OrderedPair& pair, Reached& reached) {
  Part part;
  const uint32_t from = reached.executed | bit(pair.earlier_class);
  for (const PassedDependency& one : barrier.dependencies) {
    const uint32_t sources = one.order.source & from;
    if (!sources) continue;
    part.sources |= sources;
    part.destinations |= one.order.destination;
  }
  reached.executed |= part.destinations;
  return part;
}

Part part_for_write(const PassedBarrier& barrier, const OrderedPair& pair, Reached& reached) {
  Part part;
  const uint32_t own = bit(pair.earlier_class);
  for (const PassedDependency& one : barrier.dependencies) {
    const bool here = touches(one.order, pair);
    const bool makes_available = here && (one.order.source & one.order.writes & own);
    const uint32_t chained = one.order.source & reached.available;
    if (!makes_available && !chained) continue;
    // A dependency for other memory adds nothing if the write is already available to all its destinations.
    // What the pair reads may be a uniform buffer or not.
    const bool visible = here && ((one.order.reads | one.order.uniform_reads) & bit(pair.later_class));
    if (!makes_available && !visible && has_all(reached.available & kPlainClasses, one.order.destination))
      continue;
    part.sources |= chained | (makes_available ? own : 0);
    part.destinations |= one.order.destination;
    part.makes_visible |= visible;
  }
  reached.available |= part.destinations;
  return part;
}

bool is_covered(const PassedDependency& one, const PassedDependency& by) {
  if (!has_all(by.source_scope, one.source_scope) || !has_all(by.destination_scope, one.destination_scope))
    return false;
  if (!one.source_access && !one.destination_access) return true;
  return has_all(by.source_stages, one.source_stages) &&
         has_all(by.destination_stages, one.destination_stages) &&
         has_all(by.source_access, one.source_access) &&
         has_all(by.destination_access, one.destination_access) && by.begin <= one.begin && by.end >= one.end;
}

// The indices, out of `numbers`, of the barriers that a chain from the earlier to the later access may use.
// Empty: the barriers do not order the pair.
std::vector<size_t> leading(const OrderedPair& pair, std::span<const PassedBarrier* const> passed,
                            const std::vector<size_t>& numbers) {
  Reached reached;
  std::vector<Part> parts;
  for (const size_t i : numbers) {
    parts.push_back(pair.earlier_writes ? part_for_write(*passed[i], pair, reached)
                                        : part_for_read(*passed[i], pair, reached));
  }
  // Walk backwards from the later access and keep what leads to it. A read needs a barrier that makes the
  // write visible to it.
  const bool needs_visible = pair.earlier_writes && !pair.later_writes;
  uint32_t leads_on = needs_visible ? 0 : bit(pair.later_class);
  std::vector<size_t> useful;
  for (size_t i = parts.size(); i-- > 0;) {
    const Part& part = parts[i];
    if (!(part.destinations & leads_on) && !(needs_visible && part.makes_visible)) continue;
    leads_on |= part.sources;
    useful.push_back(numbers[i]);
  }
  std::ranges::reverse(useful);
  return useful;
}

}  // namespace

bool is_covered(const PassedBarrier& barrier, const PassedBarrier& by) {
  return !by.from_earlier && std::ranges::all_of(barrier.dependencies, [&](const PassedDependency& one) {
    return std::ranges::any_of(by.dependencies,
                               [&](const PassedDependency& other) { return is_covered(one, other); });
  });
}

std::vector<size_t> needed_barriers(const OrderedPair& pair, std::span<const PassedBarrier* const> passed) {
  std::vector<size_t> all(passed.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const std::vector<size_t> useful = leading(pair, passed, all);
  if (useful.empty()) return all;
  // If one of two successive barriers covers the other, it is enough, unless the chain needs both.
  std::vector<size_t> needed;
  for (const size_t i : useful) {
    if (!needed.empty() && is_covered(*passed[i], *passed[needed.back()])) continue;
    while (!needed.empty() && is_covered(*passed[needed.back()], *passed[i])) needed.pop_back();
    needed.push_back(i);
  }
  return leading(pair, passed, needed).empty() ? useful : needed;
}

}  // namespace shaderqa
