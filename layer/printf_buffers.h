// The memory that printing shaders write: segments of entries, and counters of what was dropped or
// suppressed.
#ifndef SHADERQA_LAYER_PRINTF_BUFFERS_H
#define SHADERQA_LAYER_PRINTF_BUFFERS_H

#include <memory>
#include <string>
#include <vector>

#include "host/printf_stream.h"
#include "host/rescue_file.h"
#include "layer/device_buffer.h"
#include "layer/root_block.h"

namespace shaderqa::layer {

class PrintfBuffers {
 public:
  // Allocates, and enters the addresses into the root block. Null with a sentence in `problem` where there is
  // no memory.
  static std::unique_ptr<PrintfBuffers> create(Device& device, RootBlock& root, std::string& problem);

  const std::vector<PrintfSegmentView>& segments() const { return segments_; }
  const abi::PrintfSiteCounters& counters() const;
  // PrintfStream's; null: the stream keeps it itself.
  uint32_t* oldest() { return rescue_file_ ? rescue_file_->oldest() : nullptr; }
  RescueFile* rescue_file() { return rescue_file_.get(); }  // null: the segments are ordinary memory

 private:
  PrintfBuffers() = default;
  // The segments in a file that outlives the process; false, with one note, where that cannot be.
  bool place_in_rescue_file(Device& device, VkDeviceSize segment_size);
  void enter_into_root(RootBlock& root, VkDeviceSize segment_size);

  // Declared first: Vulkan must be done with the file's memory before it is unmapped.
  std::unique_ptr<RescueFile> rescue_file_;
  std::unique_ptr<DeviceBuffer> entries_;
  std::unique_ptr<DeviceBuffer> counters_;
  std::vector<uint64_t> cursors_;  // where the rescue file does not keep them
  std::vector<PrintfSegmentView> segments_;
};

}  // namespace shaderqa::layer
#endif
