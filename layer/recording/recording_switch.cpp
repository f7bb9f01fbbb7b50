// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/recording_switch.h"

#include <algorithm>
#include <string>
#include <vector>

namespace shaderqa::layer {

// A program says so with the flag, or shows it by what it does.
bool RecordingSwitch::may_be_used_again(const VkCommandBufferBeginInfo& info) const {
  if (info.flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) return false;
  // How often a primary command buffer that executes it is submitted is not known.
  if (secondary_) return true;
  if (last_use_ != Use::unknown) return last_use_ == Use::again;
  if (pool_->again.load(std::memory_order_relaxed)) return true;
  return !pool_->once.load(std::memory_order_relaxed) &&
         pool_->first_submissions.load(std::memory_order_relaxed) < kEnough;
}

void RecordingSwitch::begin(const VkCommandBufferBeginInfo& info, RecordedCommands& recorded) {
  const CheckState state = checks_.state();
  if (!secondary_) recorded.use = pool_;
  recorded.left_out = at_submission_ ? !state.records : !state.next_open;
  if (recorded.left_out && state.may_open && at_submission_) recorded.left_out = !may_be_used_again(info);
  prepares_ = state.may_open && checks_.has_selection();
  selects_actions_ = !recorded.left_out && checks_.selects_actions();
  known_label_ = UINT32_MAX;
  if (selects_actions_ && !checks_.within.empty()) queue_labels_ = checks_.queue_labels();
}

void RecordingSwitch::retire(const RecordedCommands& recorded) {
  const uint32_t submissions = recorded.submissions.load(std::memory_order_relaxed);
  if (submissions == 0 || secondary_) return;
  last_use_ = submissions == 1 ? Use::once : Use::again;
  if (submissions == 1) pool_->once.store(true, std::memory_order_relaxed);
}

bool RecordingSwitch::lies_within(uint32_t label, RecordedCommands& recorded) {
  std::vector<std::string> inner;
  for (; label; label = recorded.labels[label - 1].parent) inner.push_back(recorded.labels[label - 1].name);
  std::ranges::reverse(inner);
  if (checks_.within.complete({}, inner)) return true;
  if (!checks_.within.complete(queue_labels_, inner)) return false;
  recorded.needed_labels = queue_labels_;
  return true;
}

bool RecordingSwitch::selects(uint32_t number, uint32_t label, RecordedCommands& recorded) {
  if (!checks_.actions.empty() && !checks_.actions.contains(number)) return false;
  if (checks_.within.empty()) return true;
  if (label != known_label_) {
    known_within_ = lies_within(label, recorded);
    known_label_ = label;
  }
  return known_within_;
}

}  // namespace shaderqa::layer
