// SPDX-License-Identifier: Apache-2.0
// Descriptor pools and their sets, with the memory of the sets' tables.
#ifndef SHADERQA_LAYER_RESOURCES_DESCRIPTOR_POOLS_H
#define SHADERQA_LAYER_RESOURCES_DESCRIPTOR_POOLS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "layer/memory/table_memory.h"
#include "layer/vk/range_allocator.h"

namespace shaderqa::layer {

class DescriptorPool;
struct SetLayout;

struct DescriptorSet {
  VkDescriptorSet handle = VK_NULL_HANDLE;
  DescriptorPool* pool = nullptr;
  size_t index = 0;  // in the pool's list
  std::shared_ptr<const SetLayout> layout;
  uint32_t slots = 0;  // as allocated; 0: no table
  size_t chunk = 0;    // the pool's chunk with the table
  uint32_t offset = 0;
  TableSpan table{};  // the header, then the slots

  // Another number after each change of its descriptors. No two sets have the same one, in whichever order
  // they live. Not to be relied on where descriptors may be updated after they were bound: threads that do so
  // at once may count as one.
  uint64_t version() const { return std::atomic_ref(version_).load(std::memory_order_acquire); }
  void begin_versions(uint64_t first) { version_ = first; }
  TableEntry load(uint32_t slot) const { return slot < slots ? table.load(slot + 1) : TableEntry(); }
  // 0 without a table.
  VkDeviceAddress table_address() const { return slots ? table.slab->address_of(table.first) : 0; }

 private:
  friend class SetWriter;
  void changed() const {
    const std::atomic_ref version(version_);
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  alignas(8) mutable uint64_t version_ = 0;
};

// Stores descriptors of a set for one command. Other threads may use other slots at the same time.
class SetWriter {
 public:
  // The set has a table.
  explicit SetWriter(const DescriptorSet& set) : set_(set), slots_(set.slots), table_(set.table) {}
  ~SetWriter() {
    if (table_.finish()) set_.changed();
  }
  SetWriter(const SetWriter&) = delete;
  SetWriter& operator=(const SetWriter&) = delete;

  void store(uint32_t slot, const TableEntry& entry) {
    if (slot < slots_) table_.store(slot + 1, entry);
  }

 private:
  const DescriptorSet& set_;
  const uint32_t slots_;
  TableWriter table_;
};

// Externally synchronised, as Vulkan demands of the application.
class DescriptorPool {
 public:
  DescriptorPool(TableMemory& memory, const VkDescriptorPoolCreateInfo& info);
  ~DescriptorPool();
  DescriptorPool(const DescriptorPool&) = delete;
  DescriptorPool& operator=(const DescriptorPool&) = delete;

  // The set gets a table of null descriptors, or no table if there is no memory.
  DescriptorSet& add(VkDescriptorSet handle, std::shared_ptr<const SetLayout> layout, uint32_t slots);
  void remove(DescriptorSet& set);
  void reset();
  const std::vector<std::unique_ptr<DescriptorSet>>& sets() const { return sets_; }

 private:
  struct Chunk {
    TableMemory::Block block;
    RangeAllocator ranges;
  };
  void make_table(DescriptorSet& set, uint32_t slots);
  bool place_table(DescriptorSet& set, size_t chunk, uint32_t entries);

  TableMemory& memory_;
  uint32_t chunk_entries_;
  std::vector<Chunk> chunks_;
  size_t current_ = 0;  // the chunk that a table was placed in last
  std::vector<std::unique_ptr<DescriptorSet>> sets_, spare_;
};

}  // namespace shaderqa::layer
#endif
