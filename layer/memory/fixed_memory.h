// SPDX-License-Identifier: Apache-2.0
// Host memory at the same address in every run, for devices whose addresses are host addresses.
#ifndef SHADERQA_LAYER_MEMORY_FIXED_MEMORY_H
#define SHADERQA_LAYER_MEMORY_FIXED_MEMORY_H

#include <cstddef>
#include <memory>

namespace shaderqa::layer {

class FixedMemory {
 public:
  // Zeroed. Several devices of a program take successive addresses in the order of their creation. Null if
  // none of the addresses is free.
  static std::unique_ptr<FixedMemory> create(size_t bytes);
  ~FixedMemory();
  FixedMemory(const FixedMemory&) = delete;
  FixedMemory& operator=(const FixedMemory&) = delete;
  void* address() const { return address_; }

 private:
  FixedMemory(void* address, size_t bytes) : address_(address), bytes_(bytes) {}
  void* const address_;
  const size_t bytes_;
};

}  // namespace shaderqa::layer
#endif
