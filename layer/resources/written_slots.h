// SPDX-License-Identifier: Apache-2.0
// Which descriptors of a pipeline layout shaders write.
#ifndef SHADERQA_LAYER_RESOURCES_WRITTEN_SLOTS_H
#define SHADERQA_LAYER_RESOURCES_WRITTEN_SLOTS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "instrument/instrument.h"

namespace shaderqa::layer {

// All pipelines made with the layout so far. Thread-safe.
class WrittenSlots {
 public:
  void add(const ShaderRecord& record, const std::vector<DescriptorSlots>& descriptors);
  std::vector<DescriptorSlots> slots() const;
  // It only grows.
  size_t count() const { return count_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  std::vector<DescriptorSlots> slots_;
  std::atomic<size_t> count_ = 0;
};

// Whether it writes through pointers that no descriptor holds.
bool writes_by_address(const ShaderRecord& record);

}  // namespace shaderqa::layer
#endif
