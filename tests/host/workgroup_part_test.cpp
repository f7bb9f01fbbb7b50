// SPDX-License-Identifier: Apache-2.0
// From a cell to the part of a variable, and from a report of workgroup memory to a finding.
#include <gtest/gtest.h>

#include "check_builder.h"
#include "host/findings/check_collector.h"
#include "host/findings/check_metadata.h"
#include "host/findings/check_text.h"
#include "host/findings/workgroup_part.h"
#include "instrument/runtime/abi_shared.h"

namespace shaderqa {
namespace {

TEST(WorkgroupPart, NamesMembersAndElements) {
  WorkgroupLayout layout;
  layout.id = 1;
  layout.variables = {{"one", 0, 1, 1, ""},
                      {"tile", 1, 68, 1, "[4*17[17*1"},
                      {"items", 69, 50, 1, "[5*10{0.at:[3*1;3.m:[2*2[2*1;7.w:[3*1;}"},
                      {"wholes", 119, 4, 4, "[4*4[4*1"}};
  EXPECT_EQ(workgroup_part(layout, 0), "one");
  EXPECT_EQ(workgroup_part(layout, 1), "tile[0][0]");
  EXPECT_EQ(workgroup_part(layout, 1 + 17 * 2 + 16), "tile[2][16]");
  EXPECT_EQ(workgroup_part(layout, 69), "items[0].at[0]");
  EXPECT_EQ(workgroup_part(layout, 69 + 40 + 3 + 3), "items[4].m[1][1]");
  EXPECT_EQ(workgroup_part(layout, 69 + 40 + 9), "items[4].w[2]");
  EXPECT_EQ(workgroup_part(layout, 121), "wholes[2]");
  EXPECT_EQ(workgroup_part(layout, 500), "cell 500");
}

TEST(WorkgroupPart, AliasedBlocksAllHaveTheirSay) {
  WorkgroupLayout layout;
  layout.variables = {{"Words", 0, 64, 1, "{0.words:[16*4;}"}, {"Bytes", 0, 8, 1, "{0.bytes:[8*1;}"}};
  EXPECT_EQ(workgroup_part(layout, 5), "Words.words[1] or Bytes.bytes[5]");
  EXPECT_EQ(workgroup_part(layout, 8), "Words.words[2]");
}

// Shapes may come from a file that was cut off.
TEST(WorkgroupPart, AnyShapeIsRead) {
  const std::string whole = "[5*10{0.at:[3*1;3.m:[2*2[2*1;7.w:[3*1;}";
  for (size_t length = 0; length < whole.size(); ++length) {
    WorkgroupLayout layout;
    layout.variables = {{"v", 0, 100, 0, whole.substr(0, length)}};
    for (uint32_t cell = 0; cell < 100; ++cell) EXPECT_EQ(workgroup_part(layout, cell)[0], 'v');
  }
}

ShaderRecord shared_record() {
  ShaderRecord record;
  record.shader_hash = 0x1234;
  record.stage = Stage::compute;
  record.entry_point = "main";
  for (uint32_t n = 0; n < 2; ++n) {
    CheckSite& site = record.check_sites.emplace_back();
    site.instruction = 50 + n;
    site.check = SQA_CHECK_WORKGROUP;
    site.access = n == 0 ? SQA_ACCESS_LOAD : SQA_ACCESS_STORE;
    site.text = n == 0 ? "OpLoad %tile" : "OpStore %tile";
    site.set = site.binding = UINT32_MAX;
    site.source = {"a.comp", 10 + n, 0, ""};
    site.tag = n + 1;
  }
  record.workgroup.id = 77;
  record.workgroup.variables = {{"tile", 0, 64, 1, "[64*1"}};
  return record;
}

abi::Report store_after_load() {
  abi::Report report{};
  report.shader_hash[0] = 0x1234;
  report.instruction = 51;
  report.dispatch_id = 77;
  report.kind = SQA_CHECK_WORKGROUP | static_cast<uint32_t>(Stage::compute) << 8 | SQA_ACCESS_STORE << 16 |
                SQA_MISSING_ORDER << 24;
  report.address[0] = 9;
  report.address[1] = 2;
  report.size = 4;
  report.value[0] = 1 | SQA_ACCESS_LOAD << 16;
  report.value[1] = 8;
  report.ticket = 1;
  return report;
}

struct Client : CheckClient {
  FindingContext context(const CheckReport&) override { return {}; }
  void finding(const Finding& finding) override { findings.push_back(finding); }
  void note(const std::string&, const std::string& text) override { notes.push_back(text); }
  std::vector<Finding> findings;
  std::vector<std::string> notes;
};

TEST(WorkgroupReport, BecomesAFindingWithBothSides) {
  CheckTable table;
  table.add(shared_record());
  Client client;
  CheckCollector collector(table, std::nullopt, client);
  EXPECT_TRUE(collector.take(store_after_load()));
  EXPECT_FALSE(collector.take(store_after_load()));
  ASSERT_EQ(client.findings.size(), 1u);
  const CheckDetails& details = *client.findings[0].check;
  EXPECT_EQ(client.findings[0].kind, FindingKind::hazard);
  EXPECT_EQ(
      check_sentence(details, {}, ""),
      "write after read: tile[9] in workgroup memory is stored to after another invocation loaded it, and "
      "nothing orders the two");
  ASSERT_TRUE(details.hazard && details.hazard->other);
  ASSERT_EQ(details.hazard->other->places.size(), 1u);
  EXPECT_EQ(details.hazard->other->places[0].line, 10u);
  EXPECT_EQ(details.hazard->other->who, "local invocation 8 of the same workgroup");
  EXPECT_EQ(details.part->barriers, 2u);
}

// After a crash the parent process explains what the child's file says.
TEST(WorkgroupReport, SurvivesInTheRescueFilesSites) {
  const ShaderRecord record = shared_record();
  const auto read = read_check_metadata(write_check_metadata(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->workgroup, record.workgroup);
  EXPECT_EQ(read->check_sites, record.check_sites);
}

}  // namespace
}  // namespace shaderqa
