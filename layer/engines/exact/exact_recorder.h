// SPDX-License-Identifier: Apache-2.0
// The exact engine's part of a command buffer that is recorded (docs/internals/exact.md): numbers for its
// actions, the order between them, and the memory that they may write.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_EXACT_RECORDER_H
#define SHADERQA_LAYER_ENGINES_EXACT_EXACT_RECORDER_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_order.h"
#include "layer/engines/exact/bound_slots.h"
#include "layer/engines/exact/exact_commands.h"
#include "layer/engines/exact/own_uses.h"
#include "layer/engines/exact/range_recorder.h"
#include "layer/engines/exact/resolve_recorder.h"
#include "layer/recording/bind_state.h"

namespace shaderqa::layer {

class ExactEngine;

class ExactRecorder final : public EngineRecorder {
 public:
  ExactRecorder(ExactEngine& engine, RecordingState& state);

  void reset() override;
  void begin(const VkCommandBufferBeginInfo& info) override;
  void end() override;
  void retire() override;
  bool prepare() override;
  void before_action() override;
  bool fill_record(const Action& action, const Binds& bound, const ActionRecord& record) override;
  bool found_directly() const override { return found_directly_; }
  void action_recorded() override { has_records_ = true; }
  void synchronise(const SynchronizationPoint& point, std::span<const Dependency> dependencies) override;
  void change_layouts(const char* name, std::span<const LayoutTransition> transitions,
                      std::span<const VkEvent> events) override;
  void set_event(VkEvent event) override;
  void wait_events(const SynchronizationPoint& point, std::span<const EventWait> waits) override;
  void pass_unknown() override;
  void begin_pass(PassBegin how) override;
  void end_pass(bool suspending) override;
  void behind_pass() override { ranges_.behind_pass(); }
  void execute(const std::shared_ptr<RecordedCommands>& secondary) override;
  bool can_record_accesses() const override { return ranges_.can_record(); }
  bool record_accesses(const CommandAccesses& accesses) override;
  void flush_accesses() override { ranges_.flush(); }
  bool can_record_input() const override { return ranges_.can_record_input(); }
  void record_input(CommandAccesses&& draw) override;
  void record_attachments(CommandAccesses&& pass) override { ranges_.record_attachments(std::move(pass)); }
  void use_memory(VkPipelineStageFlags2 stages, uint32_t uses) override {
    if (part_->trace) part_->trace->use(stages, uses);
  }

  // For its RangeRecorder.
  // The engine's buffers, for the barriers in layer/memory/queue_commands.h.
  std::span<const VkBuffer> barrier_buffers();
  ExactCommands& part() { return *part_; }
  // False where the command buffer has as many numbers as there are: the action is not checked. producers:
  // classes that may access memory under them.
  bool take_numbers(uint32_t count, uint32_t producers, uint32_t& first);
  // For an action of this main class that is recorded next: as SQA_ACTION_ORDERED_BEFORE.
  uint32_t ordered_before(uint32_t main_class);
  // An action of this class is recorded next.
  void follow_own_uses(uint32_t consumer);
  // The block of floors of an action whose main column has this class; 0: there is no memory.
  VkDeviceAddress floors(uint32_t main_class);
  // Before accesses are entered: what the command buffer's shaders write counts as written.
  void look_ahead() { resolver_.look_ahead(); }
  // For HostReads: `floors` instead of those of its place in the command buffer.
  bool record_host_reads(const CommandAccesses& accesses, VkDeviceAddress floors) {
    return ranges_.record(accesses, floors);
  }

 private:
  struct Event {
    OrderState order;
    uint32_t position = 0;
  };

  // A layout transition that was recorded, before its dependencies are.
  struct ChangedLayout {
    std::vector<OrderDependency> order;
    uint32_t position = 0;  // sequence numbers before it, and its own
  };

  void order_changed();
  void order_behind_transitions(std::span<const Dependency> dependencies);
  VkDeviceAddress write_floors(const OrderState& order, uint32_t main_class);
  // Another render pass, or an action, runs behind what was recorded before.
  void separate();
  void note_out_of_numbers(uint32_t first);
  void note_out_of_floors();
  // For an action whose descriptors the device resolves: whether it will find one region of floors for the
  // memory of each, and cells that follow each other.
  bool may_resolve_directly();
  bool number_action(const Action& action, const ActionRecord& record);
  // What follows may be ordered behind the draws of the render pass until here: their records say so.
  void close_draws();
  // The same within the render pass, where what follows may overwrite, in order, what they have read.
  void order_behind_draws();
  // For a draw, some of whose shaders may log what they read.
  void expect_logged_reads(const Binds& bound, const ActionRecord& record);
  void note_barrier(const SynchronizationPoint& point, std::vector<Dependency> dependencies);
  RecordAllocation stage(const RecordedCommands& inner);

  ExactEngine& engine_;
  RecordingState& state_;
  ExactCommands* part_ = nullptr;  // of state_.recorded, and gone with it
  // What the recording before had: mostly the next one is like it.
  size_t last_actions_ = 0, last_uses_ = 0;
  RangeRecorder ranges_;
  ResolveRecorder resolver_;
  bool has_records_ = false;
  bool found_directly_ = true;  // by the last action
  std::shared_ptr<const std::vector<VkBuffer>> barrier_buffers_;
  uint64_t barrier_generation_ = 0;  // of barrier_buffers_
  bool out_of_numbers_ = false;      // which a note has said
  OrderState order_;
  std::array<BoundSlots, kBindPoints> slots_;  // what is derived from descriptors
  WatchedSets watched_sets_;
  OwnUses own_uses_;
  std::array<VkDeviceAddress, SQA_CLASSES> blocks_{};  // by main class, until the next synchronisation
  struct OrderedBefore {
    uint32_t producers = 0, value = 0;
    bool known = false;
  };
  std::array<OrderedBefore, SQA_CLASSES> ordered_before_{};  // as blocks_
  std::optional<bool> regions_are_buffers_;                  // as blocks_
  std::unordered_map<VkEvent, Event> events_;                // set in this command buffer
  std::vector<ChangedLayout> changed_layouts_;
  // Where records of draws have SQA_ACTION_SEQUENCE, and what is there: those of the render pass that no
  // barrier orders before the next one.
  struct OpenDraw {
    uint32_t* place = nullptr;
    uint32_t sequence = 0;
  };
  std::vector<OpenDraw> open_draws_;
};

}  // namespace shaderqa::layer
#endif
