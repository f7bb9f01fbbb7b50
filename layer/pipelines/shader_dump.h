// SPDX-License-Identifier: Apache-2.0
// The dump_dir setting: shaders as the application gave them and as they were rewritten, and index.jsonl,
// which says what became of each and how long pipelines took.
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

// Thread-safe. Several processes may share the directory: files are named by their content, lines are
// appended whole and at once, so that nothing is missing after a crash.
class ShaderDump {
 public:
  // Empty: nothing is dumped. A directory that is not there is made.
  explicit ShaderDump(const std::string& directory);
  ShaderDump(const ShaderDump&) = delete;
  ShaderDump& operator=(const ShaderDump&) = delete;

  bool enabled() const { return !directory_.empty(); }
  // What instrument() made of a shader: instrumented, untouched or refused.
  void shader(std::span<const uint32_t> words, const InstrumentOptions& options,
              const InstrumentResult& result);
  void left_alone(uint64_t shader_hash, const std::string& reason);
  void pipelines(uint32_t count, std::chrono::nanoseconds time);
  // What could not be written, once; else empty.
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
