// The shader modules that print.
#ifndef SHADERQA_LAYER_SHADER_MODULES_H
#define SHADERQA_LAYER_SHADER_MODULES_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace shaderqa::layer {

struct PrintingShader {
  uint64_t hash = 0;
  std::vector<uint32_t> words;
};

// Null where the words print nothing, without keeping anything.
std::shared_ptr<const PrintingShader> printing_shader(std::span<const uint32_t> words);
std::span<const uint32_t> words_of(const void* code, size_t bytes);

// Thread-safe. Modules that do not print are not in it.
class ShaderModules {
 public:
  void add(VkShaderModule handle, std::shared_ptr<const PrintingShader> shader);
  void remove(VkShaderModule handle);
  std::shared_ptr<const PrintingShader> find(VkShaderModule handle) const;

 private:
  mutable std::shared_mutex mutex_;
  std::atomic<size_t> size_ = 0;  // so that programs that never print take no lock
  std::unordered_map<VkShaderModule, std::shared_ptr<const PrintingShader>> shaders_;
};

}  // namespace shaderqa::layer
#endif
