// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/recording_state.h"

#include <algorithm>
#include <cstring>

#include "instrument/runtime/abi_submission.h"
#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kNumbersAtOnce = 64;

uint32_t record_alignment(const DeviceFacts& facts) {
  return std::max<uint32_t>(16, static_cast<uint32_t>(facts.limits.minUniformBufferOffsetAlignment));
}

}  // namespace

RecordingState::RecordingState(Device& its_device, RecordMemory& memory, VkCommandBuffer its_handle,
                               uint32_t its_family, bool is_secondary)
    : device(its_device),
      handle(its_handle),
      family(its_family),
      secondary(is_secondary),
      arena(memory, record_alignment(its_device.facts)),
      recorded(std::make_shared<RecordedCommands>()) {}

void RecordingState::clear() {
  // Mostly it is recorded as it was before: then nothing is copied while it grows.
  const size_t actions = recorded->actions.size();
  recorded = std::make_shared<RecordedCommands>();
  recorded->actions.reserve(actions);
  recorded->command_buffer = handle;
  recorded->family = family;
  binds.reset();
  arena.reset();
  index = label = active_queries = 0;
  written_attachments.reset();
  pass_fragments = 0;
  list_ = 0;
  numbers_left_ = 0;  // numbers rise within a recording
  can_dispatch = in_pass = pass_is_ours = suspended = conditional = false;
}

VkDeviceAddress RecordingState::drawn_list() {
  if (!written_attachments) return 0;
  if (list_ && listed_ == *written_attachments) return list_;
  const size_t count = written_attachments->size();
  const RecordAllocation place = arena.allocate(static_cast<uint32_t>((1 + count) * sizeof(uint64_t)));
  if (!place.memory) return 0;
  const uint64_t header = count;
  std::memcpy(place.memory, &header, sizeof header);
  if (count) std::memcpy(place.memory + sizeof header, written_attachments->data(), count * sizeof(uint64_t));
  listed_ = *written_attachments;
  return list_ = place.address;
}

bool RecordingState::require_submission() {
  RecordAllocation& submission = recorded->submission;
  if (submission.memory) return true;
  submission = arena.allocate(sizeof(abi::SubmissionState));
  if (!submission.memory) return false;
  std::memset(submission.memory, 0, sizeof(abi::SubmissionState));
  return true;
}

uint32_t RecordingState::next_action() {
  CommandBuffers::Impl& all = device.command_buffers.impl();
  if (recorded->actions.size() < kNumbersAtOnce) return all.next_action();
  // A long recording takes several numbers at once: other threads take some, too.
  if (numbers_left_ == 0) {
    next_number_ = all.actions.fetch_add(kNumbersAtOnce, std::memory_order_relaxed) + 1;
    numbers_left_ = kNumbersAtOnce;
  }
  --numbers_left_;
  const uint32_t number = next_number_++;
  return number ? number : next_action();
}

void RecordingState::restore_compute() {
  // lavapipe adds the last base to the workgroup IDs of indirect commands; a dispatch of nothing makes it
  // zero.
  if (device.facts.keeps_dispatch_base) device.next.CmdDispatch(handle, 0, 0, 0);
  const Binds& bound = binds.at(BindPoint::compute);
  if (bound.pipeline) {
    device.next.CmdBindPipeline(handle, VK_PIPELINE_BIND_POINT_COMPUTE, bound.pipeline);
  } else if (bound.compute_shader) {
    constexpr VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    device.next.CmdBindShadersEXT(handle, 1, &stage, &bound.compute_shader);
  }
  binds.constants().forget_move();
  if (binds.heaps().valid()) binds.heaps().push_again(device, handle);
  // Binding a pipeline must not disturb push constants, but lavapipe drops them for one that has none.
  for (const PushedConstants::Range* range : binds.constants().for_compute()) {
    device.next.CmdPushConstants(handle, range->layout, range->stages, range->offset,
                                 static_cast<uint32_t>(range->values.size()), range->values.data());
  }
}

}  // namespace shaderqa::layer
