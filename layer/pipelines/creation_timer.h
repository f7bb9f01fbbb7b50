// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_PIPELINES_CREATION_TIMER_H
#define SHADERQA_LAYER_PIPELINES_CREATION_TIMER_H

#include <chrono>
#include <cstdint>
#include <span>

#include "host/summary/run_summary.h"

namespace shaderqa::layer {

class DeviceContext;
class ShaderDump;

// Writes into dump_dir how long a call took that creates pipelines or shader objects, and counts it for the
// summary.
class CreationTimer {
 public:
  CreationTimer(const DeviceContext& device, uint32_t count);
  ~CreationTimer();
  CreationTimer(const CreationTimer&) = delete;
  CreationTimer& operator=(const CreationTimer&) = delete;
  // The pipelines have these rewritten shaders.
  void shaders(std::span<const uint64_t> hashes) { compiling_.shaders(hashes); }

 private:
  ShaderDump& dump_;
  const uint32_t count_;
  CompileTimer compiling_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace shaderqa::layer
#endif
