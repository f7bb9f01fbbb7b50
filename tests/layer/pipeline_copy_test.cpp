// SPDX-License-Identifier: Apache-2.0
// Copies of the state of graphics pipelines: they hold all that Vulkan uses, and read nothing that it
// ignores.
#include "layer/pipelines/pipeline_copy.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

template <typename T>
const T* invalid() {
  return reinterpret_cast<const T*>(uintptr_t{8});
}

// The state of an ordinary pipeline. When it is destroyed, all of it is overwritten.
struct State {
  State() {
    dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    input.vertexBindingDescriptionCount = 1;
    input.pVertexBindingDescriptions = &binding;
    input.vertexAttributeDescriptionCount = 1;
    input.pVertexAttributeDescriptions = &attribute;
    divisors.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO;
    divisors.vertexBindingDivisorCount = 1;
    divisors.pVertexBindingDivisors = &divisor;
    input.pNext = &divisors;
    assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    viewports.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    rasterization.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    rasterization.lineWidth = 3;
    samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_64_BIT;
    samples.pSampleMask = mask.data();
    depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
    depth.maxDepthBounds = 5;
    blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  }
  VkGraphicsPipelineCreateInfo info() {
    dynamic.dynamicStateCount = static_cast<uint32_t>(states.size());
    dynamic.pDynamicStates = states.data();
    VkGraphicsPipelineCreateInfo made{};
    made.stageCount = 2;
    made.pStages = stages.data();
    made.pDynamicState = &dynamic;
    made.pVertexInputState = &input;
    made.pInputAssemblyState = &assembly;
    made.pTessellationState = invalid<VkPipelineTessellationStateCreateInfo>();
    made.pViewportState = &viewports;
    made.pRasterizationState = &rasterization;
    made.pMultisampleState = &samples;
    made.pDepthStencilState = &depth;
    made.pColorBlendState = &blend;
    return made;
  }

  std::vector<VkDynamicState> states;
  VkPipelineDynamicStateCreateInfo dynamic{};
  VkPipelineVertexInputStateCreateInfo input{};
  VkVertexInputBindingDescription binding{1, 20, VK_VERTEX_INPUT_RATE_INSTANCE};
  VkVertexInputAttributeDescription attribute{2, 1, VK_FORMAT_R32_UINT, 4};
  VkPipelineVertexInputDivisorStateCreateInfo divisors{};
  VkVertexInputBindingDivisorDescription divisor{1, 7};
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  VkPipelineViewportStateCreateInfo viewports{};
  VkViewport viewport{1, 2, 3, 4, 0, 1};
  VkRect2D scissor{{5, 6}, {7, 8}};
  VkPipelineRasterizationStateCreateInfo rasterization{};
  VkPipelineMultisampleStateCreateInfo samples{};
  std::array<VkSampleMask, 2> mask{0xabc, 0xdef};
  VkPipelineDepthStencilStateCreateInfo depth{};
  VkPipelineColorBlendStateCreateInfo blend{};
  VkPipelineColorBlendAttachmentState attachment{VK_TRUE, {}, {}, {}, {}, {}, {}, 9};
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{};
};

constexpr SubpassUse kAll{true, true};

