// SPDX-License-Identifier: Apache-2.0
// What reports say that a barrier lacked.
#include "layer/engines/exact/barrier_gaps.h"

#include <gtest/gtest.h>

#include "instrument/runtime/abi_image.h"

#include <vector>

#include "instrument/runtime/abi_order.h"

namespace shaderqa::layer {
namespace {

constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags2 kTransfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_SHADER_WRITE_BIT;
constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_READ_BIT;
constexpr OrderedAccess kWriter{SQA_CLASS_COMPUTE, AccessWay::writes}, kReader{SQA_CLASS_COMPUTE};

RecordedBarrier barrier(const std::vector<Dependency>& dependencies, uint32_t after = 3) {
  SynchronizationPoint point;
  point.name = "vkCmdPipelineBarrier";
  return {point, 0, dependencies, after};
}

std::string gap(const Dependency& dependency, const OrderedAccess& earlier = kWriter,
                const OrderedAccess& later = kReader) {
  return missing_from(barrier({dependency}), earlier, later, 150);
}

TEST(BarrierGaps, NothingIsMissing) {
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, kRead}), "");
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, kRead, true, 100, 200}), "");
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, 0}, kWriter, kWriter), "");
  EXPECT_EQ(gap({kCompute, kCompute, 0, 0}, kReader, kWriter), "") << "an execution dependency is enough";
}

TEST(BarrierGaps, ImagesAndBuffersHaveBarriersOfTheirOwn) {
  const uint64_t texel = abi::image_addresses + 0x1000;
  const auto of = [&](const Dependency& dependency, uint64_t address) {
    return missing_from(barrier({dependency}), kWriter, kReader, address);
  };
  const Dependency image{kCompute, kCompute, kWrite, kRead, true, texel, texel + 64, true};
  EXPECT_EQ(of(image, texel), "");
  EXPECT_EQ(
      of(image, texel + 64),
      "the vkCmdPipelineBarrier after action 3 is for other mip levels, layers or planes, or another image");
  EXPECT_EQ(of(image, 150),
            "the vkCmdPipelineBarrier after action 3 has only execution and image dependencies");
  EXPECT_EQ(of({kCompute, kCompute, kWrite, kRead, true, 100, 200}, texel),
            "the vkCmdPipelineBarrier after action 3 has only execution dependencies and those of others");
  EXPECT_EQ(of({kCompute, kCompute, kWrite, kRead}, texel), "");
}

TEST(BarrierGaps, WhatIsMissingIsNamed) {
  EXPECT_EQ(gap({kCompute, kCompute, 0, kRead}),
            "the vkCmdPipelineBarrier after action 3 has no VK_ACCESS_SHADER_WRITE_BIT in srcAccessMask");
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, 0}),
            "the vkCmdPipelineBarrier after action 3 has no VK_ACCESS_SHADER_READ_BIT in dstAccessMask");
  EXPECT_EQ(
      gap({kTransfer, kCompute, kWrite, kRead}),
      "the vkCmdPipelineBarrier after action 3 has no VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT in srcStageMask");
  EXPECT_EQ(
      gap({kCompute, kTransfer, kWrite, kRead}),
      "the vkCmdPipelineBarrier after action 3 has no VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT in dstStageMask");
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, kRead, true, 0x100, 0x200}),
            "the vkCmdPipelineBarrier after action 3 covers only the addresses 0x100 to 0x200");
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, kRead, false}),
            "the vkCmdPipelineBarrier after action 3 has only execution and image dependencies");
  EXPECT_EQ(
      gap({kCompute, kCompute, 0, 0}),
      "the vkCmdPipelineBarrier after action 3 has no VK_ACCESS_SHADER_WRITE_BIT in srcAccessMask and has "
      "no VK_ACCESS_SHADER_READ_BIT in dstAccessMask");
  EXPECT_EQ(
      gap({kCompute, kCompute, 0, 0}, kWriter, {SQA_CLASS_INDIRECT}),
      "the vkCmdPipelineBarrier after action 3 has no VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT in dstStageMask "
      "and has no VK_ACCESS_SHADER_WRITE_BIT in srcAccessMask");
}

