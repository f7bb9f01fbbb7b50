// SPDX-License-Identifier: Apache-2.0
// Finds steps that all invocations of a workgroup have in common between two barriers: of loops such as
//   for (uint step = 128; step != 0; step >>= 1) { if (index < step) ...; barrier(); }
#ifndef SHADERQA_INSTRUMENT_ACCESSES_SHARED_STEPS_H
#define SHADERQA_INSTRUMENT_ACCESSES_SHARED_STEPS_H

#include <array>
#include <cstdint>
#include <unordered_set>

#include "instrument/accesses/workgroup_accesses.h"
#include "instrument/ir/control_flow.h"
#include "instrument/ir/variable_stores.h"

namespace shaderqa {

class SharedSteps {
 public:
  // All outlive the object.
  SharedSteps(const ModuleView& module, const ControlFlow& flow, const VariableStores& stores,
              const WorkgroupAccesses& found, uint32_t entry_function, bool strict);

  // Whether the value `bound`, which the block `branch` compares something with, and `step` are the same, and
  // all invocations have the same whenever they execute one of `blocks` between the same two barriers; and
  // the value is far from overflowing.
  bool is_shared(uint32_t bound, uint32_t branch, uint32_t step, std::array<uint32_t, 2> blocks) const;

 private:
  bool is_same(uint32_t bound, uint32_t branch, uint32_t step) const;
  // Whether no barrier lies on the way from the branch to a block that it alone leads to.
  bool is_behind(uint32_t branch, uint32_t block) const;
  bool is_once_in_a_phase(uint32_t branch) const;
  // Whether every way round the loop passes a barrier that orders.
  bool has_barrier(uint32_t header) const;
  // A constant that all invocations begin with in front of the loop, or a smaller value of this loop's.
  bool begins(uint32_t value, uint32_t block, uint32_t header) const;
  bool goes_on(uint32_t value, uint32_t from, uint32_t block, uint32_t header) const;
  bool is_common(uint32_t value, uint32_t branch, uint32_t header) const;
  // The variable that is loaded as a whole; 0: none.
  uint32_t loaded(uint32_t value) const;
  // The block that a value is computed in.
  uint32_t block_of(uint32_t value) const { return flow_.block_of(module_.offset_of(value)); }

  const ModuleView& module_;
  const ControlFlow& flow_;
  const VariableStores& stores_;
  const uint32_t entry_function_;
  std::unordered_set<uint32_t> barriers_;  // blocks with a control barrier that orders
};

}  // namespace shaderqa
#endif
