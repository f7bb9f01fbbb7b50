// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/buffer_table.h"

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

void BufferTable::add(VkBuffer handle, VkDeviceSize size, bool addressable, bool read_only,
                      bool command_written) {
  places_.emplace(handle, BoundRange{0, size, addressable, read_only, command_written});
  count_change();
}

void BufferTable::for_each_overlap(const Region& region, VkDeviceAddress begin, VkDeviceAddress end,
                                   const std::function<bool(VkDeviceAddress, const Living&)>& visit) {
  for (auto after = region.living.lower_bound(end); after != region.living.begin();) {
    --after;
    // No buffer that begins at a lower address reaches this far.
    if (begin > after->first && begin - after->first >= region.largest) break;
    if (begin >= after->first + after->second.size) continue;
    if (!visit(after->first, after->second)) break;
  }
}

void BufferTable::set_address(VkBuffer handle, VkDeviceAddress address) {
  BoundRange* place = places_.find(handle);
  if (!place) return;
  const VkDeviceAddress before = std::exchange(place->address, address);
  count_change();
  if (address == 0 || before == address) return;
  const std::lock_guard lock(mutex_);
  Region& own = place->read_only ? read_only_ : writable_;
  own.living.emplace(address, Living{handle, place->size});
  own.largest = std::max(own.largest, place->size);
  if (listener_) listener_(living_buffer(handle, address, place->size));
  if (aliased()) return;
  const Region& others = place->read_only ? writable_ : read_only_;
  for_each_overlap(others, address, address + place->size, [&](VkDeviceAddress, const Living&) {
    aliased_.store(true, std::memory_order_release);
    return false;
  });
}

BufferTable::Buffer BufferTable::living_buffer(VkBuffer handle, VkDeviceAddress address,
                                               VkDeviceSize size) const {
  Buffer buffer{handle, address, size, {}, false};
  if (const auto named = names_.find(handle); named != names_.end()) buffer.name = named->second;
  return buffer;
}

void BufferTable::listen(std::function<void(const Buffer&)> listener) {
  const std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
  if (!listener_) return;
  for (const Region* region : {&read_only_, &writable_}) {
    for (const auto& [address, living] : region->living) {
      listener_(living_buffer(living.handle, address, living.size));
    }
  }
}

void BufferTable::set_name(VkBuffer handle, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const BoundRange* place = places_.find(handle);
  if (!place) return;
  if (name.empty()) {
    names_.erase(handle);
  } else {
    names_[handle] = name;
  }
  if (listener_ && place->address) listener_(living_buffer(handle, place->address, place->size));
}

void BufferTable::remove(VkBuffer handle) {
  const std::unique_ptr<Place> place = places_.erase(handle);
  if (!place) return;
  count_change();
  const std::lock_guard lock(mutex_);
  Buffer buffer{handle, place->address, place->size, {}, true};
  if (const auto named = names_.extract(handle)) buffer.name = named.mapped();
  auto& living = (place->read_only ? read_only_ : writable_).living;
  const auto [begin, end] = living.equal_range(place->address);
  const auto found =
      std::find_if(begin, end, [&](const auto& entry) { return entry.second.handle == handle; });
  if (found == end) return;
  living.erase(found);
  if (listener_) listener_(buffer);
  destroyed_.push_back(std::move(buffer));
  if (destroyed_.size() > kRememberedBuffers) destroyed_.pop_front();
}

std::optional<BufferTable::Buffer> BufferTable::find(VkBuffer handle) const {
  const BoundRange* place = places_.find(handle);
  if (!place) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return living_buffer(handle, place->address, place->size);
}

std::optional<BufferTable::Buffer> BufferTable::find_address(VkDeviceAddress address) const {
  const std::lock_guard lock(mutex_);
  std::optional<Buffer> best;
  for (const Region* region : {&read_only_, &writable_}) {
    for_each_overlap(*region, address, address + 1, [&](VkDeviceAddress begin, const Living& living) {
      if (!best || living.size < best->size) best = living_buffer(living.handle, begin, living.size);
      return true;
    });
  }
  if (best) return best;
  const auto last = std::find_if(destroyed_.rbegin(), destroyed_.rend(), [&](const Buffer& buffer) {
    return holds(buffer.address, buffer.size, address);
  });
  if (last == destroyed_.rend()) return std::nullopt;
  return *last;
}

std::optional<BufferTable::Buffer> BufferTable::find_before(VkDeviceAddress address) const {
  const std::lock_guard lock(mutex_);
  std::optional<Buffer> best;
  for (const Region* region : {&read_only_, &writable_}) {
    const auto after = region->living.upper_bound(address);
    if (after == region->living.begin()) continue;
    const auto& [begin, living] = *std::prev(after);
    if (!best || begin > best->address) best = living_buffer(living.handle, begin, living.size);
  }
  return best;
}

std::vector<std::pair<VkDeviceAddress, VkDeviceAddress>> BufferTable::ranges() const {
  std::vector<std::pair<VkDeviceAddress, VkDeviceAddress>> all, merged;
  {
    const std::lock_guard lock(mutex_);
    for (const Region* region : {&read_only_, &writable_})
      for (const auto& [address, living] : region->living) all.emplace_back(address, address + living.size);
  }
  std::ranges::sort(all);
  for (const auto& [begin, end] : all) {
    if (!merged.empty() && begin <= merged.back().second)
      merged.back().second = std::max(merged.back().second, end);
    else
      merged.emplace_back(begin, end);
  }
  return merged;
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
