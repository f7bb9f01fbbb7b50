// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/exact_submissions.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "instrument/runtime/abi_submission.h"
#include "layer/engines/exact/access_classes.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/memory/queue_commands.h"
#include "layer/recording/command_recorder.h"
#include "layer/vk/handle_value.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostOnce = 64;  // of one queue; without one the command buffer is not checked

void write_by_host(const RecordAllocation& place, const abi::SubmissionState& state) {
  std::memcpy(place.memory, &state, sizeof state);
}

}  // namespace

uint32_t order_queue(const SubmissionQueue& queue) {
  return std::min<uint32_t>(queue.number, SQA_MAX_QUEUES - 1);
}

// What was not known when they were written.
void ExactSubmissions::mend_records(ExactCommands& part) const {
  mark_late_writes(engine_, device_, part.late_writes);
  mend_unwatched(engine_, part.unwatched);
  mend_direct(engine_, device_, part.direct);
  // What another queue is given later may run before this: it would be forgotten.
  if (!engine_.order.several_queues()) return;
  for (const ReachOfAction& reach : part.own_uses) reach.compare_all();
  part.own_uses.clear();
}

void ExactSubmissions::collect(const std::shared_ptr<RecordedCommands>& recorded,
                               const SubmissionOrigin& place, bool checked,
                               std::vector<Target>& targets) const {
  ExactCommands& part = exact_of(*recorded);
  mend_records(part);
  if (recorded->submission.memory)
    targets.push_back({recorded->submission, recorded.get(), recorded, place, false, checked});
  for (const ExactCommands::Execution& execution : part.executions) {
    const SubmissionOrigin inner = inner_place(place, execution.entry, execution.offset, execution.producers);
    const bool inner_checked = checked && execution.checked;
    if (execution.staging.memory) {
      mend_records(exact_of(*execution.recorded));
      targets.push_back({execution.staging, execution.recorded.get(), recorded, inner, true, inner_checked});
    } else {
      collect(execution.recorded, inner, inner_checked, targets);
    }
  }
}

// A secondary command buffer that is executed several times with one SubmissionState for all of them is not
// checked.
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

bool ExactSubmissions::is_pending(const ExactCommands& commands, uint32_t queue, bool& elsewhere) const {
  bool pending = false;
  for (uint32_t i = 0; i < SQA_MAX_QUEUES; ++i) {
    if (engine_.order.is_complete(i, commands.last[i])) continue;
    pending = true;
    elsewhere = elsewhere || i != queue;
  }
  return pending;
}

void ExactSubmissions::tell_history(const SubmissionQueue& queue, RecordedCommands& recorded) {
  device_.command_buffers.impl().history.submitted(recorded, queue.name, queue.labels);
  for (const ExactCommands::Execution& execution : exact_of(recorded).executions) {
    tell_history(queue, *execution.recorded);
  }
}

VkCommandBuffer ExactSubmissions::begin_once(SubmissionQueue& queue, uint64_t number) {
  auto& all = static_cast<ExactQueue&>(*queue.engine).once;
  auto once = std::ranges::find_if(all, [&](const ExactQueue::OneTimeCommands& one) {
    return engine_.order.is_complete(order_queue(queue), one.number);
  });
  VkResult result = VK_SUCCESS;
  if (once == all.end()) {
    if (all.size() >= kMostOnce) return VK_NULL_HANDLE;
    all.reserve(all.size() + 1);
    VkCommandBuffer made = VK_NULL_HANDLE;
    result = queue.commands.allocate(made);
    if (result != VK_SUCCESS) return VK_NULL_HANDLE;
    all.push_back({made, 0});
    once = std::prev(all.end());
  }
  once->number = number;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  result = device_.next.BeginCommandBuffer(once->commands, &begin);
  return result == VK_SUCCESS ? once->commands : VK_NULL_HANDLE;
}

