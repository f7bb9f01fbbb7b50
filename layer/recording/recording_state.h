// SPDX-License-Identifier: Apache-2.0
// The state of one command buffer that is being recorded, as far as no engine is concerned.
#ifndef SHADERQA_LAYER_RECORDING_RECORDING_STATE_H
#define SHADERQA_LAYER_RECORDING_RECORDING_STATE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "layer/memory/record_arena.h"
#include "layer/recording/bind_state.h"
#include "layer/recording/recorded_commands.h"

namespace shaderqa::layer {

class Device;

// CommandRecorder is one and keeps it up to date; its engine's recorder reads it. Only the thread that
// records uses it.
struct RecordingState {
  RecordingState(Device& its_device, RecordMemory& memory, VkCommandBuffer its_handle, uint32_t its_family,
                 bool is_secondary);
  RecordingState(const RecordingState&) = delete;
  RecordingState& operator=(const RecordingState&) = delete;

  // Allocates the SubmissionState that the records of this recording refer to, once. False: there is no
  // memory.
  bool require_submission();
  uint32_t next_action();  // a number for SQA_ACTION_NUMBER
  // Tells the driver again what the application has bound for compute, and its push constants, after a
  // dispatch of the layer's own.
  void restore_compute();

  Device& device;
  const VkCommandBuffer handle;
  const uint32_t family;
  const bool secondary;
  RecordArena arena;
  BindState binds;
  std::shared_ptr<RecordedCommands> recorded;  // another one from each reset on

  uint32_t index = 0;         // number of actions so far
  uint32_t label = 0;         // the innermost debug label, as RecordedAction::label
  bool can_dispatch = false;  // the layer may record dispatches of its own
  bool in_pass = false;
  bool pass_is_ours = false;    // the render pass began, and so ends, in this command buffer
  uint64_t pass_fragments = 0;  // of its render area; 0: not known
  // Addresses of images that the render pass writes as attachments. Nothing: not known.
  std::optional<std::vector<uint64_t>> written_attachments;
  // The same for shaders, as SQA_ACTION_DRAWN has it.
  VkDeviceAddress drawn_list();
  bool suspended = false;       // a render pass was suspended in this command buffer
  bool conditional = false;     // draws and dispatches may be discarded
  uint32_t active_queries = 0;  // those that would count dispatches of the layer's own

 protected:
  ~RecordingState() = default;
  void clear();  // the state at vkBeginCommandBuffer

 private:
  uint32_t next_number_ = 0, numbers_left_ = 0;
  std::vector<uint64_t> listed_;  // as drawn_list() has it
  VkDeviceAddress list_ = 0;
};

}  // namespace shaderqa::layer
#endif
