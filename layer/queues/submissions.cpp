// SPDX-License-Identifier: Apache-2.0
#include "layer/queues/submissions.h"

#include "host/summary/run_summary.h"
#include "layer/context/instance.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"
#include "layer/vk/submit_infos.h"

namespace shaderqa::layer {
namespace {

template <typename Info>
SubmittedBatch semaphores_of(const Info& info) {
  SubmittedBatch batch;
  batch.waits = waits_of(info);
  batch.signals = signals_of(info);
  return batch;
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
  place->second = std::make_unique<SubmissionQueue>(device_, device_.engine->make_queue(), handle, family,
                                                    static_cast<uint32_t>(queues_.size() - 1));
  place->second->name = "queue " + std::to_string(index) + " of family " + std::to_string(family);
}

SubmissionQueue* Submissions::find(VkQueue queue) const {
  const std::shared_lock lock(mutex_);
  const auto found = queues_.find(queue);
  return found == queues_.end() ? nullptr : found->second.get();
}

std::unique_lock<std::mutex> Submissions::use(VkQueue handle) const {
  SubmissionQueue* queue = device_.engine->needs.host_reads ? find(handle) : nullptr;
  return queue ? std::unique_lock(queue->in_use) : std::unique_lock<std::mutex>();
}

std::vector<std::unique_lock<std::mutex>> Submissions::use_all() const {
  std::vector<std::unique_lock<std::mutex>> locks;
  if (!device_.engine->needs.host_reads) return locks;
  // mutex_ is given back first: the holder of one of these locks may be waiting for it.
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

void Submissions::count_actions(const RecordedCommands& recorded) const {
  if (recorded.action_count == 0) return;
  RunSummary& summary = *device_.instance->summary;
  summary.add(Tally::actions, recorded.action_count);
  summary.add(Tally::actions_checked, recorded.checked_actions);
  summary.add(Tally::actions_unchecked, recorded.unchecked_actions);
}

template <typename Info>
bool Submissions::prepare_batch(SubmissionQueue& queue, const Info& info, Info& copy, Arena& arena) {
  SubmittedBatch batch = semaphores_of(info);
  batch.serial = next_serial();
  batch.may_insert = may_be_edited(info);
  batch.command_buffers.reserve(command_buffer_count(info));
  for (uint32_t i = 0; i < command_buffer_count(info); ++i) {
    const CommandRecorder* state = device_.command_buffers.impl().states.find(command_buffer(info, i));
    batch.command_buffers.push_back(state ? state->recorded : nullptr);
    if (state) count_actions(*state->recorded);
  }
  const std::vector<InsertedCommands> inserted = device_.engine->prepare_batch(queue, batch);
  if (inserted.empty()) return false;
  insert_commands(copy, inserted, arena);
  return true;
}

template <typename Info>
const Info* Submissions::prepare_infos(VkQueue handle, const Info* infos, uint32_t count, Arena& arena) {
  SubmissionQueue* queue = find(handle);
  if (!queue) return infos;
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
  SubmissionQueue* queue = find(handle);
  for (uint32_t i = 0; queue && i < count; ++i) device_.engine->bind_sparse(*queue, semaphores_of(infos[i]));
}

void Submissions::fence_submitted(VkQueue handle, VkFence fence) {
  SubmissionQueue* queue = fence ? find(handle) : nullptr;
  if (queue) device_.engine->fence_submitted(*queue, fence);
}

void Submissions::queue_idle(VkQueue handle) {
  if (SubmissionQueue* queue = find(handle)) device_.engine->queue_idle(*queue);
}

}  // namespace shaderqa::layer
