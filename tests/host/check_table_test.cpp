// SPDX-License-Identifier: Apache-2.0
// Which instruction a report or a cell is about.
#include "host/findings/check_table.h"

#include <gtest/gtest.h>

#include "host/findings/command_sites.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"
#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

ShaderRecord shader(uint64_t hash, std::vector<CheckSite> sites, const std::string& entry_point = "main",
                    Stage stage = Stage::compute) {
  ShaderRecord record = checked_shader(std::move(sites), entry_point, stage);
  record.shader_hash = hash;
  return record;
}

CheckReport asked(uint32_t instruction, Stage stage, Check check = Check::hazard,
                  Access access = Access::load) {
  CheckReport report;
  report.shader_hash = kCheckedShader;
  report.instruction = instruction;
  report.stage = stage;
  report.check = check;
  report.access = access;
  return report;
}

TEST(CheckTable, FindsWhatAReportNames) {
  CheckTable table;
  table.add(
      checked_shader({check_site(5, SQA_CHECK_HAZARD), check_site(5, SQA_CHECK_HAZARD, SQA_ACCESS_STORE),
                      check_site(5, SQA_CHECK_NAN), check_site(6, SQA_CHECK_HAZARD)}));
  const auto found = table.find(asked(5, Stage::compute));
  ASSERT_NE(found.check, nullptr);
  EXPECT_EQ(found.miss, CheckTable::Miss::none);
  EXPECT_EQ(found.entry_points, "main");
  EXPECT_EQ(found.check->site.instruction, 5u);
  EXPECT_EQ(found.check->site.access, uint32_t{SQA_ACCESS_LOAD});
  EXPECT_EQ(table.find(asked(5, Stage::compute, Check::nan)).check->site.check, uint32_t{SQA_CHECK_NAN});
  EXPECT_EQ(table.find(asked(5, Stage::compute, Check::hazard, Access::store)).check->site.access,
            uint32_t{SQA_ACCESS_STORE});
  const auto no_site = table.find(asked(7, Stage::compute));
  EXPECT_EQ(no_site.check, nullptr);
  EXPECT_EQ(no_site.miss, CheckTable::Miss::site);
  CheckReport elsewhere = asked(5, Stage::compute);
  ++elsewhere.shader_hash;
  EXPECT_EQ(table.find(elsewhere).miss, CheckTable::Miss::shader);
}

TEST(CheckTable, PrefersEntryPointsOfTheStage) {
  CheckTable table;
  const std::vector<CheckSite> sites{check_site(5, SQA_CHECK_HAZARD)};
  table.add(checked_shader(sites, "vs", Stage::vertex));
  table.add(checked_shader(sites, "fs", Stage::fragment));
  table.add(checked_shader(sites, "fs2", Stage::fragment));
  table.add(checked_shader(sites, "fs2", Stage::fragment));
  EXPECT_EQ(table.find(asked(5, Stage::vertex)).entry_points, "vs");
  EXPECT_EQ(table.find(asked(5, Stage::fragment)).entry_points, "fs or fs2");
  EXPECT_EQ(table.find(asked(5, Stage::fragment)).check->entry_point, "fs");
  EXPECT_EQ(table.find(asked(5, Stage::compute)).entry_points, "vs or fs or fs2")
      << "an instruction that two stages reach";
}

TEST(CheckTable, ArgumentsOfIndirectCommandsAreASiteOfShadersWithHazards) {
  CheckTable table;
  CheckSite site = check_site(5, SQA_CHECK_HAZARD);
  site.invocation = InvocationKind::launch_id;
  table.add(checked_shader({check_site(3, SQA_CHECK_NAN), site}));
  table.add(shader(7, {check_site(3, SQA_CHECK_NAN)}));
  const auto found = table.find(asked(0, Stage::compute, Check::hazard, Access::indirect));
  ASSERT_NE(found.check, nullptr);
  EXPECT_EQ(found.check->site.invocation, InvocationKind::launch_id);
  EXPECT_EQ(found.check->site.set, UINT32_MAX);
  EXPECT_EQ(found.check->site.binding, UINT32_MAX);
  CheckReport other = asked(0, Stage::compute, Check::hazard, Access::indirect);
  other.shader_hash = 7;
  EXPECT_EQ(table.find(other).miss, CheckTable::Miss::site);
}

// Sites are numbered among the hazards of their shader alone.
TEST(CheckTable, TagsCountHazards) {
  CheckTable table;
  table.add(checked_shader({check_site(3, SQA_CHECK_NAN), check_site(4, SQA_CHECK_HAZARD),
                            check_site(5, SQA_CHECK_ASSUME), check_site(6, SQA_CHECK_HAZARD)}));
  for (uint32_t i = 0; i < 2; ++i) {
    const auto found = table.find_tagged(site_tag(kCheckedShader, i), SQA_ACCESS_LOAD, kCheckedShader);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0]->site.instruction, 4 + 2 * i);
  }
  EXPECT_TRUE(table.find_tagged(site_tag(kCheckedShader, 2), SQA_ACCESS_LOAD, kCheckedShader).empty());
  EXPECT_TRUE(table.find_tagged(site_tag(kCheckedShader, 0), SQA_ACCESS_STORE, kCheckedShader).empty());
}