ExactSubmissions::Numbered ExactSubmissions::give_numbers(const SubmissionQueue& queue,
                                                          const std::shared_ptr<RecordedCommands>& recorded,
                                                          bool may_insert) {
  ExactCommands& part = exact_of(*recorded);
  const uint32_t own_queue = order_queue(queue);
  RedundantBarriers* const redundant = engine_.redundant();
  Numbered result;
  const std::lock_guard lock(mutex_);
  if (redundant && engine_.order.everything_complete()) redundant->everything_done();
  // Where barriers are looked for, each command buffer has a number, by which it is known to be over.
  const uint32_t numbers = std::max(part.numbers, redundant ? 1u : 0u);
  const uint64_t done = engine_.order.complete(own_queue);
  if (part.waits_for_host) engine_.order.wait_for_host();
  const SubmissionOrigin place = engine_.order.begin(own_queue, numbers, part.producers);
  engine_.order.end(place, part.exit);
  engine_.give_numbers(recorded, place);
  if (redundant) redundant->submitted(*recorded, place, done);
  if (part.numbers == 0) return result;
  tell_history(queue, *recorded);
  collect(recorded, place, true, result.targets);
  leave_ambiguous_unchecked(result.targets);
  result.last = place.first + part.numbers - 1;
  result.epoch = epoch_of(place.first);
  result.new_epoch = result.epoch > cleared_epoch_;
  const bool new_cells = engine_.owes_clear();
  result.clears = (result.new_epoch || new_cells) && may_insert;
  // Cells may hold numbers of the epoch before the last one, which look like this one's.
  result.must_clear = new_cells || result.epoch > cleared_epoch_ + 1;
  for (Target& target : result.targets) {
    bool elsewhere = false;
    const ExactCommands& owner = exact_of(*target.owner);
    const bool again = part.simultaneous || owner.simultaneous;
    target.by_device = again && is_pending(owner, own_queue, elsewhere);
    if (elsewhere || (target.by_device && !may_insert)) target.checked = false;
  }
  for (const Target& target : result.targets) exact_of(*target.owner).last[own_queue] = result.last;
  return result;
}

void ExactSubmissions::lose_some() {
  if (RedundantBarriers* const redundant = engine_.redundant())
    redundant->lose("some submissions around it are not checked");
}

void ExactSubmissions::write_states(const Numbered& numbered, uint32_t serial, VkCommandBuffer commands) {
  bool all_checked = true;
  for (const Target& target : numbered.targets) {
    abi::SubmissionState state;
    write_submission_state(target.where, exact_of(*target.subject).inherited, serial, state);
    if (!target.checked || (!commands && (target.by_device || numbered.must_clear))) {
      state.first_sequence = 0;  // whatever still runs with it is not checked from now on
      all_checked = false;
      write_by_host(target.place, state);
    } else if (!target.by_device) {
      write_by_host(target.place, state);
    }
    if (commands && target.by_device) {
      device_.next.CmdUpdateBuffer(commands, target.place.buffer, target.place.offset, sizeof state, &state);
    }
  }
  if (all_checked) return;
  lose_some();
  device_.note("unchecked submission",
               "some submissions are not checked: their command buffers are still in use, or nothing can be "
               "inserted in front of them");
}

bool ExactSubmissions::end_once(const Numbered& numbered, VkCommandBuffer commands,
                                std::span<const VkBuffer> buffers) {
  if (numbered.clears) engine_.record_clears(commands, numbered.new_epoch);
  record_barrier_behind_transfers(device_, commands, buffers);
  if (device_.next.EndCommandBuffer(commands) != VK_SUCCESS) {
    for (const Target& target : numbered.targets) write_by_host(target.place, {});
    lose_some();
    return false;
  }
  if (numbered.clears) {
    const std::lock_guard lock(mutex_);
    cleared_epoch_ = std::max(cleared_epoch_, numbered.epoch);
  }
  return true;
}

VkCommandBuffer ExactSubmissions::place_command_buffer(SubmissionQueue& queue,
                                                       const std::shared_ptr<RecordedCommands>& recorded,
                                                       uint32_t serial, bool may_insert) {
  const Numbered numbered = give_numbers(queue, recorded, may_insert);
  if (numbered.last == 0) return VK_NULL_HANDLE;
  if (exact_of(*recorded).logs_reads) engine_.read_logs().give(order_queue(queue));
  const bool writes = std::ranges::any_of(numbered.targets, &Target::by_device);
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (numbered.clears || writes) commands = begin_once(queue, numbered.last);
  std::vector<VkBuffer> buffers;
  if (commands) {
    for (const Target& target : numbered.targets) buffers.push_back(target.place.buffer);
    buffers = engine_.barrier_buffers_and(buffers);
    record_barrier_before_transfers(device_, commands, buffers);
  }
  write_states(numbered, serial, commands);
  return commands && end_once(numbered, commands, buffers) ? commands : VK_NULL_HANDLE;
}

