// SPDX-License-Identifier: Apache-2.0
// Where memory and cells of an action's first buffers lie (SQA_ACTION_DIRECT): its shaders
// need no table and no page table for them (docs/internals/exact.md).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_DIRECT_SLOTS_H
#define SHADERQA_LAYER_ENGINES_EXACT_DIRECT_SLOTS_H

#include <cstdint>
#include <vector>

#include "layer/resources/descriptor_entries.h"

namespace shaderqa {
class OrderState;
}

namespace shaderqa::layer {

class Device;
class ExactEngine;
struct Action;
struct ActionRecord;
struct Binds;
struct BoundSlots;

// Which records of a command buffer say where cells lie. Written by the thread that records it, later by
// submissions, one at a time.
struct DirectUses {
  struct Memory {
    uint32_t slot = 0;
    AddressSpan span;
  };
  struct Use {
    uint32_t* record = nullptr;
    uint32_t first = 0, count = 0;  // in memory
    bool only = false;              // its shaders look nothing up: VersionKind::direct
  };
  std::vector<Memory> memory;
  std::vector<Use> uses;
  uint64_t generation = 0;  // ExactEngine::parts_generation() of the oldest use
};

// For compute. order: behind which the action comes. Returns whether the record says all that there is to
// know of the layout's direct slots: where cells are, if there are any, and which region of floors holds for
// them.
bool write_direct_slots(const ExactEngine& engine, const Device& device, const Binds& bound,
                        BoundSlots& slots, const Action& action, const OrderState& order,
                        const ActionRecord& record, DirectUses& uses);
// Before a submission: shaders look up memory of which each byte has got a cell since. Those that look
// nothing up leave it unchecked, and a note says so.
void mend_direct(const ExactEngine& engine, const Device& device, DirectUses& uses);

}  // namespace shaderqa::layer
#endif
