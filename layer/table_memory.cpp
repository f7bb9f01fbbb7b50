#include "layer/table_memory.h"

#include <algorithm>
#include <string>

#include "layer/device.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kSlabEntries = (1u << 20) / sizeof(TableEntry);

}  // namespace

TableMemory::Block TableMemory::allocate_from(Slab& slab, uint32_t entries) const {
  const std::optional<uint32_t> offset = slab.ranges.allocate(entries);
  if (!offset) return {};
  const TableSpan span{reinterpret_cast<TableEntry*>(slab.buffer->mapped()) + *offset,
                       slab.mirror.data() + *offset, slab.buffer->address() + *offset * sizeof(TableEntry)};
  return {&slab, *offset, entries, span};
}

TableMemory::Block TableMemory::allocate(uint32_t entries) {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& slab : slabs_) {
      if (const Block block = allocate_from(*slab, entries); block.slab) return block;
    }
  }
  // Without the lock: two threads may both make one, and both get used.
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
  auto slab = std::make_unique<Slab>(std::move(buffer), slab_entries);
  const Block block = allocate_from(*slab, entries);
  const std::lock_guard lock(mutex_);
  slabs_.push_back(std::move(slab));
  return block;
}

void TableMemory::free(const Block& block) {
  std::unique_ptr<Slab> unused;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  block.slab->ranges.free(block.offset, block.size);
  if (!block.slab->ranges.is_unused()) return;
  const bool another_is_unused = std::ranges::any_of(slabs_, [&](const auto& slab) {
    return slab.get() != block.slab && slab->ranges.is_unused() && slab->mirror.size() == kSlabEntries;
  });
  // One of the usual size is kept for the next pool.
  if (block.slab->mirror.size() == kSlabEntries && !another_is_unused) return;
  const auto found = std::ranges::find(slabs_, block.slab, &std::unique_ptr<Slab>::get);
  unused = std::move(*found);
  slabs_.erase(found);
}

}  // namespace shaderqa::layer
