// SPDX-License-Identifier: Apache-2.0
// Which classes of accesses a barrier orders: each class's own stage and accesses, and no other class's.
#include "layer/engines/exact/access_classes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "instrument/runtime/abi_order.h"

namespace shaderqa::layer {
namespace {

struct Row {
  uint32_t number = 0;
  VkPipelineStageFlags2 stage = 0;
  VkAccessFlags2 read = 0, write = 0;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {SQA_CLASS_COMPUTE, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
       VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT},
      {SQA_CLASS_PRE_RASTERIZATION, VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_ACCESS_2_SHADER_READ_BIT,
       VK_ACCESS_2_SHADER_WRITE_BIT},
      {SQA_CLASS_FRAGMENT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_MEMORY_READ_BIT,
       VK_ACCESS_2_MEMORY_WRITE_BIT},
      {SQA_CLASS_RAY_TRACING, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR, VK_ACCESS_2_SHADER_READ_BIT,
       VK_ACCESS_2_SHADER_WRITE_BIT},
      {SQA_CLASS_INDIRECT, VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, 0},
      {SQA_CLASS_VERTEX_INPUT, VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT, 0},
      {SQA_CLASS_TRANSFER, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT,
       VK_ACCESS_2_TRANSFER_WRITE_BIT},
      {SQA_CLASS_BUILD, VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR,
       VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR, VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR},
      {SQA_CLASS_HOST, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT, VK_ACCESS_2_HOST_WRITE_BIT},
      {SQA_CLASS_CLEAR, VK_PIPELINE_STAGE_2_CLEAR_BIT, 0, VK_ACCESS_2_TRANSFER_WRITE_BIT},
      {SQA_CLASS_DEPTH, VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
       VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT, VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT},
      {SQA_CLASS_COLOR, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
       VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT},
      {SQA_CLASS_OTHER, VK_PIPELINE_STAGE_2_BLIT_BIT, VK_ACCESS_2_TRANSFER_READ_BIT,
       VK_ACCESS_2_TRANSFER_WRITE_BIT},
      {SQA_CLASS_CONDITION, VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
       VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT, 0},
  };
  return all;
}

TEST(AccessClasses, ABarrierIsForTheClassesOfItsStagesAndAccesses) {
  ASSERT_EQ(rows().size(), size_t{SQA_CLASSES});
  for (const Row& from : rows()) {
    for (const Row& to : rows()) {
      SCOPED_TRACE("class " + std::to_string(from.number) + " to " + std::to_string(to.number));
      const OrderDependency order = order_dependency({from.stage, to.stage, from.write, to.read});
      EXPECT_EQ(order.writes, from.write ? 1u << from.number : 0u);
      EXPECT_EQ(order.reads, to.read ? 1u << to.number : 0u);
      EXPECT_NE(order.source >> from.number & 1, 0u);
      EXPECT_NE(order.destination >> to.number & 1, 0u);
    }
  }
}

TEST(AccessClasses, AccessesOfOtherStagesDoNotCount) {
  const OrderDependency order =
      order_dependency({VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT,
                        VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT});
  EXPECT_EQ(order.writes, 0u);
  EXPECT_EQ(order.reads, 0u);
  EXPECT_TRUE(order.is_global()) << "a dependency of execution alone has no range";
}

uint32_t of(uint32_t number) { return 1u << number; }

TEST(AccessClasses, CopiesAndClearsAreStagesOfTheirOwn) {
  constexpr VkAccessFlags2 write = VK_ACCESS_2_TRANSFER_WRITE_BIT, read = VK_ACCESS_2_TRANSFER_READ_BIT;
  constexpr uint32_t both = 1u << SQA_CLASS_TRANSFER | 1u << SQA_CLASS_CLEAR;
  OrderDependency order =
      order_dependency({VK_PIPELINE_STAGE_2_COPY_BIT, VK_PIPELINE_STAGE_2_CLEAR_BIT, write, read});
  EXPECT_EQ(order.source, of(SQA_CLASS_TRANSFER));
  EXPECT_EQ(order.destination, of(SQA_CLASS_CLEAR));
  EXPECT_EQ(order.writes, of(SQA_CLASS_TRANSFER));
  EXPECT_EQ(order.reads, 0u) << "clears read nothing";
  order = order_dependency(
      {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, write, read});
  EXPECT_EQ(order.source & both, both);
  EXPECT_EQ(order.destination & both, both);
  EXPECT_EQ(order.writes, both | of(SQA_CLASS_OTHER));
  EXPECT_EQ(order.reads, of(SQA_CLASS_TRANSFER) | of(SQA_CLASS_OTHER));
  EXPECT_STREQ(stage_name(SQA_CLASS_CLEAR), "VK_PIPELINE_STAGE_TRANSFER_BIT");
  EXPECT_STREQ(stage_name(SQA_CLASS_CLEAR, VK_PIPELINE_STAGE_2_COPY_BIT), "VK_PIPELINE_STAGE_2_CLEAR_BIT");
  EXPECT_STREQ(stage_name(SQA_CLASS_TRANSFER, VK_PIPELINE_STAGE_2_CLEAR_BIT), "VK_PIPELINE_STAGE_2_COPY_BIT");
}

TEST(AccessClasses, BlitsAndResolvesAreNoCopies) {
  constexpr VkAccessFlags2 write = VK_ACCESS_2_TRANSFER_WRITE_BIT, read = VK_ACCESS_2_TRANSFER_READ_BIT;
  const OrderDependency order =
      order_dependency({VK_PIPELINE_STAGE_2_RESOLVE_BIT, VK_PIPELINE_STAGE_2_BLIT_BIT, write, read});
  EXPECT_EQ(order.writes, of(SQA_CLASS_OTHER));
  EXPECT_EQ(order.reads, of(SQA_CLASS_OTHER));
  EXPECT_STREQ(stage_name(SQA_CLASS_OTHER), "VK_PIPELINE_STAGE_TRANSFER_BIT");
  EXPECT_STREQ(stage_name(SQA_CLASS_OTHER, VK_PIPELINE_STAGE_2_COPY_BIT),
               "VK_PIPELINE_STAGE_2_BLIT_BIT or VK_PIPELINE_STAGE_2_RESOLVE_BIT");
}

// A barrier for the one is none for the other, which is a common mistake.
TEST(AccessClasses, AttachmentsOfColorAndOfDepthAreStagesOfTheirOwn) {
  constexpr VkPipelineStageFlags2 color = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  constexpr VkAccessFlags2 write =
      VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  EXPECT_EQ(order_dependency({color, color, write, 0}).writes, of(SQA_CLASS_COLOR));
  EXPECT_EQ(order_dependency({VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT, color, write, 0}).writes,
            of(SQA_CLASS_DEPTH));
  EXPECT_EQ(order_dependency({color, color, write, 0}).destination & of(SQA_CLASS_DEPTH), 0u);
}

// Drivers test depth early or late as they like, and so does one access of an attachment.
TEST(AccessClasses, DepthIsAccessedByTheEarlyAndByTheLateTests) {
  constexpr VkPipelineStageFlags2 early = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
                                  late = VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
  constexpr VkAccessFlags2 write = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                           read = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
  for (const VkPipelineStageFlags2 source : {early, late, early | late}) {
    const OrderDependency order = order_dependency({source, early, write, read});
    EXPECT_NE(order.source & order.writes & of(SQA_CLASS_DEPTH), 0u) << source;
    EXPECT_NE(order.destination & order.reads & of(SQA_CLASS_DEPTH), 0u) << source;
  }
  EXPECT_EQ(order_dependency({late, early, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, 0}).writes, 0u);
}

// Copies of acceleration structures are transfers, too; the arguments of builds are not.
TEST(AccessClasses, TransfersCoverCopiesOfAccelerationStructures) {
  const OrderDependency order = with_arguments_of_builds(
      {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
       VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR, VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR});
  EXPECT_EQ(order.writes, of(SQA_CLASS_BUILD));
  EXPECT_EQ(order.reads, of(SQA_CLASS_BUILD));
  EXPECT_EQ((order.source | order.destination) & of(SQA_CLASS_INDIRECT), 0u);
}

TEST(AccessClasses, UniformBuffersAreReadByAnAccessOfTheirOwn) {
  constexpr VkPipelineStageFlags2 stages =
      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT;
  const auto reads = [&](VkAccessFlags2 access) {
    return order_dependency({stages, stages, VK_ACCESS_2_SHADER_WRITE_BIT, access});
  };
  for (const VkAccessFlags2 storage : {VK_ACCESS_2_SHADER_READ_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT}) {
    EXPECT_EQ(reads(storage).reads, of(SQA_CLASS_COMPUTE));
    EXPECT_EQ(reads(storage).uniform_reads, 0u);
  }
  EXPECT_EQ(reads(VK_ACCESS_2_UNIFORM_READ_BIT).reads, 0u);
  EXPECT_EQ(reads(VK_ACCESS_2_UNIFORM_READ_BIT).uniform_reads, of(SQA_CLASS_COMPUTE));
  EXPECT_EQ(reads(VK_ACCESS_2_MEMORY_READ_BIT).reads, of(SQA_CLASS_COMPUTE) | of(SQA_CLASS_TRANSFER));
  EXPECT_EQ(reads(VK_ACCESS_2_MEMORY_READ_BIT).uniform_reads, of(SQA_CLASS_COMPUTE));
  EXPECT_FALSE(order_dependency({stages, stages, 0, VK_ACCESS_2_UNIFORM_READ_BIT, true, 16, 32}).is_global());
}

// Barriers chain through stages that access no buffers, as long as it is the same stage.
TEST(AccessClasses, StagesWithoutBuffersChain) {
  const auto chains = [](VkPipelineStageFlags2 to, VkPipelineStageFlags2 from) {
    return (classes_behind(to) & classes_before(from)) != 0;
  };
  for (const VkPipelineStageFlags2 stage :
       {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
        VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT, VK_PIPELINE_STAGE_2_BLIT_BIT,
        VK_PIPELINE_STAGE_2_RESOLVE_BIT, VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
        VK_PIPELINE_STAGE_2_VIDEO_DECODE_BIT_KHR, VkPipelineStageFlags2{1} << 62}) {
    EXPECT_TRUE(chains(stage, stage)) << stage;
    EXPECT_TRUE(chains(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, stage)) << stage;
  }
  EXPECT_FALSE(
      chains(VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT));
  EXPECT_FALSE(chains(VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_2_BLIT_BIT));
  EXPECT_TRUE(
      chains(VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT, VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT));
  // What waits at the late tests runs behind the stages that this one names, and those before it.
  EXPECT_FALSE(
      chains(VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT, VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT));
  EXPECT_FALSE(chains(VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT));
  EXPECT_FALSE(chains(VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT));
  EXPECT_FALSE(chains(VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT, VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT));
}

TEST(AccessClasses, AnImageBarrierIsForNoBuffer) {
  Dependency image{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                   VK_ACCESS_2_SHADER_WRITE_BIT, VK_ACCESS_2_SHADER_READ_BIT};
  image.buffers = false;
  const OrderDependency order = order_dependency(image);
  EXPECT_EQ(order.writes, 0u);
  EXPECT_EQ(order.reads, 0u);
  EXPECT_NE(order.source, 0u) << "it orders the execution";
}

struct AllOfAClass {
  uint32_t number = 0;
  std::vector<VkPipelineStageFlags2> stages;
  std::vector<VkAccessFlags2> reads, writes;
};

TEST(AccessClasses, EveryStageAndAccessOfAClassCounts) {
  const std::vector<VkAccessFlags2> shader_reads{
      VK_ACCESS_2_SHADER_READ_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
      VK_ACCESS_2_MEMORY_READ_BIT};
  const std::vector<VkAccessFlags2> shader_writes{
      VK_ACCESS_2_SHADER_WRITE_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT};
  const std::vector<AllOfAClass> classes{
      {SQA_CLASS_COMPUTE, {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT}, shader_reads, shader_writes},
      {SQA_CLASS_PRE_RASTERIZATION,
       {VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT,
        VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT, VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT,
        VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT, VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT,
        VK_PIPELINE_STAGE_2_CLUSTER_CULLING_SHADER_BIT_HUAWEI},
       shader_reads,
       shader_writes},
      {SQA_CLASS_FRAGMENT,
       {VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_PIPELINE_STAGE_2_SUBPASS_SHADER_BIT_HUAWEI},
       shader_reads,
       shader_writes},
      {SQA_CLASS_RAY_TRACING, {VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR}, shader_reads, shader_writes},
      {SQA_CLASS_INDIRECT,
       {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT},
       {VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, VK_ACCESS_2_MEMORY_READ_BIT},
       {}},
      {SQA_CLASS_VERTEX_INPUT,
       {VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT},
       {VK_ACCESS_2_INDEX_READ_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT, VK_ACCESS_2_MEMORY_READ_BIT},
       {}},
      {SQA_CLASS_TRANSFER,
       {VK_PIPELINE_STAGE_2_COPY_BIT},
       {VK_ACCESS_2_TRANSFER_READ_BIT, VK_ACCESS_2_MEMORY_READ_BIT},
       {VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT}},
      {SQA_CLASS_CLEAR,
       {VK_PIPELINE_STAGE_2_CLEAR_BIT},
       {},
       {VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT}},
      {SQA_CLASS_BUILD,
       {VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR,
        VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR},
       {VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR, VK_ACCESS_2_SHADER_READ_BIT,
        VK_ACCESS_2_SHADER_STORAGE_READ_BIT, VK_ACCESS_2_MEMORY_READ_BIT},
       {VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR, VK_ACCESS_2_MEMORY_WRITE_BIT}},
      {SQA_CLASS_HOST,
       {VK_PIPELINE_STAGE_2_HOST_BIT},
       {VK_ACCESS_2_HOST_READ_BIT, VK_ACCESS_2_MEMORY_READ_BIT},
       {VK_ACCESS_2_HOST_WRITE_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT}}};
  for (const AllOfAClass& one : classes) {
    const uint32_t bit = 1u << one.number;
    for (const VkPipelineStageFlags2 stage : one.stages) {
      for (const VkAccessFlags2 read : one.reads)
        EXPECT_EQ(order_dependency({stage, stage, 0, read}).reads, bit) << one.number << " " << read;
      for (const VkAccessFlags2 write : one.writes)
        EXPECT_EQ(order_dependency({stage, stage, write, 0}).writes, bit) << one.number << " " << write;
    }
  }
}

TEST(AccessClasses, UniformBuffersAreReadByShadersAlone) {
  constexpr VkPipelineStageFlags2 all = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  constexpr uint32_t shaders = 1u << SQA_CLASS_COMPUTE | 1u << SQA_CLASS_PRE_RASTERIZATION |
                               1u << SQA_CLASS_FRAGMENT | 1u << SQA_CLASS_RAY_TRACING;
  for (const VkAccessFlags2 access : {VK_ACCESS_2_UNIFORM_READ_BIT, VK_ACCESS_2_MEMORY_READ_BIT})
    EXPECT_EQ(order_dependency({all, all, 0, access}).uniform_reads, shaders);
  EXPECT_EQ(order_dependency({all, all, 0, VK_ACCESS_2_SHADER_READ_BIT}).uniform_reads, 0u);
  EXPECT_EQ(
      order_dependency({all, VK_PIPELINE_STAGE_2_COPY_BIT, 0, VK_ACCESS_2_MEMORY_READ_BIT}).uniform_reads,
      0u);
}

}  // namespace
}  // namespace shaderqa::layer
