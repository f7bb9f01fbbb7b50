// SPDX-License-Identifier: Apache-2.0
// The setting dump_dir: original and rewritten shaders, and index.jsonl, which says what happened to each and
// how long the creation of pipelines took.
#ifndef SHADERQA_LAYER_PIPELINES_SHADER_DUMP_H
#define SHADERQA_LAYER_PIPELINES_SHADER_DUMP_H

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "host/text/line_sink.h"
#include "instrument/instrument.h"

namespace shaderqa::layer {

// Thread-safe. Several processes may share the directory: files are named by their content, and each line is
// appended at once and as a whole, so that nothing is missing after a crash.
class ShaderDump {
 public:
  // Empty: nothing is dumped. The directory is created if it does not exist.
  explicit ShaderDump(const std::string& directory);
  ShaderDump(const ShaderDump&) = delete;
  ShaderDump& operator=(const ShaderDump&) = delete;

  bool enabled() const { return !directory_.empty(); }
  // What instrument() made of a shader: instrumented, untouched or refused.
  void shader(std::span<const uint32_t> words, const InstrumentOptions& options,
              const InstrumentResult& result);
  void left_alone(uint64_t shader_hash, const std::string& reason);
  void pipelines(uint32_t count, std::chrono::nanoseconds time);
  // What could not be written. Empty if nothing failed, or on later calls.
  std::string take_problem();

 private:
  std::string write(const std::string& name, std::span<const uint32_t> words);
  void append(const std::string& line);
  void fail(const std::string& problem);

  std::string directory_;
  std::mutex mutex_;
  LineSink index_;
  std::string problem_;
  bool failed_ = false;
};

}  // namespace shaderqa::layer
#endif
