// SPDX-License-Identifier: Apache-2.0
// Decides which shaders are rewritten, rewrites each once, and says why others stay silent.
#ifndef SHADERQA_LAYER_PIPELINES_INSTRUMENTER_H
#define SHADERQA_LAYER_PIPELINES_INSTRUMENTER_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "host/settings/check_selection.h"
#include "instrument/instrument.h"
#include "layer/pipelines/result_cache.h"
#include "layer/pipelines/shader_modules.h"

namespace shaderqa::layer {

class Device;
struct PipelineLayout;

// Thread-safe. Two threads that meet the same shader may both rewrite it: the results are the same, and no
// lock is held while passes run.
class Instrumenter {
 public:
  explicit Instrumenter(Device& device) : device_(device) {}

  // What the result prints and checks is known to the device's outputs. layout: null where it is not known,
  // so that accesses are not checked.
  Instrumented instrument(const KeptShader& shader, VkShaderStageFlagBits stage, const char* entry_point,
                          const PipelineLayout* layout);
  // Why a shader is left as it is: one note a shader.
  void note_left_alone(uint64_t shader_hash, const std::string& reason) const;

 private:
  bool allowed_by_name(const KeptShader& shader, const char* entry_point) const;
  // Empty: it may be rewritten.
  std::string reason_against(VkShaderStageFlagBits stage) const;
  InstrumentOptions options_for(const CheckSelection& checks, VkShaderStageFlagBits stage,
                                const char* entry_point, const PipelineLayout* layout) const;
  bool outputs_ready(const InstrumentOptions& options);
  void dump(const KeptShader& shader, const InstrumentOptions& options, const InstrumentResult& result) const;
  void publish(const InstrumentResult& result);

  // From the shader cache, or made and put there.
  InstrumentResult result_of(const KeptShader& shader, const InstrumentOptions& options) const;

  // Results of the shaders that a program makes pipelines of again and again, not of all that it ever had.
  static constexpr size_t kMaxResultBytes = 64u << 20;

  Device& device_;
  ResultCache results_{kMaxResultBytes};
};

}  // namespace shaderqa::layer
#endif
