// SPDX-License-Identifier: Apache-2.0
// Findings of every kind, as the host makes them, fit docs/report.schema.json; what they never have does not.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "host/findings/bug_block.h"
#include "host/findings/command_sites.h"
#include "host/findings/fingerprint.h"
#include "host/findings/report_line.h"
#include "host/summary/checked_run.h"
#include "tests/host/check_builder.h"
#include "tests/support/json_schema.h"

namespace shaderqa::test {
namespace {

using nlohmann::json;

class ReportSchema : public ::testing::Test {
 protected:
  ReportSchema() {
    table_.add(command_access_record());
    std::vector<CheckSite> sites;
    for (const uint32_t check : {SQA_CHECK_ASSUME, SQA_CHECK_EXPECT, SQA_CHECK_BREAKPOINT, SQA_CHECK_NAN})
      sites.push_back(check_site(check, check));
    sites.back().origins = {{"division", "lib.glsl", 3, {{"total", false}, {"v", true}}, true}};
    for (const uint32_t access : {SQA_ACCESS_LOAD, SQA_ACCESS_STORE, SQA_ACCESS_ATOMIC}) {
      sites.push_back(check_site(50, SQA_CHECK_HAZARD, access));
      sites.back().frames = {{"sum", "", 0}, {"main", "a.comp", 31}, {"outer", "", 0}};
      CheckSite bare = check_site(60, SQA_CHECK_HAZARD, access);
      bare.set = bare.binding = UINT32_MAX;
      bare.variable.clear();
      bare.source = {};
      sites.push_back(bare);
    }
    table_.add(checked_shader(sites));
  }

  // Everything that can be known about a report is.
  void know_everything(bool exact) {
    FindingContext& context = client_.known;
    context.pipeline = "pipeline";
    context.shader_name = "shader";
    context.buffer = BufferOrigin{"particles", 0x55aa, 0x40, 4096, true};
    context.image = ImageOrigin{"shadows", 0x55ab,     "VK_FORMAT_D32_SFLOAT", 1, 2, 3, 4, 5, 6,
                                true,      "/a/b.png", "some texels only"};
    context.image->plane = 2;
    context.action = action_of(12, "vkCmdDispatch", "(16, 1, 1)", ActionKind::dispatch);
    context.action->labels = {"frame", ""};
    context.action->queue = "compute queue";
    context.commands = {"11: vkCmdDispatch(1, 1, 1)", "12: vkCmdDispatch(16, 1, 1)"};
    if (!exact) return;
    context.other.emplace().action = action_of(11, "vkCmdFillBuffer");
    context.other->lacking = "a barrier is missing";
  }

  // All reports of hazards that an engine makes.
  std::vector<abi::Report> hazards(bool exact) const {
    std::vector<abi::Report> reports;
    for (const uint32_t word : {50u, 60u}) {
      for (const uint32_t access : {SQA_ACCESS_LOAD, SQA_ACCESS_STORE, SQA_ACCESS_ATOMIC}) {
        if (!exact) {
          for (const HazardMarks marks : {kLoadMarks, kStoreMarks, kAtomicMarks, HazardMarks{0, 0}})
            reports.push_back(report_of(word, SQA_CHECK_HAZARD, access, 0, marks));
          continue;
        }
        for (uint32_t kind = SQA_KIND_READ; kind <= SQA_KIND_ATOMIC_WORKGROUP; ++kind)
          for (uint32_t spread = SQA_SPREAD_INVOCATION; spread <= SQA_SPREAD_REPORTED; ++spread)
            for (const uint32_t missing : {SQA_MISSING_ORDER, SQA_MISSING_MEMORY})
              for (const uint32_t tag : {uint32_t{SQA_TAG_COMMAND}, site_tag(kCheckedShader, 0)}) {
                Cell cell = cell_of(kind, tag);
                cell.spread = spread;
                reports.push_back(exact_report(word, access, cell, missing));
              }
      }
    }
    const uint32_t indirect = SQA_ACCESS_INDIRECT;
    if (!exact) {
      reports.push_back(report_of(0, SQA_CHECK_HAZARD, indirect, 0, kStoreMarks));
      return reports;
    }
    reports.push_back(exact_report(0, indirect, cell_of(SQA_KIND_WRITE)));
    reports.push_back(command_report(SQA_ACCESS_LOAD, cell_of(SQA_KIND_WRITE)));
    reports.push_back(command_report(SQA_ACCESS_STORE, cell_of(SQA_KIND_READ)));
    return reports;
  }

