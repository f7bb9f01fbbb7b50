// SPDX-License-Identifier: Apache-2.0
// What each synchronisation means for the filter: the rows of docs/internals/filter.md, "Barriers", as far as
// stages and accesses decide.
#include "layer/engines/filter/barrier_effects.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shaderqa::layer {
namespace {

constexpr auto kNothing = BarrierEffect::nothing;
constexpr auto kReads = BarrierEffect::reads_ordered;
constexpr auto kWrites = BarrierEffect::writes_available;
constexpr auto kClear = BarrierEffect::clear;

constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags2 kVertex = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT;
constexpr VkPipelineStageFlags2 kFragment = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
constexpr VkPipelineStageFlags2 kTransfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
constexpr VkPipelineStageFlags2 kColor = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkPipelineStageFlags2 kIndirect = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
constexpr VkPipelineStageFlags2 kTop = VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT;
constexpr VkPipelineStageFlags2 kBottom = VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
constexpr VkPipelineStageFlags2 kAll = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
constexpr VkPipelineStageFlags2 kAllGraphics = VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
constexpr VkPipelineStageFlags2 kPreRasterization = VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT;
constexpr VkPipelineStageFlags2 kRayTracing = VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
constexpr VkPipelineStageFlags2 kHost = VK_PIPELINE_STAGE_2_HOST_BIT;
constexpr VkPipelineStageFlags2 kEarlyTests = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT;
constexpr VkPipelineStageFlags2 kLateTests = VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;

constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_WRITE_BIT;
constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_READ_BIT;
constexpr VkAccessFlags2 kStorageWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
constexpr VkAccessFlags2 kStorageRead = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
constexpr VkAccessFlags2 kSampled = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
constexpr VkAccessFlags2 kUniform = VK_ACCESS_2_UNIFORM_READ_BIT;
constexpr VkAccessFlags2 kMemoryWrite = VK_ACCESS_2_MEMORY_WRITE_BIT;
constexpr VkAccessFlags2 kMemoryRead = VK_ACCESS_2_MEMORY_READ_BIT;
constexpr VkAccessFlags2 kIndirectRead = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
constexpr VkAccessFlags2 kTransferWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags2 kColorWrite = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;

// In a command buffer in which something was checked, and no other barrier came before.
BarrierEffect effect_of(const Dependency& dependency) {
  BarrierChain chain{0, false, false};
  return barrier_effect(dependency, chain);
}

struct Row {
  const char* name;
  Dependency dependency;
  BarrierEffect effect;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      // Memory dependencies between shaders.
      {"compute_to_compute", {kCompute, kCompute, kWrite, kRead}, kClear},
      {"write_after_write", {kCompute, kCompute, kWrite, kWrite}, kClear},
      {"storage_accesses", {kCompute, kCompute, kStorageWrite, kStorageRead}, kClear},
      {"storage_writes", {kCompute, kCompute, kStorageWrite, kStorageWrite}, kClear},
      {"texel_buffers", {kCompute, kFragment, kStorageWrite, kSampled}, kClear},
      {"uniform_buffers", {kCompute, kVertex, kWrite, kUniform}, kClear},
      {"memory_accesses", {kCompute, kCompute, kMemoryWrite, kMemoryRead}, kClear},
      {"all_commands", {kAll, kAll, kMemoryWrite, kMemoryRead | kMemoryWrite}, kClear},
      {"all_graphics", {kAllGraphics, kAllGraphics, kWrite, kRead}, kClear},
      {"graphics_to_compute", {kAllGraphics, kCompute, kWrite, kRead}, kClear},
      {"pre_rasterization", {kPreRasterization, kCompute, kWrite, kRead}, kClear},
      {"to_pre_rasterization", {kCompute, kPreRasterization, kWrite, kRead}, kClear},
      {"ray_tracing", {kRayTracing, kRayTracing, kWrite, kRead}, kClear},
      {"fragment_to_vertex", {kFragment, kVertex, kWrite, kRead}, kClear},
      {"vertex_to_fragment", {kVertex, kFragment, kWrite, kRead}, kClear},
      {"more_stages", {kTransfer | kCompute, kTransfer | kFragment, kWrite | kTransferWrite, kRead}, kClear},
      // Indirect commands.
      {"indirect_arguments", {kCompute, kIndirect, kWrite, kIndirectRead}, kClear},
      {"arguments_written_after", {kIndirect, kCompute, kIndirectRead, kWrite}, kReads},
      {"arguments_after_memory", {kAll, kIndirect, kMemoryWrite, kMemoryRead}, kClear},
      // Execution dependencies.
      {"no_access", {kCompute, kCompute, 0, 0}, kReads},
      {"no_access_all_commands", {kAll, kAll, 0, 0}, kReads},
      {"write_after_read", {kCompute, kCompute, kRead, kWrite}, kReads},
      {"nothing_available", {kCompute, kCompute, 0, kRead}, kReads},
      {"nothing_visible", {kCompute, kCompute, kWrite, 0}, kWrites},
      {"image_barrier", {kCompute, kCompute, kWrite, kRead, false}, kReads},
      {"bottom_to_compute", {kBottom, kCompute, 0, 0}, kReads},
      {"compute_to_top", {kCompute, kTop, 0, 0}, kReads},
      {"color_output_to_fragment", {kColor, kFragment, kColorWrite, kRead}, kReads},
      {"late_tests_to_compute", {kLateTests, kCompute, 0, kRead}, kReads},
      {"compute_to_early_tests", {kCompute, kEarlyTests, kWrite, 0}, kWrites},
      {"vertex_input_to_vertex", {VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT, kVertex, 0, kRead}, kReads},
      // Stages that cover no shader on one of the sides.
      {"to_transfer", {kCompute, kTransfer, kWrite, VK_ACCESS_2_TRANSFER_READ_BIT}, kNothing},
      {"from_transfer", {kTransfer, kCompute, kTransferWrite, kRead}, kNothing},
      {"transfers", {kTransfer, kTransfer, kTransferWrite, kTransferWrite}, kNothing},
      {"to_host", {kCompute, kHost, kWrite, VK_ACCESS_2_HOST_READ_BIT}, kNothing},
      {"from_host", {kHost, kCompute, VK_ACCESS_2_HOST_WRITE_BIT, kRead}, kNothing},
      {"from_top", {kTop, kCompute, 0, kRead}, kNothing},
      {"from_none", {0, kCompute, 0, kRead}, kNothing},
      {"to_bottom", {kCompute, kBottom, kWrite, 0}, kNothing},
      {"to_none", {kCompute, 0, kWrite, 0}, kNothing},
      {"to_color_output", {kCompute, kColor, kWrite, kColorWrite}, kNothing},
      {"release_to_another_family", {kCompute, kBottom, kWrite, 0}, kNothing},
      {"acquire_from_another_family", {kTop, kCompute, 0, kRead | kWrite}, kNothing},
  };
  return all;
}

