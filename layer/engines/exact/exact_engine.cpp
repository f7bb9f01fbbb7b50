// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/exact_engine.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "instrument/runtime/cell_outcomes.h"
#include "instrument/runtime/range_access.h"
#include "layer/context/instance.h"
#include "layer/engines/exact/host_reads.h"
#include "layer/loader/device.h"
#include "layer/recording/recorded_commands.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/descriptor_bytes.h"
#include "layer/resources/image_table.h"
#include "layer/resources/race_map.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kKeptSpans = 65536;

using NumberedAction = ExactCommands::NumberedAction;

struct FoundAction {
  const NumberedAction* action = nullptr;
  uint32_t column = 0;
};

FoundAction find_action(const ExactCommands& commands, uint32_t sequence) {
  const auto& actions = commands.actions;
  auto behind = std::ranges::upper_bound(actions, sequence, {}, &NumberedAction::sequence);
  if (behind != actions.begin()) {
    const NumberedAction& action = *--behind;
    if (sequence - action.sequence < action.sequences) return {&action, sequence - action.sequence};
  }
  for (const ExactCommands::Execution& execution : commands.executions) {
    const ExactCommands& inner = exact_of(*execution.recorded);
    if (!execution.checked || sequence < execution.offset || sequence - execution.offset >= inner.numbers)
      continue;
    return find_action(inner, sequence - execution.offset);
  }
  return {};
}

uint32_t class_of(const NumberedAction& action, uint32_t column) {
  constexpr uint32_t classes[] = {0, SQA_CLASS_FRAGMENT, SQA_CLASS_INDIRECT, SQA_CLASS_VERTEX_INPUT};
  return column == SQA_COLUMN_MAIN ? action.main_class : classes[column];
}

// The number of the last action in front of this place; 0: there is none.
uint32_t last_action_before(const ExactCommands& commands, uint32_t position) {
  const auto& actions = commands.actions;
  const auto behind = std::ranges::lower_bound(actions, position, {}, &NumberedAction::sequence);
  uint32_t from = 0, number = 0;
  if (behind != actions.begin()) {
    from = std::prev(behind)->sequence;
    number = std::prev(behind)->number;
  }
  for (const ExactCommands::Execution& execution : commands.executions) {
    if (execution.offset < from || execution.offset >= position) continue;
    const ExactCommands& inner = exact_of(*execution.recorded);
    if (const uint32_t last = last_action_before(inner, inner.numbers)) number = last;
  }
  return number;
}

// The barriers behind one number of the device and before another one, each with the number of what follows
// it.
void add_barriers(const ExactCommands& commands, uint64_t first, uint64_t behind, uint64_t before,
                  std::vector<std::pair<uint64_t, RecordedBarrier>>& found) {
  for (const ExactCommands::Execution& execution : commands.executions) {
    if (execution.checked)
      add_barriers(exact_of(*execution.recorded), first + execution.offset, behind, before, found);
  }
  for (const RecordedBarrier& barrier : commands.barriers) {
    const uint64_t next = first + barrier.position;
    if (next <= behind || next > before) continue;
    found.emplace_back(next, barrier).second.after = last_action_before(commands, barrier.position);
  }
}

}  // namespace

ExactEngine::ExactEngine(Device& device)
    : Engine({.command_accesses = true,
              .memory_use = device.instance->needs_memory_use(),
              .order = true,
              .images = device.instance->needs_images(),
              .descriptor_buffers = device.facts.pushed_records || device.facts.descriptor_heaps,
              .host_reads = device.instance->needs_host_reads(),
              .left_out_at_submission = true,
              .page_bytes = VkDeviceSize{1} << SQA_PAGE_LOG2}),
      device_(device),
      buffered_writes_(device, *this),
      read_logs_(device, *this),
      submissions_(device, *this),
      host_reads_(needs.host_reads ? std::make_unique<HostReads>(device, *this) : nullptr) {}

