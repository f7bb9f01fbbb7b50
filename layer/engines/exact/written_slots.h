// SPDX-License-Identifier: Apache-2.0
// Which descriptors of a pipeline layout shaders write: what only they and nobody else touch needs no cell
// for reads (docs/exact.md).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_WRITTEN_SLOTS_H
#define SHADERQA_LAYER_ENGINES_EXACT_WRITTEN_SLOTS_H

#include <cstdint>
#include <mutex>
#include <vector>

#include "instrument/instrument.h"

namespace shaderqa::layer {

class Device;
struct Binds;

// Of all pipelines made with the layout so far. Thread-safe.
class WrittenSlots {
 public:
  void add(const ShaderRecord& record, const std::vector<DescriptorSlots>& descriptors);
  std::vector<DescriptorSlots> slots() const;

 private:
  mutable std::mutex mutex_;
  std::vector<DescriptorSlots> slots_;
};

// Whether it writes through pointers that no descriptor holds.
bool writes_by_address(const ShaderRecord& record);

// Before an action with a record: tells the exact engine which memory it may write.
void mark_written(Device& device, const Binds& bound);

}  // namespace shaderqa::layer
#endif
