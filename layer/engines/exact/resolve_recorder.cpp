// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/resolve_recorder.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "instrument/runtime/abi_resolve.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/engines/exact/exact_recorder.h"
#include "layer/memory/queue_commands.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/descriptor_bytes.h"
#include "layer/resources/resolved_slots.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostAhead = 512;  // actions; behind them, only what each action itself marks counts

// Workgroups of a dispatch. Those that find nothing to do cost a GPU nothing.
constexpr uint32_t kGroups = 64, kGroupsOnCpu = 4;

// The sets that lie where the record says, with all that the layout says of them.
uint32_t placed_sets(const PipelineLayout& layout, const Binds& bound) {
  uint32_t sets = 0;
  for (uint32_t set = 0; set < layout.sets.size() && set < SQA_MAX_SETS; ++set) {
    const SetLayout* const placed = bound.in_buffers[set].layout.get();
    if (layout.sets[set] && placed && lie_alike(*layout.sets[set], *placed)) sets |= 1u << set;
  }
  return sets;
}

}  // namespace

bool ResolveRecorder::is_needed(const Action& action, const Binds& bound) {
  return action.point == BindPoint::compute && bound.checked && bound.checked->layout->descriptor_buffers &&
         bound.checked->layout->has_direct;
}

void ResolveRecorder::reset() {
  layout_ = nullptr;
  list_ = last_list_ = 0;
  ahead_ = {};
  together_ = {};
}

// Reads of descriptors need a memory dependency of their own behind what the device writes. That of an image
// is not for the memory of descriptors.
bool ResolveRecorder::may_change_descriptors(std::span<const Dependency> dependencies) {
  constexpr VkAccessFlags2 reads = VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT | VK_ACCESS_2_MEMORY_READ_BIT;
  return std::ranges::any_of(dependencies, [](const Dependency& dependency) {
    return dependency.buffers && !dependency.image && (dependency.destination_access & reads);
  });
}

bool ResolveRecorder::can_record(const ActionRecord& record) {
  if (!engine_.resolve_pipeline()) return false;
  if (has_room_for(state_.arena.find(record.place))) return true;
  if (!recorder_.can_record_accesses()) {
    state_.device.note("unresolved descriptors",
                       "some dispatches with descriptors in descriptor buffers are not checked: nothing can "
                       "be inserted in front of them, because a query counts what compute shaders do");
    return false;
  }
  return true;
}

bool ResolveRecorder::require_list(const std::shared_ptr<const PipelineLayout>& layout) {
  const size_t written = layout->written->version();
  if (list_ && layout_ == layout && written_ == written) return true;
  const ResolvedList list = resolved_list(*layout);
  const auto bytes = static_cast<uint32_t>(list.dwords.size() * sizeof(uint32_t));
  const RecordAllocation place = state_.arena.allocate(bytes);
  if (!place.memory) return false;
  std::memcpy(place.memory, list.dwords.data(), bytes);
  list_ = place.address;
  layout_ = layout;
  written_ = written;
  flags_ = list.all ? SQA_RESOLVE_ALL : 0;
  count_ = list.dwords[0];
  writes_ = list.writes;
  return true;
}

void ResolveRecorder::dispatch(const RecordAllocation& record) {
  const uint32_t groups = state_.device.facts.is_cpu ? kGroupsOnCpu : kGroups;
  engine_.resolve_pipeline()->dispatch(state_.handle, record, groups);
}

// That of a dispatch of the layer's own. Nothing where there is no memory that it could find.
RecordAllocation ResolveRecorder::make_record(VkDeviceAddress list, uint32_t flags) {
  const RecordAllocation place = state_.arena.allocate(SQA_ACTION_MAX_DWORDS * sizeof(uint32_t));
  if (!place.memory || place.block >= SQA_RECORD_BLOCKS) return {};
  uint32_t dwords[SQA_ACTION_MAX_DWORDS]{};
  store_u64(dwords, SQA_ACTION_SELF, place.address);
  store_u64(dwords, SQA_ACTION_ENGINE, engine_.state_address());
  store_u64(dwords, SQA_ACTION_SUBMISSION, state_.recorded->submission.address);
  store_u64(dwords, SQA_ACTION_PAGES, engine_.pages_address());
  store_u64(dwords, SQA_ACTION_RESOLVE, list);
  dwords[SQA_ACTION_RESOLVE + 2] = flags;
  std::memcpy(place.memory, dwords, sizeof dwords);
  return place;
}

// Under a condition it might be discarded.
bool ResolveRecorder::require_ahead() {
  if (ahead_.memory) return true;
  if (state_.conditional) return false;
  ahead_ = make_record(0, SQA_RESOLVE_AHEAD);
  if (!ahead_.memory) return false;
  dispatch(ahead_);
  record_barrier_behind_ranges(state_.device, state_.handle, recorder_.barrier_buffers());
  return true;
}

void ResolveRecorder::look_ahead() {
  const Device& device = state_.device;
  if (ahead_.memory || !device.facts.pushed_records || !device.descriptor_bytes.has_writable() ||
      !engine_.resolve_pipeline())
    return;
  engine_.resolve_pipeline()->bind(state_.handle, bound_for_compute(state_));
  require_ahead();
}

