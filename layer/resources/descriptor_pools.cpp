// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/descriptor_pools.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {
namespace {

// How many entries a chunk of a pool has, unless one table is larger.
constexpr uint64_t kSmallestChunk = 64;
constexpr uint64_t kLargestChunk = 16384;

// Numbers for the versions of all sets; each set has so many.
constexpr uint64_t kVersionsOfSet = uint64_t{1} << 32;
constinit std::atomic<uint64_t> sets_ever = 0;

uint32_t chunk_entries_for(const VkDescriptorPoolCreateInfo& info) {
  uint64_t entries = info.maxSets;  // headers
  for (uint32_t i = 0; i < info.poolSizeCount; ++i) {
    const VkDescriptorPoolSize& size = info.pPoolSizes[i];
    if (has_slots(size.type) || size.type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) entries += size.descriptorCount;
  }
  return static_cast<uint32_t>(std::clamp(entries, kSmallestChunk, kLargestChunk));
}

}  // namespace

DescriptorPool::DescriptorPool(TableMemory& memory, const VkDescriptorPoolCreateInfo& info)
    : memory_(memory), chunk_entries_(chunk_entries_for(info)) {}

DescriptorPool::~DescriptorPool() {
  for (const Chunk& chunk : chunks_) memory_.free(chunk.block);
}

DescriptorSet& DescriptorPool::add(VkDescriptorSet handle, std::shared_ptr<const SetLayout> layout,
                                   uint32_t slots) {
  std::unique_ptr<DescriptorSet> set;
  if (spare_.empty()) {
    set = std::make_unique<DescriptorSet>();
  } else {
    set = std::move(spare_.back());
    spare_.pop_back();
  }
  set->handle = handle;
  set->pool = this;
  set->index = sets_.size();
  set->layout = std::move(layout);
  set->begin_versions((sets_ever.fetch_add(1, std::memory_order_relaxed) + 1) * kVersionsOfSet);
  if (slots) make_table(*set, slots);
  sets_.push_back(std::move(set));
  return *sets_.back();
}

bool DescriptorPool::place_table(DescriptorSet& set, size_t chunk, uint32_t entries) {
  const std::optional<uint32_t> offset = chunks_[chunk].ranges.allocate(entries);
  if (!offset) return false;
  const TableMemory::Block& block = chunks_[chunk].block;
  set.chunk = current_ = chunk;
  set.offset = *offset;
  set.table = {block.slab, block.offset + *offset};
  return true;
}

void DescriptorPool::make_table(DescriptorSet& set, uint32_t slots) {
  const uint32_t entries = slots + 1;
  bool placed = !chunks_.empty() && place_table(set, current_, entries);
  for (size_t i = 0; i < chunks_.size() && !placed; ++i) placed = place_table(set, i, entries);
  if (!placed) {
    const TableMemory::Block block = memory_.allocate(std::max(entries, chunk_entries_));
    if (!block.slab) return;
    chunks_.push_back({block, RangeAllocator(block.size)});
    place_table(set, chunks_.size() - 1, entries);
  }
  set.slots = slots;
  TableWriter writer(set.table);
  writer.store(0, TableEntry{slots, 0, 0});
  for (uint32_t i = 1; i < entries; ++i) writer.store(i, TableEntry());
  writer.finish();
}

void DescriptorPool::remove(DescriptorSet& set) {
  if (set.slots) chunks_[set.chunk].ranges.free(set.offset, set.slots + 1);
  const size_t index = set.index;
  std::swap(sets_[index], sets_.back());
  sets_[index]->index = index;
  spare_.push_back(std::move(sets_.back()));
  sets_.pop_back();
  *spare_.back() = {};
}

void DescriptorPool::reset() {
  for (std::unique_ptr<DescriptorSet>& set : sets_) {
    *set = {};
    spare_.push_back(std::move(set));
  }
  sets_.clear();
  for (Chunk& chunk : chunks_) chunk.ranges.reset();
  current_ = 0;
}

}  // namespace shaderqa::layer
