// SPDX-License-Identifier: Apache-2.0
// Copies of the application's structures for one call. They are trivially copyable and freed together.
#ifndef SHADERQA_LAYER_VK_ARENA_H
#define SHADERQA_LAYER_VK_ARENA_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <type_traits>

namespace shaderqa::layer {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <typename T>
  T* make(const T& value) {
    return copy(&value, 1);
  }
  // At least one element is allocated, so that the result is never null.
  template <typename T>
  T* copy(const T* values, size_t count) {
    return copy_into_larger(values, count, count);
  }
  template <typename T>
  T* copy_into_larger(const T* values, size_t count, size_t capacity) {
    static_assert(std::is_trivially_copyable_v<T>);
    void* memory = memory_.allocate(sizeof(T) * std::max<size_t>(capacity, 1), alignof(T));
    if (count) std::memcpy(memory, values, sizeof(T) * count);
    return static_cast<T*>(memory);
  }
  void* copy_bytes(const void* bytes, size_t size) {
    return std::memcpy(memory_.allocate(size, alignof(std::max_align_t)), bytes, size);
  }

 private:
  std::array<std::byte, 1024> initial_;
  std::pmr::monotonic_buffer_resource memory_{initial_.data(), initial_.size(),
                                              std::pmr::new_delete_resource()};
};

}  // namespace shaderqa::layer
#endif