ExactEngine::~ExactEngine() {
  if (!device_.instance->in_forked_child()) return;
  static_cast<void>(state_.release());
  static_cast<void>(sequences_.release());
  static_cast<void>(record_blocks_.release());
  static_cast<void>(marks_.release());
  static_cast<void>(outcomes_.release());
  for (LazyPipeline& made : range_pipelines_) static_cast<void>(made.pipeline.release());
  static_cast<void>(resolve_pipeline_.pipeline.release());
  read_logs_.abandon();
  static_cast<void>(cells_.release());
  static_cast<void>(redundant_.release());
}

bool ExactEngine::make_once() {
  std::call_once(made_, [this] {
    usable_ = make();
    ready_.store(usable_, std::memory_order_release);
  });
  return usable_;
}

bool ExactEngine::make() {
  std::string problem;
  DeviceBuffer::Request request;
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  request.size = sizeof(abi::ExactState);
  state_ = DeviceBuffer::create(device_, request, problem);
  request.size = 2 * SQA_EPOCH_BIT * sizeof(uint32_t);
  if (state_) sequences_ = DeviceBuffer::create(device_, request, problem);
  request.size = SQA_RECORD_BLOCKS * sizeof(uint64_t);
  if (sequences_) record_blocks_ = DeviceBuffer::create(device_, request, problem);
  request.size = SQA_MARK_BITS / 8;
  if (record_blocks_) marks_ = DeviceBuffer::create(device_, request, problem);
  const std::vector<uint32_t> outcomes = cell_outcomes();
  request.size = outcomes.size() * sizeof(uint32_t);
  if (marks_) outcomes_ = DeviceBuffer::create(device_, request, problem);
  if (outcomes_) cells_ = ShadowCells::create(device_, order, problem);
  if (!cells_) {
    device_.note("exact engine", "sync is not checked: " + problem);
    return false;
  }
  state().sequences_address = sequences_->address();
  state().record_blocks_address = record_blocks_->address();
  state().marks_address = marks_->address();
  std::memcpy(outcomes_->mapped(), outcomes.data(), outcomes.size() * sizeof(uint32_t));
  state().outcomes_address = outcomes_->address();
  state().pages_address = cells_->tables_address();
  if (needs.descriptor_buffers) {
    state().descriptors_address = device_.descriptor_bytes.address();
    state().written_address = buffered_writes_.make_list();
  }
  if (needs.images) state().image_views_address = device_.images.require_views();
  if (device_.instance->needs_race_map()) state().race_map_address = device_.race_map.require();
  for (const auto* buffer : {&state_, &marks_}) cells_->add_barrier_buffer((*buffer)->handle());
  if (needs.memory_use) {
    redundant_ = RedundantBarriers::create(device_, *this, problem);
    if (!redundant_) {
      device_.note("exact engine", "sync is not checked: " + problem);
      return false;
    }
    state().footprints_address = redundant_->address();
  }
  return true;
}

RedundantBarriers* ExactEngine::redundant() {
  return needs.memory_use && require() ? redundant_.get() : nullptr;
}

void ExactEngine::report_at_end(bool done) {
  if (redundant_) redundant_->report(done || order.everything_complete());
  if (buffered_writes_.found_apart())
    device_.note(
        "resolved apart",
        "accesses of some dispatches through descriptors in descriptor buffers were not checked, because the "
        "cells of their memory did not follow each other. They are with the setting start=creation",
        Concern::sync);
  if (device_.descriptor_bytes.unknown_found())
    device_.note(
        "unknown descriptors",
        "accesses through some descriptors in descriptor buffers or heaps were not checked: nothing is known "
        "of their bytes, which no call of vkGetDescriptorEXT or vkWriteResourceDescriptorsEXT has given");
}

