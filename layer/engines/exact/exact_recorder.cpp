// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/exact_recorder.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "instrument/runtime/abi_image.h"
#include "instrument/runtime/abi_submission.h"
#include "layer/context/instance.h"
#include "layer/engines/exact/access_classes.h"
#include "layer/engines/exact/direct_slots.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/memory/queue_commands.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kKeptBarriers = 4096;

std::vector<OrderDependency> in_classes(std::span<const Dependency> dependencies) {
  std::vector<OrderDependency> order;
  order.reserve(dependencies.size());
  for (const Dependency& dependency : dependencies) order.push_back(with_arguments_of_builds(dependency));
  return order;
}

uint32_t main_class_of(BindPoint point) {
  switch (point) {
    case BindPoint::compute:
      return SQA_CLASS_COMPUTE;
    case BindPoint::ray_tracing:
      return SQA_CLASS_RAY_TRACING;
    case BindPoint::graphics:
      break;
  }
  return SQA_CLASS_PRE_RASTERIZATION;
}

// SQA_ACTION_SPARSE_PLACES. How many workgroups an indirect command runs is not known.
uint32_t sparse_groups(const Action& action) {
  if (action.point != BindPoint::compute || action.workgroups < SQA_IMAGE_SPARSE_GROUPS_16) return 0;
  return action.workgroups < SQA_IMAGE_SPARSE_GROUPS_64 ? 15 : 63;
}

// SQA_ACTION_SPARSE_PLACES of a draw, by the fragments of the render pass; 0: not known.
uint32_t logging_tiles(uint64_t fragments) {
  if (fragments == 0) return 15;
  if (fragments < SQA_READ_TILES_4) return 0;
  if (fragments < SQA_READ_TILES_16) return 3;
  return fragments < SQA_READ_TILES_64 ? 15 : 63;
}

}  // namespace

ExactRecorder::ExactRecorder(ExactEngine& engine, RecordingState& state)
    : engine_(engine), state_(state), ranges_(engine, *this, state), resolver_(engine, *this, state) {}

void ExactRecorder::reset() {
  auto part = std::make_unique<ExactCommands>();
  part->actions.reserve(last_actions_);
  part->unwatched.uses.reserve(last_uses_);
  if (engine_.needs.memory_use) part->trace = std::make_unique<OrderTrace>();
  part_ = part.get();
  state_.recorded->engine = std::move(part);
  ranges_.reset();
  resolver_.reset();
  has_records_ = out_of_numbers_ = false;
  order_ = {};
  slots_ = {};
  watched_sets_.clear();
  own_uses_.clear();
  order_changed();
  events_.clear();
  changed_layouts_.clear();
  open_draws_.clear();
}

void ExactRecorder::begin(const VkCommandBufferBeginInfo& info) {
  part_->simultaneous = info.flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
}

void ExactRecorder::end() {
  close_draws();
  ranges_.flush();
  part_->leaves_logged = ranges_.expects_logged_reads();
  resolver_.end();
  part_->exit = order_;
}

void ExactRecorder::retire() {
  engine_.release_written(*part_);
  last_actions_ = part_->actions.size();
  last_uses_ = part_->unwatched.uses.size();
}

bool ExactRecorder::prepare() { return engine_.require() && state_.require_submission(); }

void ExactRecorder::before_action() {
  ranges_.flush();
  separate();
}

void ExactRecorder::separate() {
  if (prepare()) record_separation(state_.device, state_.handle, barrier_buffers());
}

std::span<const VkBuffer> ExactRecorder::barrier_buffers() {
  if (const uint64_t generation = engine_.barrier_generation(); generation != barrier_generation_) {
    barrier_generation_ = generation;
    barrier_buffers_ = engine_.barrier_buffers();
  }
  return *barrier_buffers_;
}

