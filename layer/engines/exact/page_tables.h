// SPDX-License-Identifier: Apache-2.0
// Two levels of tables on the device, from the number of a page to 64 bits (docs/internals/exact.md, Cells).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_PAGE_TABLES_H
#define SHADERQA_LAYER_ENGINES_EXACT_PAGE_TABLES_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;

// The first table has an entry for each page >> 16: the address of a second table, or 0. A second table has
// an entry for each page & 65535. The host writes, shaders read, also at the same time. Not thread-safe.
class PageTables {
 public:
  static constexpr uint64_t kEntries = 65536;
  static constexpr VkDeviceSize kTableBytes = kEntries * sizeof(uint64_t);

  // A zeroed table. Null, with a sentence in `problem`, where there is no memory.
  static std::unique_ptr<DeviceBuffer> make_table(Device& device, std::string& problem);

  // The first table, before anything else.
  void set_first(std::unique_ptr<DeviceBuffer> table) { first_ = std::move(table); }
  // 0 where there is no first table.
  VkDeviceAddress address() const { return first_ ? first_->address() : 0; }
  // Whether page has an entry.
  bool reaches(uint64_t page) const { return second_.contains(page / kEntries); }
  // The second table for page, which has none yet.
  void add_second(uint64_t page, std::unique_ptr<DeviceBuffer> table);
  // Without effect for a page that has no entry.
  void write(uint64_t page, uint64_t value);

 private:
  std::unique_ptr<DeviceBuffer> first_;
  std::map<uint64_t, std::unique_ptr<DeviceBuffer>> second_;  // by page >> 16
};

}  // namespace shaderqa::layer
#endif
