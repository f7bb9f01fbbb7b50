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
  struct Slots : DescriptorSlots {
    bool parts = false;  // also parts of words
  };

  void add(const ShaderRecord& record, const std::vector<DescriptorSlots>& descriptors);
  std::vector<Slots> slots() const;
  // Grows when slots() says more than before; 0: nothing.
  size_t version() const { return version_.load(std::memory_order_acquire); }
  // A shader of the layout logs some of its reads (ShaderRecord::logs_reads).
  bool logs_reads() const { return logs_reads_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  std::vector<Slots> slots_;
  std::atomic<size_t> version_ = 0;
  std::atomic<bool> logs_reads_ = false;
};

// Whether it writes through pointers that no descriptor holds.
bool writes_by_address(const ShaderRecord& record);
// Whether it writes parts of words.
bool writes_parts(const ShaderRecord& record);

}  // namespace shaderqa::layer
#endif
