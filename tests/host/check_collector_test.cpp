// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_collector.h"

#include <gtest/gtest.h>
#include <bit>
#include <limits>

#include "host/findings/command_sites.h"
#include "host/findings/report_text.h"
#include "host/order/cell.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"
#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

class Checks : public testing::Test {
 protected:
  CheckTable table_;
  KeepingClient client_;
  std::vector<Finding>& findings_ = client_.findings;
  FindingContext& context_ = client_.known;
  CheckCollector collector_{table_, 24, client_};
  std::string all_notes() const {
    std::string all;
    for (const auto& [key, text] : client_.notes) all += text + "\n";
    return all;
  }
  std::string text(size_t index) const { return finding_text(client_.findings.at(index)); }
};

TEST_F(Checks, AHazardSaysAllThatIsKnown) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD)}));
  context_.buffer = BufferOrigin{"particles", 0x55aa, 0x40, 4096, false};
  ActionOrigin action = action_of(12, "vkCmdDispatch", "(16, 1, 1)", ActionKind::dispatch);
  action.index = 3;
  action.first_since_clear = 11;
  action.labels = {"frame", "simulate"};
  action.queue = "compute queue";
  context_.action = action;
  context_.commands = {"11: vkCmdDispatch(1, 1, 1)", "12: vkCmdDispatch(16, 1, 1)"};
  EXPECT_TRUE(collector_.take(report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD, 22, kStoreMarks)));
  ASSERT_EQ(findings_.size(), 1u);
  std::string block;
  append_block(block, findings_[0], {});
  EXPECT_EQ(
      block,
      "shaderqa: hazard: read after write on value (set 1, binding 2) in buffer \"particles\"\n"
      "  load    a.comp:12:3  by global invocation 7,0,0 of vkCmdDispatch(16, 1, 1), action 12 in frame > "
      "simulate  [compute, main]\n"
      "          | x = data[i];\n"
      "          | ^\n"
      "  before  store or atomic, in this dispatch, or in action 11 (no barrier in between)\n"
      "  around  11: vkCmdDispatch(1, 1, 1)\n"
      "          12: vkCmdDispatch(16, 1, 1)\n"
      "  cure    if the other access is of an earlier action, a barrier from the other shader's stage, "
      "SHADER_WRITE, to COMPUTE_SHADER, SHADER_READ between the two is missing\n");
}

TEST_F(Checks, AModuleWithoutNamesStillHasSetAndBinding) {
  CheckSite site = check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD);
  site.variable.clear();
  site.text = "OpLoad %12.0";
  table_.add(checked_shader({site}));
  EXPECT_TRUE(collector_.take(report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD, 22, kStoreMarks)));
  std::string block;
  append_block(block, findings_.at(0), {});
  EXPECT_EQ(block.substr(0, block.find('\n')),
            "shaderqa: hazard: read after write on a resource (set 1, binding 2)");
}

TEST_F(Checks, ACommandsHazardNamesTheCommands) {
  table_.add(command_access_record());
  context_.buffer = BufferOrigin{"particles", 0x55aa, 0x40, 4096, false};
  context_.action = action_of(12, "vkCmdCopyBuffer", "(0x55aa, 0x66, 0, 0, 4096)");
  context_.other.emplace();
  context_.other->action = action_of(11, "vkCmdFillBuffer", "(0x55aa, 0, 4096)");
  context_.other->lacking = "a barrier is missing";
  const Cell fill = cell_of(SQA_KIND_WRITE);
  EXPECT_TRUE(collector_.take(command_report(SQA_ACCESS_LOAD, fill)));
  EXPECT_FALSE(collector_.take(command_report(SQA_ACCESS_LOAD, fill)));
  context_.buffer->name = "others";
  EXPECT_TRUE(collector_.take(command_report(SQA_ACCESS_LOAD, fill))) << "another buffer";
  EXPECT_TRUE(collector_.take(command_report(SQA_ACCESS_STORE, fill))) << "another access of the later one";
  EXPECT_TRUE(collector_.take(command_report(SQA_ACCESS_STORE, cell_of(SQA_KIND_READ))))
      << "and of the earlier one";
  EXPECT_FALSE(collector_.take(command_report(SQA_ACCESS_STORE, fill)));
  ASSERT_EQ(findings_.size(), 4u);
  EXPECT_EQ(text(2).find("write after write"), 0u) << text(2);
  EXPECT_EQ(text(3).find("write after read"), 0u) << text(3);
  EXPECT_TRUE(client_.notes.empty()) << all_notes();
  std::string block;
  append_block(block, findings_[0], {});
  EXPECT_EQ(block,
            "shaderqa: hazard: read after write on buffer \"particles\"\n"
            "  store   vkCmdFillBuffer, action 11\n"
            "  load    vkCmdCopyBuffer, action 12\n"
            "  cure    before vkCmdCopyBuffer (action 12), outside of render passes:\n"
            "            VkMemoryBarrier2 b = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL,\n"
            "                VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,\n"
            "                VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};\n");
  collector_.report_counts([](uint32_t) { return 99u; });
  ASSERT_EQ(findings_.size(), 6u) << "those that were found twice";
  EXPECT_EQ(text(4), "hazard at vkCmdCopyBuffer: failed 2 times in all");
}

