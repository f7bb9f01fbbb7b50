// What the hooks of commands of the class transfer share.
#ifndef SHADERQA_LAYER_TRANSFERS_H
#define SHADERQA_LAYER_TRANSFERS_H

#include "layer/command_accesses.h"
#include "layer/command_state.h"

namespace shaderqa::layer {

// describe(device, accesses): the arguments and the ranges, where those are of use.
template <typename Describe>
Device& before_transfer(VkCommandBuffer command_buffer, const char* command,
                        const Describe& describe) noexcept {
  return with_state(command_buffer, [&](Device& device, CommandState& state) {
    constexpr VkPipelineStageFlags2 transfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    constexpr VkPipelineStageFlags2 build = VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR |
                                            VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR;
    if (!state.enters_accesses()) return state.use_memory(transfer | build, kUsesUnfollowed | kUsesImages);
    CommandAccesses accesses;
    accesses.command = command;
    accesses.main_class = SQA_CLASS_TRANSFER;
    describe(device, accesses);
    const bool followed = state.enter(accesses) && accesses.complete;
    // What builds read and write is known less exactly than what others do.
    if (accesses.main_class != SQA_CLASS_TRANSFER) return state.use_memory(build, kUsesUnfollowed);
    state.use_memory(transfer,
                     (followed ? kUsesFollowed : kUsesUnfollowed) | (accesses.images ? kUsesImages : 0u));
  });
}

template <typename Handle>
uint64_t number_of(Handle handle) {
  return reinterpret_cast<uint64_t>(handle);
}

}  // namespace shaderqa::layer
#endif