bool ExactRecorder::fill_record(const Action& action, const Binds& bound, const ActionRecord& record) {
  const bool resolves = ResolveRecorder::is_needed(action, bound);
  if (resolves && !resolver_.can_record(record)) {
    if (bound.may_order) pass_unknown();
    return false;
  }
  if (!number_action(action, record)) return false;
  BoundSlots& slots = slots_[static_cast<size_t>(action.point)];
  mark_written(engine_, state_.device, bound, resolves, slots, part_->late_writes);
  SlotWatcher(engine_, state_.device, watched_sets_, part_->unwatched, state_.written_attachments)
      .write(bound, slots, record);
  record.dwords[SQA_ACTION_SPARSE_PLACES] = sparse_groups(action);
  if (action.point == BindPoint::graphics) expect_logged_reads(bound, record);
  const bool is_behind_all =
      (record.dwords[SQA_ACTION_ORDERED_BEFORE] & 0xffff) == record.dwords[SQA_ACTION_SEQUENCE];
  if (is_behind_all && action.point == BindPoint::compute && bound.checked &&
      bound.checked->layout->has_direct) {
    own_uses_.add({record.place, resolves}, record.dwords[SQA_ACTION_SEQUENCE]);
    part_->own_uses.push_back({record.place, resolves});
  }
  if (resolves) {
    found_directly_ = may_resolve_directly();
    return resolver_.record(action, bound, record, bound.direct && found_directly_);
  }
  if (action.point == BindPoint::compute)
    found_directly_ =
        write_direct_slots(engine_, state_.device, bound, slots, action, order_, record, part_->direct);
  return true;
}

void ExactRecorder::expect_logged_reads(const Binds& bound, const ActionRecord& record) {
  record.dwords[SQA_ACTION_SPARSE_PLACES] = logging_tiles(state_.pass_fragments);
  // Nothing is known of shader objects.
  if (!engine_.read_logs().pipeline() || (bound.checked && !bound.checked->layout->written->logs_reads()))
    return;
  part_->logs_reads = true;
  ranges_.expect_logged_reads();
  if (state_.pass_fragments == 0) part_->logging_tiles.push_back(record.place + SQA_ACTION_SPARSE_PLACES);
}

bool ExactRecorder::number_action(const Action& action, const ActionRecord& record) {
  ExactCommands::NumberedAction entry;
  entry.number = record.number;
  entry.main_class = main_class_of(action.point);
  const bool is_draw = action.point == BindPoint::graphics;
  entry.sequences = is_draw ? SQA_FLOOR_COLUMNS : action.indirect.address ? SQA_COLUMN_INDIRECT + 1 : 1;
  const VkDeviceAddress block = floors(entry.main_class);
  record.dwords[SQA_ACTION_ORDERED_BEFORE] = ordered_before(entry.main_class);
  follow_own_uses(entry.main_class);
  if (is_draw) follow_own_uses(SQA_CLASS_FRAGMENT);
  uint32_t producers = 1u << entry.main_class;
  if (is_draw) producers |= 1u << SQA_CLASS_FRAGMENT;
  if (action.indirect.address) producers |= 1u << SQA_CLASS_INDIRECT;
  if (!block || !take_numbers(entry.sequences, producers, entry.sequence)) return false;
  record.dwords[SQA_ACTION_SEQUENCE] = entry.sequence;
  if (is_draw) open_draws_.push_back({record.place + SQA_ACTION_SEQUENCE, entry.sequence});
  store_u64(record.dwords, SQA_ACTION_FLOORS, block);
  store_u64(record.dwords, SQA_ACTION_ENGINE, engine_.state_address());
  store_u64(record.dwords, SQA_ACTION_PAGES, engine_.pages_address());
  store_u64(record.dwords, SQA_ACTION_OUTCOMES, engine_.outcomes_address());
  part_->actions.push_back(entry);
  return true;
}

