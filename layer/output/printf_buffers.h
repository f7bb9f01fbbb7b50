// SPDX-License-Identifier: Apache-2.0
// The memory that printing shaders write: segments of entries, and counters of dropped and suppressed
// messages.
#ifndef SHADERQA_LAYER_OUTPUT_PRINTF_BUFFERS_H
#define SHADERQA_LAYER_OUTPUT_PRINTF_BUFFERS_H

#include <memory>
#include <string>
#include <vector>

#include "host/printf/printf_stream.h"
#include "instrument/runtime/abi_printf.h"
#include "layer/memory/rescue_buffer.h"
#include "layer/memory/root_block.h"

namespace shaderqa::layer {

class DeviceContext;

class PrintfBuffers {
 public:
  // Allocates the buffers and puts their addresses into the root block. Null if there is no memory, and
  // `problem` says why.
  static std::unique_ptr<PrintfBuffers> create(const DeviceContext& device, RootBlock& root,
                                               std::string& problem);

  const std::vector<PrintfSegmentView>& segments() const { return segments_; }
  const abi::PrintfSiteCounters& counters() const;
  // PrintfStream's; null: the stream keeps it itself.
  uint32_t* oldest() { return entries_.file ? entries_.file->oldest() : nullptr; }
  RescueFile* rescue_file() { return entries_.file.get(); }  // null: the segments are ordinary memory

 private:
  PrintfBuffers() = default;
  void enter_into_root(RootBlock& root, VkDeviceSize segment_size);

  RescueBuffer entries_;
  std::unique_ptr<DeviceBuffer> counters_;
  std::vector<uint64_t> cursors_;  // unless the rescue file keeps them
  std::vector<PrintfSegmentView> segments_;
};

}  // namespace shaderqa::layer
#endif