// A command's own access has no tag in cells: it is nobody's other side by chance.
TEST(CheckTable, CommandsHaveNoTags) {
  CheckTable table;
  const ShaderRecord commands = command_access_record();
  table.add(commands);
  for (uint32_t tag = 0; tag < SQA_TAGS; ++tag)
    for (const uint32_t access : {SQA_ACCESS_LOAD, SQA_ACCESS_STORE, SQA_ACCESS_INDIRECT})
      EXPECT_TRUE(table.find_tagged(tag, access, commands.shader_hash).empty());
}

// A tag has few bits: sites of other shaders have the same one.
TEST(CheckTable, SharedTagsGiveTheSitesOfTheShaderOrAFewOfOthers) {
  CheckTable table;
  const uint32_t tag = site_tag(kCheckedShader, 0);
  std::vector<uint64_t> others;
  for (uint64_t hash = 1; others.size() < 6; ++hash)
    if (site_tag(hash, 0) == tag) others.push_back(hash);
  for (const uint64_t hash : others) table.add(shader(hash, {check_site(9, SQA_CHECK_HAZARD)}));
  EXPECT_EQ(table.find_tagged(tag, SQA_ACCESS_LOAD, kCheckedShader).size(), 4u) << "a few are enough";
  EXPECT_EQ(table.find_tagged(tag, SQA_ACCESS_LOAD, others[5]).size(), 1u);
  table.add(checked_shader({check_site(4, SQA_CHECK_HAZARD)}));
  const auto own = table.find_tagged(tag, SQA_ACCESS_LOAD, kCheckedShader);
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0]->shader_hash, kCheckedShader);
  // Another action may have run another shader.
  const auto any = table.find_tagged(tag, SQA_ACCESS_LOAD, kCheckedShader, false);
  ASSERT_EQ(any.size(), 4u);
  EXPECT_EQ(any[0]->shader_hash, kCheckedShader);
  EXPECT_EQ(own[0]->site.instruction, 4u);
}

TEST(CheckTable, WorkgroupSitesHaveTheTagThatTheyWereGiven) {
  CheckSite load = check_site(4, SQA_CHECK_WORKGROUP),
            store = check_site(5, SQA_CHECK_WORKGROUP, SQA_ACCESS_STORE);
  load.tag = store.tag = 9;
  CheckSite hazard = check_site(6, SQA_CHECK_HAZARD), untagged = check_site(7, SQA_CHECK_WORKGROUP);
  hazard.tag = 9;
  CheckTable table;
  table.add(checked_shader({load, store, hazard, untagged}));
  const auto find = [&](uint32_t tag, uint32_t access, uint64_t hash = kCheckedShader,
                        Stage stage = Stage::compute) {
    std::vector<uint32_t> instructions;
    for (const KnownCheck* check : table.find_workgroup(tag, access, hash, stage))
      instructions.push_back(check->site.instruction);
    return instructions;
  };
  EXPECT_EQ(find(9, SQA_ACCESS_LOAD), std::vector<uint32_t>{4});
  EXPECT_EQ(find(9, SQA_ACCESS_STORE), std::vector<uint32_t>{5});
  EXPECT_TRUE(find(9, SQA_ACCESS_ATOMIC).empty());
  EXPECT_TRUE(find(8, SQA_ACCESS_LOAD).empty());
  EXPECT_TRUE(find(9, SQA_ACCESS_LOAD, 7).empty());
  EXPECT_TRUE(find(9, SQA_ACCESS_LOAD, kCheckedShader, Stage::mesh).empty());
  EXPECT_TRUE(find(0, SQA_ACCESS_LOAD).empty()) << "0 is no tag";
}

TEST(CheckTable, CellsOfUnknownLayoutsHaveTheirNumber) {
  EXPECT_EQ(CheckTable().workgroup_part(3, 17), "cell 17");
}

TEST(CheckTable, SitesShareCounters) {
  CheckTable table;
  const uint32_t counter = failure_counter(kCheckedShader, 5);
  EXPECT_EQ(table.sharers(counter), 0u);
  table.add(checked_shader({check_site(5, SQA_CHECK_NAN), check_site(5, SQA_CHECK_ASSUME)}));
  EXPECT_EQ(table.sharers(counter), 2u);
  uint32_t other = 6;
  while (failure_counter(kCheckedShader, other) != counter) ++other;
  table.add(checked_shader({check_site(other, SQA_CHECK_NAN), check_site(other + 1, SQA_CHECK_NAN)}));
  EXPECT_EQ(table.sharers(counter), 3u);
}

}  // namespace
}  // namespace shaderqa::test