TEST_F(Checks, AShadersHazardNamesTheCommandBefore) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE)}));
  context_.other.emplace();
  context_.other->action = action_of(11, "vkCmdFillBuffer", "(0x55aa, 0, 4096)");
  const abi::Report record = exact_report(50, SQA_ACCESS_STORE, cell_of(SQA_KIND_READ));
  EXPECT_TRUE(collector_.take(record));
  context_.other->action = action_of(12, "vkCmdUpdateBuffer", "(0x55aa, 0, 4096)");
  EXPECT_TRUE(collector_.take(record)) << "another command";
  ASSERT_EQ(findings_.size(), 2u);
  EXPECT_EQ(text(0),
            "write after read: 4 bytes at address 0x1040 are stored to after vkCmdFillBuffer read them, and "
            "nothing orders the two");
}

// Tags are few, so shaders of other stages have the same ones.
TEST_F(Checks, TheOtherSideIsOfAStageThatItsActionRuns) {
  constexpr uint32_t enough = 6;  // more than a finding names
  const auto add = [&](uint64_t hash, Stage stage) {
    ShaderRecord shader = checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE)}, "main", stage);
    shader.shader_hash = hash;
    table_.add(shader);
  };
  uint64_t hash = 1;
  const uint32_t tag = site_tag(kCheckedShader, 0);
  for (uint32_t added = 0; added < enough; ++hash) {
    if (site_tag(hash, 0) != tag) continue;
    add(hash, Stage::compute);
    ++added;
  }
  while (site_tag(hash, 0) != tag) ++hash;
  add(hash, Stage::fragment);
  table_.add(
      checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD)}, "main", Stage::ray_generation));
  context_.other.emplace();
  const abi::Report record = exact_report(50, SQA_ACCESS_LOAD, cell_of(SQA_KIND_WRITE, tag));
  context_.other->action = action_of(11, "vkCmdDraw", "(3, 1, 0, 0)", ActionKind::draw);
  EXPECT_TRUE(collector_.take(record));
  context_.other->action = action_of(12, "vkCmdDispatch", "(1, 1, 1)", ActionKind::dispatch);
  EXPECT_TRUE(collector_.take(record)) << "another shader";
  ASSERT_EQ(findings_.size(), 2u);
  const OtherAccess& of_draw = *findings_[0].check->hazard->other;
  EXPECT_EQ(of_draw.stage, Stage::fragment);
  EXPECT_EQ(of_draw.places.size(), 1u);
  EXPECT_EQ(findings_[1].check->hazard->other->stage, Stage::compute);
}

TEST_F(Checks, EachHasItsWords) {
  struct Row {
    uint32_t check;
    FindingKind kind;
    const char* text;
  };
  const Row rows[] = {
      {SQA_CHECK_ASSUME, FindingKind::assume, "an assumption does not hold: x = data[i];"},
      {SQA_CHECK_EXPECT, FindingKind::assume,
       "a value is 4286578688 (-8388608 if it has a sign), and another one was expected: x = data[i];"},
      {SQA_CHECK_BREAKPOINT, FindingKind::assume, "a breakpoint was passed: x = data[i];"},
      {SQA_CHECK_NAN, FindingKind::nan, "a result is -infinity: x = data[i];"}};
  for (const Row& row : rows) {
    table_.add(checked_shader({check_site(row.check * 10, row.check)}));
    abi::Report record = report_of(row.check * 10, row.check);
    record.value[0] = std::bit_cast<uint32_t>(-std::numeric_limits<float>::infinity());
    EXPECT_TRUE(collector_.take(record));
    EXPECT_EQ(findings_.back().kind, row.kind);
    EXPECT_EQ(finding_text(findings_.back()), row.text);
  }
  // The third component of a vector.
  table_.add(checked_shader({check_site(1000, SQA_CHECK_NAN)}));
  abi::Report record = report_of(1000, SQA_CHECK_NAN);
  record.value[0] = std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN());
  record.value[1] = 3;
  EXPECT_TRUE(collector_.take(record));
  EXPECT_EQ(finding_text(findings_.back()), "a result is NaN in component 2: x = data[i];");
  CheckSite store = check_site(2000, SQA_CHECK_NAN);
  store.text = "OpStore %Particles.mass";
  table_.add(checked_shader({store}));
  record.instruction = 2000;
  EXPECT_TRUE(collector_.take(record));
  EXPECT_EQ(finding_text(findings_.back()), "NaN in component 2 is stored: x = data[i];");
  table_.add(checked_shader({check_site(3000, SQA_CHECK_EXPECT)}));
  record = report_of(3000, SQA_CHECK_EXPECT);
  record.value[0] = 7;
  EXPECT_TRUE(collector_.take(record));
  EXPECT_EQ(finding_text(findings_.back()), "a value is 7, and another one was expected: x = data[i];");
  EXPECT_EQ(all_notes(), "");
}

