// SPDX-License-Identifier: Apache-2.0
#include "layer/queues/submissions.h"

#include <algorithm>
#include <cstring>

#include "host/summary/run_summary.h"
#include "host/switch/check_switch.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/output/trace_output.h"
#include "layer/recording/command_recorder.h"
#include "layer/recording/layout_replay.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/image_layouts.h"
#include "layer/resources/image_memory.h"
#include "layer/vk/guarded.h"
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

void Submissions::add_queue(VkQueue handle, const VkDeviceQueueInfo2& info) {
  // VK_DEVICE_QUEUE_CREATE_INTERNALLY_SYNCHRONIZED_BIT_KHR, which is newer than the headers.
  constexpr VkDeviceQueueCreateFlags internally_synchronised = 4;
  const bool synchronised = (info.flags & internally_synchronised) != 0;
  if (synchronised) any_synchronised_.store(true, std::memory_order_release);
  const std::unique_lock lock(mutex_);
  const auto [place, added] = queues_.try_emplace(handle);
  if (!added) return;
  place->second =
      std::make_unique<SubmissionQueue>(device_, device_.engine->make_queue(), handle, info.queueFamilyIndex,
                                        static_cast<uint32_t>(queues_.size() - 1), synchronised);
  place->second->name =
      "queue " + std::to_string(info.queueIndex) + " of family " + std::to_string(info.queueFamilyIndex);
}

SubmissionQueue* Submissions::find(VkQueue queue) const {
  const std::shared_lock lock(mutex_);
  const auto found = queues_.find(queue);
  return found == queues_.end() ? nullptr : found->second.get();
}

std::unique_lock<std::mutex> Submissions::use(VkQueue handle) const {
  SubmissionQueue* queue = device_.engine->needs.host_reads ? find(handle) : nullptr;
  if (!queue || queue->synchronised) return {};
  return std::unique_lock(queue->in_use);
}

std::unique_lock<std::mutex> Submissions::submit_to(VkQueue handle) const {
  const bool host_reads = device_.engine->needs.host_reads;
  SubmissionQueue* queue = host_reads || any_synchronised() ? find(handle) : nullptr;
  if (!queue || !(queue->synchronised || host_reads)) return {};
  return std::unique_lock(queue->in_use);
}

std::vector<SubmissionQueue*> Submissions::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<SubmissionQueue*> found;
  for (const auto& [handle, queue] : queues_) found.push_back(queue.get());
  return found;
}

