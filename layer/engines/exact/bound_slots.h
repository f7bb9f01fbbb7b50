// SPDX-License-Identifier: Apache-2.0
// What records say of single descriptors, derived from what is bound at one bind point.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_BOUND_SLOTS_H
#define SHADERQA_LAYER_ENGINES_EXACT_BOUND_SLOTS_H

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {

// Derived again where Binds::changed or Binds::changes is not what it was then.
struct BoundSlots {
  static constexpr uint64_t kNever = UINT64_MAX;

  // What a set has in the dword at SQA_ACTION_DENSE, a bit for each slot, and in UnwatchedSlots::sparse.
  struct Dense {
    uint32_t mask = UINT32_MAX;
    uint32_t first = 0, count = 0;
  };
  // The dword at SQA_ACTION_WATCHED of a set, and what of it is in the command buffer's UnwatchedSlots.
  struct Watched {
    uint64_t changed = 0;  // Binds::changed; at 0 nothing is bound
    uint32_t mask = UINT32_MAX;
    uint32_t first = 0, count = 0;
    Dense dense{};
    uint32_t inputs = 0;  // SetLayout::input_slots
  };
  std::array<Watched, SQA_MAX_SETS> watched{};
  uint64_t written_generation = 0;  // of the memory that is written

  // The slots that shaders of a layout write, as they were when they were looked at.
  std::shared_ptr<const PipelineLayout> written_of;
  std::vector<WrittenSlots::Slots> written_slots;
  size_t written_version = 0;
  // Addresses that were marked as written when ExactEngine::removals() was that, by a few of their bits.
  std::array<VkDeviceAddress, 64> marked{};  // with bit 0: also in parts of words
  uint64_t marked_removals = 0;

  // Compute only: the dwords at SQA_ACTION_DIRECT, except for what the action itself adds.
  std::array<uint32_t, SQA_DIRECT_SLOTS * SQA_DIRECT_DWORDS> direct{};
  std::shared_ptr<const PipelineLayout> direct_of;  // for its descriptors; null: never derived
  uint64_t direct_changes = 0;                      // Binds::changes
  uint64_t direct_parts = 0;                        // ExactEngine::parts_generation()
  uint32_t direct_first = 0, direct_count = 0;      // in the command buffer's DirectUses
  bool direct_complete = false;                     // they say where all cells are
};

}  // namespace shaderqa::layer
#endif
