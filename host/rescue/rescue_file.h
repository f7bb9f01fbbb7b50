// SPDX-License-Identifier: Apache-2.0
// Buffers that outlive their process: `shaderqa run` names a directory (settings.rescue_dir), the layer keeps
// each device's printf segments and check reports in files there, mapped shared and imported into Vulkan as
// host memory, and the sites in a text file beside each. When the program is gone (abort, _exit, SIGKILL) the
// parent delivers what was not yet delivered.
#ifndef SHADERQA_HOST_RESCUE_RESCUE_FILE_H
#define SHADERQA_HOST_RESCUE_RESCUE_FILE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/findings/report.h"
#include "host/printf/printf_stream.h"
#include "host/rescue/rescue_layout.h"

namespace shaderqa {

// The file is one page of RescueHeader, then page-aligned segments. In a file of printf, each segment is a
// 16-byte PrintfBufferHeader and entries. A file of checks has one segment, the records, and then the list of
// buffers.
class RescueFile {
 public:
  enum class Content { printf, checks };
  // Creates <directory>/<pid>-<n>.printf or .checks and maps it; null with an error sentence if that fails.
  // segment_bytes: header included, a multiple of the page size.
  static std::unique_ptr<RescueFile> create(const std::string& directory, uint32_t segments,
                                            uint64_t segment_bytes, std::string& error,
                                            Content content = Content::printf);
  ~RescueFile();  // unmaps and removes both files: a device destroyed in order has nothing left to rescue

  std::byte* segment_memory();         // page aligned, segments * segment_bytes bytes, zeroed
  uint64_t* cursor(uint32_t segment);  // PrintfSegmentView::cursor
  uint32_t* oldest();                  // PrintfStream's oldest segment
  // Where RescueBuffers keeps its list, in a file of checks; empty in a file of printf.
  std::span<RescueBufferSlot> buffer_slots();
  // For sites of the file's content: appends to <pid>-<n>.sites or .check-sites (one metadata document a
  // line).
  void add_sites(const ShaderRecord& record);

 private:
  RescueFile() = default;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Delivers every message and report left in the directory's files, oldest file first, and removes them.
// Tolerates anything in them.
struct RescuedMessage {
  const PrintfSite* site;
  std::vector<uint32_t> payload;
};
struct RescueCallbacks {
  std::function<void(const RescuedMessage&)> message;
  // A failed check: what its record says, and the buffer. What only the process knew (commands) is missing.
  std::function<void(const Finding&)> finding;
  std::function<void(const std::string&)> problem;
};
void rescue(const std::string& directory, const RescueCallbacks& callbacks);

}  // namespace shaderqa
#endif
