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
#include <utility>
#include <vector>

#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

class DeviceContext;

struct KeptShader {
  uint64_t hash = 0;
  bool prints = false;  // has DebugPrintf
  std::vector<uint32_t> words;
};

// Keeps a copy of the words. Null if no check that can be on has anything to do in them.
std::shared_ptr<const KeptShader> keep_shader(const DeviceContext& device, std::span<const uint32_t> words);
// A copy of the words of a shader that has nothing to check.
std::shared_ptr<const KeptShader> keep_other_shader(std::span<const uint32_t> words);
std::span<const uint32_t> words_of(const void* code, size_t bytes);

// Thread-safe. It holds modules with something to check, and where pipelines are made in two versions, or
// with descriptor heaps, all others too: they may be stages of a pipeline whose checked version is made
// later, or read push data that must be left alone.
class ShaderModules {
 public:
  void add(VkShaderModule handle, std::shared_ptr<const KeptShader> shader);
  void add_other(VkShaderModule handle, std::shared_ptr<const KeptShader> shader) {
    others_.emplace(handle, std::move(shader));
  }
  void remove(VkShaderModule handle);
  std::shared_ptr<const KeptShader> find(VkShaderModule handle) const;
  // A module with nothing to check.
  std::shared_ptr<const KeptShader> find_other(VkShaderModule handle) const {
    const auto* found = others_.find(handle);
    return found ? *found : nullptr;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::atomic<size_t> size_ = 0;  // so that programs with nothing to check take no lock
  std::unordered_map<VkShaderModule, std::shared_ptr<const KeptShader>> shaders_;
  HandleTable<VkShaderModule, std::shared_ptr<const KeptShader>> others_;
};

}  // namespace shaderqa::layer
#endif
