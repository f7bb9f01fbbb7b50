// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/filter/filter_engine.h"

#include <algorithm>
#include <string>

#include "instrument/runtime/abi_submission.h"
#include "layer/engines/filter/barrier_effects.h"
#include "layer/engines/filter/filter_recorder.h"
#include "layer/queues/submission_queue.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

// What the filter keeps of a queue.
struct FilterQueue final : EngineQueue {
  bool needs_clear = true;  // at first the filter holds anything
  uint64_t host_epoch = 0;  // seen
  VkCommandBuffer clear = VK_NULL_HANDLE;
  bool clear_failed = false;
};

FilterQueue& filter_of(const SubmissionQueue& queue) { return static_cast<FilterQueue&>(*queue.engine); }

// Also where a barrier of the batch hands on to shaders what a stage of another kind has waited for.
bool waits_for_shaders(const SubmittedBatch& batch) {
  return std::ranges::any_of(batch.waits, [&](const SemaphoreUse& use) {
    const VkPipelineStageFlags2 waiting = destination_scope(use.stages);
    return covers_checked(waiting) || std::ranges::any_of(batch.command_buffers, [&](const auto& recorded) {
             return recorded && (waiting & filter_of(*recorded).sources) != 0;
           });
  });
}

}  // namespace

void FilterEngine::set_options(VkShaderStageFlagBits, SyncOptions& options) const {
  options.engine = SyncEngine::bloom;
  for (DescriptorSlots& slots : options.descriptors) slots.direct = 0;
}

std::unique_ptr<EngineRecorder> FilterEngine::make_recorder(RecordingState& state) {
  return std::make_unique<FilterRecorder>(*this, state);
}

std::unique_ptr<EngineQueue> FilterEngine::make_queue() { return std::make_unique<FilterQueue>(); }

VkCommandBuffer FilterEngine::clear_for(SubmissionQueue& queue) {
  FilterQueue& own = filter_of(queue);
  if (own.clear || own.clear_failed) return own.clear;
  const VkResult result = make_clear(queue);
  if (result == VK_SUCCESS) return own.clear;
  own.clear_failed = true;
  own.clear = VK_NULL_HANDLE;
  device_.note("clear",
               "unsynchronised accesses may be reported that a wait has synchronised: the filter cannot "
               "be cleared between submissions (VkResult " +
                   std::to_string(result) + ")");
  return VK_NULL_HANDLE;
}

VkResult FilterEngine::make_clear(SubmissionQueue& queue) {
  const AccessFilters::Family* filter = filters_.find(queue.family);
  VkCommandBuffer& clear = filter_of(queue).clear;
  VkResult result = queue.commands.allocate(clear);
  if (result != VK_SUCCESS) return result;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  result = device_.next.BeginCommandBuffer(clear, &begin);
  if (result != VK_SUCCESS) return result;
  filter->record_clear(device_, clear, filters_.next_dispatch_id());
  return device_.next.EndCommandBuffer(clear);
}

void FilterEngine::mark(const SubmissionQueue& queue, RecordedCommands& recorded, uint32_t serial) {
  if (recorded.submission.memory) {
    auto& submission = *reinterpret_cast<abi::SubmissionState*>(recorded.submission.memory);
    submission.queue = queue.number;
    submission.serial = serial;
    submission.aliased = device_.buffers.aliased();
  }
  device_.command_buffers.impl().history.submitted(recorded, queue.name, queue.labels);
  for (const auto& secondary : filter_of(recorded).secondaries) mark(queue, *secondary, serial);
}

std::vector<InsertedCommands> FilterEngine::prepare_batch(SubmissionQueue& queue,
                                                          const SubmittedBatch& batch) {
  FilterQueue& own = filter_of(queue);
  const uint64_t epoch = host_epoch_.load(std::memory_order_relaxed);
  if (epoch != own.host_epoch || waits_for_shaders(batch)) own.needs_clear = true;
  own.host_epoch = epoch;
  AccessFilters::Family* filter = filters_.find(queue.family);
  std::vector<InsertedCommands> clears;
  bool cleared = false;
  for (uint32_t i = 0; i < batch.command_buffers.size(); ++i) {
    if (!batch.command_buffers[i]) continue;
    RecordedCommands& recorded = *batch.command_buffers[i];
    const FilterCommands& part = filter_of(recorded);
    if (recorded.checked) {
      mark(queue, recorded, batch.serial);
      if (filter && own.needs_clear && !recorded.resumes) {
        if (!part.begins_with_clear) clears.push_back({i, VK_NULL_HANDLE});
        own.needs_clear = false;
        cleared = true;
      }
    }
    own.needs_clear = own.needs_clear || part.owes_clear;
  }
  if (clears.empty()) {
    if (cleared) filter->activate();
    return {};
  }
  if (!batch.may_insert) {
    own.needs_clear = true;
    device_.note("submission",
                 "unsynchronised accesses may be reported that a wait has synchronised: some submissions are "
                 "protected or have structures that do not let the filter be cleared in them");
    return {};
  }
  const VkCommandBuffer clear = filter->has_filter() ? clear_for(queue) : VK_NULL_HANDLE;
  if (!clear) return {};
  for (InsertedCommands& one : clears) one.commands = clear;
  filter->activate();
  return clears;
}

}  // namespace shaderqa::layer