bool ResolveRecorder::add_ahead(const ActionRecord& record, VkDeviceAddress address) {
  if (!ahead_.memory) return false;
  std::vector<VkDeviceAddress>& ahead = recorder_.part().ahead;
  const uint32_t* const tables = record.dwords + SQA_ACTION_TABLES;
  const bool again = last_list_ == list_ && std::memcmp(tables, last_tables_, sizeof last_tables_) == 0;
  if (again || !writes_) return true;
  if (ahead.size() >= kMostAhead) return false;
  ahead.push_back(address);
  last_list_ = list_;
  std::memcpy(last_tables_, tables, sizeof last_tables_);
  return true;
}

bool ResolveRecorder::has_room_for(const RecordAllocation& place) const {
  return together_.descriptors && place.buffer == together_.records &&
         together_.count + SQA_MOST_RESOLVED <= SQA_RESOLVED_TOGETHER;
}

bool ResolveRecorder::begin_together(const RecordAllocation& place) {
  constexpr uint32_t bytes = SQA_RESOLVED_TOGETHER * 16;
  const RecordAllocation list = state_.arena.allocate(bytes);
  if (!list.memory) return false;
  const RecordAllocation record = make_record(list.address, 0);
  if (!record.memory) return false;
  std::memset(list.memory, 0, bytes);
  together_ = {list.memory, 0, place.buffer};
  dispatch(record);
  const std::array buffers{place.buffer};
  record_barrier_behind_ranges(state_.device, state_.handle, engine_.barrier_buffers_and(buffers));
  return true;
}

bool ResolveRecorder::record(const Action& action, const Binds& bound, const ActionRecord& record,
                             bool directly) {
  const RecordAllocation place = state_.arena.find(record.place);
  if (!place.memory || !require_list(bound.checked->layout)) {
    note_record_memory(state_.device);
    return false;
  }
  store_u64(record.dwords, SQA_ACTION_RESOLVE, list_);
  record.dwords[SQA_ACTION_RESOLVE + 2] =
      flags_ | placed_sets(*layout_, bound) | (directly ? SQA_RESOLVE_DIRECT : 0u);
  record.dwords[SQA_ACTION_RESOLVE + 3] = action.reach;
  const bool joins = has_room_for(place);
  if (!joins) {
    engine_.resolve_pipeline()->bind(state_.handle, BoundDescriptors::in_buffers);
    require_ahead();
  }
  if (!joins && !begin_together(place)) {
    note_record_memory(state_.device);
    return false;
  }
  // What it marks is not known to descriptors that are looked at meanwhile.
  const bool marked_ahead = add_ahead(record, place.address);
  for (uint32_t i = 0; i < count_; ++i) {
    const uint64_t descriptor[] = {place.address, i};
    std::memcpy(together_.descriptors + size_t{16} * together_.count++, descriptor, sizeof descriptor);
  }
  if (!joins) state_.restore_compute();
  // Under a condition the dispatch may be discarded.
  if (!marked_ahead || (!joins && state_.conditional)) together_ = {};
  return true;
}

void ResolveRecorder::execute(const ExactCommands& secondary) {
  if (secondary.ahead.empty() || !recorder_.can_record_accesses() || !recorder_.prepare() ||
      !engine_.resolve_pipeline())
    return;
  if (!ahead_.memory) {
    engine_.resolve_pipeline()->bind(state_.handle, bound_for_compute(state_));
    require_ahead();
    state_.restore_compute();
  }
  std::vector<VkDeviceAddress>& ahead = recorder_.part().ahead;
  if (!ahead_.memory) return;
  const size_t room = kMostAhead - std::min(kMostAhead, ahead.size());
  ahead.insert(ahead.end(), secondary.ahead.begin(),
               secondary.ahead.begin() + static_cast<std::ptrdiff_t>(std::min(room, secondary.ahead.size())));
}

// The first part is the last one to be written, and names the next one.
void ResolveRecorder::write_ahead() {
  const std::vector<VkDeviceAddress>& ahead = recorder_.part().ahead;
  VkDeviceAddress next = 0;
  for (size_t first = 0; first < ahead.size(); first += SQA_AHEAD_RECORDS) {
    const auto count = static_cast<uint32_t>(std::min<size_t>(SQA_AHEAD_RECORDS, ahead.size() - first));
    const uint32_t bytes = 16 + (count + 1) / 2 * 16;
    const RecordAllocation place = state_.arena.allocate(bytes);
    if (!place.memory) return note_record_memory(state_.device);
    std::memset(place.memory, 0, bytes);
    std::memcpy(place.memory, &next, sizeof next);
    std::memcpy(place.memory + 8, &count, sizeof count);
    std::memcpy(place.memory + 16, ahead.data() + first, count * sizeof(VkDeviceAddress));
    next = place.address;
  }
  std::memcpy(ahead_.memory + SQA_ACTION_RESOLVE * 4, &next, sizeof next);
}

void ResolveRecorder::end() {
  if (ahead_.memory) write_ahead();
}

}  // namespace shaderqa::layer
