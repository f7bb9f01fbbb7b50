// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/range_recorder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "instrument/runtime/abi_ranges.h"
#include "instrument/runtime/abi_report.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/engines/exact/exact_recorder.h"
#include "layer/memory/queue_commands.h"
#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kRangesOfRecord = 128;
constexpr uint32_t kMostGroups = 256;                       // that work on one range
constexpr uint32_t kLogGroups = 512, kLogGroupsOfCpu = 64;  // that check a log
constexpr uint32_t kWordsOfInvocation = 4;
// Words of all ranges of a record whose number only the device knows: invocations take turns where there are
// more.
constexpr uint64_t kWordsOfDrawn = 65536;
constexpr size_t kMostInput = 1024;  // draws of a render pass
constexpr size_t kMostInputRanges = 8192;
constexpr size_t kMostGathered = 64;  // commands, or ranges: each new one is compared with all

uint32_t groups_for(std::span<const MemoryRange> ranges) {
  uint64_t words = 1;
  for (const MemoryRange& range : ranges) {
    const uint64_t most =
        range.drawn.arguments || range.drawn.draws ? kWordsOfDrawn / ranges.size() : UINT64_MAX;
    words = std::max(words, std::min((range.bytes + 3) / 4 * range.rows * range.slices, most));
  }
  const uint64_t of_group = SQA_RANGE_GROUP_SIZE * kWordsOfInvocation;
  return static_cast<uint32_t>(std::min<uint64_t>((words + of_group - 1) / of_group, kMostGroups));
}

// Whether one of them writes what the other may access.
bool meet(std::span<const MemoryRange> one, std::span<const MemoryRange> other) {
  return std::ranges::any_of(one, [&](const MemoryRange& a) {
    const uint64_t end = end_of(a);
    return std::ranges::any_of(other, [&](const MemoryRange& b) {
      return (a.writes || b.writes) && a.address < end_of(b) && b.address < end;
    });
  });
}

void write_range(const MemoryRange& range, uint32_t* dwords) {
  store_u64(dwords, SQA_RANGE_ADDRESS, range.address);
  dwords[SQA_RANGE_BYTES] = static_cast<uint32_t>(range.bytes);
  dwords[SQA_RANGE_ROWS] = static_cast<uint32_t>(range.rows);
  dwords[SQA_RANGE_SLICES] = static_cast<uint32_t>(range.slices);
  dwords[SQA_RANGE_ACCESS] = range.writes      ? SQA_ACCESS_STORE
                             : range.arguments ? SQA_ACCESS_INDIRECT
                                               : SQA_ACCESS_LOAD;
  if (range.last_accesses) dwords[SQA_RANGE_ACCESS] |= SQA_RANGE_LAST;
  if (range.loads) dwords[SQA_RANGE_ACCESS] |= SQA_RANGE_LOADS;
  store_u64(dwords, SQA_RANGE_PITCH, range.pitch);
  store_u64(dwords, SQA_RANGE_SLICE_PITCH, range.slice_pitch);
  store_u64(dwords, SQA_RANGE_INDICES, range.named.indices);
  dwords[SQA_RANGE_INDEX_BYTES] = range.named.index_bytes;
  dwords[SQA_RANGE_ROW_OFFSET] = static_cast<uint32_t>(range.named.offset);
  dwords[SQA_RANGE_LAST_ROW] = range.named.last;
  const DrawnRows& drawn = range.drawn;
  store_u64(dwords, SQA_RANGE_ARGUMENTS, drawn.arguments);
  dwords[SQA_RANGE_FIELDS] =
      drawn.count | uint32_t{drawn.factor} << 8 | uint32_t{drawn.first} << 16 | uint32_t{drawn.offset} << 24;
  dwords[SQA_RANGE_DIVISOR] = drawn.divisor;
  store_u64(dwords, SQA_RANGE_DRAWS, drawn.draws);
  dwords[SQA_RANGE_DRAW] = drawn.draw;
}

}  // namespace

BoundDescriptors bound_for_compute(RecordingState& state) {
  if (state.binds.heaps().valid()) return BoundDescriptors::in_heaps;
  return state.binds.at(BindPoint::compute).buffered ? BoundDescriptors::in_buffers
                                                     : BoundDescriptors::in_sets;
}

void RangeRecorder::reset() {
  gathered_.clear();
  gathered_ranges_ = 0;
  logged_ = false;
  log_record_ = {};
  drop_input();
}

bool RangeRecorder::can_record() const {
  return state_.can_dispatch && !state_.in_pass && !state_.suspended && state_.active_queries == 0;
}

