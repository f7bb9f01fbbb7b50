// SPDX-License-Identifier: Apache-2.0
#include "host/settings/value_forms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/settings/settings_table.h"
#include "host/settings/settings_values.h"

namespace shaderqa {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

TEST(NumberRanges, AreLists) {
  const auto list = NumberRanges::parse("5, 100-110,300-");
  ASSERT_TRUE(list);
  for (const uint64_t inside : {5u, 100u, 105u, 110u, 300u, 4000000u})
    EXPECT_TRUE(list->contains(inside)) << inside;
  for (const uint64_t outside : {0u, 1u, 4u, 6u, 99u, 111u, 299u})
    EXPECT_FALSE(list->contains(outside)) << outside;
  EXPECT_EQ(list->next_from(1), 5u);
  EXPECT_EQ(list->next_from(6), 100u);
  EXPECT_EQ(list->next_from(111), 300u);
  EXPECT_EQ(list->next_from(UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(NumberRanges::parse("3-5,1")->next_from(6), std::nullopt);
  EXPECT_TRUE(NumberRanges::parse("")->empty());
}

TEST(NumberRanges, AreRefused) {
  for (const char* wrong :
       {"0", "1-0", "5-3", "a", "1,", ",1", "1-2-3", "-5", "1 2", "99999999999999999999", "0x5", "+1"})
    EXPECT_FALSE(NumberRanges::parse(wrong)) << wrong;
}

TEST(Durations, AreParsed) {
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("1m30s"), 90s);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("0s"), 0s);
  EXPECT_EQ(parse_duration("never"), std::chrono::nanoseconds::max());
  for (const char* wrong :
       {"", "30", "s", "-1s", "1.5s", "1s!", "1d", "99999999999h", "18446744073709551615s"})
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(Shares, AreParsed) {
  EXPECT_DOUBLE_EQ(*parse_share("10%"), 0.1);
  EXPECT_DOUBLE_EQ(*parse_share("2.5%"), 0.025);
  EXPECT_DOUBLE_EQ(*parse_share("100%"), 1);
  for (const char* wrong :
       {"", "0%", "0", "10", "200%", "-5%", "%", "nan%", "inf%", "1e1%", "ten%", "5%%", "100.1%"})
    EXPECT_FALSE(parse_share(wrong)) << wrong;
}

TEST(LabelPaths, LieWithinOneAnother) {
  const auto paths = LabelPaths::parse("frame/shadow*, upload");
  ASSERT_TRUE(paths);
  const auto within = [&](const Names& labels) { return paths->complete({}, labels); };
  EXPECT_TRUE(within({"frame", "shadow pass"}));
  EXPECT_TRUE(within({"game", "frame", "lights", "shadow 1", "cascade"}));
  EXPECT_TRUE(within({"upload"}));
  EXPECT_FALSE(within({"shadow pass", "frame"})) << "the other way round";
  EXPECT_FALSE(within({"frame"}));
  EXPECT_FALSE(within({}));
  EXPECT_FALSE(within({"uploads"}));
}

TEST(LabelPaths, AreReadAsReportsShowThem) {
  EXPECT_TRUE(LabelPaths::parse("step 3 > back")->complete({}, Names{"step 3", "back"}));
}

TEST(LabelPaths, BeginInTheQueue) {
  const auto paths = LabelPaths::parse("queue/draw");
  const Names queue{"queue"}, draw{"draw"};
  const LabelPaths::Depths depths = paths->depths(queue);
  EXPECT_EQ(depths, (LabelPaths::Depths{1}));
  EXPECT_TRUE(paths->complete(depths, draw));
  EXPECT_FALSE(paths->complete({}, draw));
  EXPECT_TRUE(paths->complete(paths->depths(Names{"queue", "draw"}), {}));
}

TEST(LabelPaths, AreRefused) {
  for (const char* wrong : {"/", "a//b", "a,", "a/", ",a"}) EXPECT_FALSE(LabelPaths::parse(wrong)) << wrong;
  EXPECT_TRUE(LabelPaths::parse("")->empty());
}

TEST(ValueForms, AreSaidWhereTheyAreWrong) {
  Settings settings;
  EXPECT_EQ(assign_setting(settings, "frames", "100-110"), "");
  EXPECT_EQ(settings.frames, "100-110");
  EXPECT_EQ(assign_setting(settings, "frames", ""), "");
  EXPECT_NE(assign_setting(settings, "frames", "0").find("from 1 on"), std::string::npos);
  EXPECT_NE(assign_setting(settings, "budget", "200%").find("at most 100%"), std::string::npos);
  EXPECT_NE(assign_setting(settings, "after", "soon").find("such as 30s"), std::string::npos);
  EXPECT_NE(assign_setting(settings, "within", "a//b").find("slashes"), std::string::npos);
  EXPECT_EQ(settings.budget, "");
  for (const Setting& one : settings_table()) {
    if (!is_formed(one.type)) continue;
    EXPECT_EQ(assign_setting(settings, one, example_of(one.type)), "") << one.key;
  }
}

}  // namespace
}  // namespace shaderqa