void ExactEngine::add_memory(VkDeviceAddress address, VkDeviceSize size) {
  if (!require()) return;
  cells_->add(address, size);
  if (abi::is_image_address(address) && device_.instance->needs_race_map())
    device_.race_map.reach(address, size, [this](VkDeviceSize bytes) { return cells_->take_room(bytes); });
}

void ExactEngine::remove_memory(VkDeviceAddress address, VkDeviceSize size) {
  if (require()) cells_->remove(address, size);
}

void ExactEngine::renew_memory(VkDeviceAddress address, VkDeviceSize size) {
  if (require()) cells_->renew(address, size);
}

void ExactEngine::ignore_memory(VkDeviceAddress address, VkDeviceSize size) {
  if (require()) cells_->ignore(address, size);
}

void ExactEngine::mark_written(VkDeviceAddress address) {
  if (!require() || cells_->is_known_written(address)) return;
  if (abi::is_image_address(address)) {
    const auto image = device_.images.find_address(address);
    if (image) cells_->mark_written(address, image->address, image->grid.bytes());
    return;
  }
  const auto buffer = device_.buffers.find_address(address);
  if (buffer) cells_->mark_written(address, buffer->address, buffer->size);
}

void ExactEngine::suspect_written(VkDeviceAddress address) {
  if (!require() || abi::is_image_address(address)) return;
  const auto buffer = device_.buffers.find_address(address);
  if (buffer) cells_->suspect_written(address, buffer->address, buffer->size);
}

void ExactEngine::add_parts(const AddressSpan& memory) {
  if (!require()) return;
  cells_->add_parts(memory.begin, memory.end - memory.begin);
  std::atomic_ref(state().parts_address).store(cells_->parts_address(), std::memory_order_release);
}

void ExactEngine::release_written(const ExactCommands& commands) {
  for (const HeldPages& held : commands.written) cells_->release_written(held);
}

uint32_t ExactEngine::add_record_block(VkDeviceAddress address) {
  if (!require()) return UINT32_MAX;
  const uint32_t number = blocks_.fetch_add(1, std::memory_order_relaxed);
  if (number >= SQA_RECORD_BLOCKS) return UINT32_MAX;
  reinterpret_cast<uint64_t*>(record_blocks_->mapped())[number] = address;
  return number;
}

const RangePipeline* ExactEngine::range_pipeline(uint32_t kind) {
  LazyPipeline& lazy = range_pipelines_[kind];
  std::call_once(lazy.made, [&] {
    std::string problem;
    lazy.pipeline = RangePipeline::create(device_, range_access_shader(device_.instance->needs_memory_use()),
                                          state_address(), kind, problem);
    if (!lazy.pipeline) device_.note("range accesses", "copies and fills are not checked: " + problem);
  });
  return lazy.pipeline.get();
}

const RangePipeline* ExactEngine::resolve_pipeline() {
  std::call_once(resolve_pipeline_.made, [this] {
    std::string problem;
    resolve_pipeline_.pipeline =
        RangePipeline::create(device_, resolve_shader(), state_address(), 0, problem);
    if (!resolve_pipeline_.pipeline)
      device_.note("resolved descriptors",
                   "dispatches with descriptors in descriptor buffers are not checked: " + problem);
  });
  return resolve_pipeline_.pipeline.get();
}

void ExactEngine::mark_everything_written() {
  if (require()) cells_->mark_everything_written();
}

std::vector<VkBuffer> ExactEngine::barrier_buffers_and(std::span<const VkBuffer> more) const {
  std::vector<VkBuffer> all = *barrier_buffers();
  if (all.empty()) return all;
  for (const VkBuffer buffer : more)
    if (std::ranges::find(all, buffer) == all.end()) all.push_back(buffer);
  return all;
}

