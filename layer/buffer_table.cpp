#include "layer/buffer_table.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace shaderqa::layer {
namespace {

constexpr size_t kRememberedBuffers = 1024;

bool holds(VkDeviceAddress begin, VkDeviceSize size, VkDeviceAddress address) {
  return address >= begin && address - begin < size;
}

}  // namespace

uint32_t texel_size(VkFormat format) {
  switch (format) {
#define TEXEL_SIZE(name, bytes) \
  case name:                    \
    return bytes;
#include "layer/texel_sizes.inl"
#undef TEXEL_SIZE
    default:
      return 0;
  }
}

void BufferTable::add(VkBuffer handle, VkDeviceSize size, bool addressable) {
  places_.emplace(handle, Place{0, size, addressable});
}

void BufferTable::set_address(VkBuffer handle, VkDeviceAddress address) {
  Place* place = places_.find(handle);
  if (!place) return;
  const VkDeviceAddress before = std::exchange(place->address, address);
  if (address == 0 || before == address) return;
  const std::lock_guard lock(mutex_);
  living_.emplace(address, Living{handle, place->size});
  largest_ = std::max(largest_, place->size);
}

void BufferTable::set_name(VkBuffer handle, const std::string& name) {
  if (!places_.find(handle)) return;
  const std::lock_guard lock(mutex_);
  if (name.empty()) {
    names_.erase(handle);
  } else {
    names_[handle] = name;
  }
}

void BufferTable::remove(VkBuffer handle) {
  const std::unique_ptr<Place> place = places_.erase(handle);
  if (!place) return;
  const std::lock_guard lock(mutex_);
  Buffer buffer{handle, place->address, place->size, {}, true};
  if (const auto named = names_.extract(handle)) buffer.name = named.mapped();
  const auto [begin, end] = living_.equal_range(place->address);
  const auto found =
      std::find_if(begin, end, [&](const auto& entry) { return entry.second.handle == handle; });
  if (found == end) return;
  living_.erase(found);
  destroyed_.push_back(std::move(buffer));
  if (destroyed_.size() > kRememberedBuffers) destroyed_.pop_front();
}

std::optional<BufferTable::Buffer> BufferTable::find(VkBuffer handle) const {
  const Place* place = places_.find(handle);
  if (!place) return std::nullopt;
  Buffer buffer{handle, place->address, place->size, {}, false};
  const std::lock_guard lock(mutex_);
  if (const auto named = names_.find(handle); named != names_.end()) buffer.name = named->second;
  return buffer;
}

std::optional<BufferTable::Buffer> BufferTable::find_address(VkDeviceAddress address) const {
  const std::lock_guard lock(mutex_);
  std::optional<Buffer> best;
  for (auto after = living_.upper_bound(address); after != living_.begin();) {
    --after;
    if (address - after->first >= largest_) break;  // nothing that begins further in front reaches here
    const Living& living = after->second;
    if (!holds(after->first, living.size, address)) continue;
    if (!best || living.size < best->size) {
      best = Buffer{living.handle, after->first, living.size, {}, false};
    }
  }
  if (best) {
    if (const auto named = names_.find(best->handle); named != names_.end()) best->name = named->second;
    return best;
  }
  const auto last = std::find_if(destroyed_.rbegin(), destroyed_.rend(), [&](const Buffer& buffer) {
    return holds(buffer.address, buffer.size, address);
  });
  if (last == destroyed_.rend()) return std::nullopt;
  return *last;
}

void BufferTable::add_plain_memory(VkDeviceMemory memory) {
  const std::lock_guard lock(mutex_);
  plain_memory_.insert(memory);
  any_plain_memory_.store(true, std::memory_order_release);
}

void BufferTable::remove_memory(VkDeviceMemory memory) {
  if (!any_plain_memory_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  plain_memory_.erase(memory);
}

bool BufferTable::is_plain_memory(VkDeviceMemory memory) const {
  if (!any_plain_memory_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  return plain_memory_.contains(memory);
}

}  // namespace shaderqa::layer
