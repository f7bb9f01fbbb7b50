// SPDX-License-Identifier: Apache-2.0
// Where shaders write the segments of a trace file that lies on disk: Vulkan can import only memory
// (host/rescue/memory_files.h). The layer copies them into the trace file at waits and at the end, and
// `shaderqa trace` copies what a program that crashed has left here.
#ifndef SHADERQA_HOST_TRACE_TRACE_MEMORY_H
#define SHADERQA_HOST_TRACE_TRACE_MEMORY_H

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace shaderqa {

class TraceMemory {
 public:
  // A file <folder>/<pid>-<n>.trace of `bytes` for segments, for the trace file `path`. Null with an error
  // sentence if that fails, or if the folder is not one in memory.
  static std::unique_ptr<TraceMemory> create(const std::string& folder, const std::string& path, size_t bytes,
                                             std::string& error);
  ~TraceMemory();  // unmaps and removes the file
  TraceMemory(const TraceMemory&) = delete;
  TraceMemory& operator=(const TraceMemory&) = delete;

  std::byte* segments() { return memory_; }  // page aligned, zeroed

 private:
  TraceMemory() = default;
  std::string path_;
  int descriptor_ = -1;
  std::byte* memory_ = nullptr;  // behind the header page, which is not mapped
  size_t bytes_ = 0;
};

// Copies the segments that processes which are gone left in the folder into their trace files, and removes
// the files. problem: called with a sentence for each that could not be copied.
void rescue_traces(const std::string& folder, const std::function<void(const std::string&)>& problem);

}  // namespace shaderqa
#endif