  // Each report by a collector of its own, so that none is known already, with its count.
  void take(const std::vector<abi::Report>& reports) {
    for (const abi::Report& report : reports) {
      CheckCollector collector(table_, std::nullopt, client_);
      EXPECT_TRUE(collector.take(report));
      collector.take(report);
      collector.report_counts([](uint32_t) { return 5u; });
    }
    EXPECT_TRUE(client_.notes.empty()) << client_.notes.begin()->second;
  }

  // Every finding so far is valid.
  void expect_valid() const {
    ASSERT_FALSE(client_.findings.empty());
    for (const Finding& finding : client_.findings) expect_valid(finding);
  }
  static void expect_valid(const Finding& finding) {
    const std::string line = to_json_line(finding);
    EXPECT_EQ(testing::report_schema().problem(json::parse(line)), "") << line;
  }

  // The finding of the first report, for changes that make it invalid.
  json line_of(const abi::Report& report) {
    CheckCollector collector(table_, std::nullopt, client_);
    collector.take(report);
    return json::parse(to_json_line(client_.findings.back()));
  }

  CheckTable table_;
  KeepingClient client_;
};

TEST_F(ReportSchema, ChecksOfValues) {
  std::vector<abi::Report> reports;
  for (const uint32_t check : {SQA_CHECK_ASSUME, SQA_CHECK_EXPECT, SQA_CHECK_BREAKPOINT, SQA_CHECK_NAN}) {
    reports.push_back(report_of(check, check));
    reports.back().value[0] = std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN());
    reports.push_back(report_of(check, check));
    reports.back().value[0] = std::bit_cast<uint32_t>(-std::numeric_limits<float>::infinity());
    reports.back().value[1] = 3;
  }
  take(reports);
  know_everything(false);
  client_.known.commands.clear();
  take(reports);
  expect_valid();
}

TEST_F(ReportSchema, HazardsOfBothEngines) {
  for (const bool exact : {false, true}) {
    client_.known = {};
    take(hazards(exact));
    know_everything(exact);
    take(hazards(exact));
    client_.known.buffer->name.clear();
    client_.known.buffer->destroyed = false;
    client_.known.action->labels.clear();
    if (exact) client_.known.other->same_action = true;
    take(hazards(exact));
  }
  expect_valid();
}

WrongLayout wrong_layout() {
  WrongLayout layout;
  layout.image = ImageOrigin{"shadows", 0x55ab, "VK_FORMAT_D32_SFLOAT_S8_UINT", 1, 2, 0, 0, 0, 0, true};
  layout.aspect = "stencil";
  layout.named = "VK_IMAGE_LAYOUT_GENERAL";
  layout.is = "VK_IMAGE_LAYOUT_UNDEFINED";
  layout.changed_by = "vkCmdPipelineBarrier2";
  layout.changed_in = {"frame", ""};
  return layout;
}

// By a command, which has no number.
Finding named_layout(const WrongLayout& layout) {
  auto details = std::make_shared<CheckDetails>();
  details->check = Check::layout;
  details->layout = layout;
  details->action = action_of(0, "vkCmdCopyImage", "");
  Finding finding;
  finding.kind = FindingKind::layout;
  finding.device = "GPU";
  finding.check = std::move(details);
  return finding;
}

TEST_F(ReportSchema, WrongLayouts) {
  WrongLayout layout = wrong_layout();
  expect_valid(named_layout(layout));
  layout.as_old = true;
  expect_valid(named_layout(layout));
  layout.is = "VK_IMAGE_LAYOUT_GENERAL";
  layout.changed_by = layout.aspect = "";
  layout.changed_in.clear();
  layout.image = ImageOrigin{"", 0x55ab, "VkFormat 123"};
  expect_valid(named_layout(layout));
  // By a descriptor: the report says which access came through it.
  const abi::Report report = report_of(50, SQA_CHECK_LAYOUT, SQA_ACCESS_LOAD);
  CheckCollector right(table_, std::nullopt, client_);
  EXPECT_FALSE(right.take(report)) << "the layout is what the descriptor says";
  EXPECT_TRUE(client_.findings.empty());
  layout.as_old = false;
  layout.of_descriptor = true;
  client_.known.layout = layout;
  take({report});
  know_everything(true);
  client_.known.commands.clear();
  take({report});
  expect_valid();
}

TEST(WrongLayouts, TheBlockSaysWhatIsNamedAndWhatIs) {
  const std::string line = to_json_line(named_layout(wrong_layout()));
  BlockStyle style;
  const std::string block = bug_block(*read_report_line(line), 1, style);
  EXPECT_EQ(block,
            "shaderqa: layout: wrong layout of image \"shadows\"\n"
            "  access  vkCmdCopyImage, stencil, mip level 1, layer 2\n"
            "  as      VK_IMAGE_LAYOUT_GENERAL\n"
            "  is in   VK_IMAGE_LAYOUT_UNDEFINED, since vkCmdPipelineBarrier2 in frame > \n"
            "  cure    in front of vkCmdCopyImage, outside of render passes:\n"
            "            barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;\n"
            "            barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;\n");
}

TEST(WrongLayouts, TheSameBugHasTheSameFingerprint) {
  const WrongLayout layout = wrong_layout();
  WrongLayout again = layout;
  again.image.handle = 0x77;
  again.changed_in = {"another frame"};
  EXPECT_EQ(fingerprint_of(named_layout(layout)), fingerprint_of(named_layout(again)));
  again.named = "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL";
  EXPECT_NE(fingerprint_of(named_layout(layout)), fingerprint_of(named_layout(again)));
}

// A hazard of workgroup memory, or a read of what nobody wrote.
Finding workgroup_finding(Check check) {
  auto details = std::make_shared<CheckDetails>();
  details->check = check;
  details->instruction = "OpLoad %tile";
  details->part = WorkgroupPart{"tile[3].x", 2};
  if (check == Check::workgroup) {
    Hazard& hazard = details->hazard.emplace();
    hazard.hazard_class = HazardClass::read_after_write;
    hazard.earlier = EarlierAccess::store;
    hazard.size = 4;
    OtherAccess& other = hazard.other.emplace();
    other.access = Access::store;
    other.same_action = true;
    other.who = "local invocation 7 of the same workgroup";
    other.places = {{"a.comp", 10, {}, 0, 0, 0, {}}};
  }
  Finding finding;
  finding.kind = kind_of(check);
  finding.shader = kCheckedShader;
  finding.stage = Stage::compute;
  finding.entry_point = "main";
  finding.check = std::move(details);
  return finding;
}

TEST_F(ReportSchema, WorkgroupMemory) {
  expect_valid(workgroup_finding(Check::workgroup));
  expect_valid(workgroup_finding(Check::uninitialised));
}

TEST_F(ReportSchema, FindingsThatAreNoChecks) {
  for (const FindingKind kind : {FindingKind::redundant, FindingKind::trace, FindingKind::note}) {
    Finding finding;
    finding.kind = kind;
    finding.text = "a sentence";
    expect_valid(finding);
  }
  for (const Concern concern : {Concern::everything, Concern::printf, Concern::values, Concern::sync}) {
    Finding note;
    note.text = "a sentence";
    note.incomplete = concern;
    expect_valid(note);
  }
  PrintfSite site;
  for (const Stage stage : {Stage::vertex, Stage::tessellation_control, Stage::any_hit, Stage::unknown}) {
    site.stage = stage;
    expect_valid(site_finding(site));
    Finding known = site_finding(site);
    known.shader = kCheckedShader;
    known.entry_point = "main";
    known.source = {"", 3, 0, ""};
    known.invocation = "vertex 5, instance 0";
    expect_valid(known);
  }
}

// The schema names no member that nothing writes.
TEST_F(ReportSchema, EveryMemberIsUsed) {
  know_everything(true);
  take(hazards(true));
  know_everything(false);
  client_.known.other.reset();
  take(hazards(false));
  json seen;
  const auto merge = [&](const Finding& finding) { seen.merge_patch(json::parse(to_json_line(finding))); };
  for (const Finding& finding : client_.findings) merge(finding);
  seen.merge_patch(line_of(report_of(SQA_CHECK_NAN, SQA_CHECK_NAN)));
  client_.known.other.emplace().same_action = true;
  seen.merge_patch(line_of(exact_report(50, SQA_ACCESS_STORE, cell_of(SQA_KIND_WRITE))));
  Cell loaded = cell_of(SQA_KIND_READ);
  loaded.before = SQA_BEFORE_WRITE;
  client_.known.other.emplace().same_action = true;
  seen.merge_patch(line_of(exact_report(50, SQA_ACCESS_LOAD, loaded)));
  Finding note;
  note.text = "some accesses are not checked";
  note.incomplete = Concern::sync;
  merge(note);
  merge(workgroup_finding(Check::workgroup));
  WrongLayout layout = wrong_layout();
  layout.as_old = layout.of_descriptor = true;
  merge(named_layout(layout));
  // What a Reporter adds to its lines (ReportFile tests that).
  for (const char* member : {"version", "process", "program", "host", "run"}) seen[member] = "";
  client_.known.device = "a device";
  client_.known.driver = "a driver";
  seen.merge_patch(line_of(report_of(SQA_CHECK_NAN, SQA_CHECK_NAN)));
  const json checked = json::parse(checked_line({}, {}));
  EXPECT_EQ(testing::report_schema().problem(checked), "");
  seen.merge_patch(checked);
  const json schema = testing::report_schema().schema();
  for (const auto& [name, value] : schema["properties"].items()) {
    EXPECT_TRUE(seen.contains(name)) << name;
    if (!value.contains("properties")) continue;
    EXPECT_EQ(value["additionalProperties"], false) << name;
    for (const auto& [inner, unused] : value["properties"].items())
      EXPECT_TRUE(seen[name].contains(inner)) << name << "." << inner;
  }
  EXPECT_EQ(schema["additionalProperties"], false);
  std::vector<std::string> kinds;
  for (const FindingKind kind : kFindingKinds) kinds.emplace_back(to_string(kind));
  kinds.emplace_back("checked");
  EXPECT_EQ(schema["properties"]["kind"]["enum"], json(kinds));
}

// Each change to a valid line is noticed.
TEST_F(ReportSchema, RefusesWhatIsNeverWritten) {
  know_everything(true);
  const json exact = line_of(exact_report(50, SQA_ACCESS_LOAD, cell_of(SQA_KIND_WRITE)));
  know_everything(false);
  client_.known.other.reset();
  const json filter = line_of(report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD, 0, kStoreMarks));
  client_.known.commands.clear();
  const json nan = line_of(report_of(SQA_CHECK_NAN, SQA_CHECK_NAN));
  struct Row {
    const json& line;
    const char* patch;  // RFC 7386: null removes a member
  };
  const Row rows[] = {
      {exact, R"({"kind": "hazzard"})"},
      {exact, R"({"text": null})"},
      {exact, R"({"more": 1})"},
      {exact, R"({"hazard": null})"},
      {exact, R"({"hazard": {"more": 1}})"},
      {exact, R"({"hazard": {"access": "read"}})"},
      {exact, R"({"hazard": {"earlier": "store or atomic"}})"},  // without "precedes"
      {exact, R"({"hazard": {"class": null}})"},
      {exact, R"({"action": {"first_since_clear": 0}})"},
      {exact, R"({"action": {"number": 0}})"},
      {exact, R"({"other": {"places": []}})"},
      {exact, R"({"other": {"same_action": false}})"},
      {exact, R"({"address": "4096"})"},
      {exact, R"({"size": "4"})"},
      {exact, R"({"check": "nan"})"},
      {exact, R"({"value": "NaN"})"},
      {exact, R"({"stage": "pixel"})"},
      {exact, R"({"shader": "abc"})"},
      {exact, R"({"invocation": "somebody"})"},
      {exact, R"({"count": 7})"},
      {filter, R"({"hazard": {"class": "ordered only by execution"}})"},
      {filter, R"({"hazard": {"earlier": "store"}})"},
      {filter, R"({"action": {"first_since_clear": null}})"},
      {nan, R"({"value": null})"},
      {nan, R"({"hazard": {"access": "load", "scope": "x"}})"},
      {nan, R"({"kind": "printf"})"},
      {nan, R"({"kind": "note"})"},
      {nan, R"({"commands": ["x"]})"},
  };
  for (const Row& row : rows) {
    json changed = row.line;
    ASSERT_EQ(testing::report_schema().problem(changed), "") << changed;
    changed.merge_patch(json::parse(row.patch));
    EXPECT_NE(testing::report_schema().problem(changed), "") << row.patch;
  }
}

TEST(JsonSchema, SaysWhereAndWhy) {
  const testing::JsonSchema schema(json::parse(
      R"({"properties": {"a": {"items": {"type": "integer", "minimum": 2}}}, "required": ["a"]})"));
  EXPECT_EQ(schema.problem(json::parse(R"({"a": [2, 3]})")), "");
  EXPECT_EQ(schema.problem(json::parse(R"({"a": [2, 1]})")), "/a/1: 1 is below 2");
  EXPECT_EQ(schema.problem(json::parse(R"({"a": [2, 2.5]})")), "/a/1: 2.5 is not of type \"integer\"");
  EXPECT_EQ(schema.problem(json::parse("{}")), "/a: is missing");
  EXPECT_THROW(testing::JsonSchema(json::parse(R"({"maximum": 3})")), std::invalid_argument);
  EXPECT_THROW(testing::JsonSchema(json::parse(R"({"properties": {"a": {"oneOf": []}}})")),
               std::invalid_argument);
}

}  // namespace
}  // namespace shaderqa::test
