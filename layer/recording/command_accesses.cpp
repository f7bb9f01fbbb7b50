// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/command_accesses.h"

#include <optional>

#include "layer/loader/device.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {

void CommandAccesses::add(const Device& device, VkBuffer buffer, MemoryRange range) {
  const BufferTable::BoundRange place = device.buffers.place(buffer);
  if (!place.address) complete = false;
  if (!place.address || !place.has_cells()) return;
  const uint64_t end = end_of(range);
  if (end == 0 || end > place.size) {
    complete = false;
    return;
  }
  range.address += place.address;
  append_packed(range, ranges);
}

void CommandAccesses::add(const Device& device, MemoryRange range) {
  const std::optional<BufferTable::Buffer> buffer = device.buffers.find_address(range.address);
  if (!buffer || buffer->destroyed) return;
  range.address -= buffer->address;
  add(device, buffer->handle, range);
}

}  // namespace shaderqa::layer