RecordAllocation RangeRecorder::write_ranges(const Entry& entry, std::span<const MemoryRange> ranges,
                                             uint32_t groups) {
  std::vector<uint32_t> dwords(SQA_RANGES_FIRST + ranges.size() * SQA_RANGE_DWORDS);
  const RecordAllocation place = state_.arena.allocate(static_cast<uint32_t>(dwords.size() * 4));
  if (!place.memory || place.block >= SQA_RECORD_BLOCKS) return {};
  store_u64(dwords.data(), SQA_ACTION_SELF, place.address);
  dwords[SQA_ACTION_NUMBER] = entry.number;
  store_u64(dwords.data(), SQA_ACTION_ENGINE, engine_.state_address());
  store_u64(dwords.data(), SQA_ACTION_SUBMISSION, state_.recorded->submission.address);
  dwords[SQA_ACTION_ORDERED_BEFORE] = entry.ordered_before;
  dwords[SQA_RANGES_GROUPS] = groups;
  dwords[SQA_ACTION_SEQUENCE] = sqa_sequence_dword(entry.sequence, entry.own, entry.last);
  store_u64(dwords.data(), SQA_ACTION_FLOORS, entry.floors);
  for (size_t i = 0; i < ranges.size(); ++i) {
    write_range(ranges[i], dwords.data() + SQA_RANGES_FIRST + i * SQA_RANGE_DWORDS);
  }
  std::memcpy(place.memory, dwords.data(), dwords.size() * 4);
  return place;
}

void RangeRecorder::hold_written(std::span<const MemoryRange> ranges, bool transition) {
  constexpr uint64_t page = uint64_t{1} << SQA_PAGE_LOG2;
  auto& written = recorder_.part().written;
  for (const MemoryRange& range : ranges) {
    if (!range.writes) continue;
    const uint64_t begin = range.address / page * page;
    const HeldPages held{begin, end_of(range) - begin, transition};
    // A stream of copies mostly fills the page that the last one was in.
    if (!written.empty() && written.back().address == held.address && written.back().size >= held.size &&
        written.back().transition == transition)
      continue;
    engine_.hold_written(held);
    written.push_back(held);
  }
}

bool RangeRecorder::take_entry(const CommandAccesses& accesses, VkDeviceAddress floors, Entry& entry) {
  entry.floors = floors ? floors : recorder_.floors(accesses.main_class);
  entry.ordered_before = accesses.transition ? 0 : recorder_.ordered_before(accesses.main_class);
  if (!accesses.transition && accesses.main_class != SQA_CLASS_HOST)
    recorder_.follow_own_uses(accesses.main_class);
  // What the host reads is not in the cells.
  const uint32_t producers = accesses.main_class == SQA_CLASS_HOST ? 0 : 1u << accesses.main_class;
  if (!entry.floors || !recorder_.take_numbers(1, producers, entry.sequence)) return false;
  entry.number = state_.next_action();
  entry.main_class = accesses.main_class;
  entry.ranges = accesses.ranges;
  recorder_.part().actions.push_back({entry.number, entry.sequence, 1, accesses.main_class});
  RecordedAction action;
  action.number = entry.number;
  action.index = state_.index;
  action.command = accesses.command;
  action.arguments = accesses.arguments;
  action.label = state_.label;
  action.about = accesses.about;
  state_.recorded->actions.push_back(action);
  return true;
}

const RangePipeline* RangeRecorder::pipeline_for(uint32_t main_class) {
  if (main_class == SQA_CLASS_HOST) return engine_.range_pipeline(SQA_RANGES_HOST);
  return engine_.range_pipeline(engine_.needs.images ? SQA_RANGES_TEXELS : SQA_RANGES_WORDS);
}

bool RangeRecorder::dispatch(std::span<const Entry> entries) {
  // What draws have read of the application's buffers is read again.
  const bool reads_others = std::ranges::any_of(
      entries, [](const Entry& entry) { return std::ranges::any_of(entry.ranges, is_read_late); });
  const std::span<const VkBuffer> buffers = recorder_.barrier_buffers();
  record_barrier_before_ranges(state_.device, state_.handle,
                               reads_others ? std::span<const VkBuffer>() : buffers);
  recorder_.look_ahead();
  const RangePipeline* bound = nullptr;
  bool complete = true;
  for (const Entry& entry : entries) {
    const RangePipeline* const pipeline = pipeline_for(entry.main_class);
    if (pipeline != bound) pipeline->bind(state_.handle, bound_for_compute(state_));
    bound = pipeline;
    const std::span<const MemoryRange> all(entry.ranges);
    for (size_t done = 0; done < all.size(); done += kRangesOfRecord) {
      const auto ranges = all.subspan(done, std::min(kRangesOfRecord, all.size() - done));
      const uint32_t groups = groups_for(ranges);
      const RecordAllocation place = write_ranges(entry, ranges, groups);
      if (!place.memory) {
        note_record_memory(state_.device);
        complete = false;
        break;
      }
      pipeline->dispatch(state_.handle, place, groups * static_cast<uint32_t>(ranges.size()));
      state_.recorded->checked = true;
    }
  }
  state_.restore_compute();
  record_barrier_behind_ranges(state_.device, state_.handle, buffers);
  return complete;
}

