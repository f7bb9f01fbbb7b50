// SPDX-License-Identifier: Apache-2.0
// The names that the application gives to instrumented shaders and their pipelines, for reports.
#ifndef SHADERQA_LAYER_CONTEXT_OBJECT_NAMES_H
#define SHADERQA_LAYER_CONTEXT_OBJECT_NAMES_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace shaderqa::layer {

// Thread-safe.
class ObjectNames {
 public:
  void name_shader(uint64_t shader_hash, const std::string& name);
  void name_source(uint64_t shader_hash, const std::string& file);
  void name_pipeline(VkPipeline pipeline, const std::string& name);
  void add_pipeline(VkPipeline pipeline, const std::vector<uint64_t>& shader_hashes);
  void remove_pipeline(VkPipeline pipeline);

  std::vector<uint64_t> shaders_of_pipeline(VkPipeline pipeline) const;
  std::string shader_name(uint64_t shader_hash) const;
  // The file of its source, as the module has it.
  std::string source_of_shader(uint64_t shader_hash) const;
  // The name of the pipeline that uses it, or "one of N pipelines", or nothing.
  std::string pipeline_of_shader(uint64_t shader_hash) const;

 private:
  struct Pipeline {
    std::vector<uint64_t> shader_hashes;
    std::string name;
  };
  mutable std::shared_mutex mutex_;
  std::atomic<bool> any_pipeline_ = false;
  std::unordered_map<uint64_t, std::string> shader_names_, shader_sources_;
  std::unordered_map<VkPipeline, Pipeline> pipelines_;
  std::unordered_map<uint64_t, std::set<VkPipeline>> users_;  // by shader hash
};

}  // namespace shaderqa::layer
#endif
