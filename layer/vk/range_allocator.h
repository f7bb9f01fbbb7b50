// SPDX-License-Identifier: Apache-2.0
// Allocates ranges of something of a fixed size. Not thread-safe.
#ifndef SHADERQA_LAYER_VK_RANGE_ALLOCATOR_H
#define SHADERQA_LAYER_VK_RANGE_ALLOCATOR_H

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace shaderqa::layer {

class RangeAllocator {
 public:
  explicit RangeAllocator(uint32_t size) : size_(size) { reset(); }

  std::optional<uint32_t> allocate(uint32_t size) {
    for (auto range = free_.begin(); range != free_.end(); ++range) {
      if (range->second < size) continue;
      range->second -= size;  // taken from its end, so that the key stays
      const uint32_t offset = range->first + range->second;
      if (range->second == 0) free_.erase(range);
      return offset;
    }
    return std::nullopt;
  }
  void free(uint32_t offset, uint32_t size) {
    auto range = free_.emplace(offset, size).first;
    if (const auto after = std::next(range); after != free_.end() && offset + size == after->first) {
      range->second += after->second;
      free_.erase(after);
    }
    if (range == free_.begin()) return;
    const auto before = std::prev(range);
    if (before->first + before->second != offset) return;
    before->second += range->second;
    free_.erase(range);
  }
  void reset() {
    free_.clear();
    free_.emplace(0, size_);
  }
  bool is_unused() const { return free_.size() == 1 && free_.begin()->second == size_; }

 private:
  uint32_t size_;
  std::map<uint32_t, uint32_t> free_;  // offset -> size, never adjacent
};

}  // namespace shaderqa::layer
#endif
