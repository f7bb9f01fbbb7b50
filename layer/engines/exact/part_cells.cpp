// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/part_cells.h"

#include <algorithm>
#include <atomic>

#include "instrument/runtime/abi_exact.h"
#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

constexpr uint64_t kEntries = 65536;  // of a table
constexpr uint64_t kTableBytes = kEntries * sizeof(uint64_t);
constexpr uint64_t kSmallestChunk = 8;    // pages: small buffers share chunks, of which there should be few
constexpr uint64_t kLargestChunk = 1024;  // pages: 512 MiB of cells

uint64_t* entry_of(const DeviceBuffer& table, uint64_t number) {
  return reinterpret_cast<uint64_t*>(table.mapped()) + (number & (kEntries - 1));
}

}  // namespace

VkDeviceSize PartCells::needed(std::span<const uint64_t> pages) const {
  VkDeviceSize tables = tables_ ? 0 : 1;
  uint64_t last = UINT64_MAX;
  for (const uint64_t page : pages) {
    if (page >> 16 != last && !second_.contains(page >> 16)) ++tables;
    last = page >> 16;
  }
  uint64_t missing = pages.size() - std::min(pages.size(), free_.size());
  const uint64_t chunks = (missing + kLargestChunk - 1) / kLargestChunk;
  if (missing != 0) missing = std::max(missing, kSmallestChunk);
  return tables * kTableBytes + missing * SQA_PAGE_PART_BYTES + chunks * SQA_PAGE_CELL_BYTES;
}

std::unique_ptr<DeviceBuffer> PartCells::create(VkDeviceSize size, const Taken& taken, std::string& problem) {
  DeviceBuffer::Request request;
  request.size = size;
  // The host zeroes it, so that it can be used at once.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  auto buffer = DeviceBuffer::create(device_, request, problem);
  if (buffer) taken(*buffer);
  return buffer;
}

bool PartCells::make_table(uint64_t number, const Taken& taken, std::string& problem) {
  if (!tables_ && !(tables_ = create(kTableBytes, taken, problem))) return false;
  if (second_.contains(number)) return true;
  auto table = create(kTableBytes, taken, problem);
  if (!table) return false;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in make()
  std::atomic_ref(*entry_of(*tables_, number)).store(table->address(), std::memory_order_release);
  second_[number] = std::move(table);
  return true;
}

bool PartCells::add_chunk(uint64_t pages, const Taken& taken, std::string& problem) {
  pages = std::clamp(pages, kSmallestChunk, kLargestChunk);
  // Some bytes more, for the alignment of the cells.
  auto chunk = create(pages * SQA_PAGE_PART_BYTES + SQA_PAGE_CELL_BYTES, taken, problem);
  if (!chunk) return false;
  const VkDeviceAddress first =
      (chunk->address() + SQA_PAGE_CELL_BYTES - 1) / SQA_PAGE_CELL_BYTES * SQA_PAGE_CELL_BYTES;
  for (uint64_t i = pages; i-- > 0;) free_.push_back(first + i * SQA_PAGE_PART_BYTES);
  cell_buffers_.push_back(chunk->handle());
  chunks_.push_back(std::move(chunk));
  return true;
}

bool PartCells::make(std::span<const uint64_t> pages, const Taken& taken, std::string& problem) {
  for (size_t i = 0; i < pages.size(); ++i) {
    const uint64_t page = pages[i];
    if (!make_table(page >> 16, taken, problem)) return false;
    if (free_.empty() && !add_chunk(pages.size() - i, taken, problem)) return false;
    // Shaders that look already must find zeroes behind the address.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_ref(*entry_of(*second_.at(page >> 16), page)).store(free_.back(), std::memory_order_release);
    free_.pop_back();
    pages_.insert(page);
  }
  return true;
}

}  // namespace shaderqa::layer
