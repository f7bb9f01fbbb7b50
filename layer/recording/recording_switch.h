// SPDX-License-Identifier: Apache-2.0
// Whether a command buffer is recorded with checks, and which of its actions get them
// (docs/internals/switch.md).
#ifndef SHADERQA_LAYER_RECORDING_RECORDING_SWITCH_H
#define SHADERQA_LAYER_RECORDING_RECORDING_SWITCH_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "host/switch/check_switch.h"
#include "layer/recording/recorded_commands.h"

namespace shaderqa::layer {

class RecordingSwitch {
 public:
  // at_submission: what is recorded with checks can be submitted without them.
  RecordingSwitch(CheckSwitch& checks, std::shared_ptr<PoolUse> pool, bool secondary, bool at_submission)
      : checks_(checks), pool_(std::move(pool)), secondary_(secondary), at_submission_(at_submission) {}

  // A recording begins: decides, and writes that to it.
  void begin(const VkCommandBufferBeginInfo& info, RecordedCommands& recorded);
  // It ends: the handle may be recorded again.
  void retire(const RecordedCommands& recorded);

  // Whether single actions are chosen. If so, selects() is asked for each: number is the one of reports.
  bool selects_actions() const { return selects_actions_; }
  bool selects(uint32_t number, uint32_t label, RecordedCommands& recorded);

  // Whether pipelines that are bound in a recording without checks may be needed with checks soon.
  bool prepares() const { return prepares_; }

 private:
  static constexpr uint32_t kEnough = 8;  // submissions that show how a pool is used
  enum class Use : uint8_t { unknown, once, again };
  bool may_be_used_again(const VkCommandBufferBeginInfo& info) const;
  bool lies_within(uint32_t label, RecordedCommands& recorded);

  CheckSwitch& checks_;
  const std::shared_ptr<PoolUse> pool_;
  const bool secondary_, at_submission_;
  bool selects_actions_ = false, prepares_ = false;
  Use last_use_ = Use::unknown;
  LabelPaths::Depths queue_labels_;  // that this recording is taken to be submitted within
  // The answer for the innermost label that was asked for last.
  uint32_t known_label_ = UINT32_MAX;
  bool known_within_ = false;
};

}  // namespace shaderqa::layer
#endif
