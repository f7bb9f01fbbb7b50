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
      {SQA_CLASS_ATTACHMENT, VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
       VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT, VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT},
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
      EXPECT_EQ(order.reads, 1u << to.number);
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

TEST(AccessClasses, AnImageBarrierIsForNoBuffer) {
  Dependency image{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                   VK_ACCESS_2_SHADER_WRITE_BIT, VK_ACCESS_2_SHADER_READ_BIT};
  image.buffers = false;
  const OrderDependency order = order_dependency(image);
  EXPECT_EQ(order.writes, 0u);
  EXPECT_EQ(order.reads, 0u);
  EXPECT_NE(order.source, 0u) << "it orders the execution";
}

}  // namespace
}  // namespace shaderqa::layer
