// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/host_reads.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "instrument/runtime/abi_order.h"
#include "layer/context/instance.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/engines/exact/exact_recorder.h"
#include "layer/queues/submissions.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostChecks = 16;  // of one device, that have not come back
// Nanoseconds. Checks take milliseconds, but a device that hangs must not block the program.
constexpr uint64_t kLongestWait = 10'000'000'000;
constexpr uint32_t kFloorDwords = SQA_FLOOR_HEADER_DWORDS + SQA_MAX_QUEUES * SQA_HOST_DWORDS;

using FloorBlock = std::array<uint32_t, kFloorDwords>;

// The floors of a check, as abi_order.h describes them. epoch: that of the check.
FloorBlock floor_block(const HostView& view, const QueueClock& seen, uint64_t epoch) {
  const auto in_epoch = [&](uint64_t number) {
    return epoch_of(number) == epoch && number % SQA_EPOCH_BIT ? sequence_of(number) : 0;
  };
  FloorBlock block{};
  block[1] = SQA_CLASS_HOST;
  for (uint32_t queue = 0; queue < SQA_MAX_QUEUES; ++queue) {
    uint32_t* const dwords = block.data() + SQA_FLOOR_HEADER_DWORDS + queue * SQA_HOST_DWORDS;
    dwords[SQA_HOST_SEEN] = in_epoch(seen[queue]);
    dwords[SQA_HOST_DONE] = in_epoch(view.done[queue]);
    for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
      dwords[SQA_HOST_VISIBLE + producer] = in_epoch(view.visible[queue][producer]);
    }
  }
  return block;
}

}  // namespace

HostReads::HostReads(Device& device, ExactEngine& engine)
    : device_(device), engine_(engine), at_waits_(device.instance->settings.sync_host == "waits") {}

HostReads::~HostReads() {
  if (device_.instance->in_forked_child()) {
    for (HostReadCheck& check : checks_) static_cast<void>(check.state.release());
    return;
  }
  for (const HostReadCheck& check : checks_) device_.next.DestroyFence(device_.handle, check.fence, nullptr);
}

HostReads::Span HostReads::span_of(VkDeviceSize offset, VkDeviceSize size) {
  const bool to_the_end = size == VK_WHOLE_SIZE || size > UINT64_MAX - offset;
  return {offset, to_the_end ? UINT64_MAX : offset + size};
}

void HostReads::bind(VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  const std::lock_guard lock(mutex_);
  memory_[memory].buffers.emplace_back(buffer, offset);
  memory_of_[buffer] = memory;
}

void HostReads::forget(VkBuffer buffer) {
  const std::lock_guard lock(mutex_);
  const auto found = memory_of_.find(buffer);
  if (found == memory_of_.end()) return;
  if (const auto memory = memory_.find(found->second); memory != memory_.end())
    std::erase_if(memory->second.buffers, [&](const auto& one) { return one.first == buffer; });
  memory_of_.erase(found);
}

void HostReads::forget(VkDeviceMemory memory) {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(memory);
  if (found == memory_.end()) return;
  for (const auto& [buffer, offset] : found->second.buffers) memory_of_.erase(buffer);
  memory_.erase(found);
}

void HostReads::map(VkDeviceMemory handle, VkDeviceSize offset, VkDeviceSize size) {
  std::vector<MemoryRange> ranges;
  {
    const std::lock_guard lock(mutex_);
    Memory& memory = memory_[handle];
    memory.mapped = span_of(offset, size);
    add_ranges(memory, memory.mapped, ranges);
  }
  check_now(ranges, "the host through vkMapMemory");
}

void HostReads::unmap(VkDeviceMemory memory) {
  const std::lock_guard lock(mutex_);
  if (const auto found = memory_.find(memory); found != memory_.end()) found->second.mapped = {};
}

void HostReads::invalidate(std::span<const VkMappedMemoryRange> given) {
  std::vector<MemoryRange> ranges;
  {
    const std::lock_guard lock(mutex_);
    for (const VkMappedMemoryRange& one : given) {
      const auto found = memory_.find(one.memory);
      if (found == memory_.end()) continue;
      const Span span = span_of(one.offset, one.size);
      const Span& mapped = found->second.mapped;
      add_ranges(found->second, {std::max(span.begin, mapped.begin), std::min(span.end, mapped.end)}, ranges);
    }
  }
  check_now(ranges, "the host after vkInvalidateMappedMemoryRanges");
}

void HostReads::check_now(const std::vector<MemoryRange>& ranges, const char* command) {
  if (ranges.empty()) return;
  const std::lock_guard lock(checking_);
  bool unread = false;
  const HostView view = engine_.order.host_view({}, unread);
  if (unread && !check(ranges, view, {}, command))
    device_.note("host reads", "some of what the host maps to read is not checked: no queue was free for it");
}

std::vector<MemoryRange> HostReads::mapped_ranges() {
  const std::lock_guard lock(mutex_);
  std::vector<MemoryRange> ranges;
  for (const auto& [handle, memory] : memory_) add_ranges(memory, memory.mapped, ranges);
  return ranges;
}

