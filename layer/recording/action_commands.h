// SPDX-License-Identifier: Apache-2.0
// What the hooks of draws, dispatches and traces share.
#ifndef SHADERQA_LAYER_RECORDING_ACTION_COMMANDS_H
#define SHADERQA_LAYER_RECORDING_ACTION_COMMANDS_H

#include <algorithm>

#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {

// make(device): the Action. Only called if the action needs a record.
template <typename Make>
Device& before_made_action(VkCommandBuffer command_buffer, BindPoint point, const Make& make) noexcept {
  return with_recorder(command_buffer, [&](Device& device, CommandRecorder& state) {
    if (state.count_action(point)) state.before_action(make(device));
  });
}

// For an action whose arguments the device reads. make(device): the Action.
template <typename Make>
Device& before_indirect_action(VkCommandBuffer command_buffer, BindPoint point, const Make& make) noexcept {
  return with_recorder(command_buffer, [&](Device& device, CommandRecorder& state) {
    state.before_indirect(point, [&] { return make(device); });
  });
}

// For an action whose arguments the device does not read.
template <typename... Arguments>
Device& before_action(VkCommandBuffer command_buffer, const char* command, BindPoint point,
                      Arguments... arguments) noexcept {
  return before_made_action(command_buffer, point,
                            [&](Device&) { return Action(command, point, arguments...); });
}

inline VkDeviceAddress address_of(const Device& device, VkBuffer buffer, VkDeviceSize offset) {
  const BufferTable::BoundRange place = device.buffers.place(buffer);
  return place.address ? place.address + offset : 0;
}

// What is read: `count` commands of `size` bytes.
inline IndirectArguments arguments_at(const Device& device, VkBuffer buffer, VkDeviceSize offset,
                                      uint32_t count, uint32_t stride, uint32_t size) {
  if (count == 0) return {};
  return {address_of(device, buffer, offset), size, count, stride, 0};
}

}  // namespace shaderqa::layer
#endif
