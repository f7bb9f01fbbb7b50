// SPDX-License-Identifier: Apache-2.0
// A Vulkan handle as a number, for records, reports and tables that hold handles of several types.
#ifndef SHADERQA_LAYER_VK_HANDLE_VALUE_H
#define SHADERQA_LAYER_VK_HANDLE_VALUE_H

#include <cstdint>
#include <type_traits>

namespace shaderqa::layer {

template <typename Handle>
uint64_t handle_value(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<uintptr_t>(handle);
  } else {
    return static_cast<uint64_t>(handle);  // on 32-bit systems (distinct_handles.h)
  }
}

template <typename Handle>
Handle handle_of(uint64_t value) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(static_cast<uintptr_t>(value));
  } else {
    return Handle(value);
  }
}

}  // namespace shaderqa::layer
#endif
