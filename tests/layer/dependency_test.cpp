// SPDX-License-Identifier: Apache-2.0
// What masks of stages stand for.
#include "layer/accesses/dependency.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace shaderqa::layer {
namespace {

using Stages = VkPipelineStageFlags2;
constexpr Stages kAll = ~Stages{0}, kTop = VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT,
                 kBottom = VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT,
                 kIndirect = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                 kRays = VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;

// Vulkan's order of the graphics pipeline; stages of one row are at the same place.
const std::vector<std::vector<Stages>>& pipeline() {
  static const std::vector<std::vector<Stages>> rows = {
      {kIndirect},
      {VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT},
      {VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT},
      {VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT,
       VK_PIPELINE_STAGE_2_CLUSTER_CULLING_SHADER_BIT_HUAWEI},
      {VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT, VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT},
      {VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT},
      {VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT},
      {VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT},
      {VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR},
      {VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT},
      {VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_PIPELINE_STAGE_2_SUBPASS_SHADER_BIT_HUAWEI},
      {VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT},
      {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT}};
  return rows;
}

Stages rows(size_t first, size_t end) {
  Stages all = 0;
  for (size_t i = first; i < end; ++i)
    for (const Stages stage : pipeline()[i]) all |= stage;
  return all;
}
const size_t kRows = pipeline().size();

TEST(StageMasks, ASourceStandsForTheStagesBeforeIt) {
  for (size_t i = 0; i < kRows; ++i) {
    for (const Stages stage : pipeline()[i]) EXPECT_EQ(source_scope(stage), rows(0, i + 1)) << "row " << i;
  }
  EXPECT_EQ(source_scope(kCompute), kCompute | kIndirect);
  EXPECT_EQ(source_scope(kRays), kRays | kIndirect);
  EXPECT_EQ(source_scope(kBottom), kAll);
  EXPECT_EQ(source_scope(kTop), 0u);
  EXPECT_EQ(source_scope(kTop | kCompute), kCompute | kIndirect);
}

TEST(StageMasks, ADestinationStandsForTheStagesBehindIt) {
  for (size_t i = 0; i < kRows; ++i) {
    const Stages others = i == 0 ? kCompute | kRays : 0;
    for (const Stages stage : pipeline()[i])
      EXPECT_EQ(destination_scope(stage), rows(i, kRows) | others) << "row " << i;
  }
  EXPECT_EQ(destination_scope(kCompute), kCompute);
  EXPECT_EQ(destination_scope(kRays), kRays);
  EXPECT_EQ(destination_scope(kTop), kAll);
  EXPECT_EQ(destination_scope(kBottom), 0u);
  EXPECT_EQ(destination_scope(kBottom | kCompute), kCompute);
}

TEST(StageMasks, StagesOfNoPipelineStandForThemselves) {
  for (const Stages stage :
       {VK_PIPELINE_STAGE_2_COPY_BIT, VK_PIPELINE_STAGE_2_RESOLVE_BIT, VK_PIPELINE_STAGE_2_BLIT_BIT,
        VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_PIPELINE_STAGE_2_HOST_BIT,
        VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR}) {
    EXPECT_EQ(named_stages(stage), stage);
    EXPECT_EQ(source_scope(stage), stage);
    EXPECT_EQ(destination_scope(stage), stage);
  }
}

TEST(StageMasks, NamesOfGroupsAreReplaced) {
  const auto added = [](Stages group) { return named_stages(group) & ~group; };
  EXPECT_EQ(named_stages(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT), kAll);
  EXPECT_EQ(added(VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT),
            rows(0, kRows) | VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT |
                VK_PIPELINE_STAGE_2_FRAGMENT_DENSITY_PROCESS_BIT_EXT |
                VK_PIPELINE_STAGE_2_INVOCATION_MASK_BIT_HUAWEI);
  EXPECT_EQ(added(VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT),
            rows(3, 7) & ~VK_PIPELINE_STAGE_2_CLUSTER_CULLING_SHADER_BIT_HUAWEI);
  EXPECT_EQ(added(VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT), rows(1, 3));
  EXPECT_EQ(added(VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT),
            VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT |
                VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR);
  for (size_t i = 0; i < kRows; ++i)
    for (const Stages stage : pipeline()[i]) EXPECT_EQ(added(stage), 0u) << "row " << i;
}

}  // namespace
}  // namespace shaderqa::layer
