// SPDX-License-Identifier: Apache-2.0
// Cells of single bytes (docs/internals/exact.md, Parts of words), for pages of which shaders store parts of
// words.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_PART_CELLS_H
#define SHADERQA_LAYER_ENGINES_EXACT_PART_CELLS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;

// A page keeps its cells, also for buffers that come to lie there later. Not thread-safe.
class PartCells {
 public:
  explicit PartCells(Device& device) : device_(device) {}

  bool has(uint64_t page) const { return pages_.contains(page); }
  // Bytes of memory that make() takes at most.
  VkDeviceSize needed(std::span<const uint64_t> pages) const;
  // Makes cells for these pages, which have none, and says in the table where they are. They hold nothing.
  // False, with a sentence in `problem`, where there is no memory: then some of the pages have cells. taken:
  // is called with each buffer that was made.
  using Taken = std::function<void(const DeviceBuffer&)>;
  bool make(std::span<const uint64_t> pages, const Taken& taken, std::string& problem);

  VkDeviceAddress tables_address() const { return tables_ ? tables_->address() : 0; }
  // Those that hold cells.
  const std::vector<VkBuffer>& cell_buffers() const { return cell_buffers_; }

 private:
  std::unique_ptr<DeviceBuffer> create(VkDeviceSize size, const Taken& taken, std::string& problem);
  bool add_chunk(uint64_t pages, const Taken& taken, std::string& problem);
  bool make_table(uint64_t number, const Taken& taken, std::string& problem);

  Device& device_;
  std::unique_ptr<DeviceBuffer> tables_;                      // uint64_t[65536]
  std::map<uint64_t, std::unique_ptr<DeviceBuffer>> second_;  // by address >> 32
  std::vector<std::unique_ptr<DeviceBuffer>> chunks_;
  std::vector<VkBuffer> cell_buffers_;
  std::vector<VkDeviceAddress> free_;  // zeroed cells of a page each
  std::unordered_set<uint64_t> pages_;
};

}  // namespace shaderqa::layer
#endif
