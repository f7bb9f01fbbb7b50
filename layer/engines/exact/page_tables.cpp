// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/page_tables.h"

#include <atomic>

#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

void store(const DeviceBuffer& table, uint64_t index, uint64_t value) {
  auto* entries = reinterpret_cast<uint64_t*>(table.mapped());
  std::atomic_ref(entries[index]).store(value, std::memory_order_release);
}

}  // namespace

std::unique_ptr<DeviceBuffer> PageTables::make_table(Device& device, std::string& problem) {
  DeviceBuffer::Request request;
  request.size = kTableBytes;
  // Shaders read it with every access, the host only writes.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  return DeviceBuffer::create(device, request, problem);
}

void PageTables::add_second(uint64_t page, std::unique_ptr<DeviceBuffer> table) {
  // Shaders that look already must find zeroes behind the address.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  store(*first_, page / kEntries, table->address());
  second_[page / kEntries] = std::move(table);
}

void PageTables::write(uint64_t page, uint64_t value) {
  const auto found = second_.find(page / kEntries);
  if (found != second_.end()) store(*found->second, page % kEntries, value);
}

}  // namespace shaderqa::layer
