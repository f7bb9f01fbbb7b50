// SPDX-License-Identifier: Apache-2.0
// The vertex input of each pipeline and shader object, known from their creation (docs/internals/exact.md).
#ifndef SHADERQA_LAYER_PIPELINES_VERTEX_STAGES_H
#define SHADERQA_LAYER_PIPELINES_VERTEX_STAGES_H

#include <vulkan/vulkan_core.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "instrument/accesses/vertex_inputs.h"
#include "layer/accesses/vertex_input.h"
#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

// Thread-safe.
class VertexStages {
 public:
  void add_module(VkShaderModule module, std::span<const uint32_t> words);
  void remove_module(VkShaderModule module) { modules_.erase(module); }
  void add_pipeline(VkPipeline pipeline, const VkGraphicsPipelineCreateInfo& info);
  void remove_pipeline(VkPipeline pipeline) { pipelines_.erase(pipeline); }
  void add_shader(VkShaderEXT shader, const VkShaderCreateInfoEXT& info);
  void remove_shader(VkShaderEXT shader) { shaders_.erase(shader); }

  // Null if nothing is known of its vertex input.
  std::shared_ptr<const VertexStage> find(VkPipeline pipeline) const { return find_in(pipelines_, pipeline); }
  std::shared_ptr<const VertexStage> find(VkShaderEXT shader) const { return find_in(shaders_, shader); }

 private:
  template <typename Handle>
  using Stages = HandleTable<Handle, std::shared_ptr<const VertexStage>>;
  template <typename Handle>
  static std::shared_ptr<const VertexStage> find_in(const Stages<Handle>& stages, Handle handle) {
    const auto found = stages.find(handle);
    return found ? *found : nullptr;
  }
  std::shared_ptr<const VertexInputs> inputs_of(const VkPipelineShaderStageCreateInfo& stage) const;

  HandleTable<VkShaderModule, std::vector<VertexEntryPoint>> modules_;  // only modules with vertex shaders
  Stages<VkPipeline> pipelines_;
  Stages<VkShaderEXT> shaders_;
};

}  // namespace shaderqa::layer
#endif
