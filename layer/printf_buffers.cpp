#include "layer/printf_buffers.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "layer/device.h"

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

std::unique_ptr<PrintfBuffers> PrintfBuffers::create(Device& device, RootBlock& root, std::string& problem) {
  std::unique_ptr<PrintfBuffers> buffers(new PrintfBuffers);
  const VkDeviceSize segment_size = segment_size_for(device.instance->settings.printf_buffer_size);
  if (!buffers->place_in_rescue_file(device, segment_size)) {
    DeviceBuffer::Request request;
    request.size = segment_size * SQA_PRINTF_SEGMENTS;
    // Cached, since the host reads it all the time.
    request.preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    buffers->entries_ = DeviceBuffer::create(device, request, problem);
    if (!buffers->entries_) return nullptr;
    buffers->cursors_.resize(SQA_PRINTF_SEGMENTS);
  }
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

bool PrintfBuffers::place_in_rescue_file(Device& device, VkDeviceSize segment_size) {
  const std::string& directory = device.instance->settings.rescue_dir;
  if (directory.empty()) return false;
  std::string problem = "the driver cannot import host memory (VK_EXT_external_memory_host)";
  const VkDeviceSize alignment = device.facts.host_import_alignment;
  if (alignment != 0) {
    rescue_file_ = RescueFile::create(directory, SQA_PRINTF_SEGMENTS, segment_size, problem);
    if (rescue_file_) {
      DeviceBuffer::Request request;
      request.size = segment_size * SQA_PRINTF_SEGMENTS;
      request.preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
      request.import = rescue_file_->segment_memory();
      if (reinterpret_cast<uintptr_t>(request.import) % alignment == 0 && request.size % alignment == 0) {
        entries_ = DeviceBuffer::create(device, request, problem);
      } else {
        problem = "the driver imports only memory aligned to " + std::to_string(alignment) + " bytes";
      }
    }
  }
  if (entries_) return true;
  rescue_file_.reset();
  device.note("rescue", "what is printed in the last moment before a crash can be lost: " + problem);
  return false;
}

void PrintfBuffers::enter_into_root(RootBlock& root_block, VkDeviceSize segment_size) {
  abi::Root& root = root_block.root();
  const auto header_offset = [](uint32_t i) {
    return offsetof(abi::Root, printf_headers) + i * sizeof(abi::PrintfBufferHeader);
  };
  // On a discrete GPU the atomics go to its own memory, and only entries cross the bus.
  const bool headers_in_root = root_block.is_device_local() && !entries_->is_device_local();
  for (uint32_t i = 0; i < SQA_PRINTF_SEGMENTS; ++i) {
    const VkDeviceSize start = i * segment_size;
    std::byte* memory = entries_->mapped() + start;
    abi::PrintfSegment& segment = root.printf_segments[i];
    segment.header_address =
        headers_in_root ? root_block.address() + header_offset(i) : entries_->address() + start;
    segment.entries_address = entries_->address() + start + sizeof(abi::PrintfBufferHeader);
    segment.capacity = capacity_of(segment_size);

    PrintfSegmentView view;
    view.entries = reinterpret_cast<uint32_t*>(memory + sizeof(abi::PrintfBufferHeader));
    view.capacity = segment.capacity;
    view.header =
        headers_in_root ? &root.printf_headers[i] : reinterpret_cast<abi::PrintfBufferHeader*>(memory);
    view.cursor = rescue_file_ ? rescue_file_->cursor(i) : &cursors_[i];
    segments_.push_back(view);
  }
  root.printf_sites_address = counters_->address();
  std::atomic_ref(root.magic).store(SQA_ROOT_MAGIC, std::memory_order_release);
}

}  // namespace shaderqa::layer