// Shaders read it when the command buffer has been submitted.
void ExactRecorder::close_draws() {
  const uint32_t last = part_->numbers - 1;
  for (const OpenDraw& draw : open_draws_)
    if (draw.sequence + SQA_FLOOR_COLUMNS <= last)
      *draw.place = sqa_sequence_dword(draw.sequence, SQA_FLOOR_COLUMNS, last);
  open_draws_.clear();
  ranges_.close_input(last);
}

void ExactRecorder::order_behind_draws() {
  close_draws();
  if (state_.in_pass) ranges_.forget_late_input();
}

bool ExactRecorder::take_numbers(uint32_t count, uint32_t producers, uint32_t& first) {
  first = part_->numbers;
  if (first + count > SubmissionOrder::kMostNumbers) {
    use_memory(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kUsesUnfollowed | kUsesImages);
    // Once: a long command buffer has thousands of actions more.
    if (!std::exchange(out_of_numbers_, true)) note_out_of_numbers(first);
    return false;
  }
  part_->numbers += count;
  part_->producers |= producers;
  return true;
}

void ExactRecorder::note_out_of_numbers(uint32_t first) {
  state_.device.note(
      "sequence numbers",
      "a command buffer has more actions than the exact engine has numbers: those behind action " +
          std::to_string(first) + " are not checked");
}