TEST_F(Checks, WithoutASourceLineTheInstructionIsNamed) {
  CheckSite site = check_site(10, SQA_CHECK_ASSUME);
  site.source = {};
  site.text = "OpAssumeTrueKHR %ok";
  table_.add(checked_shader({site}));
  collector_.take(report_of(10, SQA_CHECK_ASSUME));
  EXPECT_EQ(text(0), "an assumption does not hold: OpAssumeTrueKHR %ok");
}

TEST_F(Checks, ASiteIsReportedOnceAndCountedAtTheEnd) {
  table_.add(
      checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD),
                      check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE), check_site(70, SQA_CHECK_ASSUME)}));
  FakeBlock block;
  const auto drain = [&] {
    block.reader.drain(CheckReader::Mode::running,
                       [&](const abi::Report& record) { collector_.take(record); });
  };
  for (int i = 0; i < 5; ++i) {
    block.publish(1, report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD, 0, kStoreMarks));
    drain();
  }
  block.publish(1, report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE, 0, kStoreMarks));
  block.publish(2, report_of(70, SQA_CHECK_ASSUME));
  drain();
  EXPECT_EQ(findings_.size(), 3u);
  const auto failures = [&](uint32_t counter) { return block.reader.failures(counter); };
  collector_.report_counts(failures);
  ASSERT_EQ(findings_.size(), 4u) << "one number of two sites; once is no number worth saying";
  EXPECT_EQ(findings_[3].kind, FindingKind::note);
  EXPECT_EQ(text(3),
            "hazard at a.comp:12, word 50: failed 6 times in all (a count shared with 1 other site)");
  collector_.report_counts(failures);
  EXPECT_EQ(findings_.size(), 4u) << "nothing new";
  block.publish(3, report_of(70, SQA_CHECK_ASSUME));
  collector_.report_counts(failures);
  ASSERT_EQ(findings_.size(), 5u);
  EXPECT_EQ(text(4), "assume at a.comp:12, word 70: failed 2 times in all");
  EXPECT_NE(to_json_line(findings_[4]).find("\"count\":2"), std::string::npos);
}

// A site that meets several others is reported with each of them; its number of failures is one.
TEST_F(Checks, ACountIsSaidOnceForAllPairsOfASite) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE)}));
  const abi::Report record = exact_report(50, SQA_ACCESS_STORE, cell_of(SQA_KIND_WRITE));
  context_.other.emplace();
  for (const char* command : {"vkCmdFillBuffer", "vkCmdUpdateBuffer", "vkCmdCopyBuffer"}) {
    context_.other->action = action_of(11, command);
    EXPECT_TRUE(collector_.take(record));
  }
  ASSERT_EQ(findings_.size(), 3u);
  const auto twelve = [](uint32_t) { return 12u; };
  collector_.report_counts(twelve);
  collector_.report_counts(twelve);
  ASSERT_EQ(findings_.size(), 4u);
  EXPECT_EQ(text(3), "hazard at a.comp:12, word 50: failed 12 times in all");
}

// A counter that lost its memory still says as much as the reports do.
TEST_F(Checks, ReportsOfAllPairsCount) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE)}));
  const abi::Report record = exact_report(50, SQA_ACCESS_STORE, cell_of(SQA_KIND_WRITE));
  context_.other.emplace();
  for (const char* command : {"vkCmdFillBuffer", "vkCmdUpdateBuffer"}) {
    context_.other->action = action_of(11, command);
    collector_.take(record);
    collector_.take(record);
  }
  collector_.report_counts([](uint32_t) { return 0u; });
  ASSERT_EQ(findings_.size(), 3u);
  EXPECT_EQ(text(2), "hazard at a.comp:12, word 50: failed 4 times in all");
}