TEST(PipelineCopy, HoldsEverythingThatIsUsed) {
  Arena arena;
  VkGraphicsPipelineCreateInfo copy{};
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{};
  {
    State state;
    state.states = {VK_DYNAMIC_STATE_LINE_WIDTH};
    copy = state.info();
    stages = state.stages;
    copy.pStages = stages.data();
    copy_graphics_state(copy, kAllParts, arena, &kAll);
    const uint32_t bytes = sizeof(State) - sizeof(state.states);
    std::memset(reinterpret_cast<std::byte*>(&state) + sizeof(state.states), 0xee, bytes);
    state.states[0] = VK_DYNAMIC_STATE_MAX_ENUM;
  }
  EXPECT_EQ(copy.pTessellationState, nullptr);
  ASSERT_EQ(copy.pDynamicState->dynamicStateCount, 1u);
  EXPECT_EQ(copy.pDynamicState->pDynamicStates[0], VK_DYNAMIC_STATE_LINE_WIDTH);
  EXPECT_EQ(copy.pVertexInputState->pVertexBindingDescriptions[0].stride, 20u);
  EXPECT_EQ(copy.pVertexInputState->pVertexAttributeDescriptions[0].location, 2u);
  const auto divisors = find_in_chain<VkPipelineVertexInputDivisorStateCreateInfo>(
      copy.pVertexInputState->pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO);
  ASSERT_NE(divisors, nullptr);
  EXPECT_EQ(divisors->pVertexBindingDivisors[0].divisor, 7u);
  EXPECT_EQ(copy.pInputAssemblyState->topology, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
  EXPECT_EQ(copy.pViewportState->pViewports[0].width, 3);
  EXPECT_EQ(copy.pViewportState->pScissors[0].extent.width, 7u);
  EXPECT_EQ(copy.pRasterizationState->lineWidth, 3);
  EXPECT_EQ(copy.pMultisampleState->pSampleMask[1], 0xdefu);
  EXPECT_EQ(copy.pDepthStencilState->maxDepthBounds, 5);
  EXPECT_EQ(copy.pColorBlendState->pAttachments[0].colorWriteMask, 9u);
}

TEST(PipelineCopy, ReadsNothingThatIsIgnoredWithoutRasterization) {
  Arena arena;
  State state;
  state.rasterization.rasterizerDiscardEnable = VK_TRUE;
  VkGraphicsPipelineCreateInfo copy = state.info();
  copy.pViewportState = invalid<VkPipelineViewportStateCreateInfo>();
  copy.pMultisampleState = invalid<VkPipelineMultisampleStateCreateInfo>();
  copy.pDepthStencilState = invalid<VkPipelineDepthStencilStateCreateInfo>();
  copy.pColorBlendState = invalid<VkPipelineColorBlendStateCreateInfo>();
  copy_graphics_state(copy, kAllParts, arena, &kAll);
  EXPECT_EQ(copy.pViewportState, nullptr);
  EXPECT_EQ(copy.pMultisampleState, nullptr);
  EXPECT_EQ(copy.pDepthStencilState, nullptr);
  EXPECT_EQ(copy.pColorBlendState, nullptr);
}

TEST(PipelineCopy, ReadsNoStateOfAttachmentsThatThereAreNot) {
  Arena arena;
  State state;
  VkGraphicsPipelineCreateInfo copy = state.info();
  copy.pDepthStencilState = invalid<VkPipelineDepthStencilStateCreateInfo>();
  copy.pColorBlendState = invalid<VkPipelineColorBlendStateCreateInfo>();
  constexpr SubpassUse none;
  copy_graphics_state(copy, kAllParts, arena, &none);
  EXPECT_EQ(copy.pDepthStencilState, nullptr);
  EXPECT_EQ(copy.pColorBlendState, nullptr);
  EXPECT_NE(copy.pMultisampleState, nullptr);
}

// Without a render pass, formats say which attachments there are.
TEST(PipelineCopy, ReadsStateOfTheAttachmentsThatDynamicRenderingHas) {
  struct Row {
    uint32_t colors;
    VkFormat depth, stencil;
    bool reads_blending, reads_depth;
  };
  constexpr VkFormat none = VK_FORMAT_UNDEFINED;
  const Row rows[] = {{0, none, none, false, false},
                      {1, none, none, true, false},
                      {2, none, none, true, false},
                      {0, VK_FORMAT_D32_SFLOAT, none, false, true},
                      {0, none, VK_FORMAT_S8_UINT, false, true},
                      {1, VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT, true, true}};
  const std::array formats{VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UNORM};
  for (const Row& row : rows) {
    Arena arena;
    State state;
    VkPipelineRenderingCreateInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    rendering.colorAttachmentCount = row.colors;
    rendering.pColorAttachmentFormats = formats.data();
    rendering.depthAttachmentFormat = row.depth;
    rendering.stencilAttachmentFormat = row.stencil;
    VkGraphicsPipelineCreateInfo copy = state.info();
    copy.pNext = &rendering;
    if (!row.reads_depth) copy.pDepthStencilState = invalid<VkPipelineDepthStencilStateCreateInfo>();
    if (!row.reads_blending) copy.pColorBlendState = invalid<VkPipelineColorBlendStateCreateInfo>();
    copy_graphics_state(copy, kAllParts, arena, nullptr);
    EXPECT_EQ(copy.pColorBlendState != nullptr, row.reads_blending) << row.colors;
    EXPECT_EQ(copy.pDepthStencilState != nullptr, row.reads_depth) << row.depth << " " << row.stencil;
    EXPECT_NE(copy.pColorBlendState, &state.blend);
    EXPECT_NE(copy.pDepthStencilState, &state.depth);
  }
  Arena arena;
  State state;
  VkGraphicsPipelineCreateInfo copy = state.info();
  copy.pDepthStencilState = invalid<VkPipelineDepthStencilStateCreateInfo>();
  copy.pColorBlendState = invalid<VkPipelineColorBlendStateCreateInfo>();
  copy_graphics_state(copy, kAllParts, arena, nullptr);
  EXPECT_EQ(copy.pDepthStencilState, nullptr) << "rendering without attachments";
  EXPECT_EQ(copy.pColorBlendState, nullptr);
}

TEST(PipelineCopy, TheSampleMaskHasAWordFor32Samples) {
  for (const auto& [samples, words] :
       {std::pair{VK_SAMPLE_COUNT_1_BIT, 1u}, {VK_SAMPLE_COUNT_32_BIT, 1u}, {VK_SAMPLE_COUNT_64_BIT, 2u}}) {
    Arena arena;
    auto state = std::make_unique<State>();
    state->samples.rasterizationSamples = samples;
    // The word behind the mask is not there.
    const auto mask = std::make_unique<VkSampleMask[]>(words);
    for (uint32_t i = 0; i < words; ++i) mask[i] = 0xa0 + i;
    state->samples.pSampleMask = mask.get();
    VkGraphicsPipelineCreateInfo copy = state->info();
    copy_graphics_state(copy, kAllParts, arena, &kAll);
    ASSERT_NE(copy.pMultisampleState->pSampleMask, mask.get());
    for (uint32_t i = 0; i < words; ++i) EXPECT_EQ(copy.pMultisampleState->pSampleMask[i], 0xa0 + i);
  }
  Arena arena;
  State state;
  state.states = {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT};
  VkGraphicsPipelineCreateInfo copy = state.info();
  EXPECT_THROW(copy_graphics_state(copy, kAllParts, arena, &kAll), CannotCopy) << "its size is not known";
  state.samples.pSampleMask = nullptr;
  copy = state.info();
  copy_graphics_state(copy, kAllParts, arena, &kAll);
  EXPECT_EQ(copy.pMultisampleState->pSampleMask, nullptr);
  state.states.push_back(VK_DYNAMIC_STATE_SAMPLE_MASK_EXT);
  state.samples.pSampleMask = invalid<VkSampleMask>();
  copy = state.info();
  copy_graphics_state(copy, kAllParts, arena, &kAll);
  EXPECT_EQ(copy.pMultisampleState->pSampleMask, nullptr);
}

TEST(PipelineCopy, ATessellationStateIsThatOfBothStages) {
  VkPipelineTessellationStateCreateInfo tessellation{};
  tessellation.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO;
  tessellation.patchControlPoints = 3;
  constexpr auto control = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
  constexpr auto evaluation = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  for (const auto& [first, second, used] : {std::tuple{control, evaluation, true},
                                            {VK_SHADER_STAGE_VERTEX_BIT, evaluation, false},
                                            {control, VK_SHADER_STAGE_FRAGMENT_BIT, false}}) {
    Arena arena;
    State state;
    state.stages[0].stage = first;
    state.stages[1].stage = second;
    VkGraphicsPipelineCreateInfo copy = state.info();
    if (used) copy.pTessellationState = &tessellation;
    copy_graphics_state(copy, kAllParts, arena, &kAll);
    ASSERT_EQ(copy.pTessellationState != nullptr, used);
    if (used) {
      EXPECT_EQ(copy.pTessellationState->patchControlPoints, 3u);
    }
  }
}

// Each by itself, since a state is ignored because of its own command alone.
TEST(PipelineCopy, EachDynamicStateDropsItsOwnArray) {
  struct Row {
    VkDynamicState dynamic;
    bool viewports, scissors, input;
  };
  for (const Row& row : {Row{VK_DYNAMIC_STATE_VIEWPORT, false, true, true},
                         {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, false, true, true},
                         {VK_DYNAMIC_STATE_SCISSOR, true, false, true},
                         {VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT, true, false, true},
                         {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, true, true, false},
                         {VK_DYNAMIC_STATE_DEPTH_BIAS, true, true, true}}) {
    Arena arena;
    State state;
    state.states = {row.dynamic};
    VkGraphicsPipelineCreateInfo copy = state.info();
    if (!row.viewports) state.viewports.pViewports = invalid<VkViewport>();
    if (!row.scissors) state.viewports.pScissors = invalid<VkRect2D>();
    if (!row.input) copy.pVertexInputState = invalid<VkPipelineVertexInputStateCreateInfo>();
    copy_graphics_state(copy, kAllParts, arena, &kAll);
    EXPECT_EQ(copy.pViewportState->pViewports != nullptr, row.viewports) << row.dynamic;
    EXPECT_EQ(copy.pViewportState->pScissors != nullptr, row.scissors) << row.dynamic;
    EXPECT_EQ(copy.pVertexInputState != nullptr, row.input) << row.dynamic;
  }
}

TEST(PipelineCopy, DiscardThatIsDynamicIsNotKnown) {
  State state;
  VkGraphicsPipelineCreateInfo info = state.info();
  EXPECT_FALSE(discards_fragments(info));
  state.rasterization.rasterizerDiscardEnable = VK_TRUE;
  EXPECT_TRUE(discards_fragments(info));
  state.states = {VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE};
  EXPECT_FALSE(discards_fragments(state.info()));
  info.pRasterizationState = nullptr;
  EXPECT_FALSE(discards_fragments(info));
}

TEST(PipelineCopy, BlendingOfWhichSomeIsNotDynamicIsCopied) {
  constexpr VkDynamicState all[] = {VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
                                    VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
                                    VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT};
  for (size_t without = 0; without < 3; ++without) {
    Arena arena;
    State state;
    for (size_t i = 0; i < 3; ++i)
      if (i != without) state.states.push_back(all[i]);
    VkGraphicsPipelineCreateInfo copy = state.info();
    copy_graphics_state(copy, kAllParts, arena, &kAll);
    EXPECT_EQ(copy.pColorBlendState->pAttachments[0].colorWriteMask, 9u);
  }
}

TEST(PipelineCopy, ReadsNothingThatIsDynamic) {
  Arena arena;
  State state;
  state.states = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR,
                  VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT};
  state.viewports.pViewports = invalid<VkViewport>();
  state.viewports.pScissors = invalid<VkRect2D>();
  state.samples.pSampleMask = invalid<VkSampleMask>();
  VkGraphicsPipelineCreateInfo copy = state.info();
  copy.pVertexInputState = invalid<VkPipelineVertexInputStateCreateInfo>();
  copy_graphics_state(copy, kAllParts, arena, &kAll);
  EXPECT_EQ(copy.pVertexInputState, nullptr);
  EXPECT_EQ(copy.pViewportState->pViewports, nullptr);
  EXPECT_EQ(copy.pViewportState->viewportCount, 1u);
  EXPECT_EQ(copy.pViewportState->pScissors, nullptr);
  EXPECT_EQ(copy.pMultisampleState->pSampleMask, nullptr);
}

