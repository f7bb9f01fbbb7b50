// SPDX-License-Identifier: Apache-2.0
// Which descriptors a shader must look up cells for when it loads through them (docs/exact.md): not those of
// memory that nothing writes. Where something begins to, records that say otherwise are mended before they
// are submitted again.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_WATCHED_SLOTS_H
#define SHADERQA_LAYER_ENGINES_EXACT_WATCHED_SLOTS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <vector>

#include "layer/resources/descriptor_entries.h"

namespace shaderqa::layer {

class Device;
struct Binds;

// A slot whose loads need no cells as long as nothing writes to this memory.
struct UnwatchedSlot {
  AddressSpan memory;
  uint32_t bit = 0;
};

// A command buffer's. Written by who records it; then by submissions, one at a time.
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

// Behind mark_written and find_tables. dwords: of the record that will lie at `record`.
void watch_slots(Device& device, Binds& bound, UnwatchedSlots& unwatched, uint32_t* dwords, uint32_t* record);
void mend_unwatched(Device& device, UnwatchedSlots& unwatched);

}  // namespace shaderqa::layer
#endif
