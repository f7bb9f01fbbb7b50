// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/command_accesses.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "layer/engines/exact/exact_engine.h"
#include "layer/memory/queue_commands.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kRangesOfRecord = 128;
constexpr uint32_t kMostGroups = 256;  // that work on one range
constexpr uint32_t kWordsOfInvocation = 4;
// Of all ranges of a record of which the device alone knows how many they have: it takes turns where there
// are more.
constexpr uint64_t kWordsOfDrawn = 65536;
constexpr size_t kMostGathered = 64;  // commands, or ranges: each new one is compared with all

uint32_t groups_for(std::span<const MemoryRange> ranges) {
  uint64_t words = 1;
  for (const MemoryRange& range : ranges) {
    const uint64_t most = range.drawn.arguments ? kWordsOfDrawn / ranges.size() : UINT64_MAX;
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
  dwords[SQA_RANGE_ACCESS] = range.writes ? SQA_ACCESS_STORE : SQA_ACCESS_LOAD;
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

void CommandAccesses::add(const Device& device, VkBuffer buffer, MemoryRange range) {
  const BufferTable::BoundRange place = device.buffers.place(buffer);
  if (!place.address) complete = false;
  if (!place.address || !place.has_cells()) return;
  const uint64_t end = end_of(range);
  if (end == 0 || end > place.size) {
    complete = false;
    return;
  }
  range.address += place.address;
  append_packed(range, ranges);
}

void CommandAccesses::add(const Device& device, MemoryRange range) {
  const std::optional<BufferTable::Buffer> buffer = device.buffers.find_address(range.address);
  if (!buffer || buffer->destroyed) return;
  range.address -= buffer->address;
  add(device, buffer->handle, range);
}

bool CommandRecorder::can_record_accesses() const {
  return exact_ && can_dispatch_ && !in_pass_ && !suspended_ && active_queries_ == 0;
}

// With what RangePipeline has to dispatch for it; nothing where there is no memory.
RecordAllocation CommandRecorder::write_ranges(const RecordedAction& action,
                                               std::span<const MemoryRange> ranges, VkDeviceAddress floors,
                                               uint32_t ordered_before, uint32_t groups) {
  std::vector<uint32_t> dwords(SQA_RANGES_FIRST + ranges.size() * SQA_RANGE_DWORDS);
  const RecordAllocation place = arena.allocate(static_cast<uint32_t>(dwords.size() * 4));
  if (!place.memory || place.block >= SQA_RECORD_BLOCKS) return {};
  store_u64(dwords.data(), SQA_ACTION_SELF, place.address);
  dwords[SQA_ACTION_NUMBER] = action.number;
  store_u64(dwords.data(), SQA_ACTION_ENGINE, shared_.device.exact->state_address());
  store_u64(dwords.data(), SQA_ACTION_SUBMISSION, submission_.address);
  dwords[SQA_ACTION_ORDERED_BEFORE] = ordered_before;
  dwords[SQA_RANGES_GROUPS] = groups;
  dwords[SQA_ACTION_SEQUENCE] = action.sequence;
  store_u64(dwords.data(), SQA_ACTION_FLOORS, floors);
  for (size_t i = 0; i < ranges.size(); ++i) {
    write_range(ranges[i], dwords.data() + SQA_RANGES_FIRST + i * SQA_RANGE_DWORDS);
  }
  std::memcpy(place.memory, dwords.data(), dwords.size() * 4);
  return place;
}

void CommandRecorder::hold_written(std::span<const MemoryRange> ranges) {
  constexpr uint64_t page = uint64_t{1} << SQA_PAGE_LOG2;
  auto& written = recording_->exact->written;
  for (const MemoryRange& range : ranges) {
    if (!range.writes) continue;
    const uint64_t begin = range.address / page * page;
    const std::pair held{begin, end_of(range) - begin};
    // What a stream of copies fills is mostly the page of the last one.
    if (!written.empty() && written.back().first == held.first && written.back().second >= held.second)
      continue;
    shared_.device.exact->hold_written(held.first, held.second);
    written.push_back(held);
  }
}

void CommandRecorder::restore_compute() {
  const Binds& bound = binds.at(BindPoint::compute);
  const Device& device = shared_.device;
  if (bound.pipeline) {
    device.next.CmdBindPipeline(handle_, VK_PIPELINE_BIND_POINT_COMPUTE, bound.pipeline);
  } else if (bound.compute_shader) {
    constexpr VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    device.next.CmdBindShadersEXT(handle_, 1, &stage, &bound.compute_shader);
  }
}

bool CommandRecorder::take_entry(const CommandAccesses& accesses, RangeEntry& entry) {
  RecordedAction& action = entry.action;
  action.main_class = accesses.main_class;
  action.sequences = 1;
  entry.floors = accesses.floors ? accesses.floors : exact_->floors(accesses.main_class, arena);
  entry.ordered_before = exact_->ordered_before(accesses.main_class);
  // What the host reads is not in the cells.
  const uint32_t producers = accesses.main_class == SQA_CLASS_HOST ? 0 : 1u << accesses.main_class;
  if (!entry.floors || !exact_->take_numbers(1, producers, action.sequence)) return false;
  action.number = shared_.next_action();
  action.index = index_;
  action.command = accesses.command;
  action.arguments = accesses.arguments;
  action.argument_count = accesses.argument_count;
  action.handles = accesses.handles;
  action.label = label_;
  entry.ranges = accesses.ranges;
  recording_->actions.push_back(action);
  return true;
}

bool CommandRecorder::dispatch_accesses(std::span<const RangeEntry> entries) {
  Device& device = shared_.device;
  const RangePipeline* pipeline = device.exact->range_pipeline();
  if (!pipeline) return false;
  bool complete = true;
  record_barrier_before_ranges(device, handle_);
  pipeline->bind(handle_);
  for (const RangeEntry& entry : entries) {
    const std::span<const MemoryRange> all(entry.ranges);
    for (size_t done = 0; done < all.size(); done += kRangesOfRecord) {
      const auto ranges = all.subspan(done, std::min(kRangesOfRecord, all.size() - done));
      const uint32_t groups = groups_for(ranges);
      const RecordAllocation place =
          write_ranges(entry.action, ranges, entry.floors, entry.ordered_before, groups);
      if (!place.memory) {
        device.note("record memory", "there is no memory to check the accesses of some actions");
        complete = false;
        break;
      }
      pipeline->dispatch(handle_, place, groups * static_cast<uint32_t>(ranges.size()));
      recording_->checked = true;
    }
  }
  restore_compute();
  record_barrier_behind_ranges(device, handle_);
  return complete;
}

bool CommandRecorder::record_accesses(const CommandAccesses& accesses) {
  if (accesses.ranges.empty()) return true;
  if (!can_record_accesses() || !prepare_records()) return false;
  if (!shared_.device.exact->range_pipeline()) return false;
  if (!accesses.same_command) ++index_;
  RangeEntry entry;
  if (!take_entry(accesses, entry)) return false;
  hold_written(accesses.ranges);
  const bool meets = std::ranges::any_of(
      gathered_, [&](const RangeEntry& other) { return meet(entry.ranges, other.ranges); });
  if (meets) flush_accesses();
  gathered_ranges_ += entry.ranges.size();
  gathered_.push_back(std::move(entry));
  if (gathered_.size() >= kMostGathered || gathered_ranges_ >= kMostGathered) flush_accesses();
  return true;
}

// Together, between two barriers: of entries in the same memory the later one must find the earlier one.
void CommandRecorder::flush_accesses() {
  if (gathered_.empty()) return;
  gathered_ranges_ = 0;
  if (!dispatch_accesses(std::exchange(gathered_, {}))) exact_->lose_track();
}

// A dispatch of ours would be discarded, too.
void CommandRecorder::condition(bool on) {
  flush_accesses();
  conditional_ = on;
}

// It would count a dispatch of ours.
void CommandRecorder::begin_query() {
  flush_accesses();
  ++active_queries_;
}

}  // namespace shaderqa::layer