class BarrierRow : public ::testing::TestWithParam<Row> {};

TEST_P(BarrierRow, HasItsEffect) { EXPECT_EQ(effect_of(GetParam().dependency), GetParam().effect); }

INSTANTIATE_TEST_SUITE_P(Barriers, BarrierRow, ::testing::ValuesIn(rows()),
                         [](const auto& row) { return std::string(row.param.name); });

// The flags of the first kind of barriers are those of the second, bit by bit.
TEST(BarrierEffects, FlagsOfBothKindsAreTheSame) {
  EXPECT_EQ(effect_of({VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                       VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT}),
            kClear);
  EXPECT_EQ(effect_of({VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT}),
            kNothing);
}

TEST(BarrierChains, ThroughTransfersOrderShaders) {
  BarrierChain chain{0, false, false};
  EXPECT_EQ(barrier_effect({kCompute, kTransfer, kWrite, VK_ACCESS_2_TRANSFER_READ_BIT}, chain), kNothing);
  EXPECT_EQ(barrier_effect({kTransfer, kCompute, kTransferWrite, kRead}, chain), kClear);
  // The clear ends it.
  EXPECT_EQ(barrier_effect({kTransfer, kCompute, kTransferWrite, kRead}, chain), kNothing);
}

TEST(BarrierChains, WithoutAvailabilityOrderReadsOnly) {
  BarrierChain chain{0, false, false};
  EXPECT_EQ(barrier_effect({kCompute, kTransfer, 0, 0}, chain), kNothing);
  EXPECT_EQ(barrier_effect({kTransfer, kCompute, kTransferWrite, kRead}, chain), kReads);
}

TEST(BarrierChains, AvailabilityAndVisibilityMayBeTwoBarriers) {
  BarrierChain chain{0, false, false};
  EXPECT_EQ(barrier_effect({kCompute, kCompute, kWrite, 0}, chain), kWrites);
  EXPECT_EQ(barrier_effect({kCompute, kCompute, 0, kRead}, chain), kClear);
}

TEST(BarrierChains, ThroughThePipesEnds) {
  BarrierChain chain{0, false, false};
  EXPECT_EQ(barrier_effect({kAll, kBottom, kMemoryWrite, 0}, chain), kNothing);
  EXPECT_EQ(barrier_effect({kBottom, kCompute, 0, kRead}, chain), kClear);
}

TEST(BarrierChains, AnotherStageIsNotOrdered) {
  BarrierChain chain{0, false, false};
  EXPECT_EQ(barrier_effect({kCompute, kColor, kWrite, kColorWrite}, chain), kNothing);
  EXPECT_EQ(barrier_effect({kTransfer, kCompute, kTransferWrite, kRead}, chain), kNothing);
}

