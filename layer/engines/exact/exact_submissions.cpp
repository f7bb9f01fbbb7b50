// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/exact_submissions.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "layer/engines/exact/access_classes.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/recording/command_recorder.h"
#include "layer/vk/handle_value.h"
#include "layer/vk/submit_infos.h"

namespace shaderqa::layer {
namespace {

// Of one queue. Without one the command buffer is not checked.
constexpr size_t kMostOnce = 64;

template <typename Target>
void by_host(const Target& target, const abi::SubmissionState& state) {
  std::memcpy(target.place.memory, &state, sizeof state);
}

}  // namespace

uint32_t exact_queue(const SubmissionQueue& queue) {
  return std::min<uint32_t>(queue.number, SQA_MAX_QUEUES - 1);
}

void ExactSubmissions::collect(const std::shared_ptr<RecordedCommands>& recording,
                               const SubmissionOrigin& place, bool checked,
                               std::vector<Target>& targets) const {
  ExactRecorded& part = *recording->exact;
  mend_unwatched(device_, part.unwatched);
  if (recording->submission)
    targets.push_back({part.submission, recording.get(), recording, place, false, checked});
  for (const ExactRecorded::Execution& execution : part.executions) {
    const SubmissionOrigin inner = inner_place(place, execution.entry, execution.offset, execution.producers);
    const bool inner_checked = checked && execution.checked;
    if (execution.staging.memory) {
      mend_unwatched(device_, execution.recording->exact->unwatched);
      targets.push_back(
          {execution.staging, execution.recording.get(), recording, inner, true, inner_checked});
    } else {
      collect(execution.recording, inner, inner_checked, targets);
    }
  }
}

// What is executed several times, with one SubmissionState for all of them.
void ExactSubmissions::leave_ambiguous_unchecked(std::vector<Target>& targets) const {
  for (const Target& target : targets) {
    const auto same = [&](const Target& other) { return other.subject == target.subject; };
    const auto plain = [&](const Target& other) { return same(other) && !other.staged; };
    if (!target.checked || std::ranges::count_if(targets, plain) < 2) continue;
    device_.note(
        "repeated secondary",
        "a secondary command buffer that one submission executes several times within render passes, "
        "or within other secondary command buffers, is not checked");
    for (Target& other : targets) {
      if (same(other)) other.checked = false;
    }
  }
}

bool ExactSubmissions::is_pending(const RecordedCommands& recording, uint32_t queue, bool& elsewhere) const {
  const ExactRecorded& part = *recording.exact;
  bool pending = false;
  for (uint32_t i = 0; i < SQA_MAX_QUEUES; ++i) {
    if (device_.exact->order.is_complete(i, part.last[i])) continue;
    pending = true;
    elsewhere = elsewhere || i != queue;
  }
  return pending;
}

void ExactSubmissions::tell_history(const SubmissionQueue& queue, RecordedCommands& recording) {
  device_.command_buffers.impl().history.submitted(recording, queue.name, queue.labels);
  for (const ExactRecorded::Execution& execution : recording.exact->executions) {
    tell_history(queue, *execution.recording);
  }
}

VkCommandBuffer ExactSubmissions::begin_once(SubmissionQueue& queue, uint64_t number) {
  const uint32_t order_queue = exact_queue(queue);
  auto once = std::ranges::find_if(queue.once, [&](const SubmissionQueue::OneTimeCommands& one) {
    return device_.exact->order.is_complete(order_queue, one.number);
  });
  VkResult result = VK_SUCCESS;
  if (once == queue.once.end()) {
    if (queue.once.size() >= kMostOnce) return VK_NULL_HANDLE;
    queue.once.reserve(queue.once.size() + 1);
    VkCommandBuffer made = VK_NULL_HANDLE;
    result = queue.commands.allocate(made);
    if (result != VK_SUCCESS) return VK_NULL_HANDLE;
    queue.once.push_back({made, 0});
    once = std::prev(queue.once.end());
  }
  once->number = number;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  result = device_.next.BeginCommandBuffer(once->commands, &begin);
  return result == VK_SUCCESS ? once->commands : VK_NULL_HANDLE;
}

VkCommandBuffer ExactSubmissions::place_command_buffer(SubmissionQueue& queue,
                                                       const std::shared_ptr<RecordedCommands>& recording,
                                                       uint32_t serial, bool may_insert) {
  ExactEngine& engine = *device_.exact;
  const uint32_t order_queue = exact_queue(queue);
  std::vector<Target> targets;
  std::vector<bool> by_device;
  uint64_t epoch = 0, last = 0;
  bool clears = false, must_clear = false, new_epoch = false;
  {
    const std::lock_guard lock(mutex_);
    RedundantBarriers* const redundant = engine.redundant();
    if (redundant && engine.order.everything_complete()) redundant->everything_done();
    // Then each has a number, by which it is known to be over.
    const uint32_t numbers = std::max(recording->exact->numbers, redundant ? 1u : 0u);
    const uint64_t done = engine.order.complete(order_queue);
    const SubmissionOrigin place = engine.order.begin(order_queue, numbers, recording->exact->producers);
    engine.order.end(place, recording->exact->exit);
    engine.give_numbers(recording, place);
    if (redundant) redundant->submitted(*recording, place, done);
    if (recording->exact->numbers == 0) return VK_NULL_HANDLE;
    tell_history(queue, *recording);
    last = place.first + recording->exact->numbers - 1;
    epoch = epoch_of(place.first);
    collect(recording, place, true, targets);
    leave_ambiguous_unchecked(targets);
    new_epoch = epoch > cleared_epoch_;
    const bool new_cells = engine.owes_clear();
    clears = (new_epoch || new_cells) && may_insert;
    // Cells may hold numbers of the epoch before the last one, which look like this one's.
    must_clear = new_cells || epoch > cleared_epoch_ + 1;
    for (Target& target : targets) {
      bool elsewhere = false;
      const bool again = recording->exact->simultaneous || target.owner->exact->simultaneous;
      const bool pending = again && is_pending(*target.owner, order_queue, elsewhere);
      if (elsewhere || (pending && !may_insert)) target.checked = false;
      by_device.push_back(pending);
    }
    for (const Target& target : targets) target.owner->exact->last[order_queue] = last;
  }
  const bool writes = std::ranges::find(by_device, true) != by_device.end();
  const VkCommandBuffer commands = clears || writes ? begin_once(queue, last) : VK_NULL_HANDLE;
  if (commands) record_barrier_before_transfers(device_, commands);
  bool all_checked = true;
  for (size_t i = 0; i < targets.size(); ++i) {
    const Target& target = targets[i];
    abi::SubmissionState state;
    write_submission_state(target.where, serial, state);
    if (!target.checked || (!commands && (by_device[i] || must_clear))) {
      state.first_sequence = 0;  // whatever still runs with it is not checked from now on
      all_checked = false;
      by_host(target, state);
    } else if (!by_device[i]) {
      by_host(target, state);
    }
    if (commands && by_device[i]) {
      device_.next.CmdUpdateBuffer(commands, target.place.buffer, target.place.offset, sizeof state, &state);
    }
  }
  if (!all_checked) {
    if (RedundantBarriers* const redundant = engine.redundant())
      redundant->lose("some submissions around it are not checked");
    device_.note(
        "unchecked submission",
        "some submissions are not checked: their command buffers are still in use, or nothing can be "
        "inserted in front of them");
  }
  if (!commands) return VK_NULL_HANDLE;
  if (clears) engine.record_clears(commands, new_epoch);
  record_barrier_behind_transfers(device_, commands);
  if (device_.next.EndCommandBuffer(commands) != VK_SUCCESS) {
    for (const Target& target : targets) by_host(target, {});
    if (RedundantBarriers* const redundant = engine.redundant())
      redundant->lose("some submissions around it are not checked");
    return VK_NULL_HANDLE;
  }
  if (clears) {
    const std::lock_guard lock(mutex_);
    cleared_epoch_ = std::max(cleared_epoch_, epoch);
  }
  return commands;
}

template <typename Info>
void ExactSubmissions::order_semaphores(const SubmissionQueue& queue, const Info& info) {
  SubmissionOrder& order = device_.exact->order;
  for (const SemaphoreUse& use : waits_of(info)) {
    order.wait(exact_queue(queue), handle_value(use.semaphore), use.value,
               with_arguments_of_builds(classes_behind(use.stages)));
  }
  for (const SemaphoreUse& use : signals_of(info)) {
    order.signal(exact_queue(queue), handle_value(use.semaphore), use.value);
  }
}

template <typename Info>
bool ExactSubmissions::prepare_batch(SubmissionQueue& queue, const Info& info, Info& copy, uint32_t serial,
                                     Arena& arena) {
  SubmissionOrder& order = device_.exact->order;
  RedundantBarriers* const redundant = device_.exact->redundant();
  for (const SemaphoreUse& use : waits_of(info)) {
    if (redundant) redundant->waits(use.stages, order.is_foreign(handle_value(use.semaphore)));
    order.wait(exact_queue(queue), handle_value(use.semaphore), use.value,
               with_arguments_of_builds(classes_behind(use.stages)));
  }
  const bool editable = may_be_edited(info);
  std::vector<InsertedCommands> inserted;
  for (uint32_t i = 0; i < command_buffer_count(info); ++i) {
    const CommandRecorder* state = find_recorder(device_, command_buffer(info, i));
    if (!state) {
      order.pass_unknown(exact_queue(queue));
      if (redundant) redundant->lose_all("there are command buffers that the layer does not know");
      continue;
    }
    const std::shared_ptr<RecordedCommands>& recording = state->recording();
    const VkCommandBuffer commands =
        place_command_buffer(queue, recording, serial, editable && !recording->resumes);
    if (commands) inserted.push_back({i, commands});
  }
  for (const SemaphoreUse& use : signals_of(info)) {
    order.signal(exact_queue(queue), handle_value(use.semaphore), use.value);
  }
  if (inserted.empty()) return false;
  insert_commands(copy, inserted, arena);
  return true;
}

template bool ExactSubmissions::prepare_batch(SubmissionQueue&, const VkSubmitInfo&, VkSubmitInfo&, uint32_t,
                                              Arena&);
template bool ExactSubmissions::prepare_batch(SubmissionQueue&, const VkSubmitInfo2&, VkSubmitInfo2&,
                                              uint32_t, Arena&);
template void ExactSubmissions::order_semaphores(const SubmissionQueue&, const VkBindSparseInfo&);

}  // namespace shaderqa::layer