TEST(BarrierGaps, ReadsOfUniformBuffersNeedTheirOwnFlag) {
  constexpr OrderedAccess uniform{SQA_CLASS_COMPUTE, AccessWay::reads_uniform};
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, kRead}, kWriter, uniform),
            "the vkCmdPipelineBarrier after action 3 has no VK_ACCESS_UNIFORM_READ_BIT in dstAccessMask");
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, VK_ACCESS_2_UNIFORM_READ_BIT}, kWriter, uniform), "");
  EXPECT_EQ(gap({kCompute, kCompute, kWrite, VK_ACCESS_2_UNIFORM_READ_BIT}),
            "the vkCmdPipelineBarrier after action 3 has no VK_ACCESS_SHADER_READ_BIT in dstAccessMask");
}

TEST(BarrierGaps, TheOtherPartOfTheTransfersIsNamed) {
  EXPECT_EQ(gap({VK_PIPELINE_STAGE_2_COPY_BIT, kCompute, VK_ACCESS_2_TRANSFER_WRITE_BIT, kRead},
                {SQA_CLASS_CLEAR, AccessWay::writes}),
            "the vkCmdPipelineBarrier after action 3 has no VK_PIPELINE_STAGE_2_CLEAR_BIT in srcStageMask");
}

TEST(BarrierGaps, ARangeEndsBeforeItsEnd) {
  const auto covers = [](uint64_t address) {
    return missing_from(barrier({{kCompute, kCompute, kWrite, kRead, true, 100, 200}}), kWriter, kReader,
                        address)
        .empty();
  };
  EXPECT_FALSE(covers(99));
  EXPECT_TRUE(covers(100));
  EXPECT_TRUE(covers(199));
  EXPECT_FALSE(covers(200));
  EXPECT_TRUE(covers(0)) << "the address is not known";
}

// A command of the first generation has a dependency of its stages alone, in front of its memory barriers.
TEST(BarrierGaps, OneMemoryBarrierIsEnoughToBeNoExecutionDependency) {
  const Dependency execution{kCompute, kCompute, 0, 0, false};
  const auto gap_beside = [&](const Dependency& memory) {
    return missing_from(barrier({execution, memory}), kWriter, kReader, 150);
  };
  EXPECT_EQ(gap_beside({kCompute, kCompute, kWrite, 0, true, 100, 200}),
            "the vkCmdPipelineBarrier after action 3 has no VK_ACCESS_SHADER_READ_BIT in dstAccessMask");
  EXPECT_EQ(gap_beside({kCompute, kCompute, 0, 0, true, 0x100, 0x200}),
            "the vkCmdPipelineBarrier after action 3 has no VK_ACCESS_SHADER_WRITE_BIT in srcAccessMask, has "
            "no VK_ACCESS_SHADER_READ_BIT in dstAccessMask and covers only the addresses 0x100 to 0x200");
  EXPECT_EQ(missing_from(barrier({execution, {kTransfer, kTransfer, kWrite, kRead}}), kReader, kWriter, 150),
            "")
      << "between a read and a write the execution dependency is enough";
}

TEST(BarrierGaps, TheNearestBarrierIsNamed) {
  const std::vector<RecordedBarrier> passed = {barrier({{kTransfer, kTransfer, kWrite, kRead}}, 5),
                                               barrier({{kCompute, kCompute, 0, kRead}}, 0),
                                               barrier({{kCompute, kCompute, kWrite, 0}}, 2)};
  EXPECT_EQ(
      nearest_gap(passed, kWriter, kReader, 0),
      "the vkCmdPipelineBarrier at the begin of the command buffer has no VK_ACCESS_SHADER_WRITE_BIT in "
      "srcAccessMask");
  EXPECT_EQ(nearest_gap({}, kWriter, kReader, 0), "");
}

