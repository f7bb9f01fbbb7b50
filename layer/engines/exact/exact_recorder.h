// SPDX-License-Identifier: Apache-2.0
// What the exact engine keeps of a command buffer (docs/exact.md): the numbers of its actions, the order
// between them, the command buffers that it executes.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_EXACT_RECORDER_H
#define SHADERQA_LAYER_ENGINES_EXACT_EXACT_RECORDER_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/order/action_order.h"
#include "host/order/submission_order.h"
#include "layer/engines/exact/order_trace.h"
#include "layer/engines/exact/watched_slots.h"
#include "layer/engines/filter/barrier_effects.h"
#include "layer/memory/record_arena.h"

namespace shaderqa::layer {

class Device;
struct RecordedCommands;

// A command with dependencies, for reports.
struct RecordedBarrier {
  const char* command = "";
  uint32_t position = 0;  // sequence numbers of the command buffer before it
  uint32_t actions = 0;   // as many of the command buffer's actions come before it
  std::vector<Dependency> dependencies;
};

// Constant from vkEndCommandBuffer on, but for what submissions write.
struct ExactRecorded {
  struct Execution {
    std::shared_ptr<RecordedCommands> recording;  // with records
    uint32_t offset = 0;                          // sequence numbers before it
    uint32_t producers = 0;                       // classes of those
    bool checked = false;                         // there were numbers left for it
    OrderState entry;
    // Executed before in the same command buffer: its SubmissionState is copied from here on the way.
    RecordAllocation staging;
  };

  OrderState exit;
  uint32_t numbers = 0;
  uint32_t producers = 0;  // classes of its numbers
  std::vector<Execution> executions;
  std::vector<RecordedBarrier> barriers;                          // the first so many
  std::vector<std::pair<VkDeviceAddress, VkDeviceSize>> written;  // by commands, in whole pages
  UnwatchedSlots unwatched;
  bool simultaneous = false;          // it may be submitted again before it is done
  RecordAllocation submission;        // its SubmissionState, in its arena; no memory: it has no records
  std::unique_ptr<OrderTrace> trace;  // null: redundant barriers are not looked for
  QueueClock last{};                  // its newest number on each queue; under ExactEngine's lock
};

class ExactRecorder {
 public:
  explicit ExactRecorder(Device& device) : device_(device) {}

  void begin(const std::shared_ptr<ExactRecorded>& part);
  void end() { part_->exit = order_; }

  // False where the command buffer has as many numbers as there are: the action is not checked.
  // producers: classes that may access memory under them.
  bool take_numbers(uint32_t count, uint32_t producers, uint32_t& first);
  // For an action of this main class that is recorded next: as SQA_ACTION_ORDERED_BEFORE.
  uint32_t ordered_before(uint32_t main_class);
  // The block of floors of an action whose main column has this class; 0: there is no memory.
  VkDeviceAddress floors(uint32_t main_class, RecordArena& arena);

  void synchronise(const OrderingCommand& command, std::span<const Dependency> dependencies);
  void set_event(VkEvent event) { events_.insert_or_assign(event, Event{order_, part_->numbers}); }
  void wait_event(VkEvent event, std::span<const Dependency> dependencies, const OrderState& before);
  void note_barrier(const OrderingCommand& command, std::vector<Dependency> dependencies);
  void use_memory(VkPipelineStageFlags2 stages, uint32_t uses) {
    if (part_->trace) part_->trace->use(stages, uses);
  }
  // Not all that was said to be entered is.
  void lose_track() {
    if (part_->trace) part_->trace->complete = false;
  }
  const OrderState& order() const { return order_; }

  // Before the command buffer executes another one; commands may be recorded in front where it is not within
  // a render pass.
  void execute(const std::shared_ptr<RecordedCommands>& secondary, VkCommandBuffer command_buffer,
               bool in_pass, RecordArena& arena);

 private:
  struct Event {
    OrderState order;
    uint32_t position = 0;
  };

  RecordAllocation stage(const ExactRecorded& inner, VkCommandBuffer command_buffer, RecordArena& arena);

  Device& device_;
  std::shared_ptr<ExactRecorded> part_;
  OrderState order_;
  std::array<VkDeviceAddress, SQA_CLASSES> blocks_{};  // by main class, until the next synchronisation
  struct OrderedBefore {
    uint32_t producers = 0, value = 0;
    bool known = false;
  };
  std::array<OrderedBefore, SQA_CLASSES> ordered_before_{};  // as blocks_
  std::unordered_map<VkEvent, Event> events_;                // set in this command buffer
};

}  // namespace shaderqa::layer
#endif
