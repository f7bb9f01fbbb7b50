// SPDX-License-Identifier: Apache-2.0
// The state of graphics pipelines. What Vulkan says is ignored may point anywhere: it is null in the copy.
#include <algorithm>

#include "layer/pipelines/pipeline_copy.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/pipeline_parts.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

bool sets_by_command(const VkGraphicsPipelineCreateInfo& info, VkDynamicState state) {
  if (!info.pDynamicState) return false;
  const std::span states(info.pDynamicState->pDynamicStates, info.pDynamicState->dynamicStateCount);
  return std::ranges::find(states, state) != states.end();
}

class GraphicsState {
 public:
  GraphicsState(VkGraphicsPipelineCreateInfo& info, PipelineParts parts, Arena& arena)
      : info_(info), parts_(parts), arena_(arena) {}

  void copy(const SubpassUse* subpass) {
    copy_structure(info_.pDynamicState);
    if (auto* state = writable(info_.pDynamicState))
      copy_array(state->pDynamicStates, state->dynamicStateCount);
    copy_vertex_input();
    copy_or_drop(info_.pTessellationState, has(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT) &&
                                               has(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT));
    copy_or_drop(info_.pRasterizationState, parts_ & kPreRasterization);
    discards_ = discards_fragments(info_);
    const SubpassUse uses = subpass ? *subpass : uses_of_rendering();
    copy_viewports();
    copy_multisampling();
    copy_or_drop(info_.pDepthStencilState, (parts_ & kFragmentShader) && !discards_ && uses.depth);
    copy_blending(uses.color);
  }

 private:
  // The stages are those of own parts.
  bool has(VkShaderStageFlags stages) const {
    const std::span all(info_.pStages, info_.stageCount);
    return std::ranges::any_of(all, [&](const auto& stage) { return stage.stage & stages; });
  }
  bool is_dynamic(VkDynamicState state) const { return sets_by_command(info_, state); }
  template <typename State>
  void copy_structure(const State*& state) {
    if (!state) return;
    State* made = arena_.make(*state);
    made->pNext = copy_chain(made->pNext, arena_, {});
    state = made;
  }
  template <typename State>
  void copy_or_drop(const State*& state, bool used) {
    if (!used) state = nullptr;
    copy_structure(state);
  }
  // State must lie in what copy_structure() has made.
  template <typename State>
  static State* writable(const State* state) {
    return const_cast<State*>(state);
  }
  template <typename Element>
  void copy_array(const Element*& elements, size_t count) {
    elements = elements && count ? arena_.copy(elements, count) : nullptr;
  }

  // Without a render pass. Which formats there are, only the part with the fragment's outputs says; without
  // it, the state of depth is valid, or null.
  SubpassUse uses_of_rendering() const {
    if (!(parts_ & kFragmentOutput)) return {.color = false, .depth = true};
    const auto rendering = find_in_chain<VkPipelineRenderingCreateInfo>(
        info_.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
    if (!rendering) return {};
    return {rendering->colorAttachmentCount > 0,
            rendering->depthAttachmentFormat != VK_FORMAT_UNDEFINED ||
                rendering->stencilAttachmentFormat != VK_FORMAT_UNDEFINED};
  }

  void copy_vertex_input() {
    constexpr VkShaderStageFlags mesh = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_TASK_BIT_EXT;
    const bool fetches = (parts_ & kVertexInput) && !has(mesh);
    copy_or_drop(info_.pVertexInputState, fetches && !is_dynamic(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT));
    if (auto* state = writable(info_.pVertexInputState)) {
      copy_array(state->pVertexBindingDescriptions, state->vertexBindingDescriptionCount);
      copy_array(state->pVertexAttributeDescriptions, state->vertexAttributeDescriptionCount);
    }
    copy_or_drop(info_.pInputAssemblyState, fetches);
  }

  void copy_viewports() {
    copy_or_drop(info_.pViewportState, (parts_ & kPreRasterization) && !discards_);
    auto* state = writable(info_.pViewportState);
    if (!state) return;
    if (is_dynamic(VK_DYNAMIC_STATE_VIEWPORT) || is_dynamic(VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT))
      state->pViewports = nullptr;
    if (is_dynamic(VK_DYNAMIC_STATE_SCISSOR) || is_dynamic(VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT))
      state->pScissors = nullptr;
    copy_array(state->pViewports, state->viewportCount);
    copy_array(state->pScissors, state->scissorCount);
  }

  void copy_multisampling() {
    copy_or_drop(info_.pMultisampleState, (parts_ & (kFragmentShader | kFragmentOutput)) && !discards_);
    auto* state = writable(info_.pMultisampleState);
    if (!state) return;
    if (is_dynamic(VK_DYNAMIC_STATE_SAMPLE_MASK_EXT)) state->pSampleMask = nullptr;
    // The number of samples may be dynamic, too; then that of the mask is not known.
    if (state->pSampleMask && is_dynamic(VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT))
      throw CannotCopy{"the size of its sample mask is not known"};
    copy_array(state->pSampleMask, (static_cast<uint32_t>(state->rasterizationSamples) + 31) / 32);
  }

  void copy_blending(bool color) {
    copy_or_drop(info_.pColorBlendState, (parts_ & kFragmentOutput) && !discards_ && color);
    auto* state = writable(info_.pColorBlendState);
    if (!state) return;
    // Whether the attachments are ignored then depends on a feature of the device.
    if (is_dynamic(VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT) &&
        is_dynamic(VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT) &&
        is_dynamic(VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT))
      throw CannotCopy{"all of its blending is dynamic"};
    copy_array(state->pAttachments, state->attachmentCount);
  }

  VkGraphicsPipelineCreateInfo& info_;
  const PipelineParts parts_;
  Arena& arena_;
  bool discards_ = false;
};

}  // namespace

bool discards_fragments(const VkGraphicsPipelineCreateInfo& info) {
  return info.pRasterizationState && info.pRasterizationState->rasterizerDiscardEnable &&
         !sets_by_command(info, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
}

FragmentTests fragment_tests(const VkGraphicsPipelineCreateInfo& info) {
  FragmentTests tests;
  if (const VkPipelineDepthStencilStateCreateInfo* state = info.pDepthStencilState)
    tests.any = state->depthTestEnable || state->stencilTestEnable || state->depthBoundsTestEnable ||
                sets_by_command(info, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE) ||
                sets_by_command(info, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE) ||
                sets_by_command(info, VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE);
  const bool reads_depth = (all_flags(info.pNext, info.flags) &
                            VK_PIPELINE_CREATE_2_DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT) ||
                           sets_by_command(info, VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT);
  tests.may_be_early = !reads_depth && info.pMultisampleState &&
                       !info.pMultisampleState->alphaToCoverageEnable &&
                       !sets_by_command(info, VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT);
  return tests;
}

void copy_graphics_state(VkGraphicsPipelineCreateInfo& info, PipelineParts parts, Arena& arena,
                         const SubpassUse* uses) {
  GraphicsState(info, parts, arena).copy(uses);
}

}  // namespace shaderqa::layer
