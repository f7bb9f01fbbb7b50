// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/dependency.h"

namespace shaderqa::layer {
namespace {

using Stages = VkPipelineStageFlags2;

constexpr Stages kPreRasterization =
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT | VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT;
constexpr Stages kVertexInput =
    VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT;
constexpr Stages kAllTransfer = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |
                                VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT |
                                VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR;

// The graphics pipeline in its order.
constexpr Stages kGraphics[] = {
    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
    VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT,
    VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT |
        VK_PIPELINE_STAGE_2_CLUSTER_CULLING_SHADER_BIT_HUAWEI,
    VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT,
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT,
    VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT,
    VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
    VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
    VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_SUBPASS_SHADER_BIT_HUAWEI,
    VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
    VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
};
constexpr Stages kOtherPipelines =
    VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;

constexpr Stages all_graphics() {
  Stages all = 0;
  for (const Stages stage : kGraphics) all |= stage;
  // These have no place in its order.
  return all | VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT |
         VK_PIPELINE_STAGE_2_FRAGMENT_DENSITY_PROCESS_BIT_EXT |
         VK_PIPELINE_STAGE_2_INVOCATION_MASK_BIT_HUAWEI;
}

// TOP_OF_PIPE and BOTTOM_OF_PIPE mean different things on the two sides, so the callers handle them.
Stages expand(Stages stages) {
  if (stages & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) return ~Stages{0};
  if (stages & VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT) stages |= all_graphics();
  if (stages & VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT) stages |= kPreRasterization;
  if (stages & VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT) stages |= kVertexInput;
  if (stages & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) stages |= kAllTransfer;
  return stages;
}

}  // namespace

VkPipelineStageFlags2 named_stages(VkPipelineStageFlags2 stages) { return expand(stages); }

VkPipelineStageFlags2 source_scope(VkPipelineStageFlags2 stages) {
  if (stages & VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT) return ~Stages{0};
  stages = expand(stages & ~VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT);
  Stages before = 0;
  for (const Stages stage : kGraphics) {
    before |= stage;
    if (stages & stage) stages |= before;
  }
  if (stages & kOtherPipelines) stages |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  return stages;
}

VkPipelineStageFlags2 destination_scope(VkPipelineStageFlags2 stages) {
  if (stages & VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT) return ~Stages{0};
  stages = expand(stages & ~VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT);
  if (stages & VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT) stages |= kOtherPipelines;
  bool behind = false;
  for (const Stages stage : kGraphics) {
    behind = behind || (stages & stage);
    if (behind) stages |= stage;
  }
  return stages;
}

}  // namespace shaderqa::layer
