// SPDX-License-Identifier: Apache-2.0
// The shader modules that may be rewritten.
#ifndef SHADERQA_LAYER_PIPELINES_SHADER_MODULES_H
#define SHADERQA_LAYER_PIPELINES_SHADER_MODULES_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace shaderqa::layer {

class DeviceContext;

struct KeptShader {
  uint64_t hash = 0;
  bool prints = false;  // has DebugPrintf
  std::vector<uint32_t> words;
};

// Keeps a copy of the words. Null if no check that can be on has anything to do in them.
std::shared_ptr<const KeptShader> keep_shader(const DeviceContext& device, std::span<const uint32_t> words);
std::span<const uint32_t> words_of(const void* code, size_t bytes);

// Thread-safe. It holds only modules with something to check.
class ShaderModules {
 public:
  void add(VkShaderModule handle, std::shared_ptr<const KeptShader> shader);
  void remove(VkShaderModule handle);
  std::shared_ptr<const KeptShader> find(VkShaderModule handle) const;

 private:
  mutable std::shared_mutex mutex_;
  std::atomic<size_t> size_ = 0;  // so that programs with nothing to check take no lock
  std::unordered_map<VkShaderModule, std::shared_ptr<const KeptShader>> shaders_;
};

}  // namespace shaderqa::layer
#endif
