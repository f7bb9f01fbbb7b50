// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what vkCmdCopyQueryPoolResults is taken to write.
#include <optional>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class QueryResults : public CommandTest {
 protected:
  QueryResults() : CommandTest({}, {}, "exact") {
    target_.emplace(device(), 256, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  }
  void TearDown() override {
    for (const VkQueryPool pool : pools_) vk().vkDestroyQueryPool(device().handle, pool, nullptr);
    target_.reset();
    CommandTest::TearDown();
  }

  VkQueryPool pool(VkQueryType type, VkQueryPipelineStatisticFlags statistics = 0) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = type;
    info.queryCount = 8;
    info.pipelineStatistics = statistics;
    VkQueryPool made = VK_NULL_HANDLE;
    check(vk().vkCreateQueryPool(device().handle, &info, nullptr, &made), "vkCreateQueryPool");
    pools_.push_back(made);
    return made;
  }
  // Queries 1 to 3, 64 bytes apart from byte 16 on.
  std::vector<EnteredRange> entered_by(VkQueryPool from, VkQueryResultFlags flags) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);  // so that there is a record, which entered() looks at
    vk().vkCmdCopyQueryPoolResults(commands, from, 1, 3, target_->handle, 16, 64, flags);
    end(commands);
    const auto dispatches = entered(commands);
    EXPECT_LE(dispatches.size(), 1u);
    return dispatches.empty() ? std::vector<EnteredRange>{} : dispatches[0];
  }
  std::vector<EnteredRange> written(uint32_t bytes) const {
    EnteredRange range;
    range.address = target_->address + 16;
    range.bytes = bytes;
    range.rows = 3;
    range.pitch = 64;
    range.writes = true;
    return {range};
  }

  static constexpr VkQueryResultFlags kWait = VK_QUERY_RESULT_WAIT_BIT;
  std::optional<BoundBuffer> target_;
  std::vector<VkQueryPool> pools_;
};

TEST_F(QueryResults, AreOneValueAQueryOr64Bits) {
  for (const VkQueryType type : {VK_QUERY_TYPE_OCCLUSION, VK_QUERY_TYPE_TIMESTAMP}) {
    const VkQueryPool queries = pool(type);
    EXPECT_EQ(entered_by(queries, kWait), written(4));
    EXPECT_EQ(entered_by(queries, kWait | VK_QUERY_RESULT_64_BIT), written(8));
    EXPECT_EQ(entered_by(queries, kWait | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT), written(8));
    EXPECT_EQ(entered_by(queries, kWait | VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
              written(16));
  }
}

TEST_F(QueryResults, AreOneValueAStatistic) {
  const VkQueryPool queries =
      pool(VK_QUERY_TYPE_PIPELINE_STATISTICS, VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
                                                  VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
                                                  VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);
  EXPECT_EQ(entered_by(queries, kWait), written(12));
  EXPECT_EQ(entered_by(queries, kWait | VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
            written(32));
}

TEST_F(QueryResults, AreNotKnownWithoutAWaitOrOfOtherQueries) {
  EXPECT_EQ(entered_by(pool(VK_QUERY_TYPE_OCCLUSION), 0), std::vector<EnteredRange>());
  EXPECT_EQ(entered_by(pool(VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT), kWait),
            std::vector<EnteredRange>());
}

}  // namespace
}  // namespace shaderqa::layer_tests
