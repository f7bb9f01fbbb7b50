// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/heap_state.h"

#include <algorithm>
#include <cstring>

#include "instrument/runtime/abi_descriptors.h"
#include "layer/context/device_context.h"
#include "layer/resources/heap_tables.h"

namespace shaderqa::layer {
namespace {

// More than any device has.
constexpr size_t kMostDwords = 16384;

// Without what is not known of it.
VkBindHeapInfoEXT kept(const VkBindHeapInfoEXT& info) {
  VkBindHeapInfoEXT copy = info;
  copy.pNext = nullptr;
  return copy;
}

void push_bytes(const DeviceContext& device, VkCommandBuffer commands, size_t offset, const void* bytes,
                size_t size) {
  VkPushDataInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT;
  info.offset = static_cast<uint32_t>(offset);
  info.data = {bytes, size};
  device.next.CmdPushDataEXT(commands, &info);
}

}  // namespace

void HeapState::bind_resources(const VkBindHeapInfoEXT& info) {
  valid_ = true;
  resources_ = kept(info);
}

void HeapState::bind_samplers(const VkBindHeapInfoEXT& info) {
  valid_ = true;
  samplers_ = kept(info);
}

void HeapState::push(const VkPushDataInfoEXT& info) {
  valid_ = true;
  // What a structure behind it says may be that the data goes elsewhere.
  if (info.pNext || info.offset % 4 != 0) return;
  const size_t first = info.offset / 4, count = std::min(info.data.size / 4, kMostDwords);
  if (first > kMostDwords) return;
  if (data_.size() < first + count) data_.resize(first + count);
  const auto* const bytes = static_cast<const std::byte*>(info.data.address);
  for (size_t i = 0; i < count; ++i) {
    uint32_t dword;
    std::memcpy(&dword, bytes + i * 4, sizeof dword);
    data_[first + i] = dword;
  }
}

void HeapState::inherit(const VkCommandBufferInheritanceDescriptorHeapInfoEXT& info) {
  if (info.pResourceHeapBindInfo) bind_resources(*info.pResourceHeapBindInfo);
  if (info.pSamplerHeapBindInfo) bind_samplers(*info.pSamplerHeapBindInfo);
}

std::optional<uint32_t> HeapState::dword_at(uint32_t offset) const {
  if (offset % 4 != 0 || offset / 4 >= data_.size()) return std::nullopt;
  return data_[offset / 4];
}

VkDeviceAddress HeapState::address_at(uint32_t offset) const {
  if (offset > UINT32_MAX - 4) return 0;
  const auto low = dword_at(offset), high = dword_at(offset + 4);
  return low && high ? *low | VkDeviceAddress{*high} << 32 : 0;
}

HeapState::Place HeapState::whole() const {
  if (!resources_ || resources_->heapRange.address == 0) return {};
  const auto& [address, size] = resources_->heapRange;
  return {address, static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX))};
}

HeapState::Place HeapState::place_of(const HeapTable& table) const {
  using Source = HeapTable::Source;
  if (table.source == Source::indirect_index || table.source == Source::indirect_address) {
    const VkDeviceAddress pushed = address_at(table.push_offset);
    if (pushed == 0) return {};
    return {pushed + table.behind, table.stride | (table.each ? SQA_INDEX_EACH : 0u) |
                                       (table.index_bits == UINT32_MAX ? 0u : SQA_INDEX_COMBINED)};
  }
  if (!resources_ || resources_->heapRange.address == 0) return {};
  uint64_t offset = 0;
  if (table.source == Source::push_index) {
    const auto index = dword_at(table.push_offset);
    if (!index) return {};
    offset = uint64_t{*index & table.index_bits} * table.stride;
  }
  const auto& [address, size] = resources_->heapRange;
  if (offset >= size) return {};
  return {address + offset, static_cast<uint32_t>(std::min<uint64_t>(size - offset, UINT32_MAX))};
}

VkDeviceAddress HeapState::buffer_of(const HeapTable& table) const {
  if (table.source == HeapTable::Source::push_address) return address_at(table.push_offset);
  const auto offset = dword_at(table.push_offset);
  if (!offset || !resources_ || resources_->heapRange.address == 0) return 0;
  const uint64_t from = uint64_t{table.behind} + *offset;
  return from < resources_->heapRange.size ? resources_->heapRange.address + from : 0;
}

void HeapState::push_given(const DeviceContext& device, VkCommandBuffer commands, size_t first,
                           size_t end) const {
  std::vector<uint32_t> run;
  end = std::min(end, data_.size());
  for (size_t i = first; i < end; ++i) {
    if (data_[i]) run.push_back(*data_[i]);
    const bool ends = i + 1 == end || !data_[i + 1];
    if (run.empty() || !ends) continue;
    push_bytes(device, commands, (i + 1 - run.size()) * 4, run.data(), run.size() * 4);
    run.clear();
  }
}

void HeapState::push_again(const DeviceContext& device, VkCommandBuffer commands) {
  push_given(device, commands, 0, data_.size());
  record_ = RecordPlace::kNowhere;
}

void HeapState::restore(const DeviceContext& device, VkCommandBuffer commands, uint32_t kept) {
  if (disturbed_) {
    if (resources_) device.next.CmdBindResourceHeapEXT(commands, &*resources_);
    if (samplers_) device.next.CmdBindSamplerHeapEXT(commands, &*samplers_);
    push_again(device, commands);
    disturbed_ = false;
    filled_to_ = 0;
  } else if (record_ != RecordPlace::kNowhere && record_ != kept) {
    push_given(device, commands, record_ / 4, record_ / 4 + sizeof(VkDeviceAddress) / 4);
    record_ = RecordPlace::kNowhere;
  }
}

// The block of push constants that shaders have now reaches from their own data to the address, and what lies
// between must have been pushed, although nothing reads it.
void HeapState::fill_gap(const DeviceContext& device, VkCommandBuffer commands, const RecordPlace& place) {
  const uint32_t from = (place.data_end + 3) / 4, to = place.offset / 4;
  if (from >= to || (from >= filled_from_ && to <= filled_to_)) return;
  std::vector<uint32_t> dwords(to - from);
  for (uint32_t i = from; i < std::min<size_t>(to, data_.size()); ++i)
    dwords[i - from] = data_[i].value_or(0);
  push_bytes(device, commands, size_t{from} * 4, dwords.data(), dwords.size() * 4);
  filled_from_ = from;
  filled_to_ = to;
}

void HeapState::push_record(const DeviceContext& device, VkCommandBuffer commands, const RecordPlace& place,
                            VkDeviceAddress record) {
  fill_gap(device, commands, place);
  push_bytes(device, commands, place.offset, &record, sizeof record);
  record_ = place.offset;
}

}  // namespace shaderqa::layer
