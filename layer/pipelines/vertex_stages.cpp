// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/vertex_stages.h"

#include <algorithm>

#include "layer/pipelines/pipeline_parts.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

bool is_dynamic(const VkPipelineDynamicStateCreateInfo* dynamic, VkDynamicState state) {
  if (!dynamic) return false;
  const std::span states(dynamic->pDynamicStates, dynamic->dynamicStateCount);
  return std::ranges::find(states, state) != states.end();
}

std::shared_ptr<const VertexInputs> inputs_of(const std::vector<VertexEntryPoint>& entry_points,
                                              std::string_view name) {
  const auto found = std::ranges::find(entry_points, name, &VertexEntryPoint::name);
  return found == entry_points.end() ? nullptr : std::make_shared<const VertexInputs>(found->inputs);
}

void inherit(const VertexStage& library, VertexStage& stage) {
  if (library.inputs) stage.inputs = library.inputs;
  if (!library.layout && !library.dynamic_layout) return;
  stage.layout = library.layout;
  stage.dynamic_layout = library.dynamic_layout;
  stage.dynamic_strides = library.dynamic_strides;
}

void describe_layout(const VkGraphicsPipelineCreateInfo& info, VertexStage& stage) {
  stage.dynamic_layout = is_dynamic(info.pDynamicState, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
  stage.dynamic_strides =
      stage.dynamic_layout || is_dynamic(info.pDynamicState, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE);
  if (stage.dynamic_layout || !info.pVertexInputState) return;
  stage.layout = std::make_shared<const VertexLayout>(vertex_layout(*info.pVertexInputState));
}

}  // namespace

void VertexStages::add_module(VkShaderModule module, std::span<const uint32_t> words) {
  std::vector<VertexEntryPoint> found = vertex_entry_points(words);
  if (!found.empty()) modules_.emplace(module, std::move(found));
}

std::shared_ptr<const VertexInputs> VertexStages::inputs_of(
    const VkPipelineShaderStageCreateInfo& stage) const {
  if (stage.module) {
    const auto* known = modules_.find(stage.module);
    return known ? layer::inputs_of(*known, stage.pName) : nullptr;
  }
  const auto code =
      find_in_chain<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  return code ? layer::inputs_of(vertex_entry_points(words_of(code->pCode, code->codeSize)), stage.pName)
              : nullptr;
}

void VertexStages::add_pipeline(VkPipeline pipeline, const VkGraphicsPipelineCreateInfo& info) {
  VertexStage stage;
  const auto libraries = find_in_chain<VkPipelineLibraryCreateInfoKHR>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  for (uint32_t i = 0; libraries && i < libraries->libraryCount; ++i) {
    if (const auto library = find(libraries->pLibraries[i])) inherit(*library, stage);
  }
  const PipelineParts own = own_parts(info.pNext);
  const bool shaders = own & kPreRasterization;
  bool has_vertex_shader = !shaders;
  for (uint32_t i = 0; shaders && i < info.stageCount; ++i) {
    if (info.pStages[i].stage != VK_SHADER_STAGE_VERTEX_BIT) continue;
    has_vertex_shader = true;
    stage.inputs = inputs_of(info.pStages[i]);
  }
  // With mesh shaders the pointer to this state is ignored and may be invalid.
  if ((own & kVertexInput) && has_vertex_shader) describe_layout(info, stage);
  if (!stage.inputs && !stage.layout && !stage.dynamic_layout) return;
  if (stage.inputs && stage.layout) stage.spans = read_spans(*stage.layout, *stage.inputs);
  pipelines_.emplace(pipeline, std::make_shared<const VertexStage>(std::move(stage)));
}

void VertexStages::add_shader(VkShaderEXT shader, const VkShaderCreateInfoEXT& info) {
  if (info.stage != VK_SHADER_STAGE_VERTEX_BIT || info.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) return;
  VertexStage stage;
  stage.inputs = layer::inputs_of(vertex_entry_points(words_of(info.pCode, info.codeSize)), info.pName);
  stage.dynamic_layout = stage.dynamic_strides = true;
  if (stage.inputs) shaders_.emplace(shader, std::make_shared<const VertexStage>(std::move(stage)));
}

}  // namespace shaderqa::layer