// One number, by which it is known to be over. Nothing that it does is stored in cells, so they are not
// cleared.
VkCommandBuffer ExactSubmissions::leave_out(SubmissionQueue& queue,
                                            const std::shared_ptr<RecordedCommands>& recorded,
                                            bool may_insert) {
  const ExactCommands& part = exact_of(*recorded);
  const uint32_t own_queue = order_queue(queue);
  Numbered numbered;
  {
    const std::lock_guard lock(mutex_);
    const SubmissionOrigin place = engine_.order.begin(own_queue, part.numbers > 0 ? 1 : 0, part.producers);
    engine_.order.pass_unknown(own_queue);
    if (part.numbers == 0) return VK_NULL_HANDLE;
    collect(recorded, place, false, numbered.targets);
    numbered.last = place.first;
    for (Target& target : numbered.targets) {
      ExactCommands& owner = exact_of(*target.owner);
      bool elsewhere = false;
      const bool again = part.simultaneous || owner.simultaneous;
      target.by_device = again && may_insert && is_pending(owner, own_queue, elsewhere) && !elsewhere;
      owner.last[own_queue] = numbered.last;
    }
  }
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (std::ranges::any_of(numbered.targets, &Target::by_device)) commands = begin_once(queue, numbered.last);
  std::vector<VkBuffer> buffers;
  for (const Target& target : numbered.targets) buffers.push_back(target.place.buffer);
  buffers = engine_.barrier_buffers_and(buffers);
  if (commands) record_barrier_before_transfers(device_, commands, buffers);
  constexpr abi::SubmissionState nothing{};
  for (const Target& target : numbered.targets) {
    if (commands && target.by_device)
      device_.next.CmdUpdateBuffer(commands, target.place.buffer, target.place.offset, sizeof nothing,
                                   &nothing);
    else
      write_by_host(target.place, nothing);
  }
  return commands && end_once(numbered, commands, buffers) ? commands : VK_NULL_HANDLE;
}

void ExactSubmissions::order_semaphores(const SubmissionQueue& queue, const SubmittedBatch& batch) {
  for (const SemaphoreUse& use : batch.waits) {
    engine_.order.wait(order_queue(queue), handle_value(use.semaphore), use.value,
                       waiting_classes(use.stages));
  }
  for (const SemaphoreUse& use : batch.signals) {
    engine_.order.signal(order_queue(queue), handle_value(use.semaphore), use.value);
  }
}

std::vector<InsertedCommands> ExactSubmissions::prepare_batch(SubmissionQueue& queue,
                                                              const SubmittedBatch& batch) {
  SubmissionOrder& order = engine_.order;
  RedundantBarriers* const redundant = engine_.redundant();
  engine_.buffered_writes().before_submission();
  for (const SemaphoreUse& use : batch.waits) {
    if (redundant) redundant->waits(use.stages, order.is_foreign(handle_value(use.semaphore)));
    order.wait(order_queue(queue), handle_value(use.semaphore), use.value, waiting_classes(use.stages));
  }
  std::vector<InsertedCommands> inserted;
  for (uint32_t i = 0; i < batch.command_buffers.size(); ++i) {
    const std::shared_ptr<RecordedCommands>& recorded = batch.command_buffers[i];
    if (!recorded) {
      order.pass_unknown(order_queue(queue));
      if (redundant) redundant->lose_all("there are command buffers that the layer does not know");
      continue;
    }
    const bool may_insert = batch.may_insert && !recorded->resumes;
    const bool left_out = i < batch.left_out.size() && batch.left_out[i];
    const VkCommandBuffer commands = left_out
                                         ? leave_out(queue, recorded, may_insert)
                                         : place_command_buffer(queue, recorded, batch.serial, may_insert);
    if (commands) inserted.push_back({i, commands});
  }
  for (const SemaphoreUse& use : batch.signals) {
    order.signal(order_queue(queue), handle_value(use.semaphore), use.value);
  }
  return inserted;
}

}  // namespace shaderqa::layer
