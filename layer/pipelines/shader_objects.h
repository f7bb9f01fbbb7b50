// SPDX-License-Identifier: Apache-2.0
// Shader objects (VK_EXT_shader_object).
#ifndef SHADERQA_LAYER_PIPELINES_SHADER_OBJECTS_H
#define SHADERQA_LAYER_PIPELINES_SHADER_OBJECTS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

namespace shaderqa::layer {

// An instrumented shader object has a twin with the application's code. If the application asks for the
// binary, to keep it for other runs, it gets the twin's, because the instrumented one has an address of this
// run in it. Thread-safe.
class ShaderTwins {
 public:
  struct Twin {
    VkShaderEXT original = VK_NULL_HANDLE;  // null: the driver failed to create it
    uint64_t hash = 0;                      // 0: not instrumented itself, but linked with one that is
  };
  void add(VkShaderEXT shader, const Twin& twin);
  std::optional<Twin> find(VkShaderEXT shader) const;
  std::optional<Twin> remove(VkShaderEXT shader);
  std::optional<uint64_t> hash_of(VkShaderEXT shader) const;

  // Shader objects that are bound together must have the same layouts, and those made from binaries have the
  // application's. So once a binary was seen, later shader objects keep the application's layouts too.
  void see_binary() { saw_binary_.store(true, std::memory_order_relaxed); }
  bool saw_binary() const { return saw_binary_.load(std::memory_order_relaxed); }

 private:
  mutable std::shared_mutex mutex_;
  std::atomic<bool> any_ = false;
  std::atomic<bool> saw_binary_ = false;
  std::unordered_map<VkShaderEXT, Twin> twins_;
};

}  // namespace shaderqa::layer
#endif