std::vector<std::unique_lock<std::mutex>> Submissions::use_all() const {
  std::vector<std::unique_lock<std::mutex>> locks;
  if (!device_.engine->needs.host_reads) return locks;
  // mutex_ is given back first: the holder of one of these locks may be waiting for it.
  for (SubmissionQueue* queue : all())
    if (!queue->synchronised) locks.emplace_back(queue->in_use);
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

std::string Submissions::name_of(VkQueue handle) const {
  const SubmissionQueue* const queue = find(handle);
  return queue ? queue->name : std::string();
}

void Submissions::begin_label(VkQueue handle, const char* name) {
  SubmissionQueue* const queue = find(handle);
  if (!queue) return;
  const auto in_use = submit_to(handle);
  queue->labels.emplace_back(name ? name : "");
  CheckSwitch& checks = *device_.instance->checks;
  if (!checks.within.empty()) checks.saw_queue_labels(checks.within.depths(queue->labels));
}

void Submissions::end_label(VkQueue handle) {
  const auto in_use = submit_to(handle);
  if (SubmissionQueue* queue = find(handle); queue && !queue->labels.empty()) queue->labels.pop_back();
}

CheckSwitch::Submission Submissions::begin_submission() {
  const CheckSwitch::Submission part = device_.instance->checks->submission_begins();
  const std::lock_guard lock(opening_mutex_);
  if (part.opening > opening_) {
    opening_ = part.opening;
    device_.engine->forget_earlier();
  }
  return part;
}

bool Submissions::is_left_out(const RecordedCommands& recorded, const SubmissionQueue& queue,
                              bool open) const {
  if (!device_.engine->needs.left_out_at_submission) return false;
  if (!open) return true;
  // Its actions were chosen because of labels that this queue need not have.
  if (recorded.needed_labels.empty()) return false;
  const LabelPaths::Depths now = device_.instance->checks->within.depths(queue.labels);
  return !std::ranges::equal(now, recorded.needed_labels, std::ranges::greater_equal());
}

void Submissions::count_actions(RecordedCommands& recorded, bool left_out, bool open) const {
  const bool again = recorded.submit();
  if (recorded.action_count == 0) return;
  if (!left_out)
    device_.command_buffers.impl().coverage.checked(recorded.coverage, *device_.instance->summary);
  CheckSwitch& checks = *device_.instance->checks;
  RunSummary& summary = *device_.instance->summary;
  const uint32_t checked = left_out ? 0 : recorded.checked_actions;
  // What was recorded before checks were switched on, and is used while they are, is not what the user chose.
  const uint32_t late = open && (again || checks.counts_frames()) ? recorded.late_actions : 0;
  const uint32_t chosen_out = recorded.left_out_actions - late + (recorded.checked_actions - checked);
  summary.add(Tally::actions, recorded.action_count);
  summary.add(Tally::actions_checked, checked);
  summary.add(Tally::actions_unchecked, recorded.unchecked_actions);
  summary.add(Tally::actions_left_out, chosen_out);
  summary.add(Tally::actions_late, late);
  checks.count_actions(recorded.action_count, checked, chosen_out + late);
}

void Submissions::list_traceable(const RecordedCommands& recorded, uint64_t frame) const {
  TraceOutput* const trace = device_.trace_output();
  if (!trace || !trace->lists_actions()) return;
  TracedSubmission submission;
  submission.frame = frame;
  submission.command_buffer = device_.command_buffers.name_of(recorded);
  for (const TraceableAction& action : recorded.traceable) {
    TracedAction& listed = submission.actions.emplace_back();
    listed.index = action.index;
    listed.kind = action.kind == ActionKind::draw       ? "draw"
                  : action.kind == ActionKind::dispatch ? "dispatch"
                                                        : "trace";
    if (action.labels) listed.labels = *action.labels;
    listed.shaders = action.pipeline->shaders;
  }
  trace->add_submission(std::move(submission), recorded.traceable_left_out);
}

template <typename Info>
DeviceTime::Around Submissions::time_of(SubmissionQueue& queue, const Info* infos, uint32_t count,
                                        bool open) {
  if (!device_.instance->checks->has_budget()) return {};
  queue.time.collect();
  const bool ok = std::all_of(infos, infos + count, [](const Info& info) {
    return command_buffer_count(info) > 0 && may_be_edited(info);
  });
  return ok ? queue.time.next(open) : DeviceTime::Around();
}

template <typename Info>
bool Submissions::prepare_batch(SubmissionQueue& queue, const Info& info, const CheckSwitch::Submission& part,
                                const DeviceTime::Around& around, Info& copy, Arena& arena) {
  SubmittedBatch batch = semaphores_of(info);
  batch.serial = next_serial();
  batch.may_insert = may_be_edited(info);
  batch.command_buffers.reserve(command_buffer_count(info));
  for (uint32_t i = 0; i < command_buffer_count(info); ++i) {
    const CommandRecorder* state = device_.command_buffers.impl().states.find(command_buffer(info, i));
    batch.command_buffers.push_back(state ? state->recorded : nullptr);
    batch.left_out.push_back(state && is_left_out(*state->recorded, queue, part.open));
    if (!state) continue;
    see_submission(device_, state->recorded->late_aliases, state->recorded->orders_images);
    count_actions(*state->recorded, batch.left_out.back(), part.open);
    if (!state->recorded->traceable.empty()) list_traceable(*state->recorded, part.frame);
  }
  const bool ordered = device_.engine->knows_order();
  std::vector<InsertedCommands> inserted = device_.engine->prepare_batch(queue, batch);
  if (device_.engine->needs.images) {
    // A batch that waits for a later one does not run in the order of submissions.
    if (ordered && device_.engine->knows_order())
      follow_layouts(device_, batch, queue.name);
    else
      device_.image_layouts.forget_all();
  }
  if (around.before) inserted.insert(inserted.begin(), {0, around.before});
  if (around.behind) inserted.push_back({command_buffer_count(info), around.behind});
  if (inserted.empty()) return false;
  insert_commands(copy, inserted, arena);
  return true;
}

template <typename Info>
const Info* Submissions::prepare_infos(VkQueue handle, const Info* infos, uint32_t count, Arena& arena) {
  const bool any =
      std::any_of(infos, infos + count, [](const Info& info) { return command_buffer_count(info) > 0; });
  const CheckSwitch::Submission part = any ? begin_submission() : CheckSwitch::Submission();
  SubmissionQueue* queue = find(handle);
  if (!queue) return infos;
  if (learns_outside_.load(std::memory_order_acquire)) device_.engine->something_seen();
  const DeviceTime::Around time = any ? time_of(*queue, infos, count, part.open) : DeviceTime::Around();
  Info* copies = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    Info copy = infos[i];
    const DeviceTime::Around around{i == 0 ? time.before : VK_NULL_HANDLE,
                                    i + 1 == count ? time.behind : VK_NULL_HANDLE};
    if (!prepare_batch(*queue, infos[i], part, around, copy, arena)) continue;
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

void Submissions::learn_outside(const char* command) {
  learns_outside_.store(true, std::memory_order_release);
  if (device_.engine->needs.order)
    device_.note("waits outside of Vulkan",
                 std::string("from ") + command +
                     " on, which gives the program a sync file to wait for, accesses of " +
                     "one submission are not checked against those of earlier ones",
                 Concern::sync);
}

void Submissions::fence_submitted(VkQueue handle, VkFence fence) {
  SubmissionQueue* queue = fence ? find(handle) : nullptr;
  if (queue) device_.engine->fence_submitted(*queue, fence);
}

Submissions::UntilNow::~UntilNow() {
  guarded([&] { device_.engine->fence_destroyed(fence()); });
}

VkFence Submissions::UntilNow::fence() const {
  static_assert(sizeof(VkFence) >= sizeof(void*));
  const void* const self = this;
  VkFence fence = VK_NULL_HANDLE;
  std::memcpy(&fence, &self, sizeof self);
  return fence;
}

void Submissions::UntilNow::seen() { device_.engine->fence_seen(fence(), true); }

std::unique_ptr<Submissions::UntilNow> Submissions::until_now(VkQueue handle) {
  auto made = std::make_unique<UntilNow>(device_);
  const auto in_use = submit_to(handle);
  fence_submitted(handle, made->fence());
  return made;
}

std::vector<std::unique_ptr<Submissions::UntilNow>> Submissions::all_until_now() {
  std::vector<std::unique_ptr<UntilNow>> marks;
  for (const SubmissionQueue* queue : all()) marks.push_back(until_now(queue->handle));
  return marks;
}

}  // namespace shaderqa::layer
