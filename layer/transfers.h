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
    if (!state.enters_accesses()) return;
    CommandAccesses accesses;
    accesses.command = command;
    accesses.main_class = SQA_CLASS_TRANSFER;
    describe(device, accesses);
    state.enter(accesses);
  });
}

template <typename Handle>
uint64_t number_of(Handle handle) {
  return reinterpret_cast<uint64_t>(handle);
}

}  // namespace shaderqa::layer
#endif
