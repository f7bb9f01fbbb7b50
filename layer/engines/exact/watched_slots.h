// SPDX-License-Identifier: Apache-2.0
// For which descriptors a shader must look up cells when it loads through them (docs/internals/exact.md): not
// for memory that nothing writes. If something begins to write it, records that say otherwise are corrected
// before they are submitted again.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_WATCHED_SLOTS_H
#define SHADERQA_LAYER_ENGINES_EXACT_WATCHED_SLOTS_H

#include <vulkan/vulkan_core.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "layer/engines/exact/bound_slots.h"
#include "layer/resources/descriptor_entries.h"

namespace shaderqa::layer {

class Device;
class ExactEngine;
class BoundTable;
struct ActionRecord;
struct Binds;

// A slot whose loads need no cells as long as nothing writes to this memory, or an image's slot of which not
// every texel is checked as long as nothing but layout transitions does.
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
    uint32_t left_out = 0;  // bits that stay 0
    uint32_t rotated = 0;   // of the slots' bits, to the left
    bool sparse = false;    // the slots are those of `sparse`, not of `slots`
  };
  std::vector<UnwatchedSlot> slots, sparse;
  std::vector<Use> uses;
  uint64_t generation = 0;  // of what is known to be written; of the oldest use
};

// What a command buffer found out about sets. Programs bind the same few sets again and again.
class WatchedSets {
 public:
  void clear() { known_.clear(); }

 private:
  friend class SlotWatcher;
  static constexpr size_t kKnown = 256;
  struct Known {
    uint64_t version = 0;             // DescriptorSet::version()
    uint64_t written_generation = 0;  // of the memory that is written
    BoundSlots::Watched watched{};
  };
  std::vector<Known> known_;  // by the lowest bits of the version; empty: nothing was looked at
};

// Slots of a set that shaders write, and whose descriptors may be updated after the set was bound.
struct LateWrites {
  VkDescriptorSet set = VK_NULL_HANDLE;
  uint32_t slot = 0, count = 0;
  bool parts = false;                                   // of words
  auto operator<=>(const LateWrites&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy's error
};

// Before an action with a record: marks the memory that it may write, and adds what is not known yet.
// resolved: descriptors in descriptor buffers with a number (abi_resolve.h) are resolved in front of it.
void mark_written(ExactEngine& engine, const Device& device, const Binds& bound, bool resolved,
                  BoundSlots& slots, std::set<LateWrites>& late);
// Before its submission: marks that, too.
void mark_late_writes(ExactEngine& engine, const Device& device, const std::set<LateWrites>& late);

// Behind mark_written. Writes the dwords at SQA_ACTION_WATCHED and at SQA_ACTION_DENSE.
class SlotWatcher {
 public:
  // drawn: images that the render pass writes, whose reads as inputs of a subpass are left out; nothing: not
  // known.
  SlotWatcher(const ExactEngine& engine, const Device& device, WatchedSets& sets, UnwatchedSlots& unwatched,
              const std::optional<std::vector<uint64_t>>& drawn)
      : engine_(engine), device_(device), sets_(sets), unwatched_(unwatched), drawn_(drawn) {}
  void write(const Binds& bound, BoundSlots& slots, const ActionRecord& record);

 private:
  BoundSlots::Watched look_up(const Binds& bound, uint32_t set, uint64_t generation);
  BoundSlots::Watched look_up(const BoundTable& table, uint64_t generation);
  BoundSlots::Watched work_out(const BoundTable& table);
  uint32_t inputs_left_out(const Binds& bound, uint32_t set, uint32_t inputs) const;

  const ExactEngine& engine_;
  const Device& device_;
  WatchedSets& sets_;
  UnwatchedSlots& unwatched_;
  const std::optional<std::vector<uint64_t>>& drawn_;
};
void mend_unwatched(const ExactEngine& engine, UnwatchedSlots& unwatched);

}  // namespace shaderqa::layer
#endif
