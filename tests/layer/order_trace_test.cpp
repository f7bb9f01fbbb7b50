// SPDX-License-Identifier: Apache-2.0
// What the list of redundant barriers keeps of a command buffer: barriers with the stages and accesses that
// their masks stand for, and what uses memory between them.
#include "layer/engines/exact/order_trace.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "layer/accesses/dependency.h"
#include "layer/engines/exact/exact_commands.h"

namespace shaderqa::layer {
namespace {

using Stages = VkPipelineStageFlags2;
using Access = VkAccessFlags2;

constexpr Stages kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr Stages kFragment = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
constexpr Access kSampled = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
constexpr Access kStorageRead = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
constexpr Access kStorageWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
constexpr Access kTable = VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR;

PassedBarrier passed(const std::vector<Dependency>& dependencies,
                     SynchronizationPoint::Kind kind = SynchronizationPoint::Kind::barrier) {
  RecordedBarrier barrier;
  barrier.point.kind = kind;
  barrier.dependencies = dependencies;
  OrderTrace trace;
  trace.pass(barrier);
  EXPECT_EQ(trace.barriers.size(), 1u);
  return *trace.barriers.at(0);
}

// The accesses that one bit stands for, on either side.
uint64_t expanded(Access access) {
  const PassedBarrier barrier = passed({{kCompute, kCompute, access, access}});
  EXPECT_EQ(barrier.dependencies.at(0).source_access, barrier.dependencies[0].destination_access);
  return barrier.dependencies[0].source_access;
}

TEST(OrderTrace, NamesOfGroupsOfAccessesStandForEach) {
  EXPECT_EQ(expanded(VK_ACCESS_2_SHADER_READ_BIT),
            VK_ACCESS_2_SHADER_READ_BIT | kSampled | kStorageRead | kTable);
  EXPECT_EQ(expanded(VK_ACCESS_2_SHADER_WRITE_BIT), VK_ACCESS_2_SHADER_WRITE_BIT | kStorageWrite);
  EXPECT_EQ(expanded(VK_ACCESS_2_MEMORY_READ_BIT),
            VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_SHADER_READ_BIT | kSampled | kStorageRead | kTable |
                VK_ACCESS_2_UNIFORM_READ_BIT | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT |
                VK_ACCESS_2_INDEX_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT |
                VK_ACCESS_2_TRANSFER_READ_BIT);
  EXPECT_EQ(expanded(VK_ACCESS_2_MEMORY_WRITE_BIT), VK_ACCESS_2_MEMORY_WRITE_BIT |
                                                        VK_ACCESS_2_SHADER_WRITE_BIT | kStorageWrite |
                                                        VK_ACCESS_2_TRANSFER_WRITE_BIT);
  for (const Access one : {kSampled, kStorageRead, kStorageWrite, VK_ACCESS_2_UNIFORM_READ_BIT,
                           VK_ACCESS_2_TRANSFER_READ_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT})
    EXPECT_EQ(expanded(one), one);
}

TEST(OrderTrace, BarriersHaveTheStagesAndMemoryOfTheirDependencies) {
  const PassedBarrier barrier =
      passed({{kFragment, VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT, kStorageWrite, kStorageRead, true, 100, 200},
              {kCompute, kCompute, kStorageWrite, kStorageRead, false}});
  ASSERT_EQ(barrier.dependencies.size(), 2u);
  EXPECT_FALSE(barrier.from_earlier);
  const PassedDependency& one = barrier.dependencies[0];
  EXPECT_EQ(one.source_stages, kFragment);
  EXPECT_EQ(one.source_scope, source_scope(kFragment));
  EXPECT_EQ(one.destination_stages, named_stages(VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT));
  EXPECT_EQ(one.destination_scope, destination_scope(VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT));
  EXPECT_EQ(one.source_access, kStorageWrite);
  EXPECT_EQ(one.destination_access, kStorageRead);
  EXPECT_EQ(one.begin, 100u);
  EXPECT_EQ(one.end, 200u);
  const PassedDependency& execution = barrier.dependencies[1];
  EXPECT_EQ(execution.source_stages, kCompute);
  EXPECT_EQ(execution.source_access, 0u) << "not of buffers";
  EXPECT_EQ(execution.destination_access, 0u);
  EXPECT_EQ(execution.end, UINT64_MAX);
}

TEST(OrderTrace, AWaitForAnEventOrdersWhatCameBeforeTheEvent) {
  using Kind = SynchronizationPoint::Kind;
  EXPECT_TRUE(passed({}, Kind::event_wait).from_earlier);
  EXPECT_FALSE(passed({}, Kind::render_pass).from_earlier);
}

TEST(OrderTrace, EqualUsesOneBehindTheOtherAreOne) {
  OrderTrace trace;
  trace.use(kCompute, 1);
  trace.use(kCompute, 1);
  trace.use(kCompute, 2);
  trace.use(kFragment, 2);
  trace.pass({});
  trace.use(kFragment, 2);
  trace.execute(nullptr, 7);
  trace.execute(nullptr, 9);
  trace.pass({});
  trace.use(VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT, 2);
  using Kind = OrderTrace::Step::Kind;
  ASSERT_EQ(trace.steps.size(), 9u);
  const std::vector<Kind> kinds{Kind::use,       Kind::use,       Kind::use,     Kind::barrier, Kind::use,
                                Kind::execution, Kind::execution, Kind::barrier, Kind::use};
  for (size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(trace.steps[i].kind, kinds[i]) << i;
  EXPECT_EQ(trace.steps[0].uses, 1u);
  EXPECT_EQ(trace.steps[1].uses, 2u);
  EXPECT_EQ(trace.steps[2].stages, kFragment);
  EXPECT_EQ(trace.steps[3].index, 0u);
  EXPECT_EQ(trace.steps[7].index, 1u);
  EXPECT_EQ(trace.executions.at(trace.steps[5].index).offset, 7u);
  EXPECT_EQ(trace.executions.at(trace.steps[6].index).offset, 9u);
  EXPECT_EQ(trace.steps[8].stages, named_stages(VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT));
}

}  // namespace
}  // namespace shaderqa::layer
