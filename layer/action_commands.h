// What the hooks of draws, dispatches and traces share.
#ifndef SHADERQA_LAYER_ACTION_COMMANDS_H
#define SHADERQA_LAYER_ACTION_COMMANDS_H

#include <algorithm>

#include "layer/command_state.h"

namespace shaderqa::layer {

// Of an action whose arguments the device does not read.
inline Device& before_action(VkCommandBuffer command_buffer, const Action& action) {
  return with_state(command_buffer, [&](Device&, CommandState& state) { state.before_action(action); });
}

inline uint64_t number_of(VkBuffer buffer) { return reinterpret_cast<uint64_t>(buffer); }

inline VkDeviceAddress address_of(const Device& device, VkBuffer buffer, VkDeviceSize offset) {
  const auto known = device.buffers.find(buffer);
  return known && known->address ? known->address + offset : 0;
}

inline uint32_t clamped(uint64_t bytes) {
  return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
}

// What is read: `count` commands of `size` bytes.
inline IndirectArguments arguments_at(const Device& device, VkBuffer buffer, VkDeviceSize offset,
                                      uint32_t count, uint32_t stride, uint32_t size) {
  if (count == 0) return {};
  return {address_of(device, buffer, offset), clamped(uint64_t{count - 1} * stride + size), 0};
}

// The lookup is for those actions alone that need it.
inline bool needs_record(CommandState& state, BindPoint point) {
  return state.binds.at(point).needs_record();
}

}  // namespace shaderqa::layer
#endif