TEST(PipelineCopy, MeshPipelinesHaveNoVertexInput) {
  Arena arena;
  State state;
  state.stages[0].stage = VK_SHADER_STAGE_MESH_BIT_EXT;
  VkGraphicsPipelineCreateInfo copy = state.info();
  copy.pVertexInputState = invalid<VkPipelineVertexInputStateCreateInfo>();
  copy.pInputAssemblyState = invalid<VkPipelineInputAssemblyStateCreateInfo>();
  copy_graphics_state(copy, kAllParts, arena, &kAll);
  EXPECT_EQ(copy.pVertexInputState, nullptr);
  EXPECT_EQ(copy.pInputAssemblyState, nullptr);
}

TEST(PipelineCopy, WhatMayOrMayNotBeIgnoredIsNotCopied) {
  Arena arena;
  State state;
  state.states = {VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
                  VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT};
  VkGraphicsPipelineCreateInfo copy = state.info();
  EXPECT_THROW(copy_graphics_state(copy, kAllParts, arena, &kAll), CannotCopy);
}

TEST(PipelineCopy, UnknownStructuresAndRingsAreNotCopied) {
  Arena arena;
  VkBaseInStructure unknown{static_cast<VkStructureType>(2000123000), nullptr};
  EXPECT_THROW(copy_chain(&unknown, arena, {}), CannotCopy);
  constexpr std::array dropped = {static_cast<VkStructureType>(2000123000)};
  EXPECT_EQ(copy_chain(&unknown, arena, dropped), nullptr);
  unknown.pNext = &unknown;
  EXPECT_THROW(copy_chain(&unknown, arena, dropped), CannotCopy);
}

}  // namespace
}  // namespace shaderqa::layer
