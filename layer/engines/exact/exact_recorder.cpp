// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/exact_recorder.h"

#include <algorithm>
#include <cstring>

#include "layer/context/instance.h"
#include "layer/engines/exact/access_classes.h"
#include "layer/loader/device.h"
#include "layer/memory/queue_commands.h"
#include "layer/recording/recorded_commands.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kKeptBarriers = 4096;

std::vector<OrderDependency> in_classes(std::span<const Dependency> dependencies) {
  std::vector<OrderDependency> order;
  order.reserve(dependencies.size());
  for (const Dependency& dependency : dependencies) order.push_back(with_arguments_of_builds(dependency));
  return order;
}

}  // namespace

void ExactRecorder::begin(const std::shared_ptr<ExactRecorded>& part) {
  part_ = part;
  if (device_.instance->lists_redundant()) part_->trace = std::make_unique<OrderTrace>();
  order_ = {};
  blocks_ = {};
  ordered_before_ = {};
  events_.clear();
}

bool ExactRecorder::take_numbers(uint32_t count, uint32_t producers, uint32_t& first) {
  first = part_->numbers;
  if (first + count > SubmissionOrder::kMostNumbers) {
    use_memory(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kUsesUnfollowed | kUsesImages);
    device_.note("sequence numbers",
                 "a command buffer has more actions than the exact engine has numbers: those behind action " +
                     std::to_string(first) + " are not checked");
    return false;
  }
  part_->numbers += count;
  part_->producers |= producers;
  return true;
}

uint32_t ExactRecorder::ordered_before(uint32_t main_class) {
  OrderedBefore& ordered_before = ordered_before_[main_class];
  if (!ordered_before.known || ordered_before.producers != part_->producers) {
    const auto ordered = [&](uint32_t consumer) {
      return order_.ordered_for(consumer, part_->producers, part_->numbers);
    };
    ordered_before = {part_->producers, ordered(main_class) | ordered(SQA_CLASS_FRAGMENT) << 16, true};
  }
  return ordered_before.value;
}

VkDeviceAddress ExactRecorder::floors(uint32_t main_class, RecordArena& arena) {
  VkDeviceAddress& block = blocks_[main_class];
  if (block) return block;
  std::vector<uint32_t> dwords(order_.block_dwords());
  order_.write_block(main_class, dwords.data());
  const RecordAllocation place = arena.allocate(static_cast<uint32_t>(dwords.size() * 4));
  if (!place.memory) return 0;
  std::memcpy(place.memory, dwords.data(), dwords.size() * 4);
  return block = place.address;
}

void ExactRecorder::synchronise(const OrderingCommand& command, std::span<const Dependency> dependencies) {
  if (dependencies.empty()) return;
  order_.apply(in_classes(dependencies), part_->numbers);
  blocks_ = {};
  ordered_before_ = {};
  note_barrier(command, {dependencies.begin(), dependencies.end()});
}

// Of an event that another command buffer or the host has set it is not known when that was: then as late as
// can be.
void ExactRecorder::wait_event(VkEvent event, std::span<const Dependency> dependencies,
                               const OrderState& before) {
  const auto set = events_.find(event);
  const bool known = set != events_.end();
  order_.apply(in_classes(dependencies), known ? set->second.position : part_->numbers,
               known ? set->second.order : before);
  blocks_ = {};
  ordered_before_ = {};
}

void ExactRecorder::note_barrier(const OrderingCommand& command, std::vector<Dependency> dependencies) {
  if (part_->trace) part_->trace->pass(command, dependencies, part_->numbers);
  if (part_->barriers.size() >= kKeptBarriers) return;
  part_->barriers.push_back({command.name, part_->numbers, command.actions, std::move(dependencies)});
}

// Where the one that executes it is checked twice, what it executes itself is not known to be there once.
RecordAllocation ExactRecorder::stage(const ExactRecorded& inner, VkCommandBuffer command_buffer,
                                      RecordArena& arena) {
  if (!inner.executions.empty()) return {};
  const RecordAllocation staging = arena.allocate(sizeof(abi::SubmissionState));
  if (!staging.memory) return {};
  std::memset(staging.memory, 0, sizeof(abi::SubmissionState));
  record_barrier_before_transfers(device_, command_buffer);
  const VkBufferCopy copy{staging.offset, inner.submission.offset, sizeof(abi::SubmissionState)};
  device_.next.CmdCopyBuffer(command_buffer, staging.buffer, inner.submission.buffer, 1, &copy);
  record_barrier_behind_transfers(device_, command_buffer);
  return staging;
}

void ExactRecorder::execute(const std::shared_ptr<RecordedCommands>& secondary,
                            VkCommandBuffer command_buffer, bool in_pass, RecordArena& arena) {
  const ExactRecorded& inner = *secondary->exact;
  const uint32_t offset = part_->numbers;
  if (part_->trace) part_->trace->execute(secondary, offset);
  if (inner.numbers > 0) {
    ExactRecorded::Execution& execution = part_->executions.emplace_back();
    execution.recording = secondary;
    execution.entry = order_;
    execution.producers = part_->producers;
    const bool repeated =
        std::ranges::count(part_->executions, secondary, &ExactRecorded::Execution::recording) > 1;
    if (repeated && !in_pass) execution.staging = stage(inner, command_buffer, arena);
    execution.checked = take_numbers(inner.numbers, inner.producers, execution.offset);
  }
  order_.execute(inner.exit, offset);
  blocks_ = {};
  ordered_before_ = {};
}

}  // namespace shaderqa::layer
