// SPDX-License-Identifier: Apache-2.0
// For which descriptors a shader must look up cells when it loads through them (docs/internals/exact.md): not
// for memory that nothing writes. If something begins to write it, records that say otherwise are corrected
// before they are submitted again.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_WATCHED_SLOTS_H
#define SHADERQA_LAYER_ENGINES_EXACT_WATCHED_SLOTS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <vector>

#include "layer/engines/exact/bound_slots.h"
#include "layer/resources/descriptor_entries.h"

namespace shaderqa::layer {

class Device;
class ExactEngine;
struct ActionRecord;
struct Binds;

// A slot whose loads need no cells as long as nothing writes to this memory.
struct UnwatchedSlot {
  AddressSpan memory;
  uint32_t bit = 0;
};

// What a command buffer has of them. Written by the thread that records it, later by submissions, one at a
// time.
struct UnwatchedSlots {
  struct Use {
    uint32_t* dword = nullptr;  // in the action record
    uint32_t mask = 0;          // what it holds
    uint32_t first = 0, count = 0;
  };
  std::vector<UnwatchedSlot> slots;
  std::vector<Use> uses;
  uint64_t generation = 0;  // of what is known to be written; of the oldest use
};

// Before an action with a record: marks the memory that it may write.
void mark_written(ExactEngine& engine, const Device& device, const Binds& bound);
// Behind mark_written. Writes the dwords at SQA_ACTION_WATCHED.
void watch_slots(const ExactEngine& engine, const Device& device, const Binds& bound, BoundSlots& slots,
                 UnwatchedSlots& unwatched, const ActionRecord& record);
void mend_unwatched(const ExactEngine& engine, UnwatchedSlots& unwatched);

}  // namespace shaderqa::layer
#endif
