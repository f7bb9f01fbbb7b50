// SPDX-License-Identifier: Apache-2.0
// Memory for descriptor tables: few large buffers, handed out in blocks to descriptor pools, because the
// number of allocations that a device allows is small.
#ifndef SHADERQA_LAYER_MEMORY_TABLE_MEMORY_H
#define SHADERQA_LAYER_MEMORY_TABLE_MEMORY_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "layer/memory/device_buffer.h"
#include "layer/vk/range_allocator.h"

namespace shaderqa::layer {

struct TableEntry {
  uint64_t address = 0;  // 0: null, never written, or nothing that is checked
  uint32_t range = 0;
  uint32_t meta = 0;
  bool operator==(const TableEntry&) const = default;
};
static_assert(sizeof(TableEntry) == 16);

// One large buffer, and the copy of it in which updates are kept until a submission: the buffer may lie
// behind a bus, and what descriptors say matters to work that is submitted later.
class TableSlab {
 public:
  TableSlab(std::unique_ptr<DeviceBuffer> buffer, uint32_t entries);

  // Of one entry not both at once; nothing else is asked of the callers.
  TableEntry load(uint32_t entry) const;
  void store(uint32_t entry, const TableEntry& value);
  // Copies what was stored since the last time. Not two at once.
  void flush();

  uint32_t size() const { return entries_; }
  VkDeviceAddress address_of(uint32_t entry) const {
    return buffer_->address() + entry * VkDeviceAddress{sizeof(TableEntry)};
  }
  RangeAllocator ranges;  // under the lock of TableMemory

 private:
  static constexpr uint32_t kPageEntries = 16;

  const std::unique_ptr<DeviceBuffer> buffer_;
  const uint32_t entries_;
  // Flushes read what other threads may be writing, for later submissions: hence atomics.
  struct Words {
    std::atomic<uint64_t> low = 0, high = 0;
  };
  std::vector<Words> copy_;
  std::vector<std::atomic<uint64_t>> dirty_;  // bit i of word k: page 64 k + i
};

// Entries that belong together.
struct TableSpan {
  TableSlab* slab = nullptr;
  uint32_t first = 0;

  void store(uint32_t entry, const TableEntry& value) const { slab->store(first + entry, value); }
  TableEntry load(uint32_t entry) const { return slab->load(first + entry); }
};

// Thread-safe.
class TableMemory {
 public:
  explicit TableMemory(Device& device) : device_(device) {}

  struct Block {
    TableSlab* slab = nullptr;  // null: there was no memory, which a note says
    uint32_t offset = 0;        // entries
    uint32_t size = 0;
  };
  Block allocate(uint32_t entries);
  void free(const Block& block);
  // Before a submission: what was stored in tables until now is there for shaders.
  void flush();

 private:
  static Block allocate_from(TableSlab& slab, uint32_t entries);

  Device& device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TableSlab>> slabs_;
};

}  // namespace shaderqa::layer
#endif
