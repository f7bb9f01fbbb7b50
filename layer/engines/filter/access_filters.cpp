// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/filter/access_filters.h"

#include <algorithm>
#include <string>

#include "host/log/log.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/memory/queue_commands.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kSmallestLog2 = 16;
constexpr uint32_t kLargestLog2 = 32;  // bytes: the mask is a dword

std::string size_text(uint32_t log2) {
  return log2 >= 20 ? std::to_string(1u << (log2 - 20)) + " MiB" : std::to_string(1u << (log2 - 10)) + " KiB";
}

}  // namespace

AccessFilters::~AccessFilters() {
  if (!device_.instance->in_forked_child()) return;
  for (auto& [index, slot] : slots_) static_cast<void>(slot.family.release());
}

AccessFilters::Family* AccessFilters::find(uint32_t queue_family) const {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(queue_family);
  return found == slots_.end() ? nullptr : found->second.known.load(std::memory_order_acquire);
}

AccessFilters::Family* AccessFilters::require(uint32_t queue_family) {
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    slot = &slots_[queue_family];
  }
  std::call_once(slot->made, [&] {
    slot->family = make();
    slot->known.store(slot->family.get(), std::memory_order_release);
  });
  return slot->known.load(std::memory_order_acquire);
}

std::unique_ptr<AccessFilters::Family> AccessFilters::make() {
  auto family = std::make_unique<Family>();
  std::string problem;
  DeviceBuffer::Request request;
  request.size = sizeof(abi::FamilyState);
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  family->state_ = DeviceBuffer::create(device_, request, problem);
  const auto wanted =
      std::clamp<uint32_t>(device_.instance->settings.bloom_buffer_size_log2, kSmallestLog2, kLargestLog2);
  uint32_t log2 = wanted;
  request.host_visible = false;
  for (; family->state_ && !family->filter_ && log2 >= kSmallestLog2; --log2) {
    request.size = VkDeviceSize{1} << log2;
    family->filter_ = DeviceBuffer::create(device_, request, problem);
  }
  ++log2;
  if (!family->filter_) {
    device_.note("sync filter", "sync is not checked: " + problem);
    return family->state_ ? std::move(family) : nullptr;
  }
  if (log2 != wanted) {
    device_.note("sync filter",
                 "the filter of the sync check has " + size_text(log2) + " instead of " + size_text(wanted) +
                     ": the device has no memory for more, so fewer accesses fit into it",
                 Concern::nothing);
  }
  SHADERQA_LOG(info,
               "access filter: " + std::to_string(family->filter_->size()) + " bytes for a queue family");
  family->state()->bucket_mask = static_cast<uint32_t>(family->filter_->size() / sizeof(uint64_t) - 1);
  return family;
}

void AccessFilters::Family::activate() {
  if (!filter_ || active_.exchange(true)) return;
  state()->filter_address = filter_->address();
}

void AccessFilters::Family::record_clear(Device& device, VkCommandBuffer command_buffer,
                                         uint32_t dispatch_id) const {
  record_barrier_before_transfers(device, command_buffer, {});
  device.next.CmdFillBuffer(command_buffer, filter_->handle(), 0, VK_WHOLE_SIZE, 0);
  device.next.CmdFillBuffer(command_buffer, state_->handle(), offsetof(abi::FamilyState, dispatch_id),
                            sizeof(uint32_t), dispatch_id);
  record_barrier_behind_transfers(device, command_buffer, {});
}

}  // namespace shaderqa::layer