void ExactRecorder::note_out_of_floors() {
  state_.device.note("inherited floors",
                     "a command buffer has more different dependencies than the exact engine tells apart: "
                     "behind the last ones, what earlier "
                     "command buffers did counts as ordered, and hazards with them are missed");
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

void ExactRecorder::follow_own_uses(uint32_t consumer) {
  if (!own_uses_.empty()) own_uses_.follow(order_.executed_for(consumer, part_->producers, part_->numbers));
}

VkDeviceAddress ExactRecorder::floors(uint32_t main_class) {
  VkDeviceAddress& block = blocks_[main_class];
  if (!block) block = write_floors(order_, main_class);
  return block;
}

VkDeviceAddress ExactRecorder::write_floors(const OrderState& order, uint32_t main_class) {
  constexpr uint32_t most = SQA_FLOOR_HEADER_DWORDS + SQA_MAX_REGIONS * SQA_REGION_DWORDS;
  static_assert(most * 4 <= RecordMemory::kChunkBytes);
  uint32_t dwords[most];
  order.write_block(main_class, part_->inherited, dwords);
  if (part_->inherited.is_full()) note_out_of_floors();
  const auto bytes = static_cast<uint32_t>(order.block_dwords() * 4);
  const RecordAllocation place = state_.arena.allocate(bytes);
  if (!place.memory) {
    note_record_memory(state_.device);
    return 0;
  }
  std::memcpy(place.memory, dwords, bytes);
  return place.address;
}

// A descriptor's memory lies within one buffer.
bool ExactRecorder::may_resolve_directly() {
  if (engine_.expects_parts() || engine_.cells_are_apart()) return false;
  if (!regions_are_buffers_)
    regions_are_buffers_ = order_.all_regions([&](uint64_t begin, uint64_t end) {
      if (abi::is_image_address(begin)) return true;
      const auto buffer = state_.device.buffers.find_address(begin);
      return buffer && buffer->address == begin && buffer->address + buffer->size == end;
    });
  return *regions_are_buffers_;
}

void ExactRecorder::order_changed() {
  blocks_ = {};
  regions_are_buffers_.reset();
  ordered_before_ = {};
}

void ExactRecorder::synchronise(const SynchronizationPoint& point, std::span<const Dependency> dependencies) {
  if (dependencies.empty() && changed_layouts_.empty()) return;
  order_behind_draws();
  if (ResolveRecorder::may_change_descriptors(dependencies)) resolver_.descriptors_may_change();
  order_.apply(in_classes(dependencies), part_->numbers);
  order_behind_transitions(dependencies);
  order_changed();
  if (!dependencies.empty()) note_barrier(point, {dependencies.begin(), dependencies.end()});
}

// A render pass's dependencies are of all memory: what earlier transitions have written elsewhere is visible
// behind them, too.
void ExactRecorder::order_behind_transitions(std::span<const Dependency> dependencies) {
  if (changed_layouts_.empty()) return;
  for (const ChangedLayout& changed : changed_layouts_)
    order_.order_behind(SQA_CLASS_TRANSITION, changed.order, changed.position);
  for (const Dependency& dependency : dependencies) {
    if (!dependency.changes_layout || !dependency.is_global()) continue;
    const OrderDependency order = order_dependency(dependency);
    order_.order_behind(SQA_CLASS_TRANSITION, {&order, 1}, changed_layouts_.back().position);
  }
  changed_layouts_.clear();
}

void ExactRecorder::change_layouts(const char* name, std::span<const LayoutTransition> transitions,
                                   std::span<const VkEvent> events) {
  changed_layouts_.clear();
  if (transitions.empty() || !prepare()) return;
  // Whichever event was set last. If it was elsewhere, that may have been just now.
  uint32_t set_last = 0;
  for (const VkEvent event : events) {
    const auto set = events_.find(event);
    set_last = std::max(set_last, set == events_.end() ? part_->numbers : set->second.position);
  }
  for (const LayoutTransition& transition : transitions) {
    std::vector<OrderDependency> order;
    for (const Dependency& dependency : transition.dependencies) {
      OrderDependency& one = order.emplace_back(order_dependency(dependency));
      one.begin = dependency.begin;
      one.end = dependency.end;
    }
    const bool overwrites = !transition.others.empty();
    const OrderState inner =
        order_.within(SQA_CLASS_TRANSITION, order, events.empty() ? part_->numbers : set_last, part_->numbers,
                      transition.acquires);
    CommandAccesses accesses;
    accesses.command = name;
    accesses.main_class = SQA_CLASS_TRANSITION;
    accesses.ranges = transition.ranges;
    accesses.images = accesses.same_command = accesses.transition = true;
    if (overwrites) {
      accesses.about = std::make_shared<const std::string>("of " + transition.image +
                                                           ", which shares memory with other images");
      part_->reserved.insert(part_->reserved.end(), transition.others.begin(), transition.others.end());
      // What it orders behind itself may access any of the images.
      for (OrderDependency& one : order) {
        one.begin = abi::image_addresses;
        one.end = abi::image_addresses_end;
      }
    }
    const VkDeviceAddress floors = write_floors(inner, SQA_CLASS_TRANSITION);
    if (floors && ranges_.record(accesses, floors))
      changed_layouts_.push_back({std::move(order), part_->numbers});
  }
}

void ExactRecorder::pass_unknown() {
  order_behind_draws();
  resolver_.descriptors_may_change();
  constexpr uint32_t all = (1u << SQA_CLASSES) - 1;
  constexpr OrderDependency everything{all, all, all, all};
  order_.apply({&everything, 1}, part_->numbers);
  order_changed();
}

// A command that may write descriptors: some programs leave out the access of the barrier that Vulkan wants
// behind it, and drivers forgive them.
bool ExactRecorder::record_accesses(const CommandAccesses& accesses) {
  const auto& ranges = accesses.ranges;
  if (ranges.empty() || std::ranges::any_of(ranges, &MemoryRange::writes)) resolver_.descriptors_may_change();
  return ranges_.record(accesses, 0);
}

void ExactRecorder::set_event(VkEvent event) {
  events_.insert_or_assign(event, Event{order_, part_->numbers});
}

// If another command buffer or the host has set an event, it is not known when that was: as late as possible
// is assumed.
void ExactRecorder::wait_events(const SynchronizationPoint& point, std::span<const EventWait> waits) {
  close_draws();
  resolver_.descriptors_may_change();
  const OrderState before = order_;
  std::vector<Dependency> all;
  for (const EventWait& wait : waits) {
    const auto set = events_.find(wait.event);
    const bool known = set != events_.end();
    order_.apply(in_classes(wait.dependencies), known ? set->second.position : part_->numbers,
                 known ? set->second.order : before);
    part_->waits_for_host =
        part_->waits_for_host || (!known && std::ranges::any_of(wait.dependencies, [](const Dependency& one) {
          return (one.source_stages & VK_PIPELINE_STAGE_2_HOST_BIT) != 0;
        }));
    all.insert(all.end(), wait.dependencies.begin(), wait.dependencies.end());
  }
  order_behind_transitions({});
  order_changed();
  note_barrier(point, std::move(all));
}

void ExactRecorder::note_barrier(const SynchronizationPoint& point, std::vector<Dependency> dependencies) {
  if (!part_->trace && part_->barriers.size() >= kKeptBarriers) return;
  part_->barriers.push_back({point, part_->numbers, std::move(dependencies)});
  if (part_->trace) part_->trace->pass(part_->barriers.back());
}

void ExactRecorder::begin_pass(PassBegin how) {
  if (how == PassBegin::begins && has_records_) separate();
}

void ExactRecorder::end_pass(bool suspending) {
  close_draws();
  if (suspending) ranges_.drop_input();
}

void ExactRecorder::record_input(CommandAccesses&& draw) { ranges_.record_input(std::move(draw)); }

// A secondary that executes others is not staged: theirs would be in two places at once.
RecordAllocation ExactRecorder::stage(const RecordedCommands& inner) {
  if (!exact_of(inner).executions.empty()) return {};
  const RecordAllocation staging = state_.arena.allocate(sizeof(abi::SubmissionState));
  if (!staging.memory) return {};
  std::memset(staging.memory, 0, sizeof(abi::SubmissionState));
  const std::vector<VkBuffer> buffers = engine_.barrier_buffers_and({&inner.submission.buffer, 1});
  record_barrier_before_transfers(state_.device, state_.handle, buffers);
  const VkBufferCopy copy{staging.offset, inner.submission.offset, sizeof(abi::SubmissionState)};
  state_.device.next.CmdCopyBuffer(state_.handle, staging.buffer, inner.submission.buffer, 1, &copy);
  record_barrier_behind_transfers(state_.device, state_.handle, buffers);
  return staging;
}

void ExactRecorder::execute(const std::shared_ptr<RecordedCommands>& secondary) {
  order_behind_draws();
  ranges_.flush();
  own_uses_.follow(0);
  const ExactCommands& inner = exact_of(*secondary);
  resolver_.execute(inner);
  part_->logs_reads = part_->logs_reads || inner.logs_reads;
  part_->waits_for_host = part_->waits_for_host || inner.waits_for_host;
  // Shaders may read them at this moment: any number is right.
  if (state_.pass_fragments != 0)
    for (uint32_t* const tiles : inner.logging_tiles)
      std::atomic_ref(*tiles).store(logging_tiles(state_.pass_fragments), std::memory_order_relaxed);
  if (inner.leaves_logged) ranges_.expect_logged_reads();
  resolver_.descriptors_may_change();
  const uint32_t offset = part_->numbers;
  if (part_->trace) part_->trace->execute(secondary, offset);
  if (inner.numbers > 0) {
    ExactCommands::Execution& execution = part_->executions.emplace_back();
    execution.recorded = secondary;
    execution.entry = order_;
    execution.producers = part_->producers;
    const bool repeated =
        std::ranges::count(part_->executions, secondary, &ExactCommands::Execution::recorded) > 1;
    if (repeated && !state_.in_pass) execution.staging = stage(*secondary);
    execution.checked = take_numbers(inner.numbers, inner.producers, execution.offset);
  }
  order_.execute(inner.exit, offset);
  order_changed();
  has_records_ = has_records_ || secondary->checked;
}

}  // namespace shaderqa::layer
