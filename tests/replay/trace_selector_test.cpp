// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "host/trace/trace_selector.h"

namespace shaderqa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TraceSelector, NamesOneInvocation) {
  std::string error;
  const auto parsed = parse_trace_selectors("compute:GlobalInvocationID=5,0,7", error);
  ASSERT_TRUE(parsed) << error;
  ASSERT_EQ(parsed->size(), 1u);
  const abi::TraceSelector& one = parsed->front();
  EXPECT_EQ(one.stages, 1u << static_cast<uint32_t>(Stage::compute));
  EXPECT_EQ(one.skip, 0u);
  EXPECT_EQ(one.limit, 1u);
  EXPECT_THAT(one.value, ElementsAre(5, 0, 7, 0, 0, 0, 0, 0));
  EXPECT_THAT(one.mask, ElementsAre(~0u, ~0u, ~0u, 0, 0, 0, 0, 0));
}

TEST(TraceSelector, TakesSeveralInputsCountsAndStars) {
  std::string error;
  const auto parsed = parse_trace_selectors(
      "Compute: WorkgroupId=*,2,0; LocalInvocationID=3,1,2 | fragment:FragCoord=7,*;match=3;matches=4",
      error);
  ASSERT_TRUE(parsed) << error;
  ASSERT_EQ(parsed->size(), 2u);
  EXPECT_THAT((*parsed)[0].value, ElementsAre(0, 0, 0, 0, 0, 2, 0, 3u | 1u << 11 | 2u << 22));
  EXPECT_THAT((*parsed)[0].mask, ElementsAre(0, 0, 0, 0, 0, ~0u, ~0u, ~0u));
  EXPECT_EQ((*parsed)[1].skip, 2u);
  EXPECT_EQ((*parsed)[1].limit, 4u);
  EXPECT_THAT((*parsed)[1].mask, ElementsAre(~0u, 0, 0, 0, 0, 0, 0, 0));
}

TEST(TraceSelector, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "a stage should be here"},
      {"pixel:FragCoord=1,2", "a stage should be here"},
      {"compute 1", "':' and an input"},
      {"compute:FragCoord=1,2", "an input of this stage"},
      {"vertex:VertexIndex", "'=' and a number"},
      {"vertex:VertexIndex=", "a number from 0"},
      {"vertex:VertexIndex=-1", "a number from 0"},
      {"vertex:VertexIndex=4294967296", "a number from 0"},
      {"compute:GlobalInvocationID=1,2", "has 3 numbers"},
      {"compute:LocalInvocationID=5000,0,0", "nothing can match"},
      {"vertex:VertexIndex=1;VertexIndex=2", "given twice"},
      {"vertex:VertexIndex=1;match=0", "from 1 on"},
      {"vertex:VertexIndex=1 x", "the end, should be here"},
  };
  for (const auto& [text, message] : wrong) {
    std::string error;
    EXPECT_FALSE(parse_trace_selectors(text, error)) << text;
    EXPECT_THAT(error, HasSubstr(message)) << text;
    EXPECT_THAT(error, HasSubstr("^")) << text;
  }
  std::string many, error;
  for (int i = 0; i < 9; ++i) many += (i == 0 ? "" : "|") + std::string("vertex:VertexIndex=1");
  EXPECT_FALSE(parse_trace_selectors(many, error));
  EXPECT_THAT(error, HasSubstr("more than 8"));
}

TEST(TraceSelector, PointsAtThePlace) {
  std::string error;
  EXPECT_FALSE(parse_trace_selectors("vertex:Index=1", error));
  EXPECT_THAT(error, HasSubstr("\n  vertex:Index=1\n         ^"));
}

