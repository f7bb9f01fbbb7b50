// SPDX-License-Identifier: Apache-2.0
// Order between the actions of a command buffer, as floors (docs/exact.md): what synchronisation does to
// them, what shaders read of them, and what they become where the command buffer is submitted.
#ifndef SHADERQA_HOST_ORDER_ACTION_ORDER_H
#define SHADERQA_HOST_ORDER_ACTION_ORDER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "instrument/runtime/abi_order.h"

namespace shaderqa {

// As abi.h says at SQA_FLOOR_INHERITED: the first n sequence numbers of this command buffer, or a set of
// classes whose floors at its begin count.
using Floor = uint32_t;
inline constexpr Floor kNoFloor = SQA_FLOOR_INHERITED;

// Whatever lies below one of them.
constexpr Floor higher(Floor a, Floor b) {
  const bool a_own = !(a & SQA_FLOOR_INHERITED), b_own = !(b & SQA_FLOOR_INHERITED);
  if (a_own && b_own) return a > b ? a : b;
  if (a_own) return a;  // whatever was inherited is from before this command buffer
  return b_own ? b : a | b;
}

// By [producer][consumer].
template <typename Value>
using ClassMatrix = std::array<std::array<Value, SQA_CLASSES>, SQA_CLASSES>;

// What a command buffer inherits: for each SQA_FLOOR_* the number of the newest earlier action that is below,
// counted since the device was made, 0: none.
using AbsoluteFloors = std::array<ClassMatrix<uint64_t>, SQA_FLOOR_KINDS>;

// One dependency of a command. Masks of classes (bit SQA_CLASS_*).
struct OrderDependency {
  uint32_t source = 0;                   // what they did is over...
  uint32_t destination = 0;              // ...before these begin
  uint32_t writes = 0;                   // of `source`: what they wrote becomes available
  uint32_t reads = 0;                    // of `destination`: what is available becomes visible to their reads
  uint64_t begin = 0, end = UINT64_MAX;  // the memory that `writes` and `reads` are about

  bool is_global() const { return begin == 0 && end == UINT64_MAX; }
};

class OrderState {
 public:
  OrderState();

  // The dependencies of one command, behind the first `position` sequence numbers: they apply together, and
  // none chains to another of them. Those of successive commands chain.
  void apply(std::span<const OrderDependency> dependencies, uint32_t position);
  // Of an event: what is ordered is what was before it was set, at `position` in the state `set`.
  void apply(std::span<const OrderDependency> dependencies, uint32_t position, const OrderState& set);

  // A command buffer that was executed behind the first `position` sequence numbers, and ended with `inner`.
  void execute(const OrderState& inner, uint32_t position);

  // In numbers counted since the device was made; `first`: of the command buffer's first sequence number.
  // Floors of ranges count for all memory.
  AbsoluteFloors evaluate(uint64_t first, const AbsoluteFloors& inherited) const;

  // As many of this command buffer's first sequence numbers are ordered before whatever a consumer of this
  // class does. producers: classes that have any among them.
  uint32_t ordered_for(uint32_t consumer, uint32_t producers, uint32_t position) const;

  // The block behind SQA_ACTION_FLOORS. main_class: of the main column.
  size_t block_dwords() const { return SQA_FLOOR_HEADER_DWORDS + (1 + regions_.size()) * SQA_REGION_DWORDS; }
  void write_block(uint32_t main_class, uint32_t* block) const;

  // At this address; for tests and reports.
  Floor floor(uint32_t kind, uint32_t producer, uint32_t consumer, uint64_t address) const;

 private:
  using Matrix = ClassMatrix<Floor>;
  // Where memory dependencies of a range raised floors above those of all memory.
  struct Region {
    uint64_t begin = 0, end = 0;
    Matrix available, visible;
  };

  void apply_global(const OrderDependency& dependency, uint32_t position, const OrderState& before);
  void apply_to_regions(const OrderDependency& dependency, const OrderState& before);
  void apply_to_range(const OrderDependency& dependency, uint32_t position, const OrderState& before);
  // What is available anywhere in the range: where regions overlap it in part, more than there is.
  Matrix available_in(uint64_t begin, uint64_t end) const;
  // Made where there is none; with all there are in use, one that covers it and something else.
  Region& region_for(uint64_t begin, uint64_t end);
  void drop_covered_regions();

  Matrix over_, available_, visible_;  // SQA_FLOOR_*
  std::vector<Region> regions_;        // at most SQA_MAX_REGIONS - 1
};

}  // namespace shaderqa
#endif
