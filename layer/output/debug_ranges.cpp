// SPDX-License-Identifier: Apache-2.0
#include "layer/output/debug_ranges.h"

#include <algorithm>
#include <cstdio>

#include "instrument/runtime/abi_debug.h"
#include "layer/context/device_context.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

std::string hexadecimal(uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

std::string text_of(const BufferTable::Buffer& buffer) {
  return (buffer.name.empty() ? "a buffer without a name" : "buffer " + buffer.name) + " (" +
         hexadecimal(buffer.address) + ", " + std::to_string(buffer.size) + " bytes)";
}

}  // namespace

std::unique_ptr<DebugRanges> DebugRanges::create(const DeviceContext& device, const BufferTable& buffers,
                                                 std::string& problem) {
  std::unique_ptr<DebugRanges> ranges(new DebugRanges(buffers));
  DeviceBuffer::Request request;
  request.size = sizeof(abi::DebugRange) * 2 * SQA_DEBUG_RANGES;
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  ranges->tables_ = DeviceBuffer::create(device, request, problem);
  return ranges->tables_ ? std::move(ranges) : nullptr;
}

uint32_t DebugRanges::update() {
  const uint64_t changes = BufferTable::changes();
  if (changes == changes_) return active_;
  changes_ = changes;
  const auto ranges = buffers_.ranges();
  const bool second = (active_ & SQA_DEBUG_SECOND_TABLE) == 0;
  // Too many of them: the shader asks about each access.
  const size_t count = ranges.size() > SQA_DEBUG_RANGES ? 0 : ranges.size();
  auto* const table =
      reinterpret_cast<abi::DebugRange*>(tables_->mapped()) + (second ? size_t{SQA_DEBUG_RANGES} : 0);
  for (size_t i = 0; i < count; ++i) table[i] = {ranges[i].first, ranges[i].second};
  active_ = static_cast<uint32_t>(count) | (second ? SQA_DEBUG_SECOND_TABLE : 0);
  return active_;
}

std::string DebugRanges::judge(uint64_t address, uint32_t bytes) const {
  for (const auto& [begin, end] : buffers_.ranges())
    if (address >= begin && address <= end && bytes <= end - address) return {};
  const auto holder = buffers_.find_address(address);
  if (holder && holder->destroyed) return text_of(*holder) + " had it until it was destroyed";
  const auto before = holder ? holder : buffers_.find_before(address);
  if (!before) return "no buffer lies below it";
  const uint64_t end = before->address + before->size;
  return text_of(*before) + " ends at " + hexadecimal(end) +
         (address >= end ? ", " + std::to_string(address - end) + " bytes before"
                         : ", within these " + std::to_string(bytes) + " bytes");
}

}  // namespace shaderqa::layer
