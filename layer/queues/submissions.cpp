// SPDX-License-Identifier: Apache-2.0
#include "layer/queues/submissions.h"

#include <cstring>

#include "layer/context/instance.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/engines/filter/barrier_effects.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"
#include "layer/vk/submit_infos.h"

namespace shaderqa::layer {
namespace {

template <typename Info>
bool waits_for_shaders(const Info& info) {
  for (const SemaphoreUse& use : waits_of(info)) {
    if (covers_checked(destination_scope(use.stages))) return true;
  }
  return false;
}

}  // namespace

Submissions::~Submissions() {
  if (device_.instance->in_forked_child()) return;
  for (const auto& [handle, queue] : queues_) {
    queue->commands.destroy();
  }
}

void Submissions::add_queue(VkQueue handle, uint32_t family, uint32_t index) {
  const std::unique_lock lock(mutex_);
  const auto [place, added] = queues_.try_emplace(handle);
  if (!added) return;
  place->second =
      std::make_unique<SubmissionQueue>(device_, handle, family, static_cast<uint32_t>(queues_.size() - 1));
  place->second->name = "queue " + std::to_string(index) + " of family " + std::to_string(family);
}

SubmissionQueue* Submissions::find(VkQueue queue) const {
  const std::shared_lock lock(mutex_);
  const auto found = queues_.find(queue);
  return found == queues_.end() ? nullptr : found->second.get();
}

std::unique_lock<std::mutex> Submissions::use(VkQueue handle) const {
  SubmissionQueue* queue = device_.host_reads ? find(handle) : nullptr;
  return queue ? std::unique_lock(queue->in_use) : std::unique_lock<std::mutex>();
}

std::vector<std::unique_lock<std::mutex>> Submissions::use_all() const {
  std::vector<std::unique_lock<std::mutex>> locks;
  if (!device_.host_reads) return locks;
  // Whoever has one of them may be on the way to mutex_.
  std::vector<SubmissionQueue*> all;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [handle, queue] : queues_) all.push_back(queue.get());
  }
  for (SubmissionQueue* queue : all) locks.emplace_back(queue->in_use);
  return locks;
}

Submissions::Reserved Submissions::reserve_compute() const {
  const std::vector<bool>& compute = device_.facts.compute_families;
  const std::shared_lock lock(mutex_);
  for (const auto& [handle, queue] : queues_) {
    if (queue->family >= compute.size() || !compute[queue->family]) continue;
    std::unique_lock in_use(queue->in_use, std::try_to_lock);
    if (in_use) return {queue.get(), std::move(in_use)};
  }
  return {};
}

void Submissions::name(VkQueue handle, const std::string& name) {
  if (SubmissionQueue* queue = find(handle); queue && !name.empty()) queue->name = name;
}

void Submissions::begin_label(VkQueue handle, const char* name) {
  if (SubmissionQueue* queue = find(handle)) queue->labels.emplace_back(name ? name : "");
}

void Submissions::end_label(VkQueue handle) {
  if (SubmissionQueue* queue = find(handle); queue && !queue->labels.empty()) queue->labels.pop_back();
}

VkCommandBuffer Submissions::clear_of(SubmissionQueue& queue) {
  if (queue.clear || queue.clear_failed) return queue.clear;
  const VkResult result = make_clear(queue);
  if (result == VK_SUCCESS) return queue.clear;
  queue.clear_failed = true;
  queue.clear = VK_NULL_HANDLE;
  device_.note("clear",
               "unsynchronised accesses may be reported that a wait has synchronised: the filter cannot "
               "be cleared between submissions (VkResult " +
                   std::to_string(result) + ")");
  return VK_NULL_HANDLE;
}

VkResult Submissions::make_clear(SubmissionQueue& queue) {
  AccessFilters::Family* filter = device_.access_filters.find(queue.family);
  VkResult result = queue.commands.allocate(queue.clear);
  if (result != VK_SUCCESS) return result;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  result = device_.next.BeginCommandBuffer(queue.clear, &begin);
  if (result != VK_SUCCESS) return result;
  filter->record_clear(device_, queue.clear, device_.access_filters.next_dispatch_id());
  return device_.next.EndCommandBuffer(queue.clear);
}

