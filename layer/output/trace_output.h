// SPDX-License-Identifier: Apache-2.0
// A device's traces: the control block by which shaders know which invocations to trace, the trace file, and
// where the driver cannot write into the file, memory that is copied there.
#ifndef SHADERQA_LAYER_OUTPUT_TRACE_OUTPUT_H
#define SHADERQA_LAYER_OUTPUT_TRACE_OUTPUT_H

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "host/trace/trace_file.h"
#include "layer/memory/device_buffer.h"
#include "layer/memory/root_block.h"
#include "layer/output/debug_output.h"

namespace shaderqa::layer {

class BufferTable;
class DeviceContext;
class ObjectNames;

// Made when the first shader that can be traced appears, lives as long as the device. Thread-safe.
class TraceOutput {
 public:
  // Null if that failed, and `problem` says why.
  static std::unique_ptr<TraceOutput> create(const DeviceContext& device, const ObjectNames& names,
                                             const BufferTable& buffers, RootBlock& root,
                                             std::string& problem);
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  // Before the shader can run.
  void add_shader(const ShaderRecord& record, std::span<const uint32_t> words);
  // The shader runs in actions that submissions do not list.
  void add_unlisted(uint64_t shader_hash);
  // Whether invocations may still be chosen, so that it matters what is submitted.
  bool lists_actions() const;
  // Before the device can begin with it. more: it has actions that are not in the list.
  void add_submission(TracedSubmission submission, bool more);
  // Nothing stops for a debugger any more.
  void stop_debugging() noexcept;
  // Brings what was traced into the file, unless shaders write there themselves.
  void save() noexcept;

 private:
  TraceOutput(const DeviceContext& device, const ObjectNames& names, const BufferTable& buffers)
      : device_(device), names_(names), buffers_(buffers) {}
  bool make_memory(std::string& problem);
  void start_debugging();
  void aim(const std::string& text);
  uint32_t claimed() const;
  void check_written(bool written);

  const DeviceContext& device_;
  const ObjectNames& names_;
  const BufferTable& buffers_;
  // Declared first: Vulkan must be done with the file's memory before it is unmapped.
  std::unique_ptr<TraceFile> file_;
  std::unique_ptr<DeviceBuffer> segments_;
  std::unique_ptr<DeviceBuffer> control_;
  std::atomic<uint32_t> most_claimed_ = 0;  // segments that can be in use
  mutable std::mutex mutex_;                // around what follows, and around save()
  std::set<std::pair<uint64_t, std::string>> shaders_;
  std::set<uint64_t> unlisted_;         // 0: all shaders
  size_t actions_ = 0;                  // that were listed
  std::unique_ptr<DebugOutput> debug_;  // null: there is no debugger. Last: its thread uses the rest
};

}  // namespace shaderqa::layer
#endif
