// SPDX-License-Identifier: Apache-2.0
// Memory for descriptor tables. A device allows few allocations, so descriptor pools get blocks of a few
// large buffers.
#ifndef SHADERQA_LAYER_MEMORY_TABLE_MEMORY_H
#define SHADERQA_LAYER_MEMORY_TABLE_MEMORY_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "layer/memory/device_buffer.h"
#include "layer/memory/table_entry.h"
#include "layer/vk/range_allocator.h"

namespace shaderqa::layer {

class DeviceContext;

// One large buffer, and a copy of it in host memory that keeps updates until the next submission: writing to
// the buffer may be slow, and descriptors matter only to work that is submitted later.
class TableSlab {
 public:
  TableSlab(std::unique_ptr<DeviceBuffer> buffer, uint32_t entries);

  // Do not load and store the same entry concurrently. Anything else may be concurrent.
  TableEntry load(uint32_t entry) const {
    const Words& words = copy_[entry];
    return std::bit_cast<TableEntry>(
        EntryWords{words.low.load(std::memory_order_relaxed), words.high.load(std::memory_order_relaxed)});
  }
  // The entry's page is to be marked() after that.
  void store(uint32_t entry, const TableEntry& value) {
    const auto bits = std::bit_cast<EntryWords>(value);
    copy_[entry].low.store(bits[0], std::memory_order_relaxed);
    copy_[entry].high.store(bits[1], std::memory_order_relaxed);
  }
  static constexpr uint32_t page_of(uint32_t entry) { return entry / kPageEntries; }
  // Entries of the page were stored.
  void mark(uint32_t page) {
    // The bit is set even if it seems to be set already: a flush that took it may have missed an entry.
    dirty_[page / 64].fetch_or(uint64_t{1} << (page % 64), std::memory_order_release);
  }
  // Copies to the device what was stored since the last flush. Not to be called concurrently.
  void flush();

  uint32_t size() const { return entries_; }
  VkDeviceAddress address_of(uint32_t entry) const {
    return buffer_->address() + entry * VkDeviceAddress{sizeof(TableEntry)};
  }
  RangeAllocator ranges;  // under the lock of TableMemory

 private:
  static constexpr uint32_t kPageEntries = 16;
  using EntryWords = std::array<uint64_t, 2>;

  const std::unique_ptr<DeviceBuffer> buffer_;
  const uint32_t entries_;
  // Atomic, because a flush may read entries that another thread is writing for a later submission.
  struct Words {
    std::atomic<uint64_t> low = 0, high = 0;
  };
  std::vector<Words> copy_;
  std::vector<std::atomic<uint64_t>> dirty_;  // bit i of word k: page 64 k + i
};

// A range of entries of one slab.
struct TableSpan {
  TableSlab* slab = nullptr;
  uint32_t first = 0;

  TableEntry load(uint32_t entry) const { return slab->load(first + entry); }
};

// Stores entries of one span. Pages are marked one by one, the last one by finish().
class TableWriter {
 public:
  explicit TableWriter(const TableSpan& span) : slab_(span.slab), first_(span.first) {}

  void store(uint32_t entry, const TableEntry& value) {
    // Programs write the same descriptors again and again.
    if (slab_->load(first_ + entry) == value) return;
    const uint32_t page = TableSlab::page_of(first_ + entry);
    if (page != page_) {
      finish();
      page_ = page;
    }
    slab_->store(first_ + entry, value);
  }
  // Whether any entry was another one before.
  bool finish() {
    if (page_ == kNoPage) return changed_;
    slab_->mark(page_);
    page_ = kNoPage;
    changed_ = true;
    return true;
  }

 private:
  static constexpr uint32_t kNoPage = UINT32_MAX;

  TableSlab* slab_;
  uint32_t first_;
  uint32_t page_ = kNoPage;
  bool changed_ = false;
};

// Thread-safe.
class TableMemory {
 public:
  explicit TableMemory(const DeviceContext& device) : device_(device) {}

  struct Block {
    TableSlab* slab = nullptr;  // null: there is no memory, and a note has said so
    uint32_t offset = 0;        // entries
    uint32_t size = 0;
  };
  Block allocate(uint32_t entries);
  void free(const Block& block);
  // To be called before a submission, so that shaders see what was stored until now.
  void flush();

 private:
  static Block allocate_from(TableSlab& slab, uint32_t entries);

  const DeviceContext& device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TableSlab>> slabs_;
};

}  // namespace shaderqa::layer
#endif