// An earlier command buffer may have ended with compute -> transfer.
TEST(BarrierChains, OfAnEarlierCommandBufferMayGoOnAtTheStart) {
  BarrierChain chain;
  EXPECT_EQ(barrier_effect({kTransfer, kCompute, kTransferWrite, kRead}, chain), kClear);
  chain = {};
  chain.at_start = false;  // something was checked since
  EXPECT_EQ(barrier_effect({kTransfer, kCompute, kTransferWrite, kRead}, chain), kNothing);
}

BarrierEffect effect_of_command(const std::vector<Dependency>& dependencies, BarrierChain& chain) {
  CommandDependencies together(chain);
  for (const Dependency& dependency : dependencies) together.add(dependency);
  return together.apply(chain);
}

const Dependency kToTransfer{kCompute, kTransfer, kWrite, VK_ACCESS_2_TRANSFER_READ_BIT};
const Dependency kFromTransfer{kTransfer, kCompute, kTransferWrite, kRead};

TEST(CommandDependencies, OfOneCommandDoNotChain) {
  BarrierChain chain{0, false, false};
  EXPECT_EQ(effect_of_command({kToTransfer, kFromTransfer}, chain), kNothing);
  // Those of the next command chain to them.
  EXPECT_EQ(effect_of_command({kFromTransfer}, chain), kClear);
  chain = {0, false, false};
  EXPECT_EQ(effect_of_command({{kCompute, kCompute, kWrite, 0}, {kCompute, kCompute, 0, kRead}}, chain),
            kWrites)
      << "one makes available, the other visible, but not what the first made available";
}

TEST(CommandDependencies, TheStrongestEffectCounts) {
  BarrierChain chain{0, false, false};
  EXPECT_EQ(effect_of_command({kToTransfer, {kCompute, kCompute, 0, 0}}, chain), kReads);
  EXPECT_EQ(effect_of_command({kToTransfer, {kCompute, kCompute, kWrite, kRead}, {kCompute, kCompute, 0, 0}},
                              chain),
            kClear);
  EXPECT_EQ(effect_of_command({kFromTransfer}, chain), kNothing) << "the clear ended the chain";
  EXPECT_EQ(effect_of_command({}, chain), kNothing);
}

TEST(SemaphoreStages, CoverShadersWithWhatIsBehindThem) {
  EXPECT_TRUE(covers_checked(destination_scope(kCompute)));
  EXPECT_TRUE(covers_checked(destination_scope(kAll)));
  EXPECT_TRUE(covers_checked(destination_scope(kTop)));
  EXPECT_TRUE(covers_checked(destination_scope(kIndirect)));
  EXPECT_TRUE(covers_checked(destination_scope(kEarlyTests)));
  EXPECT_FALSE(covers_checked(destination_scope(kColor)));
  EXPECT_FALSE(covers_checked(destination_scope(kTransfer)));
  EXPECT_FALSE(covers_checked(destination_scope(0)));
}

TEST(BarrierEffects, EveryStageOfShadersIsOne) {
  for (const VkPipelineStageFlags2 stage :
       {kVertex, VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT,
        VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT, VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT,
        VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT, VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT, kFragment, kCompute,
        kRayTracing, VK_PIPELINE_STAGE_2_SUBPASS_SHADER_BIT_HUAWEI,
        VK_PIPELINE_STAGE_2_CLUSTER_CULLING_SHADER_BIT_HUAWEI}) {
    EXPECT_TRUE(covers_checked(stage)) << stage;
    EXPECT_EQ(effect_of({stage, stage, kWrite, kRead}), kClear) << stage;
  }
  EXPECT_TRUE(covers_checked(kIndirect));
  EXPECT_EQ(effect_of({kIndirect, kIndirect, kWrite, kRead}), kReads) << "which writes nothing";
  for (const VkPipelineStageFlags2 stage : {kTransfer, kHost, kColor, kEarlyTests})
    EXPECT_FALSE(covers_checked(stage)) << stage;
}

TEST(BarrierEffects, EveryAccessOfShadersIsOne) {
  for (const VkAccessFlags2 write : {kWrite, kStorageWrite, kMemoryWrite}) {
    EXPECT_EQ(effect_of({kCompute, kCompute, write, kRead}), kClear) << write;
    EXPECT_EQ(effect_of({kCompute, kCompute, kWrite, write}), kClear) << write;
  }
  for (const VkAccessFlags2 read : {kRead, kStorageRead, kSampled, kUniform, kIndirectRead, kMemoryRead}) {
    EXPECT_EQ(effect_of({kCompute, kCompute, kWrite, read}), kClear) << read;
    EXPECT_EQ(effect_of({kCompute, kCompute, read, kRead}), kReads) << "makes nothing available";
  }
  for (const VkAccessFlags2 other : {kTransferWrite, kColorWrite, VkAccessFlags2{0}}) {
    EXPECT_EQ(effect_of({kCompute, kCompute, other, kRead}), kReads) << other;
    EXPECT_EQ(effect_of({kCompute, kCompute, kWrite, other}), kWrites) << other;
  }
}

}  // namespace
}  // namespace shaderqa::layer
