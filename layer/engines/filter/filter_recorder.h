// SPDX-License-Identifier: Apache-2.0
// The filter's part of a command buffer that is recorded: which barriers have made a clear necessary, and
// what stands in for a clear where none can be recorded.
#ifndef SHADERQA_LAYER_ENGINES_FILTER_FILTER_RECORDER_H
#define SHADERQA_LAYER_ENGINES_FILTER_FILTER_RECORDER_H

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layer/engines/engine.h"
#include "layer/engines/filter/access_filters.h"
#include "layer/engines/filter/barrier_effects.h"
#include "layer/recording/recorded_commands.h"

namespace shaderqa::layer {

class FilterEngine;

// Written by the thread that records; constant from vkEndCommandBuffer on, but for what is said.
struct FilterCommands final : EngineCommands {
  struct RecordedMarks {
    uint32_t number = 0;  // of the action
    uint32_t first_since_clear = 0;
    uint32_t* record = nullptr;  // while the recording lives
    uint32_t salt = 0;
    uint32_t flags = 0;
  };
  std::vector<RecordedMarks> actions;
  std::vector<std::shared_ptr<RecordedCommands>> secondaries;  // those with records
  bool begins_with_clear = false;                              // before its first action with a record
  bool owes_clear = false;                                     // what comes behind it needs one first
  uint32_t last_salt = 0;                                      // of a secondary within a render pass
  BarrierChain chain;                                          // at its end
  VkPipelineStageFlags2 sources = 0;                           // that barriers of it order behind
  // The salt and the flags at the place where it was executed, which its records hold. Written by the caller.
  uint32_t outer_salt = 0, outer_flags = 0;

  void release_records() override;
  void describe(uint32_t action, ActionOrigin& origin) const override;
};
inline FilterCommands& filter_of(const RecordedCommands& recorded) {
  return static_cast<FilterCommands&>(*recorded.engine);
}

class FilterRecorder final : public EngineRecorder {
 public:
  FilterRecorder(FilterEngine& engine, RecordingState& state) : engine_(engine), state_(state) {}

  void reset() override;
  void end() override;
  bool prepare() override;
  void before_action() override;
  bool fill_record(const Action& action, const Binds& bound, const ActionRecord& record) override;
  void action_recorded() override;
  void synchronise(const SynchronizationPoint& point, std::span<const Dependency> dependencies) override;
  void wait_events(const SynchronizationPoint& point, std::span<const EventWait> waits) override;
  void pass_unknown() override { apply(BarrierEffect::clear); }
  void begin_pass(PassBegin how) override;
  void end_pass(bool suspending) override;
  void execute(const std::shared_ptr<RecordedCommands>& secondary) override;

 private:
  void add(const Dependency& dependency, CommandDependencies& together);
  void apply(BarrierEffect effect);
  void clear();
  // Actions outside of render passes run one after the other, as do render passes as a whole. To the filter
  // that is no synchronisation, and it makes what the filter finds between them the same in every run.
  void separate();
  void add_salt(uint32_t salt);

  FilterEngine& engine_;
  RecordingState& state_;
  FilterCommands* part_ = nullptr;           // of state_.recorded
  AccessFilters::Family* filter_ = nullptr;  // of the queue family, once it is needed
  BarrierChain chain_;
  bool clear_pending_ = false;
  uint32_t order_ = 0;             // SQA_ACTION_FLAG_*: what barriers since the last clear have ordered
  bool pass_needs_clear_ = false;  // when it ends
  bool marked_ = false;            // an action with a record came since the last clear
  bool window_opens_ = false;      // the next action is the first since the last clear
  uint32_t salt_ = 0;
  uint32_t first_since_clear_ = 0;
};

}  // namespace shaderqa::layer
#endif
