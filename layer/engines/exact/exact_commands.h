// SPDX-License-Identifier: Apache-2.0
// What the exact engine keeps of a recorded command buffer (docs/internals/exact.md): the numbers of its
// actions, the order between them, its barriers, the command buffers that it executes.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_EXACT_COMMANDS_H
#define SHADERQA_LAYER_ENGINES_EXACT_EXACT_COMMANDS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "host/order/action_order.h"
#include "host/order/submission_order.h"
#include "layer/accesses/dependency.h"
#include "layer/engines/engine.h"
#include "layer/engines/exact/direct_slots.h"
#include "layer/engines/exact/order_trace.h"
#include "layer/engines/exact/own_uses.h"
#include "layer/engines/exact/shadow_cells.h"
#include "layer/engines/exact/watched_slots.h"
#include "layer/memory/record_arena.h"
#include "layer/recording/recorded_commands.h"

namespace shaderqa::layer {

// A command with dependencies, for reports and for the list of redundant barriers.
struct RecordedBarrier {
  SynchronizationPoint point;
  uint32_t position = 0;  // sequence numbers of the command buffer before it
  std::vector<Dependency> dependencies;
  // Number of the last action in front of it, as reports have it; 0: there is none. ExactEngine finds it.
  uint32_t after = 0;
};

// Constant from vkEndCommandBuffer on, except for what submissions write.
struct ExactCommands final : EngineCommands {
  struct NumberedAction {
    uint32_t number = 0;      // SQA_ACTION_NUMBER
    uint32_t sequence = 0;    // its first sequence number in its command buffer
    uint32_t sequences = 0;   // as many it has: SQA_COLUMN_*
    uint32_t main_class = 0;  // of its main column
  };
  struct Execution {
    std::shared_ptr<RecordedCommands> recorded;  // with records
    uint32_t offset = 0;                         // sequence numbers before it
    uint32_t producers = 0;                      // classes of those
    bool checked = false;                        // there were numbers left for it
    OrderState entry;
    // Set if the secondary was executed before in the same command buffer: the device copies its
    // SubmissionState from here before this execution.
    RecordAllocation staging;
  };

  OrderState exit;
  InheritedFloors inherited;
  uint32_t numbers = 0;
  uint32_t producers = 0;               // classes of its numbers
  std::vector<NumberedAction> actions;  // by sequence
  std::vector<Execution> executions;
  std::vector<RecordedBarrier> barriers;  // all where there is a trace, else the first so many
  std::vector<HeldPages> written;
  std::vector<std::shared_ptr<const void>>
      reserved;  // addresses that records name (LayoutTransition::others)
  std::set<LateWrites> late_writes;
  UnwatchedSlots unwatched;
  DirectUses direct;
  std::vector<ReachOfAction> own_uses;  // of actions that may replace cells; empty once they may not
  std::vector<VkDeviceAddress> ahead;   // records of actions that write through resolved descriptors
  bool logs_reads = false;              // some actions log what they read (ReadLogs)
  bool leaves_logged = false;           // which is to be checked behind the render pass of who executes this
  // SQA_ACTION_SPARSE_PLACES in the records of draws whose render pass is not known.
  std::vector<uint32_t*> logging_tiles;
  bool waits_for_host = false;        // for an event that the host may set at any time
  bool simultaneous = false;          // it may be submitted again before it is done
  std::unique_ptr<OrderTrace> trace;  // null: redundant barriers are not looked for
  QueueClock last{};                  // its newest number on each queue; under ExactSubmissions' lock

  // What only submissions need.
  void release_records() override {
    unwatched = {};
    direct = {};
    own_uses.clear();
    late_writes.clear();
    ahead.clear();
    logging_tiles.clear();
    reserved.clear();
  }
};

inline ExactCommands& exact_of(const RecordedCommands& recorded) {
  return static_cast<ExactCommands&>(*recorded.engine);
}

}  // namespace shaderqa::layer
#endif
