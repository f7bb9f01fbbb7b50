// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/cell_chunks.h"

#include <algorithm>
#include <utility>

#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

constexpr uint64_t kCellBytes = SQA_PAGE_CELL_BYTES;
constexpr uint64_t kLargestChunk = 8192;  // pages, whose cells take 1 GiB
// Pages that a chunk has room for beyond those that it is made for, unless the limit is near.
constexpr uint64_t kFewestSpare = 96;
constexpr uint64_t kMostSpare = 1024;

}  // namespace

CellChunks::Size CellChunks::size_for(uint64_t pages, uint64_t allowed) const {
  const uint64_t spare = std::clamp(std::max(pages, pages_), kFewestSpare, kMostSpare);
  const uint64_t largest = std::min(kLargestChunk, allowed);
  return {std::min(pages, largest),
          std::min(std::clamp(pages + spare, pages, std::max(pages, allowed / 2)), largest)};
}

std::unique_ptr<DeviceBuffer> CellChunks::make(const Size& size, std::string& problem) const {
  DeviceBuffer::Request request;
  request.host_visible = false;
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  for (uint64_t pages = size.most;; pages = size.fewest) {
    // One page more, for the alignment of the cells.
    request.size = (pages + 1) * kCellBytes;
    problem.clear();
    auto buffer = DeviceBuffer::create(device_, request, problem);
    if (buffer || pages == size.fewest) return buffer;
  }
}

void CellChunks::add(std::unique_ptr<DeviceBuffer> buffer) {
  const VkDeviceAddress first = (buffer->address() + kCellBytes - 1) / kCellBytes * kCellBytes;
  const uint64_t pages = buffer->size() / kCellBytes - 1;
  free.add(first, pages);
  pages_ += pages;
  chunks_.push_back({std::move(buffer)});
  owes_clear_ = true;
}

void CellChunks::append_to_clear(std::vector<VkBuffer>& buffers, bool all) {
  for (Chunk& chunk : chunks_) {
    if (chunk.cleared && !all) continue;
    buffers.push_back(chunk.buffer->handle());
    chunk.cleared = true;
  }
  owes_clear_ = false;
}

}  // namespace shaderqa::layer
