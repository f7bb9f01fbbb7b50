// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/table_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "layer/context/device_context.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kSlabEntries = (1u << 20) / sizeof(TableEntry);

}  // namespace

TableSlab::TableSlab(std::unique_ptr<DeviceBuffer> buffer, uint32_t entries)
    : ranges(entries),
      buffer_(std::move(buffer)),
      entries_(entries),
      copy_(entries),
      dirty_((entries + kPageEntries * 64 - 1) / (kPageEntries * 64)) {}

void TableSlab::flush() {
  for (size_t word = 0; word < dirty_.size(); ++word) {
    if (dirty_[word].load(std::memory_order_relaxed) == 0) continue;
    for (uint64_t pages = dirty_[word].exchange(0, std::memory_order_acquire); pages; pages &= pages - 1) {
      const auto page = static_cast<uint32_t>(word * 64 + static_cast<uint32_t>(std::countr_zero(pages)));
      const uint32_t first = page * kPageEntries;
      const uint32_t count = std::min(kPageEntries, entries_ - first);
      // Copied as a whole, because the memory may be slow to write piecemeal.
      std::array<TableEntry, kPageEntries> entries;
      for (uint32_t i = 0; i < count; ++i) entries[i] = load(first + i);
      std::memcpy(buffer_->mapped() + first * sizeof(TableEntry), entries.data(), count * sizeof(TableEntry));
    }
  }
}

TableMemory::Block TableMemory::allocate_from(TableSlab& slab, uint32_t entries) {
  const std::optional<uint32_t> offset = slab.ranges.allocate(entries);
  return offset ? Block{&slab, *offset, entries} : Block{};
}

TableMemory::Block TableMemory::allocate(uint32_t entries) {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& slab : slabs_) {
      if (const Block block = allocate_from(*slab, entries); block.slab) return block;
    }
  }
  // No lock is held: if two threads both make a slab, both slabs get used.
  const uint32_t slab_entries = std::max(entries, kSlabEntries);
  DeviceBuffer::Request request;
  request.size = VkDeviceSize(slab_entries) * sizeof(TableEntry);
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  std::string problem;
  std::unique_ptr<DeviceBuffer> buffer = DeviceBuffer::create(device_, request, problem);
  if (!buffer) {
    device_.note("descriptor table", "accesses through some descriptor sets are not checked: " + problem);
    return {};
  }
  auto slab = std::make_unique<TableSlab>(std::move(buffer), slab_entries);
  const Block block = allocate_from(*slab, entries);
  const std::lock_guard lock(mutex_);
  slabs_.push_back(std::move(slab));
  return block;
}

void TableMemory::free(const Block& block) {
  std::unique_ptr<TableSlab> unused;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  block.slab->ranges.free(block.offset, block.size);
  if (!block.slab->ranges.is_unused()) return;
  const bool another_is_unused = std::ranges::any_of(slabs_, [&](const auto& slab) {
    return slab.get() != block.slab && slab->ranges.is_unused() && slab->size() == kSlabEntries;
  });
  // One unused slab of the usual size is kept for the next pool.
  if (block.slab->size() == kSlabEntries && !another_is_unused) return;
  const auto found = std::ranges::find(slabs_, block.slab, &std::unique_ptr<TableSlab>::get);
  unused = std::move(*found);
  slabs_.erase(found);
}

void TableMemory::flush() {
  const std::lock_guard lock(mutex_);
  for (const auto& slab : slabs_) slab->flush();
}

}  // namespace shaderqa::layer
