// SPDX-License-Identifier: Apache-2.0
#include "layer/output/printf_buffers.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "instrument/runtime/abi_root.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"

namespace shaderqa::layer {
namespace {

VkDeviceSize segment_size_for(uint64_t buffer_size) {
  const auto page = static_cast<VkDeviceSize>(sysconf(_SC_PAGESIZE));
  return std::max(buffer_size / SQA_PRINTF_SEGMENTS / page, VkDeviceSize{1}) * page;
}

uint32_t capacity_of(VkDeviceSize segment_size) {
  const VkDeviceSize dwords = (segment_size - sizeof(abi::PrintfBufferHeader)) / sizeof(uint32_t);
  return static_cast<uint32_t>(std::min<VkDeviceSize>(dwords, SQA_PRINTF_CLAMP_DWORDS));
}

}  // namespace

std::unique_ptr<PrintfBuffers> PrintfBuffers::create(const DeviceContext& device, RootBlock& root,
                                                     std::string& problem) {
  std::unique_ptr<PrintfBuffers> buffers(new PrintfBuffers);
  const VkDeviceSize segment_size = segment_size_for(device.instance->settings.printf_buffer_size);
  buffers->entries_ =
      RescueBuffer::create(device, SQA_PRINTF_SEGMENTS, segment_size, RescueFile::Content::printf, problem);
  if (!buffers->entries_.buffer) return nullptr;
  if (!buffers->entries_.file) buffers->cursors_.resize(SQA_PRINTF_SEGMENTS);
  DeviceBuffer::Request request;
  request.size = sizeof(abi::PrintfSiteCounters);
  if (root.is_device_local()) request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  buffers->counters_ = DeviceBuffer::create(device, request, problem);
  if (!buffers->counters_) return nullptr;
  buffers->enter_into_root(root, segment_size);
  return buffers;
}

const abi::PrintfSiteCounters& PrintfBuffers::counters() const {
  return *reinterpret_cast<const abi::PrintfSiteCounters*>(counters_->mapped());
}

void PrintfBuffers::enter_into_root(RootBlock& root_block, VkDeviceSize segment_size) {
  abi::Root& root = root_block.root();
  const DeviceBuffer& entries = *entries_.buffer;
  const auto header_offset = [](uint32_t i) {
    return offsetof(abi::Root, printf_headers) + i * sizeof(abi::PrintfBufferHeader);
  };
  // On a discrete GPU the atomics stay in its own memory, and only entries cross the bus.
  const bool headers_in_root = root_block.is_device_local() && !entries.is_device_local();
  for (uint32_t i = 0; i < SQA_PRINTF_SEGMENTS; ++i) {
    const VkDeviceSize start = i * segment_size;
    std::byte* memory = entries.mapped() + start;
    abi::PrintfSegment& segment = root.printf_segments[i];
    segment.header_address =
        headers_in_root ? root_block.address() + header_offset(i) : entries.address() + start;
    segment.entries_address = entries.address() + start + sizeof(abi::PrintfBufferHeader);
    segment.capacity = capacity_of(segment_size);

    PrintfSegmentView view;
    view.entries = reinterpret_cast<uint32_t*>(memory + sizeof(abi::PrintfBufferHeader));
    view.capacity = segment.capacity;
    view.header =
        headers_in_root ? &root.printf_headers[i] : reinterpret_cast<abi::PrintfBufferHeader*>(memory);
    view.cursor = entries_.file ? entries_.file->cursor(i) : &cursors_[i];
    segments_.push_back(view);
  }
  root.printf_sites_address = counters_->address();
  std::atomic_ref(root.magic).store(SQA_ROOT_MAGIC, std::memory_order_release);
}

}  // namespace shaderqa::layer
