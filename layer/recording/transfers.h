// SPDX-License-Identifier: Apache-2.0
// What the hooks of transfer commands share.
#ifndef SHADERQA_LAYER_RECORDING_TRANSFERS_H
#define SHADERQA_LAYER_RECORDING_TRANSFERS_H

#include "instrument/runtime/abi_order.h"
#include "layer/recording/command_accesses.h"
#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {

// describe(device, accesses): the arguments and the ranges, where those are of use.
template <typename Describe>
Device& before_transfer(VkCommandBuffer command_buffer, const char* command,
                        const Describe& describe) noexcept {
  return with_recorder(command_buffer, [&](Device& device, CommandRecorder& state) {
    constexpr VkPipelineStageFlags2 transfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    constexpr VkPipelineStageFlags2 build = VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR |
                                            VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR;
    if (!state.can_record_accesses())
      return state.use_memory(transfer | build, kUsesUnfollowed | kUsesImages);
    CommandAccesses accesses;
    accesses.command = command;
    accesses.main_class = SQA_CLASS_TRANSFER;
    describe(device, accesses);
    const bool followed = state.record_accesses(accesses) && accesses.complete;
    // The accesses of builds are known less exactly than those of other commands.
    if (accesses.main_class == SQA_CLASS_BUILD) return state.use_memory(build, kUsesUnfollowed);
    state.use_memory(transfer,
                     (followed ? kUsesFollowed : kUsesUnfollowed) | (accesses.images ? kUsesImages : 0u));
  });
}

}  // namespace shaderqa::layer
#endif
