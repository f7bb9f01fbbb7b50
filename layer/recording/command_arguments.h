// SPDX-License-Identifier: Apache-2.0
// The arguments of a command that findings show.
#ifndef SHADERQA_LAYER_RECORDING_COMMAND_ARGUMENTS_H
#define SHADERQA_LAYER_RECORDING_COMMAND_ARGUMENTS_H

#include <array>
#include <cstdint>

#include "layer/vk/handle_value.h"

namespace shaderqa::layer {

// A Vulkan handle among the arguments. On 32-bit systems its type alone does not tell it from a number.
struct HandleArgument {
  template <typename Handle>
  explicit HandleArgument(Handle handle) : value(handle_value(handle)) {}

  uint64_t value;
};

struct CommandArguments {
  CommandArguments() = default;
  // Handles are given as HandleArgument, everything else as a number.
  template <typename... Values>
  explicit CommandArguments(Values... its_values) {
    static_assert(sizeof...(its_values) <= kMost);
    (add(its_values), ...);
  }

  static constexpr uint32_t kMost = 5;
  std::array<uint64_t, kMost> values{};
  uint8_t count = 0;
  uint8_t handles = 0;  // bit i: value i is a handle

 private:
  void add(HandleArgument handle) {
    handles = static_cast<uint8_t>(handles | 1u << count);
    values[count++] = handle.value;
  }
  template <typename Value>
  void add(Value value) {
    values[count++] = static_cast<uint64_t>(value);
  }
};

}  // namespace shaderqa::layer
#endif