bool RangeRecorder::record(const CommandAccesses& accesses, VkDeviceAddress floors) {
  if (accesses.ranges.empty()) return true;
  if (!can_record() || !recorder_.prepare()) return false;
  if (!pipeline_for(accesses.main_class)) return false;
  if (!accesses.same_command) ++state_.index;
  Entry entry;
  if (!take_entry(accesses, floors, entry)) return false;
  hold_written(accesses.ranges, accesses.transition);
  const bool meets =
      std::ranges::any_of(gathered_, [&](const Entry& other) { return meet(entry.ranges, other.ranges); });
  if (meets) flush();
  gathered_ranges_ += entry.ranges.size();
  gathered_.push_back(std::move(entry));
  if (gathered_.size() >= kMostGathered || gathered_ranges_ >= kMostGathered) flush();
  return true;
}

// All of them are dispatched together, between two barriers: they do not meet in memory, so none has to find
// another one.
void RangeRecorder::flush() {
  if (logged_) behind_pass();
  if (gathered_.empty()) return;
  gathered_ranges_ = 0;
  const bool complete = dispatch(std::exchange(gathered_, {}));
  if (OrderTrace* const trace = recorder_.part().trace.get(); trace && !complete) trace->complete = false;
}

bool RangeRecorder::can_record_input() const {
  return state_.can_dispatch && state_.in_pass && state_.pass_is_ours && !state_.conditional &&
         state_.active_queries == 0 && input_.size() < kMostInput && input_ranges_.size() < kMostInputRanges;
}

// Ranges that nothing writes by now are left out: most index and vertex buffers are written once, long
// before.
void RangeRecorder::record_input(CommandAccesses&& draw) {
  std::erase_if(draw.ranges, [&](const MemoryRange& range) {
    return !engine_.may_be_written(range.address, end_of(range) - range.address);
  });
  if (draw.ranges.empty() || !recorder_.prepare() || !pipeline_for(draw.main_class)) return;
  const VkDeviceAddress floors = recorder_.floors(draw.main_class);
  std::erase_if(draw.ranges, [&](const MemoryRange& range) {
    return !input_ranges_
                .emplace(floors, range.address, range.bytes, range.rows, range.pitch, range.named,
                         range.drawn)
                .second;
  });
  Entry entry;
  if (draw.ranges.empty() || !take_entry(draw, 0, entry)) return;
  // Arguments come in front of their draw, vertices behind it.
  if (draw.main_class == SQA_CLASS_INDIRECT) entry.own = 1 + SQA_FLOOR_COLUMNS;
  if (draw.main_class == SQA_CLASS_VERTEX_INPUT) entry.own = 1;
  input_.push_back(std::move(entry));
}

void RangeRecorder::record_attachments(CommandAccesses&& pass) {
  if (pass.ranges.empty() || !can_record_input() || !recorder_.prepare() || !pipeline_for(pass.main_class))
    return;
  Entry entry;
  if (!take_entry(pass, 0, entry)) return;
  hold_written(entry.ranges, false);
  input_.push_back(std::move(entry));
}

void RangeRecorder::forget_late_input() {
  for (Entry& entry : input_) std::erase_if(entry.ranges, is_read_late);
}

void RangeRecorder::drop_input() {
  input_.clear();
  open_input_ = 0;
  input_ranges_.clear();
}

void RangeRecorder::close_input(uint32_t last) {
  for (; open_input_ < input_.size(); ++open_input_) {
    Entry& entry = input_[open_input_];
    if (entry.own != 0 && entry.sequence + entry.own <= last) entry.last = last;
  }
}

bool RangeRecorder::dispatch_logged_reads() {
  const RangePipeline* const pipeline = logged_ && can_record() ? engine_.read_logs().pipeline() : nullptr;
  if (!pipeline || !recorder_.prepare()) return false;
  if (!log_record_.memory) log_record_ = write_ranges({}, {}, 0);
  if (!log_record_.memory) return false;
  logged_ = false;
  record_barrier_before_ranges(state_.device, state_.handle, recorder_.barrier_buffers());
  pipeline->bind(state_.handle, bound_for_compute(state_));
  pipeline->dispatch(state_.handle, log_record_, state_.device.facts.is_cpu ? kLogGroupsOfCpu : kLogGroups);
  return true;
}

// Reads that were logged come first: the pass has made them before its attachments were written for others.
void RangeRecorder::behind_pass() {
  if (state_.in_pass) return;
  const bool checked = dispatch_logged_reads();
  if (!input_.empty()) {
    dispatch(input_);
    drop_input();
  } else if (checked) {
    state_.restore_compute();
    record_barrier_behind_ranges(state_.device, state_.handle, recorder_.barrier_buffers());
  }
}

}  // namespace shaderqa::layer
