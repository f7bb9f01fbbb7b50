// Memory for descriptor tables: few large buffers, handed out in blocks to descriptor pools, because the
// number of allocations that a device allows is small.
#ifndef SHADERQA_LAYER_TABLE_MEMORY_H
#define SHADERQA_LAYER_TABLE_MEMORY_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "layer/device_buffer.h"
#include "layer/range_allocator.h"

namespace shaderqa::layer {

struct TableEntry {
  uint64_t address = 0;  // 0: null, never written, or nothing that is checked
  uint32_t range = 0;
  uint32_t meta = 0;
  bool operator==(const TableEntry&) const = default;
};
static_assert(sizeof(TableEntry) == 16);

// Entries that shaders read, and a copy of them: the host would read the former slowly.
struct TableSpan {
  TableEntry* mapped = nullptr;
  TableEntry* mirror = nullptr;
  VkDeviceAddress address = 0;

  void store(size_t index, const TableEntry& entry) const {
    mirror[index] = entry;
    mapped[index] = entry;
  }
};

// Thread-safe.
class TableMemory {
 public:
  explicit TableMemory(Device& device) : device_(device) {}

  struct Slab;
  struct Block {
    Slab* slab = nullptr;  // null: there was no memory, which a note says
    uint32_t offset = 0;   // entries
    uint32_t size = 0;
    TableSpan span;
  };
  Block allocate(uint32_t entries);
  void free(const Block& block);

 private:
  Block allocate_from(Slab& slab, uint32_t entries) const;

  Device& device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slab>> slabs_;
};

struct TableMemory::Slab {
  Slab(std::unique_ptr<DeviceBuffer> its_buffer, uint32_t entries)
      : buffer(std::move(its_buffer)), mirror(entries), ranges(entries) {}
  std::unique_ptr<DeviceBuffer> buffer;
  std::vector<TableEntry> mirror;
  RangeAllocator ranges;
};

}  // namespace shaderqa::layer
#endif
