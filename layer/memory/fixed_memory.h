// SPDX-License-Identifier: Apache-2.0
// Host memory at the same address in every run, for devices whose addresses are the host's.
#ifndef SHADERQA_LAYER_MEMORY_FIXED_MEMORY_H
#define SHADERQA_LAYER_MEMORY_FIXED_MEMORY_H

#include <cstddef>
#include <memory>

namespace shaderqa::layer {

class FixedMemory {
 public:
  // Zeroed. Null where neither the first address nor one of those after it is free, which other devices of
  // the program take in the order in which they are created.
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
