// SPDX-License-Identifier: Apache-2.0
// The order between the actions of a command buffer, as floors (docs/internals/exact.md): how barriers raise
// floors, how a shader reads them, and what they become when the command buffer is submitted.
#ifndef SHADERQA_HOST_ORDER_ACTION_ORDER_H
#define SHADERQA_HOST_ORDER_ACTION_ORDER_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/order/floor.h"
#include "host/order/inherited_floors.h"
#include "instrument/runtime/abi_order.h"

namespace shaderqa {

// One dependency of a command. Masks of classes (bit SQA_CLASS_*).
struct OrderDependency {
  uint32_t source = 0;                   // their actions end before ...
  uint32_t destination = 0;              // ... actions of these begin
  uint32_t writes = 0;                   // classes of `source` whose writes become available
  uint32_t reads = 0;                    // classes of `destination` to which available writes become visible
  uint64_t begin = 0, end = UINT64_MAX;  // addresses of the memory that `writes` and `reads` are about
  uint32_t uniform_reads = 0;            // as `reads`, for reads of uniform buffers

  bool is_global() const { return begin == 0 && end == UINT64_MAX; }
};

class OrderState {
 public:
  OrderState();

  // Applies the dependencies of one command, which comes after the first `position` sequence numbers.
  // Dependencies of one command apply together and do not chain with each other; those of successive commands
  // do.
  void apply(std::span<const OrderDependency> dependencies, uint32_t position);
  // The same for a wait for an event: it orders what came before the event was set, which was after the first
  // `position` sequence numbers, in the state `set`.
  void apply(std::span<const OrderDependency> dependencies, uint32_t position, const OrderState& set);

  // A layout transition, as an action of the class `own` that comes between what its dependencies order
  // before it and what these order behind it: one of a barrier, or all that a render pass has for the
  // attachment. They have the same range, or none: those of a render pass are of all memory. within(): the
  // state in which the transition finds itself, before the dependencies are applied: ordered behind what
  // their sources have of the first `position` numbers, behind what their sources were ordered behind at the
  // begin of the command buffer (without a source, or with `behind_anything`, behind what anything was), and,
  // as all transitions of a queue are executed in submission order, behind the transitions among the first
  // `now` numbers. order_behind(): behind the dependencies, with the number of the transition's the last of
  // `position`.
  OrderState within(uint32_t own, std::span<const OrderDependency> dependencies, uint32_t position,
                    uint32_t now, bool behind_anything = false) const;
  void order_behind(uint32_t own, std::span<const OrderDependency> dependencies, uint32_t position);

  // Applies a secondary command buffer that is executed after the first `position` sequence numbers, and
  // whose state at its end is `inner`.
  void execute(const OrderState& inner, uint32_t position);

  // The floors at the end, in numbers counted since the device was created. first: the number of the command
  // buffer's first sequence number. Floors of memory ranges count as if they were for all memory.
  AbsoluteFloors evaluate(uint64_t first, const AbsoluteFloors& inherited) const;

  // How many of this command buffer's first sequence numbers are ordered before any access of this consumer.
  // producers: the classes that these numbers belong to.
  uint32_t ordered_for(uint32_t consumer, uint32_t producers, uint32_t position) const;
  // The same by execution alone: whether this consumer cannot run before them.
  uint32_t executed_for(uint32_t consumer, uint32_t producers, uint32_t position) const;

  // The block behind SQA_ACTION_FLOORS. main_class: of the main column. Numbers what it inherits. Columns
  // that no action of this class has are not filled.
  size_t block_dwords() const { return SQA_FLOOR_HEADER_DWORDS + (1 + regions_.size()) * SQA_REGION_DWORDS; }
  void write_block(uint32_t main_class, InheritedFloors& inherited, uint32_t* block) const;

  bool has_regions() const { return !regions_.empty(); }
  // holds(begin, end) of each but the first one.
  template <typename Predicate>
  bool all_regions(const Predicate& holds) const {
    return std::ranges::all_of(regions_, [&](const Region& one) { return holds(one.begin, one.end); });
  }
  // How many dwords behind the first region in a block lies the one that holds for all of these addresses;
  // nothing if there is none. 0 is the first one itself, for all memory.
  std::optional<uint32_t> region_of(uint64_t begin, uint64_t end) const;

  // The floor for one address; for tests.
  Floor floor(uint32_t kind, uint32_t producer, uint32_t consumer, uint64_t address) const;

 private:
  using Matrix = ClassMatrix<Floor>;
  static uint32_t least_floor(const Matrix& matrix, uint32_t consumer, uint32_t producers, uint32_t position);
  using Visible = std::array<Matrix, 2>;  // SQA_FLOOR_VISIBLE, SQA_FLOOR_VISIBLE_UNIFORM
  // A range of memory whose own dependencies raised its floors above those of all memory.
  struct Region {
    uint64_t begin = 0, end = 0;
    uint32_t producers = 0;  // with a row in `available`: the others' are not above those of all memory
    Matrix available;
    Visible visible;
  };

  // What is available in a range. producers: as Region has them.
  struct Earlier {
    Matrix available;
    uint32_t producers = 0;
  };

  // Parts of apply().
  void reach(std::span<const OrderDependency> dependencies, const OrderState& set);
  void apply_to_regions(std::span<const OrderDependency> dependencies, const OrderState& set);
  void apply_global(std::span<const OrderDependency> dependencies, uint32_t position, const OrderState& set);
  void apply_to_range(const OrderDependency& dependency, uint32_t position, const Earlier& earlier);
  // The floors of what is available somewhere in the range. If a region overlaps only a part of the range,
  // its floors count for all of it, so that too much counts as ordered.
  Earlier available_in(uint64_t begin, uint64_t end) const;
  // The region with these addresses. If there is none, it is created; if all regions are in use, another one
  // is widened to cover the addresses.
  Region& region_for(uint64_t begin, uint64_t end);
  void drop_covered_regions();
  // Parts of write_block(); out: behind the range.
  struct BlockColumns;
  void write_first(const BlockColumns& columns, InheritedFloors& inherited, uint32_t* out) const;
  void write_higher(const Region& region, const BlockColumns& columns, InheritedFloors& inherited,
                    uint32_t* out) const;
  uint32_t in_block(uint32_t kind, uint32_t producer, uint32_t consumer, Floor floor,
                    InheritedFloors& inherited) const;
  // Makes visible to the reads that the dependency names what is available to its destination.
  static void raise_visible(Visible& visible, const OrderDependency& dependency, uint32_t producer,
                            Floor available);

  // By consumer: the classes from whose begin of the command buffer dependencies lead to it. What was visible
  // to all accesses of the device when actions of these classes could begin is visible to it.
  std::array<uint32_t, SQA_CLASSES> reached_{};
  Matrix executed_, available_;  // SQA_FLOOR_*
  Visible visible_;
  std::vector<Region> regions_;  // at most SQA_MAX_REGIONS - 1
};

}  // namespace shaderqa
#endif