// What is mapped later is checked when it is mapped. If no queue is free, the next wait checks.
void HostReads::wait(const char* command) {
  if (!at_waits_) return;
  const std::lock_guard lock(checking_);
  bool unread = false;
  const HostView view = engine_.order.host_view(seen_, unread);
  if (!unread) return;
  const std::vector<MemoryRange> ranges = mapped_ranges();
  if (ranges.empty() || check(ranges, view, seen_, command)) seen_ = view.done;
}

void HostReads::add_ranges(const Memory& memory, const Span& span, std::vector<MemoryRange>& ranges) const {
  for (const auto& [buffer, offset] : memory.buffers) {
    const BufferTable::BoundRange place = device_.buffers.place(buffer);
    if (!place.address || !place.has_cells()) continue;
    const VkDeviceSize begin = std::max(span.begin, offset), end = std::min(span.end, offset + place.size);
    if (begin >= end) continue;
    append_packed({.address = place.address + (begin - offset), .bytes = end - begin}, ranges);
  }
}

bool HostReads::has_come_back(HostReadCheck& check, uint64_t timeout) const {
  if (!check.pending) return true;
  if (device_.next.WaitForFences(device_.handle, 1, &check.fence, VK_TRUE, timeout) != VK_SUCCESS)
    return false;
  if (check.alone) engine_.order.own_complete(check.order_queue, check.number);
  check.pending = device_.next.ResetFences(device_.handle, 1, &check.fence) != VK_SUCCESS;
  return !check.pending;
}

HostReads::HostReadCheck* HostReads::free_check(SubmissionQueue& queue) {
  const DeviceCommands& next = device_.next;
  for (HostReadCheck& check : checks_) {
    if (check.queue == queue.handle && has_come_back(check, 0)) return &check;
  }
  if (checks_.size() >= kMostChecks) return nullptr;
  checks_.reserve(checks_.size() + 1);
  HostReadCheck check;
  check.queue = queue.handle;
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  if (queue.commands.allocate(check.commands) != VK_SUCCESS) return nullptr;
  check.state = std::make_unique<CommandRecorder>(device_.command_buffers.impl(), check.commands,
                                                  queue.family, false, true, std::make_shared<PoolUse>());
  if (next.CreateFence(device_.handle, &info, nullptr, &check.fence) != VK_SUCCESS) return nullptr;
  checks_.push_back(std::move(check));
  return &checks_.back();
}

bool HostReads::record(HostReadCheck& check, const std::vector<MemoryRange>& ranges, VkDeviceAddress floors,
                       const char* command) {
  CommandAccesses accesses;
  accesses.command = command;
  accesses.main_class = SQA_CLASS_HOST;
  accesses.ranges = ranges;
  auto& recorder = static_cast<ExactRecorder&>(check.state->engine());
  const bool entered = floors && recorder.record_host_reads(accesses, floors);
  check.state->end();
  check.state->recorded->of_host = true;
  return device_.next.EndCommandBuffer(check.commands) == VK_SUCCESS && entered;
}

bool HostReads::check(const std::vector<MemoryRange>& ranges, const HostView& view, const QueueClock& seen,
                      const char* command) {
  const DeviceCommands& next = device_.next;
  const Submissions::Reserved reserved = device_.submissions.reserve_compute();
  if (!reserved.queue) return false;
  HostReadCheck* const free = free_check(*reserved.queue);
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (!free || next.BeginCommandBuffer(free->commands, &begin) != VK_SUCCESS) {
    device_.note(
        "host reads",
        "some of what the host reads is not checked: the driver gives no command buffer for it, or has "
        "not done the last ones yet");
    return false;
  }
  free->state->begin(begin);
  const RecordAllocation floors = free->state->arena.allocate(kFloorDwords * sizeof(uint32_t));
  if (!record(*free, ranges, floors.memory ? floors.address : 0, command)) return false;
  // If so, nothing is in front of it that could wait for the host.
  free->alone = engine_.order.everything_complete();
  VkCommandBuffer commands[] = {VK_NULL_HANDLE, free->commands};
  commands[0] = engine_.submissions().place_command_buffer(*reserved.queue, free->state->recorded,
                                                           device_.submissions.next_serial(), true);
  free->order_queue = order_queue(*reserved.queue);
  free->number = exact_of(*free->state->recorded).last[free->order_queue];
  const FloorBlock block = floor_block(view, seen, epoch_of(free->number));
  std::memcpy(floors.memory, block.data(), sizeof block);
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = commands[0] ? 2 : 1;
  info.pCommandBuffers = commands[0] ? commands : commands + 1;
  if (next.QueueSubmit(free->queue, 1, &info, free->fence) != VK_SUCCESS) return false;
  free->pending = true;
  if (free->alone) has_come_back(*free, kLongestWait);
  return true;
}

void HostReads::finish() {
  const std::lock_guard lock(checking_);
  for (HostReadCheck& check : checks_) has_come_back(check, kLongestWait);
}

}  // namespace shaderqa::layer
