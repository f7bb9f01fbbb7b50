// A printf buffer that outlives its process: `shaderqa run` names a directory (settings.rescue_dir), the
// layer keeps each device's segments in a file there, mapped shared and imported into Vulkan as host memory,
// and the sites in a text file beside it. When the program is gone (abort, _exit, SIGKILL) the parent
// delivers what was not yet delivered.
#ifndef SHADERQA_HOST_RESCUE_FILE_H
#define SHADERQA_HOST_RESCUE_FILE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/printf_stream.h"

namespace shaderqa {

// The file: one page of RescueHeader, then the segments (each: 16-byte PrintfBufferHeader, entries), page
// aligned.
class RescueFile {
 public:
  // Creates <directory>/<pid>-<n>.printf and maps it; nullopt with an error sentence where that fails.
  // segment_bytes: header included, a multiple of the page size.
  static std::unique_ptr<RescueFile> create(const std::string& directory, uint32_t segments,
                                            uint64_t segment_bytes, std::string& error);
  ~RescueFile();  // unmaps and removes both files: a device destroyed in order has nothing left to rescue

  std::byte* segment_memory();                 // page aligned, segments * segment_bytes bytes, zeroed
  uint64_t* cursor(uint32_t segment);          // PrintfSegmentView::cursor
  uint32_t* oldest();                          // PrintfStream's oldest segment
  void add_sites(const ShaderRecord& record);  // appends to <pid>-<n>.sites (one metadata document a line)

 private:
  RescueFile() = default;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Delivers every message left in the directory's files, oldest file first, and removes them. Tolerates
// anything in them.
struct RescuedMessage {
  const PrintfSite* site;
  std::vector<uint32_t> payload;
};
void rescue(const std::string& directory, const std::function<void(const RescuedMessage&)>& message,
            const std::function<void(const std::string&)>& problem);

}  // namespace shaderqa
#endif