void Submissions::mark(const SubmissionQueue& queue, RecordedCommands& recording, uint32_t serial) {
  if (recording.submission) {
    recording.submission->queue = queue.number;
    recording.submission->serial = serial;
    recording.submission->aliased = device_.buffers.aliased();
  }
  device_.command_buffers.impl().history.submitted(recording, queue.name, queue.labels);
  for (const auto& secondary : recording.secondaries) mark(queue, *secondary, serial);
}

template <typename Info>
bool Submissions::prepare_batch(SubmissionQueue& queue, const Info& info, Info& copy, Arena& arena) {
  const uint32_t serial = next_serial();
  if (device_.exact) return exact_.prepare_batch(queue, info, copy, serial, arena);
  if (waits_for_shaders(info)) queue.needs_clear = true;
  AccessFilters::Family* filter = device_.access_filters.find(queue.family);
  std::vector<InsertedCommands> clears;
  bool cleared = false;
  for (uint32_t i = 0; i < command_buffer_count(info); ++i) {
    const CommandRecorder* state = find_recorder(device_, command_buffer(info, i));
    if (!state) continue;
    RecordedCommands& recording = *state->recording();
    if (recording.checked) {
      mark(queue, recording, serial);
      if (filter && queue.needs_clear && !recording.resumes) {
        if (!recording.begins_with_clear) clears.push_back({i, VK_NULL_HANDLE});
        queue.needs_clear = false;
        cleared = true;
      }
    }
    queue.needs_clear = queue.needs_clear || recording.owes_clear;
  }
  if (clears.empty()) {
    if (cleared) filter->activate();
    return false;
  }
  if (!may_be_edited(info)) {
    queue.needs_clear = true;
    device_.note("submission",
                 "unsynchronised accesses may be reported that a wait has synchronised: some submissions are "
                 "protected or have structures that do not let the filter be cleared in them");
    return false;
  }
  const VkCommandBuffer clear = filter->has_filter() ? clear_of(queue) : VK_NULL_HANDLE;
  if (!clear) return false;
  for (InsertedCommands& one : clears) one.commands = clear;
  insert_commands(copy, clears, arena);
  filter->activate();
  return true;
}

template <typename Info>
const Info* Submissions::prepare_infos(VkQueue handle, const Info* infos, uint32_t count, Arena& arena) {
  SubmissionQueue* queue = find(handle);
  if (!queue) return infos;
  const uint64_t epoch = host_epoch_.load(std::memory_order_relaxed);
  if (epoch != queue->host_epoch) queue->needs_clear = true;
  queue->host_epoch = epoch;
  Info* copies = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    Info copy = infos[i];
    if (!prepare_batch(*queue, infos[i], copy, arena)) continue;
    if (!copies) copies = arena.copy(infos, count);
    copies[i] = copy;
  }
  return copies ? copies : infos;
}

const VkSubmitInfo* Submissions::prepare(VkQueue queue, const VkSubmitInfo* infos, uint32_t count,
                                         Arena& arena) {
  return prepare_infos(queue, infos, count, arena);
}

const VkSubmitInfo2* Submissions::prepare(VkQueue queue, const VkSubmitInfo2* infos, uint32_t count,
                                          Arena& arena) {
  return prepare_infos(queue, infos, count, arena);
}

void Submissions::prepare_sparse(VkQueue handle, const VkBindSparseInfo* infos, uint32_t count) {
  const SubmissionQueue* queue = device_.exact ? find(handle) : nullptr;
  for (uint32_t i = 0; queue && i < count; ++i) exact_.order_semaphores(*queue, infos[i]);
}

void Submissions::fence_submitted(VkQueue handle, VkFence fence) {
  const SubmissionQueue* queue = device_.exact && fence ? find(handle) : nullptr;
  if (queue) device_.exact->order.signal_fence(exact_queue(*queue), reinterpret_cast<uint64_t>(fence));
}

void Submissions::queue_idle(VkQueue handle) {
  const SubmissionQueue* queue = device_.exact ? find(handle) : nullptr;
  if (queue) device_.exact->order.queue_idle(exact_queue(*queue));
}

}  // namespace shaderqa::layer
