// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/filter/filter_recorder.h"

#include <algorithm>

#include "instrument/runtime/abi_filter.h"
#include "layer/engines/filter/filter_engine.h"
#include "layer/memory/queue_commands.h"
#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kSaltMask = 0xfff;  // as many bits as the hash takes
// Salts of render passes that another command buffer began, from here on: none of its own is the same.
constexpr uint32_t kResumedSalts = 0x800;

}  // namespace

void FilterCommands::release_records() {
  for (RecordedMarks& action : actions) action.record = nullptr;
  secondaries.clear();
}

void FilterCommands::describe(uint32_t action, ActionOrigin& origin) const {
  const auto found = std::ranges::find(actions, action, &RecordedMarks::number);
  if (found != actions.end()) origin.first_since_clear = found->first_since_clear;
}

void FilterRecorder::reset() {
  auto part = std::make_unique<FilterCommands>();
  part_ = part.get();
  state_.recorded->engine = std::move(part);
  chain_ = {};
  clear_pending_ = pass_needs_clear_ = marked_ = window_opens_ = false;
  order_ = salt_ = first_since_clear_ = 0;
}

// What is executed or submitted next knows nothing of this command buffer's barriers.
void FilterRecorder::end() {
  part_->owes_clear = clear_pending_ || pass_needs_clear_ || order_ || salt_;
  part_->last_salt = salt_;
  part_->chain = chain_;
}

bool FilterRecorder::prepare() {
  if (!filter_) filter_ = engine_.filters().require(state_.family);
  return filter_ && state_.require_submission();
}

void FilterRecorder::before_action() {
  if (clear_pending_)
    clear();
  else
    separate();
}

bool FilterRecorder::fill_record(const Action&, const Binds&, const ActionRecord& record) {
  record.dwords[SQA_ACTION_FLAGS] = order_;
  record.dwords[SQA_ACTION_SALT] = salt_;
  store_u64(record.dwords, SQA_ACTION_ENGINE, filter_->state_address());
  if (window_opens_) first_since_clear_ = record.number;
  window_opens_ = false;
  part_->actions.push_back({record.number, first_since_clear_, record.place, salt_, order_});
  return true;
}

void FilterRecorder::action_recorded() {
  marked_ = true;
  chain_.at_start = false;
}

void FilterRecorder::clear() {
  if (!prepare()) return;
  if (filter_->has_filter()) {
    filter_->record_clear(state_.device, state_.handle, engine_.filters().next_dispatch_id());
    if (!state_.recorded->checked) part_->begins_with_clear = true;
  }
  clear_pending_ = marked_ = false;
  window_opens_ = true;
  order_ = salt_ = first_since_clear_ = 0;
}

void FilterRecorder::separate() {
  if (prepare() && filter_->has_filter()) record_separation(state_.device, state_.handle, {});
}

// The actions that follow mark other buckets, until the clear that this makes necessary.
void FilterRecorder::add_salt(uint32_t salt) {
  salt_ = (salt_ + salt) & kSaltMask;
  order_ = 0;
  window_opens_ = true;
}

void FilterRecorder::add(const Dependency& dependency, CommandDependencies& together) {
  together.add(dependency);
  part_->sources |= source_scope(dependency.source_stages);
}

void FilterRecorder::synchronise(const SynchronizationPoint&, std::span<const Dependency> dependencies) {
  CommandDependencies together(chain_);
  for (const Dependency& dependency : dependencies) add(dependency, together);
  apply(together.apply(chain_));
}

// Setting an event alone orders nothing here: the command that waits for it has the stages of both sides.
void FilterRecorder::wait_events(const SynchronizationPoint&, std::span<const EventWait> waits) {
  CommandDependencies together(chain_);
  for (const EventWait& wait : waits) {
    for (const Dependency& dependency : wait.dependencies) add(dependency, together);
  }
  apply(together.apply(chain_));
}

void FilterRecorder::apply(BarrierEffect effect) {
  switch (effect) {
    case BarrierEffect::nothing:
      break;
    case BarrierEffect::reads_ordered:
      order_ |= SQA_ACTION_FLAG_READS_ORDERED;
      break;
    case BarrierEffect::writes_available:
      order_ |= SQA_ACTION_FLAG_READS_ORDERED | SQA_ACTION_FLAG_WRITES_AVAILABLE;
      break;
    case BarrierEffect::clear:
      if (state_.in_pass) {
        add_salt(1);
        pass_needs_clear_ = true;
      } else {
        clear_pending_ = true;
      }
      break;
  }
}

void FilterRecorder::begin_pass(PassBegin how) {
  if (how == PassBegin::resumes_of_others) {
    add_salt(kResumedSalts | (engine_.next_resumed_pass() & 0x7ff));
    pass_needs_clear_ = true;
  }
  if (how != PassBegin::begins) return;
  if (!clear_pending_) {
    if (marked_) separate();
    return;
  }
  // Where nothing of this command buffer fills the filter the clear can wait for the end of the pass.
  if (marked_) {
    clear();
  } else {
    add_salt(1);
  }
}

void FilterRecorder::end_pass(bool suspending) {
  if (suspending) return;
  clear_pending_ = clear_pending_ || pass_needs_clear_;
  pass_needs_clear_ = false;
}

void FilterRecorder::execute(const std::shared_ptr<RecordedCommands>& secondary) {
  FilterCommands& inner = filter_of(*secondary);
  if (secondary->checked) {
    if (!state_.in_pass && (clear_pending_ || order_)) clear();
    // Its records were written before anyone knew where it would be executed.
    if (salt_ != inner.outer_salt || order_ != inner.outer_flags) {
      for (const FilterCommands::RecordedMarks& action : inner.actions) {
        action.record[SQA_ACTION_FLAGS] = action.flags | order_;
        action.record[SQA_ACTION_SALT] = (action.salt + salt_) & kSaltMask;
      }
      inner.outer_salt = salt_;
      inner.outer_flags = order_;
    }
    part_->secondaries.push_back(secondary);
    marked_ = true;
    chain_.at_start = false;
    window_opens_ = false;
    first_since_clear_ = 0;
  }
  if (state_.in_pass && inner.last_salt) {
    add_salt(inner.last_salt);
    pass_needs_clear_ = true;
  }
  if (inner.owes_clear) (state_.in_pass ? pass_needs_clear_ : clear_pending_) = true;
  part_->sources |= inner.sources;
  chain_.ordered |= inner.chain.ordered;
  chain_.available = chain_.available || inner.chain.available;
}

}  // namespace shaderqa::layer