void ExactEngine::record_clears(VkCommandBuffer command_buffer, bool new_epoch) {
  cells_->record_clears(command_buffer, new_epoch);
  if (!new_epoch) return;
  // The running number by which some stages tell invocations apart begins anew: accesses of before are no
  // longer compared with.
  device_.next.CmdFillBuffer(command_buffer, state_->handle(), offsetof(abi::ExactState, invocation_counter),
                             sizeof(uint32_t), 0);
  device_.next.CmdFillBuffer(command_buffer, marks_->handle(), 0, VK_WHOLE_SIZE, 0);
}

void ExactEngine::fill_table(const ExactCommands& commands, uint64_t first, uint32_t queue) {
  const auto table = reinterpret_cast<uint32_t*>(sequences_->mapped());
  for (const NumberedAction& action : commands.actions) {
    for (uint32_t column = 0; column < action.sequences; ++column) {
      table[sequence_of(first + action.sequence + column)] = class_of(action, column) | queue << 8;
    }
  }
  for (const ExactCommands::Execution& execution : commands.executions) {
    if (execution.checked) fill_table(exact_of(*execution.recorded), first + execution.offset, queue);
  }
}

void ExactEngine::give_numbers(const std::shared_ptr<RecordedCommands>& recorded,
                               const SubmissionOrigin& place) {
  const ExactCommands& commands = exact_of(*recorded);
  if (commands.numbers == 0 && commands.barriers.empty()) return;
  if (commands.numbers > 0) fill_table(commands, place.first, place.queue);
  const std::lock_guard lock(mutex_);
  spans_.push_back({place.first, commands.numbers, place.queue, recorded});
  const uint64_t epoch = epoch_of(place.first);
  while (spans_.size() > kKeptSpans || epoch_of(spans_.front().first) + 2 <= epoch) spans_.pop_front();
}

uint64_t ExactEngine::full_number(uint32_t sequence) const {
  const uint64_t newest = order.newest();
  const uint64_t number = sequence % SQA_EPOCH_BIT;
  uint64_t epoch = epoch_of(newest);
  if ((epoch & 1) != (sequence & SQA_EPOCH_BIT ? 1 : 0)) {
    if (epoch == 0) return 0;
    --epoch;
  }
  const uint64_t whole = epoch * SQA_EPOCH_BIT + number;
  return number && whole <= newest ? whole : 0;
}

const ExactEngine::Span* ExactEngine::span_of(uint64_t number) const {
  auto behind = std::ranges::upper_bound(spans_, number, {}, &Span::first);
  while (behind != spans_.begin()) {
    const Span& span = *--behind;
    if (number < span.first + span.numbers) return &span;
    if (span.numbers) break;  // those without numbers have the first one of the next
  }
  return nullptr;
}

std::optional<SequenceOwner> ExactEngine::find(uint32_t sequence) const {
  const uint64_t number = full_number(sequence);
  const std::lock_guard lock(mutex_);
  const Span* span = number ? span_of(number) : nullptr;
  if (!span) return std::nullopt;
  const FoundAction found =
      find_action(exact_of(*span->recorded), static_cast<uint32_t>(number - span->first));
  if (!found.action) return std::nullopt;
  return SequenceOwner{found.action->number, class_of(*found.action, found.column), span->queue};
}

std::vector<RecordedBarrier> ExactEngine::barriers_between(uint32_t earlier, uint32_t later,
                                                           uint32_t queue) const {
  const uint64_t behind = full_number(earlier), before = full_number(later);
  if (!behind || !before) return {};
  std::vector<std::pair<uint64_t, RecordedBarrier>> found;
  const std::lock_guard lock(mutex_);
  for (const Span& span : spans_) {
    if (span.queue != queue || span.first + span.numbers <= behind) continue;
    if (span.first > before) break;
    add_barriers(exact_of(*span.recorded), span.first, behind, before, found);
  }
  std::ranges::stable_sort(found, std::greater(), [](const auto& one) { return one.first; });
  std::vector<RecordedBarrier> barriers;
  for (auto& [number, barrier] : found) barriers.push_back(std::move(barrier));
  return barriers;
}

}  // namespace shaderqa::layer
