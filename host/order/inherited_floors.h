// SPDX-License-Identifier: Apache-2.0
// The floors of its begin that the actions of a command buffer refer to (docs/internals/exact.md, "Order
// between actions"). Blocks of floors name them by number, so that a shader reads one word instead of going
// through classes; each submission says what they are.
#ifndef SHADERQA_HOST_ORDER_INHERITED_FLOORS_H
#define SHADERQA_HOST_ORDER_INHERITED_FLOORS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/order/floor.h"
#include "instrument/runtime/abi_order.h"

namespace shaderqa {

class InheritedFloors {
 public:
  // The number of the highest floor of this kind and producer that the classes of `floor` had, which has
  // SQA_FLOOR_INHERITED. reached: the classes from which dependencies lead to the consumer. Where there are
  // no numbers left, that of the floor that all classes had, which orders more.
  uint32_t number(uint32_t kind, uint32_t producer, Floor floor, uint32_t reached);
  bool is_full() const { return named_.size() >= kMostNamed; }

  // What the floors are, by number. At most SQA_INHERITED_FLOORS.
  std::vector<uint64_t> evaluate(const AbsoluteFloors& inherited) const;

 private:
  // The first numbers are those of all classes, by kind and producer.
  static constexpr uint32_t kOfAll = SQA_FLOOR_KINDS * SQA_CLASSES;
  static constexpr size_t kMostNamed = SQA_INHERITED_FLOORS - kOfAll;
  static constexpr size_t kFewestSlots = 256;
  struct Named {
    uint32_t list = 0;  // kind * SQA_CLASSES + producer
    Floor floor = 0;
    uint32_t reached = 0;
    bool operator==(const Named&) const = default;
  };
  // Where it is in slots_, or would be.
  uint32_t slot_of(const Named& named) const;

  std::vector<Named> named_;
  std::vector<uint16_t> slots_;  // by hash: a number in named_ + 1; 0: free
};

}  // namespace shaderqa
#endif
