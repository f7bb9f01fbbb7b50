// SPDX-License-Identifier: Apache-2.0
// Where memory and cells of an action's first storage buffers lie (SQA_ACTION_DIRECT): its shaders
// need no table and no page table for them (docs/internals/exact.md).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_DIRECT_SLOTS_H
#define SHADERQA_LAYER_ENGINES_EXACT_DIRECT_SLOTS_H

#include <cstdint>
#include <vector>

#include "layer/resources/descriptor_entries.h"

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
  };
  std::vector<Memory> memory;
  std::vector<Use> uses;
  uint64_t generation = 0;  // ExactEngine::parts_generation() of the oldest use
};

// For compute.
void write_direct_slots(const ExactEngine& engine, const Device& device, const Binds& bound,
                        BoundSlots& slots, const Action& action, const ActionRecord& record,
                        DirectUses& uses);
// Before a submission: shaders look up memory of which each byte has got a cell since.
void mend_direct(const ExactEngine& engine, DirectUses& uses);

}  // namespace shaderqa::layer
#endif
