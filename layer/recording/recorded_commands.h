// SPDX-License-Identifier: Apache-2.0
// What is known of a command buffer from one vkBeginCommandBuffer to the next reset, and a while longer for
// reports.
#ifndef SHADERQA_LAYER_RECORDING_RECORDED_COMMANDS_H
#define SHADERQA_LAYER_RECORDING_RECORDED_COMMANDS_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/findings/check_details.h"
#include "host/settings/value_forms.h"
#include "layer/engines/engine.h"
#include "layer/memory/record_arena.h"
#include "layer/recording/command_arguments.h"
#include "layer/recording/layout_steps.h"
#include "layer/recording/part_coverage.h"
#include "layer/resources/image_memory.h"

namespace shaderqa::layer {

// An action with a record, or a command whose own accesses have one.
struct RecordedAction {
  uint32_t number = 0;
  uint32_t index = 0;
  const char* command = "";
  ActionKind kind = ActionKind::other;
  CommandArguments arguments{};
  uint32_t label = 0;                        // number + 1 in RecordedCommands::labels; 0: none
  uint64_t workgroups = 0;                   // as ActionOrigin has it
  std::shared_ptr<const std::string> about;  // behind the command in reports; null: nothing
};

// An action whose shaders may be traced.
struct TraceableAction {
  uint32_t index = 0;
  ActionKind kind = ActionKind::other;
  std::shared_ptr<const std::vector<std::string>> labels;  // the outermost first; null: none
  std::shared_ptr<const PipelineCoverage> pipeline;
};

// How what is recorded in a pool's command buffers is used.
struct PoolUse {
  std::atomic<uint32_t> first_submissions = 0;  // recordings that were submitted
  std::atomic<uint32_t> again = 0;              // of those, the ones that were submitted more than once
  std::atomic<bool> once = false;               // some were replaced, or freed, after one submission
};

// Written by the thread that records; constant from vkEndCommandBuffer on, but for what is said to be under
// the lock of CommandHistory and what submissions write.
struct RecordedCommands {
  struct Label {
    uint32_t parent = 0;  // as RecordedAction::label
    std::string name;
  };
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  uint32_t family = 0;
  std::vector<RecordedAction> actions;
  // A barrier or a wait for events, with the breadcrumbs setting.
  struct Crumb {
    uint32_t behind = 0;  // index of the action before it
    std::string text;
  };
  static constexpr size_t kMostCrumbs = 65536;
  std::vector<Crumb> crumbs;
  std::vector<Label> labels;
  // Draws, dispatches and traces, those of executed secondary command buffers included.
  uint32_t action_count = 0, checked_actions = 0, unchecked_actions = 0;
  // Which part of it is checked (docs/internals/switch.md).
  bool left_out = false;             // it was recorded while checks were off: its own actions have none
  uint32_t left_out_actions = 0;     // that would have had checks
  uint32_t late_actions = 0;         // of these, those that were recorded while checks were off
  LabelPaths::Depths needed_labels;  // its checked actions rely on these labels of the queue; empty: on none
  std::atomic<uint32_t> submissions = 0;
  // If something is traced; those of executed secondary command buffers included.
  static constexpr size_t kMostTraceable = 1024;
  std::vector<TraceableAction> traceable;
  bool traceable_left_out = false;       // there are more
  std::unique_ptr<LayoutSteps> layouts;  // null: nothing of images that are followed
  RecordedCoverage coverage;             // if a part of the run is chosen
  std::shared_ptr<PoolUse> use;          // of its pool, if it is a primary command buffer
  // Returns whether it was submitted before.
  bool submit();
  // A secondary command buffer is executed. Not its coverage.
  void add(const RecordedCommands& executed);
  bool of_host = false;         // its one action is what the host read
  bool orders_images = false;   // it has barriers for images
  LateAliases late_aliases;     // that there were
  bool simultaneous = false;    // it may be submitted again before it is done
  bool checked = false;         // it or a secondary command buffer that it executes has records
  bool resumes = false;         // begins within a suspended render pass: nothing goes in front of it
  RecordAllocation submission;  // its SubmissionState; no memory: it has no records
  std::unique_ptr<EngineCommands> engine;  // what the engine keeps of it

  // Under the lock of CommandHistory.
  std::string name, queue;
  std::vector<std::string> queue_labels;
};

// As the application wrote it: "vkCmdDispatch(4, 1, 1)".
std::string command_text(const RecordedAction& action);

// Recordings by the numbers of their actions. Thread-safe; the number of kept actions is bounded.
class CommandHistory {
 public:
  void finish(const std::shared_ptr<RecordedCommands>& recording);  // vkEndCommandBuffer
  void retire(const std::shared_ptr<RecordedCommands>& recording);  // reset or freed
  void name(VkCommandBuffer command_buffer, const std::string& name);
  void submitted(RecordedCommands& recording, const std::string& queue,
                 const std::vector<std::string>& labels);
  std::optional<ActionOrigin> find(uint32_t number) const;
  // The commands of its recording around the action, in order.
  std::vector<std::string> around(uint32_t number) const;
  // As the application gave it; empty: it has none.
  std::string name_of(const RecordedCommands& recording) const;

 private:
  static constexpr size_t kKeptActions = 65536;  // of command buffers that were reset

  struct Found {
    const RecordedCommands* recording = nullptr;
    const RecordedAction* action = nullptr;
  };
  Found look_up(uint32_t number) const;  // under the lock

  mutable std::mutex mutex_;
  std::unordered_map<VkCommandBuffer, std::shared_ptr<RecordedCommands>> finished_;
  std::unordered_map<VkCommandBuffer, std::string> names_;
  std::deque<std::shared_ptr<RecordedCommands>> retired_;
  size_t retired_actions_ = 0;
};

}  // namespace shaderqa::layer
#endif
