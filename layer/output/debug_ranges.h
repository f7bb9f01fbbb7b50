// SPDX-License-Identifier: Apache-2.0
// The memory of the application's buffers, as shaders that are debugged look it up before an access by
// address (docs/internals/debug.md).
#ifndef SHADERQA_LAYER_OUTPUT_DEBUG_RANGES_H
#define SHADERQA_LAYER_OUTPUT_DEBUG_RANGES_H

#include <cstdint>
#include <memory>
#include <string>

#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class BufferTable;
class DeviceContext;

// Used by one thread.
class DebugRanges {
 public:
  // Null if there is no memory, and `problem` says why.
  static std::unique_ptr<DebugRanges> create(const DeviceContext& device, const BufferTable& buffers,
                                             std::string& problem);
  uint64_t address() const { return tables_->address(); }
  // Writes what has changed into the table that is not in use. Returns DebugControl::ranges.
  uint32_t update();
  // Why no buffer has these bytes, as a clause; empty: one has them, or nobody can tell.
  std::string judge(uint64_t address, uint32_t bytes) const;

 private:
  explicit DebugRanges(const BufferTable& buffers) : buffers_(buffers) {}

  const BufferTable& buffers_;
  std::unique_ptr<DeviceBuffer> tables_;
  uint64_t changes_ = 0;  // of all buffers, as of the last update
  uint32_t active_ = 0;
};

}  // namespace shaderqa::layer
#endif
