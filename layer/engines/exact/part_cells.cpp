// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/part_cells.h"

#include <algorithm>
#include <atomic>

#include "instrument/runtime/abi_exact.h"
#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

constexpr uint64_t kSmallestChunk = 8;    // pages: small buffers share chunks, of which there should be few
constexpr uint64_t kLargestChunk = 1024;  // pages: 512 MiB of cells

}  // namespace

VkDeviceSize PartCells::needed(std::span<const uint64_t> pages) const {
  VkDeviceSize tables = tables_.address() != 0 ? 0 : 1;
  uint64_t last = UINT64_MAX;
  for (const uint64_t page : pages) {
    if (page / PageTables::kEntries != last && !tables_.reaches(page)) ++tables;
    last = page / PageTables::kEntries;
  }
  uint64_t missing = pages.size() - std::min(pages.size(), free_.size());
  const uint64_t chunks = (missing + kLargestChunk - 1) / kLargestChunk;
  if (missing != 0) missing = std::max(missing, kSmallestChunk);
  return tables * PageTables::kTableBytes + missing * SQA_PAGE_PART_BYTES + chunks * SQA_PAGE_CELL_BYTES;
}

void PartCells::append_cell_buffers(std::vector<VkBuffer>& buffers) const {
  for (const auto& chunk : chunks_) buffers.push_back(chunk->handle());
}

bool PartCells::make_tables(uint64_t page, const Taken& taken, std::string& problem) {
  const auto make = [&] {
    auto table = PageTables::make_table(device_, problem);
    if (table) taken(*table);
    return table;
  };
  if (tables_.address() == 0) tables_.set_first(make());
  if (tables_.address() == 0) return false;
  if (tables_.reaches(page)) return true;
  auto table = make();
  if (!table) return false;
  tables_.add_second(page, std::move(table));
  return true;
}

bool PartCells::add_chunk(uint64_t pages, const Taken& taken, std::string& problem) {
  pages = std::clamp(pages, kSmallestChunk, kLargestChunk);
  DeviceBuffer::Request request;
  // Some bytes more, for the alignment of the cells.
  request.size = pages * SQA_PAGE_PART_BYTES + SQA_PAGE_CELL_BYTES;
  // The host zeroes it, so that it can be used at once.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  auto chunk = DeviceBuffer::create(device_, request, problem);
  if (!chunk) return false;
  taken(*chunk);
  const VkDeviceAddress first =
      (chunk->address() + SQA_PAGE_CELL_BYTES - 1) / SQA_PAGE_CELL_BYTES * SQA_PAGE_CELL_BYTES;
  for (uint64_t i = pages; i-- > 0;) free_.push_back(first + i * SQA_PAGE_PART_BYTES);
  chunks_.push_back(std::move(chunk));
  return true;
}

bool PartCells::make(std::span<const uint64_t> pages, const Taken& taken, std::string& problem) {
  for (size_t i = 0; i < pages.size(); ++i) {
    const uint64_t page = pages[i];
    if (!make_tables(page, taken, problem)) return false;
    if (free_.empty() && !add_chunk(pages.size() - i, taken, problem)) return false;
    // Shaders that look already must find zeroes behind the address.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    tables_.write(page, free_.back());
    free_.pop_back();
    pages_.insert(page);
  }
  return true;
}

}  // namespace shaderqa::layer