TEST_F(Checks, NamesOfTheApplicationAreKept) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_ASSUME)}));
  context_.pipeline = "lighting";
  context_.shader_name = "lighting.comp";
  collector_.take(report_of(50, SQA_CHECK_ASSUME));
  collector_.report_counts([](uint32_t) { return 2u; });
  ASSERT_EQ(findings_.size(), 2u);
  for (const Finding& finding : findings_) {
    EXPECT_EQ(finding.pipeline, "lighting");
    EXPECT_EQ(finding.shader_name, "lighting.comp");
  }
}

TEST_F(Checks, AFullFilterIsNotBelieved) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_HAZARD)}));
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(collector_.take(report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD, 23, kStoreMarks)));
  EXPECT_TRUE(findings_.empty());
  EXPECT_EQ(client_.notes.size(), 1u);
  EXPECT_NE(all_notes().find("23 of 64"), std::string::npos) << all_notes();
  EXPECT_NE(all_notes().find("now 24"), std::string::npos) << all_notes();
  EXPECT_TRUE(collector_.take(report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD, 22, kStoreMarks)));
  collector_.report_counts([](uint32_t) { return 4u; });
  EXPECT_NE(all_notes().find("3 hazard reports were not believed"), std::string::npos) << all_notes();
  EXPECT_NE(all_notes().find("failed 4 times"), std::string::npos) << all_notes();
  EXPECT_NE(finding_text(findings_.back()).find("failed 4 times in all, also while the filter"),
            std::string::npos);
}

TEST_F(Checks, GarbageIsSaidOnceAKind) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_ASSUME)}));
  for (int round = 0; round < 3; ++round) {
    for (const uint32_t check : {0u, 6u, 255u}) collector_.take(report_of(50, check));
    abi::Report record = report_of(50, SQA_CHECK_ASSUME);
    record.kind |= 0xff00u;
    collector_.take(record);
    collector_.take(report_of(50, SQA_CHECK_HAZARD, 8));
    collector_.take(report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_LOAD, 65));
    collector_.take(report_of(51, SQA_CHECK_ASSUME));
    collector_.take(report_of(50, SQA_CHECK_NAN));
    record = report_of(50, SQA_CHECK_ASSUME);
    record.shader_hash[1] ^= 1;
    collector_.take(record);
  }
  EXPECT_TRUE(findings_.empty());
  EXPECT_EQ(client_.notes.size(), 6u) << all_notes();
  for (const auto& [key, text] : client_.notes) EXPECT_NE(text.find("ignored"), std::string::npos) << text;
}

TEST_F(Checks, EntryPointsOfAStage) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_ASSUME)}, "a"));
  table_.add(checked_shader({check_site(50, SQA_CHECK_ASSUME)}, "b"));
  table_.add(checked_shader({check_site(50, SQA_CHECK_ASSUME)}, "b"));
  table_.add(checked_shader({check_site(50, SQA_CHECK_ASSUME)}, "c", Stage::fragment));
  EXPECT_TRUE(collector_.take(report_of(50, SQA_CHECK_ASSUME)));
  EXPECT_EQ(findings_.back().entry_point, "a or b");
  abi::Report record = report_of(50, SQA_CHECK_ASSUME);
  record.kind = SQA_CHECK_ASSUME | static_cast<uint32_t>(Stage::fragment) << 8;
  EXPECT_TRUE(collector_.take(record)) << "another stage is another failure";
  EXPECT_EQ(findings_.back().entry_point, "c");
  EXPECT_EQ(findings_.back().stage, Stage::fragment);
}

TEST_F(Checks, ArgumentsOfIndirectCommandsNeedNoSite) {
  table_.add(checked_shader({check_site(50, SQA_CHECK_HAZARD)}));
  EXPECT_TRUE(collector_.take(report_of(0, SQA_CHECK_HAZARD, SQA_ACCESS_INDIRECT, 0, kStoreMarks)));
  const Finding& finding = findings_.at(0);
  EXPECT_EQ(finding_text(finding),
            "read after write: 4 bytes at address 0x1040 are read as an indirect command's arguments after "
            "another invocation wrote them, and nothing orders the two");
  EXPECT_EQ(finding.check->hazard.value().access, Access::indirect);
  EXPECT_EQ(finding.source.line, 0u);
}

}  // namespace
}  // namespace shaderqa::test
