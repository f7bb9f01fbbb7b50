// Decides which shaders are rewritten, rewrites each once, and says why others stay silent.
#ifndef SHADERQA_LAYER_INSTRUMENTER_H
#define SHADERQA_LAYER_INSTRUMENTER_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <tuple>

#include "instrument/instrument.h"
#include "layer/shader_modules.h"

namespace shaderqa::layer {

class Device;

// Thread-safe. Two threads that meet the same shader may both rewrite it: the results are the same, and no
// lock is held while passes run.
class Instrumenter {
 public:
  explicit Instrumenter(Device& device) : device_(device) {}

  // Null: the application's own words are to be used. What the result prints is known to the device's
  // PrintfOutput.
  std::shared_ptr<const InstrumentResult> instrument(const PrintingShader& shader,
                                                     VkShaderStageFlagBits stage, const char* entry_point);
  // One note a shader.
  void note_silent(uint64_t shader_hash, const std::string& reason) const;

 private:
  // Empty: it may be rewritten.
  std::string reason_against(const PrintingShader& shader, VkShaderStageFlagBits stage) const;
  InstrumentOptions options_for(VkShaderStageFlagBits stage, const char* entry_point) const;

  using Key = std::tuple<uint64_t, VkShaderStageFlagBits, std::string>;
  Device& device_;
  std::shared_mutex mutex_;
  std::map<Key, std::shared_ptr<const InstrumentResult>> results_;
};

}  // namespace shaderqa::layer
#endif