TEST(TraceSelector, DescribesALocationAsASelectorWould) {
  const uint32_t location[8] = {5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(describe_location(Stage::compute, location), "compute:GlobalInvocationID=5,6,7");
  EXPECT_EQ(describe_location(Stage::vertex, location), "vertex:VertexIndex=5;InstanceIndex=6");
  EXPECT_EQ(describe_location(Stage::fragment, location), "fragment:FragCoord=5,6");
  for (const Stage stage : {Stage::compute, Stage::vertex, Stage::fragment, Stage::miss, Stage::geometry}) {
    std::string error;
    EXPECT_TRUE(parse_trace_selectors(describe_location(stage, location), error)) << error;
  }
}

// Each input of each stage, with numbers that tell its dwords apart.
TEST(TraceSelector, InputsLieWhereTheShaderHasThem) {
  struct Row {
    std::vector<const char*> stages;
    const char* input;
    size_t first, count;
  };
  const std::vector<const char*> workgroups{"compute", "task", "mesh"},
      primitives{"tesscontrol", "tesseval", "geometry"},
      rays{"raygen", "intersection", "anyhit", "closesthit", "miss", "callable"};
  for (const Row& row : {Row{workgroups, "GlobalInvocationID", 0, 3},
                         Row{workgroups, "LocalInvocationIndex", 3, 1}, Row{workgroups, "WorkgroupID", 4, 3},
                         Row{{"vertex"}, "VertexIndex", 0, 1}, Row{{"vertex"}, "InstanceIndex", 1, 1},
                         Row{primitives, "PrimitiveID", 0, 1}, Row{primitives, "InvocationID", 1, 1},
                         Row{{"fragment"}, "FragCoord", 0, 2}, Row{rays, "LaunchID", 0, 3}}) {
    for (const char* stage : row.stages) {
      std::string text = std::string(stage) + ":" + row.input + "=", error;
      uint32_t value[8] = {}, mask[8] = {};
      for (size_t i = 0; i < row.count; ++i) {
        text += (i ? "," : "") + std::to_string(10 + i);
        value[row.first + i] = static_cast<uint32_t>(10 + i);
        mask[row.first + i] = UINT32_MAX;
      }
      const auto parsed = parse_trace_selectors(text, error);
      ASSERT_TRUE(parsed) << error;
      EXPECT_THAT(parsed->front().value, ::testing::ElementsAreArray(value)) << text;
      EXPECT_THAT(parsed->front().mask, ::testing::ElementsAreArray(mask)) << text;
      EXPECT_FALSE(parse_trace_selectors(text + ",1", error)) << "one number more than it has";
    }
  }
}

TEST(TraceSelector, StagesAreNamedAsInReports) {
  for (const auto& [name, stage] : {std::pair{"compute", Stage::compute},
                                    {"task", Stage::task},
                                    {"mesh", Stage::mesh},
                                    {"vertex", Stage::vertex},
                                    {"tesscontrol", Stage::tessellation_control},
                                    {"tesseval", Stage::tessellation_evaluation},
                                    {"geometry", Stage::geometry},
                                    {"fragment", Stage::fragment},
                                    {"raygen", Stage::ray_generation},
                                    {"intersection", Stage::intersection},
                                    {"anyhit", Stage::any_hit},
                                    {"closesthit", Stage::closest_hit},
                                    {"miss", Stage::miss},
                                    {"callable", Stage::callable}}) {
    const uint32_t location[8] = {5, 6, 7};
    const std::string described = describe_location(stage, location);
    EXPECT_EQ(described.substr(0, described.find(':')), name);
    std::string error;
    const auto parsed = parse_trace_selectors(described, error);
    ASSERT_TRUE(parsed) << error;
    EXPECT_EQ(parsed->front().stages, 1u << static_cast<uint32_t>(stage));
  }
  const uint32_t location[8] = {5, 6, 7};
  EXPECT_EQ(describe_location(Stage::geometry, location), "geometry:PrimitiveID=5;InvocationID=6");
  EXPECT_EQ(describe_location(Stage::miss, location), "miss:LaunchID=5,6,7");
  EXPECT_EQ(describe_location(Stage::unknown, location), "?");
}

TEST(TraceSelector, LocalInvocationsAreThoseOfTheLargestWorkgroup) {
  std::string error;
  const auto largest = parse_trace_selectors("compute:LocalInvocationID=2047,2047,1023", error);
  ASSERT_TRUE(largest) << error;
  EXPECT_EQ(largest->front().value[7], UINT32_MAX);
  const auto second = parse_trace_selectors("compute:LocalInvocationID=*,1,*", error);
  ASSERT_TRUE(second) << error;
  EXPECT_EQ(second->front().value[7], 1u << 11);
  EXPECT_EQ(second->front().mask[7], 0x7ffu << 11);
  for (const char* numbers : {"2048,0,0", "0,2048,0", "0,0,1024"})
    EXPECT_FALSE(parse_trace_selectors(std::string("compute:LocalInvocationID=") + numbers, error))
        << numbers;
  std::string many = "vertex:VertexIndex=1";
  for (int i = 1; i < 8; ++i) many += "|vertex:VertexIndex=1";
  EXPECT_TRUE(parse_trace_selectors(many, error)) << "as many as there is room for";
}

}  // namespace
}  // namespace shaderqa
