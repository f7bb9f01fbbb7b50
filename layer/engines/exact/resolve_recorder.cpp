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
}

bool ResolveRecorder::can_record() {
  if (!recorder_.can_record_accesses()) {
    state_.device.note("unresolved descriptors",
                       "some dispatches with descriptors in descriptor buffers are not checked: nothing can "
                       "be inserted in front of them, because a query counts what compute shaders do");
    return false;
  }
  return engine_.resolve_pipeline() != nullptr;
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

void ResolveRecorder::dispatch(const RecordAllocation& record, uint32_t groups) {
  engine_.resolve_pipeline()->dispatch(state_.handle, record, groups);
  const std::array buffers{record.buffer};
  record_barrier_behind_ranges(state_.device, state_.handle, engine_.barrier_buffers_and(buffers));
}

// Under a condition it might be discarded.
bool ResolveRecorder::require_ahead() {
  if (ahead_.memory) return true;
  if (state_.conditional) return false;
  ahead_ = state_.arena.allocate(SQA_ACTION_MAX_DWORDS * sizeof(uint32_t));
  if (!ahead_.memory || ahead_.block >= SQA_RECORD_BLOCKS) {
    ahead_ = {};
    return false;
  }
  uint32_t dwords[SQA_ACTION_MAX_DWORDS]{};
  store_u64(dwords, SQA_ACTION_SELF, ahead_.address);
  store_u64(dwords, SQA_ACTION_ENGINE, engine_.state_address());
  store_u64(dwords, SQA_ACTION_SUBMISSION, state_.recorded->submission.address);
  store_u64(dwords, SQA_ACTION_PAGES, engine_.pages_address());
  dwords[SQA_ACTION_RESOLVE + 2] = SQA_RESOLVE_AHEAD;
  std::memcpy(ahead_.memory, dwords, sizeof dwords);
  dispatch(ahead_, SQA_AHEAD_GROUPS);
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

bool ResolveRecorder::record(const Action& action, const Binds& bound, const ActionRecord& record) {
  const RecordAllocation place = state_.arena.find(record.place);
  if (place.block >= SQA_RECORD_BLOCKS || !require_list(bound.checked->layout)) {
    note_record_memory(state_.device);
    return false;
  }
  store_u64(record.dwords, SQA_ACTION_RESOLVE, list_);
  record.dwords[SQA_ACTION_RESOLVE + 2] =
      flags_ | placed_sets(*layout_, bound) | (action.row ? SQA_RESOLVE_ROW : 0u);
  engine_.resolve_pipeline()->bind(state_.handle, BoundDescriptors::in_buffers);
  std::vector<VkDeviceAddress>& ahead = recorder_.part().ahead;
  const uint32_t* const tables = record.dwords + SQA_ACTION_TABLES;
  const bool again = last_list_ == list_ && std::memcmp(tables, last_tables_, sizeof last_tables_) == 0;
  const bool has_ahead = require_ahead();
  if (has_ahead && writes_ && !again && ahead.size() < kMostAhead) {
    ahead.push_back(place.address);
    last_list_ = list_;
    std::memcpy(last_tables_, tables, sizeof last_tables_);
  }
  dispatch(place, count_);
  state_.restore_compute();
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