// Neither the stages nor the accesses of one class stand for those of another.
TEST(BarrierGaps, EachClassHasItsOwnStageAndAccesses) {
  struct Row {
    uint32_t class_number;
    VkPipelineStageFlags2 stage;
    VkAccessFlags2 write, read;
    std::string stage_name, write_name, read_name;
  };
  const auto lacks = [](const std::string& bit, const std::string& mask) {
    return "the vkCmdPipelineBarrier after action 3 has no " + bit + " in " + mask;
  };
  for (const Row& row :
       {Row{SQA_CLASS_PRE_RASTERIZATION, VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, kWrite, kRead,
            "the stage of that shader, such as VK_PIPELINE_STAGE_VERTEX_SHADER_BIT",
            "VK_ACCESS_SHADER_WRITE_BIT", "VK_ACCESS_SHADER_READ_BIT"},
        Row{SQA_CLASS_FRAGMENT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, kWrite, kRead,
            "VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT", "VK_ACCESS_SHADER_WRITE_BIT",
            "VK_ACCESS_SHADER_READ_BIT"},
        Row{SQA_CLASS_RAY_TRACING, VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR, kWrite, kRead,
            "VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR", "VK_ACCESS_SHADER_WRITE_BIT",
            "VK_ACCESS_SHADER_READ_BIT"},
        Row{SQA_CLASS_TRANSFER, kTransfer, VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_TRANSFER_READ_BIT,
            "VK_PIPELINE_STAGE_TRANSFER_BIT", "VK_ACCESS_TRANSFER_WRITE_BIT", "VK_ACCESS_TRANSFER_READ_BIT"},
        Row{SQA_CLASS_BUILD, VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR,
            VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR, VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR,
            "VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR",
            "VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR",
            "VK_ACCESS_SHADER_READ_BIT or VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR"},
        Row{SQA_CLASS_HOST, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT,
            VK_ACCESS_2_HOST_READ_BIT, "VK_PIPELINE_STAGE_HOST_BIT", "VK_ACCESS_HOST_WRITE_BIT",
            "VK_ACCESS_HOST_READ_BIT"}}) {
    const OrderedAccess writer{row.class_number, AccessWay::writes}, reader{row.class_number};
    EXPECT_EQ(gap({row.stage, kCompute, row.write, kRead}, writer), "") << row.class_number;
    EXPECT_EQ(gap({kCompute, kCompute, kWrite, kRead}, writer), lacks(row.stage_name, "srcStageMask"));
    EXPECT_EQ(gap({row.stage, kCompute, row.read, kRead}, writer), lacks(row.write_name, "srcAccessMask"));
    EXPECT_EQ(gap({kCompute, row.stage, kWrite, row.read}, kWriter, reader), "") << row.class_number;
    EXPECT_EQ(gap({kCompute, kCompute, kWrite, kRead}, kWriter, reader),
              lacks(row.stage_name, "dstStageMask"));
    EXPECT_EQ(gap({kCompute, row.stage, kWrite, row.write}, kWriter, reader),
              lacks(row.read_name, "dstAccessMask"));
  }
}

TEST(BarrierGaps, OfTwoThatLackTheSameTheLaterIsNamed) {
  const std::vector<RecordedBarrier> passed = {barrier({{kCompute, kCompute, 0, kRead}}, 7),
                                               barrier({{kCompute, kCompute, kWrite, 0}}, 2)};
  EXPECT_EQ(nearest_gap(passed, kWriter, kReader, 0),
            "the vkCmdPipelineBarrier after action 7 has no VK_ACCESS_SHADER_WRITE_BIT in srcAccessMask");
  EXPECT_EQ(nearest_gap({barrier({{kCompute, kCompute, kWrite, kRead}}), passed[1]}, kWriter, kReader, 0),
            "the vkCmdPipelineBarrier after action 2 has no VK_ACCESS_SHADER_READ_BIT in dstAccessMask")
      << "a barrier without a gap is passed over";
}

}  // namespace
}  // namespace shaderqa::layer
