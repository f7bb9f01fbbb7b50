// SPDX-License-Identifier: Apache-2.0
#include "layer/queues/device_time.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "host/switch/check_switch.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"

namespace shaderqa::layer {

DeviceTime::~DeviceTime() {
  if (device_.instance->in_forked_child()) {
    static_cast<void>(results_.release());
    return;
  }
  if (pool_) device_.next.DestroyQueryPool(device_.handle, pool_, nullptr);
}

bool DeviceTime::make() {
  const DeviceFacts& facts = device_.facts;
  const uint32_t bits = family_ < facts.timestamp_bits.size() ? facts.timestamp_bits[family_] : 0;
  if (bits == 0 || !facts.compute_families[family_] || !device_.next.CmdWriteTimestamp ||
      !device_.next.CmdResetQueryPool)
    return false;
  mask_ = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * kSlots;
  if (device_.next.CreateQueryPool(device_.handle, &info, nullptr, &pool_) != VK_SUCCESS) return false;
  DeviceBuffer::Request request;
  request.size = kSlots * sizeof(Result);
  std::string problem;
  results_ = DeviceBuffer::create(device_, request, problem);
  return results_ != nullptr;
}

VkCommandBuffer DeviceTime::begin_commands() {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (commands_.allocate(commands) != VK_SUCCESS) return VK_NULL_HANDLE;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  return device_.next.BeginCommandBuffer(commands, &begin) == VK_SUCCESS ? commands : VK_NULL_HANDLE;
}

DeviceTime::Result& DeviceTime::result_of(uint32_t slot) {
  return reinterpret_cast<Result*>(results_->mapped())[slot];
}

// Recorded once for all submissions.
DeviceTime::Around DeviceTime::record(uint32_t slot) {
  const DeviceCommands& next = device_.next;
  const Around around{begin_commands(), begin_commands()};
  if (!around.before || !around.behind) return {};
  const uint32_t query = 2 * slot;
  next.CmdResetQueryPool(around.before, pool_, query, 2);
  next.CmdWriteTimestamp(around.before, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool_, query);
  next.CmdWriteTimestamp(around.behind, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, query + 1);
  next.CmdCopyQueryPoolResults(
      around.behind, pool_, query, 2, results_->handle(), slot * sizeof(Result), sizeof(Result) / 2,
      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_WAIT_BIT);
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  next.CmdPipelineBarrier(around.behind, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                          &barrier, 0, nullptr, 0, nullptr);
  const bool ended = next.EndCommandBuffer(around.before) == VK_SUCCESS &&
                     next.EndCommandBuffer(around.behind) == VK_SUCCESS;
  return ended ? around : Around();
}

DeviceTime::Around DeviceTime::next(bool checked) {
  if (!made_) {
    usable_ = make();
    made_ = true;
  }
  Slot& slot = slots_[next_];
  if (!usable_ || slot.pending) return {};
  if (!slot.around.before) {
    slot.around = record(next_);
    usable_ = slot.around.before != VK_NULL_HANDLE;
    if (!usable_) return {};
  }
  result_of(next_) = {};
  slot.pending = true;
  slot.checked = checked;
  next_ = (next_ + 1) % kSlots;
  return slot.around;
}

void DeviceTime::collect() {
  for (; slots_[oldest_].pending; oldest_ = (oldest_ + 1) % kSlots) {
    Slot& slot = slots_[oldest_];
    Result& result = result_of(oldest_);
    for (uint64_t* available : {&result.begin_available, &result.end_available})
      if (std::atomic_ref(*available).load(std::memory_order_acquire) == 0) return;
    slot.pending = false;
    const uint64_t end = result.end & mask_;
    // The device may begin with a submission while it still works for the one before.
    const uint64_t begin = std::max(result.begin & mask_, last_end_);
    const bool wrapped = end < last_end_;
    last_end_ = end;
    if (wrapped || end < begin) continue;
    const double ns = static_cast<double>(end - begin) * device_.facts.limits.timestampPeriod;
    device_.instance->checks->device_worked(CheckWindow::Time(static_cast<int64_t>(ns)), slot.checked);
  }
}

}  // namespace shaderqa::layer
