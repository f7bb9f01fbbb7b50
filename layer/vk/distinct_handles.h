// SPDX-License-Identifier: Apache-2.0
// On 32-bit systems Vulkan's headers make all non-dispatchable handles the same type, uint64_t, so that
// overloads and templates cannot tell them apart. Compilers of 32-bit C++ include this first
// (cmake/dependencies.cmake): each kind of handle becomes a type of its own, which lies in memory and is
// passed as a uint64_t is.
#ifndef SHADERQA_LAYER_VK_DISTINCT_HANDLES_H
#define SHADERQA_LAYER_VK_DISTINCT_HANDLES_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace shaderqa {

template <typename Kind>
struct DistinctHandle {
  uint64_t value;

  DistinctHandle() = default;
  constexpr DistinctHandle(std::nullptr_t) : value(0) {}
  constexpr explicit DistinctHandle(uint64_t number) : value(number) {}
  constexpr explicit operator bool() const { return value != 0; }
  constexpr explicit operator uint64_t() const { return value; }
  friend constexpr bool operator==(DistinctHandle, DistinctHandle) = default;
  friend constexpr auto operator<=>(DistinctHandle a, DistinctHandle b) { return a.value <=> b.value; }
};
static_assert(sizeof(DistinctHandle<void>) == sizeof(uint64_t) &&
              alignof(DistinctHandle<void>) == alignof(uint64_t) && std::is_trivial_v<DistinctHandle<void>> &&
              std::is_standard_layout_v<DistinctHandle<void>>);

}  // namespace shaderqa

template <typename Kind>
struct std::hash<shaderqa::DistinctHandle<Kind>> {
  size_t operator()(shaderqa::DistinctHandle<Kind> handle) const noexcept {
    return std::hash<uint64_t>()(handle.value);
  }
};

#define VK_DEFINE_NON_DISPATCHABLE_HANDLE(object) using object = shaderqa::DistinctHandle<struct object##_T>;
#define VK_NULL_HANDLE nullptr

#endif
