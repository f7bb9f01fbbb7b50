// SPDX-License-Identifier: Apache-2.0
// Notes about one shader: how they name it, and that a program with thousands of shaders can still be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/findings/report.h"
#include "host/findings/shader_subject.h"
#include "host/summary/verdict.h"
#include "tests/support/json_schema.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ShaderSubject subject(uint64_t hash) {
  return {hash, Stage::compute, "main", "shaders/scan.comp", "scan pass"};
}

TEST(ShaderNotes, NameWhatIsKnown) {
  EXPECT_EQ(shader_text(subject(0xabc)), "shader 0000000000000abc (compute, main, scan.comp) \"scan pass\"");
  ShaderSubject few;
  few.hash = 1;
  EXPECT_EQ(shader_text(few), "shader 0000000000000001");
  few.file = "C:\\game\\a.frag";
  EXPECT_EQ(shader_text(few), "shader 0000000000000001 (a.frag)");
  EXPECT_EQ(shader_text(ReportLine{}), "");
}

class ShaderNotesFile : public ::testing::Test {
 protected:
  ShaderNotesFile() { fs::remove(path_); }
  ~ShaderNotesFile() override { fs::remove(path_); }
  std::vector<ReportLine> lines() const {
    std::ifstream in(path_);
    std::vector<ReportLine> found;
    for (std::string line; std::getline(in, line);) {
      EXPECT_EQ(testing::report_schema().problem(nlohmann::json::parse(line)), "") << line;
      found.push_back(read_report_line(line).value());
    }
    return found;
  }
  Settings settings() const {
    Settings result;
    result.report = path_;
    result.printf_verbose = true;  // adds nothing to what the text says already
    return result;
  }
  const std::string path_ =
      ::testing::TempDir() + "shaderqa_shader_notes_" + std::to_string(getpid()) + ".jsonl";
};

TEST_F(ShaderNotesFile, EachOnceAndWithMembers) {
  ::testing::internal::CaptureStderr();
  {
    Reporter reporter(settings());
    for (int i = 0; i < 2; ++i) reporter.note_about(subject(0xabc), ": It is not checked.", Concern::sync);
    reporter.note_about(subject(0xdef), " is left as it is");
  }
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      "shaderqa: note: shader 0000000000000abc (compute, main, scan.comp) \"scan pass\": It is not checked.\n"
      "shaderqa: note: shader 0000000000000def (compute, main, scan.comp) \"scan pass\" is left as it is\n");
  const std::vector<ReportLine> found = lines();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].shader, "0000000000000abc");
  EXPECT_EQ(found[0].stage, "compute");
  EXPECT_EQ(found[0].entry_point, "main");
  EXPECT_EQ(found[0].source.file, "shaders/scan.comp");
  EXPECT_EQ(found[0].shader_name, "scan pass");
  EXPECT_EQ(found[0].incomplete, "sync");
  EXPECT_TRUE(found[0].text.starts_with(shader_text(found[0])));
}

TEST_F(ShaderNotesFile, ManyShadersWithOneNoteDoNotFloodTheTerminal) {
  ::testing::internal::CaptureStderr();
  {
    Reporter reporter(settings());
    for (uint64_t hash = 1; hash <= 100; ++hash) reporter.note_about(subject(hash), ": It is not checked.");
    reporter.note_about(subject(1), ": It has no picture.");
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), Reporter::kMostShadersSaid + 2) << said;
  EXPECT_THAT(said, HasSubstr("further shaders have the same note"));
  EXPECT_THAT(said, HasSubstr("It has no picture."));
  EXPECT_EQ(lines().size(), 102u);
}

ReportLine note_line(uint64_t hash, const std::string& rest, const char* incomplete) {
  Finding finding;
  const ShaderSubject shader = subject(hash);
  finding.text = shader_text(shader) + rest;
  finding.shader = hash;
  finding.stage = shader.stage;
  finding.entry_point = shader.entry_point;
  finding.source.file = shader.file;
  finding.shader_name = shader.name;
  ReportLine line = read_report_line(to_json_line(finding)).value();
  line.incomplete = incomplete;
  return line;
}

TEST(ShaderNotes, TheVerdictSaysWhatHoldsForManyShadersOnce) {
  ProcessRecord record;
  record.process = 1;
  record.ended = true;
  for (uint64_t hash = 1; hash <= 9; ++hash)
    record.lines.push_back(note_line(hash, ": A is not checked.", "sync"));
  record.lines.push_back(note_line(1, ": B is not checked.", "values"));
  record.lines.push_back(note_line(1, ": It is slow.", ""));
  const Verdict verdict = judge({record}, {}, {});
  std::vector<std::string> texts;
  for (const Gap& gap : verdict.gaps)
    if (gap.concern == Concern::sync || gap.concern == Concern::values) texts.push_back(gap.text);
  const std::string name = "shader 0000000000000001 (compute, main, scan.comp) \"scan pass\"";
  EXPECT_THAT(texts,
              ElementsAre(name + ": A is not checked.; the same is true of 8 other shaders: "
                                 "0000000000000002, 0000000000000003, 0000000000000004, 0000000000000005, "
                                 "0000000000000006, ...",
                          name + ": B is not checked."));
}

}  // namespace
}  // namespace shaderqa
