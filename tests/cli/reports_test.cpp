// SPDX-License-Identifier: Apache-2.0
// Commands on report files: diff, report.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli_test.h"

namespace shaderqa::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Reports : public CliTest {
 protected:
  static std::string hazard(const std::string& fingerprint, int line) {
    return R"({"kind":"hazard","text":"write after read","shader":"0000000000001234","stage":"compute",)"
           R"("source":{"file":"a <&>.comp","line":)" +
           std::to_string(line) + R"(,"column":3,"text":"x"},"fingerprint":")" + fingerprint +
           R"(","check":"hazard","instruction":{"text":"OpStore %Bins.bins","word":5},)"
           R"("hazard":{"class":"write after read","access":"store","earlier":"load","scope":"x"},)"
           R"("other":{"access":"load","places":["b.comp:4"],"source":{"file":"b.comp","line":4},"same_action":true},)"
           R"("address":"0x0","size":4})"
           "\n";
  }
  std::string content(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  // What the end of a run writes.
  const std::string checked_ = R"({"kind":"checked","complete":true,"gaps":[]})"
                               "\n";
  const std::string one_ = hazard("00000000000000aa", 1), two_ = hazard("00000000000000bb", 2);
};

TEST_F(Reports, Differences) {
  write_file(file("a.jsonl"), one_ + one_);
  write_file(file("b.jsonl"), two_ + one_);
  const ProcessResult same = shaderqa({"diff", "a.jsonl", "a.jsonl"});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.out, "0 new, 0 gone, 1 in both\n");
  const ProcessResult added = shaderqa({"diff", "a.jsonl", "b.jsonl"});
  EXPECT_EQ(added.exit_code, 1);
  EXPECT_EQ(added.out,
            "new  00000000000000bb hazard: data race on Bins.bins at a <&>.comp:2:3\n"
            "1 new, 0 gone, 1 in both\n");
  EXPECT_THAT(shaderqa({"diff", "b.jsonl", "a.jsonl"}).out, HasSubstr("gone 00000000000000bb"));
}

// The older files of a report that was rotated, each once even if they are named, too.
TEST_F(Reports, RotatedFilesAreRead) {
  const std::string two_more = hazard("00000000000000cc", 3);
  write_file(file("a.jsonl.2"), one_);
  write_file(file("a.jsonl.1"), two_);
  write_file(file("a.jsonl"), two_more + checked_);
  write_file(file("b.jsonl"), one_ + two_ + two_more + checked_);
  EXPECT_EQ(shaderqa({"diff", "a.jsonl", "b.jsonl"}).out, "0 new, 0 gone, 3 in both\n");
  const ProcessResult shown = shaderqa({"report", "a.jsonl", "a.jsonl.1"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("3 bugs"));
  EXPECT_EQ(shown.out, shaderqa({"report", "b.jsonl"}).out);
  write_file(file("a.jsonl.1"), "x\n");
  EXPECT_THAT(shaderqa({"report", "a.jsonl"}).err, HasSubstr("a.jsonl.1:1: this is no line of a report"));
}

TEST_F(Reports, BadFiles) {
  write_file(file("a.jsonl"), one_);
  write_file(file("bad.jsonl"), one_ + "x\n");
  write_file(file("old.jsonl"), "{\"kind\":\"nan\",\"text\":\"x\"}\n");
  for (const char* bad : {"missing.jsonl", "bad.jsonl", "old.jsonl", "."}) {
    EXPECT_EQ(shaderqa({"diff", "a.jsonl", bad}).exit_code, 2) << bad;
    EXPECT_EQ(shaderqa({"report", "a.jsonl", bad, "--sarif", "out"}).exit_code, 2) << bad;
  }
  EXPECT_THAT(shaderqa({"diff", "a.jsonl", "bad.jsonl"}).err, HasSubstr("bad.jsonl:2: "));
  EXPECT_FALSE(std::ifstream(file("out")).good()) << "half a result";
  EXPECT_EQ(shaderqa({"diff", "a.jsonl"}).exit_code, 2);
  EXPECT_EQ(shaderqa({"report"}).exit_code, 2);
  EXPECT_EQ(shaderqa({"report", "a.jsonl", "--sarif", "no/such/folder"}).exit_code, 2);
}

TEST_F(Reports, Shown) {
  write_file(file("a.jsonl"), one_);
  write_file(file("b.jsonl"),
             checked_ + one_ + two_ + "{\"kind\":\"note\",\"text\":\"short\",\"incomplete\":\"sync\"}\n");
  const ProcessResult result = shaderqa({"report", "a.jsonl", "b.jsonl"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("data race on Bins.bins\n"));
  EXPECT_THAT(result.out, ::testing::EndsWith("not complete: short\n2 bugs\n"));
}

TEST_F(Reports, Sarif) {
  write_file(file("a.jsonl"), one_ + two_ + checked_);
  ASSERT_EQ(shaderqa({"report", "a.jsonl", "--sarif", "out.sarif"}).exit_code, 0);
  const json sarif = json::parse(content("out.sarif"));
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const json& run = sarif.at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "shaderqa");
  EXPECT_EQ(run.at("tool").at("driver").at("rules").at(0).at("id"), "hazard");
  ASSERT_EQ(run.at("results").size(), 2u);
  const json& result = run.at("results").at(0);
  EXPECT_EQ(result.at("level"), "error");
  EXPECT_EQ(result.at("partialFingerprints").at("shaderqa/v1"), "00000000000000aa");
  const json& place = result.at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(place.at("artifactLocation").at("uri"), "a%20%3C&%3E.comp");
  EXPECT_EQ(place.at("region").at("startLine"), 1);
  EXPECT_EQ(result.at("relatedLocations").at(0).at("physicalLocation").at("region").at("startLine"), 4);
  EXPECT_EQ(run.at("invocations").at(0).at("executionSuccessful"), true);
}

TEST_F(Reports, SarifNamesFilesOfTheTreeFromThere) {
  const auto uri = [&](const std::string& path) {
    std::string line = one_;
    line.replace(line.find("a <&>.comp"), 10, path);
    write_file(file("a.jsonl"), line + checked_);
    EXPECT_EQ(shaderqa({"report", "a.jsonl", "--sarif", "out.sarif"}).exit_code, 0);
    const json place =
        json::parse(content("out.sarif")).at("runs").at(0).at("results").at(0).at("locations").at(0);
    return place.at("physicalLocation").at("artifactLocation").at("uri").get<std::string>();
  };
  EXPECT_EQ(uri(file("src/a.comp")), "src/a.comp");
  EXPECT_EQ(uri("/elsewhere/a b.comp"), "file:///elsewhere/a%20b.comp");
  EXPECT_EQ(uri("src/a.comp"), "src/a.comp");
}

// A file that nothing was written to, and one whose run was killed, do not look like a run without a finding.
TEST_F(Reports, WhatIsNotKnownToBeCheckedFails) {
  write_file(file("empty.jsonl"), "");
  write_file(file("killed.jsonl"),
             R"({"kind":"note","text":"x","process":7,"version":"1","run":"1","program":"game"})"
             "\n");
  for (const auto& [name, text] : {std::pair{"empty.jsonl", "empty.jsonl is empty"},
                                   {"killed.jsonl", "a run of game did not say what was checked"}}) {
    const ProcessResult shown = shaderqa({"report", name, "--junit", "out.xml", "--sarif", "out.sarif"});
    ASSERT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_THAT(content("out.xml"), HasSubstr("failures=\"1\""));
    EXPECT_THAT(content("out.xml"), HasSubstr(text));
    const json invocation = json::parse(content("out.sarif")).at("runs").at(0).at("invocations").at(0);
    EXPECT_EQ(invocation.at("executionSuccessful"), false);
    EXPECT_THAT(invocation.at("toolExecutionNotifications").at(0).at("message").at("text"), HasSubstr(text));
    EXPECT_THAT(shaderqa({"report", name}).out, HasSubstr("not complete: "));
  }
}

TEST_F(Reports, JUnit) {
  write_file(file("a.jsonl"),
             one_ + "{\"kind\":\"note\",\"text\":\"a <b>\",\"incomplete\":\"sync\"}\n" + checked_);
  write_file(file("clean.jsonl"), checked_);
  ASSERT_EQ(shaderqa({"report", "a.jsonl", "--junit", "out.xml"}).exit_code, 0);
  const std::string xml = content("out.xml");
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"2\""));
  EXPECT_THAT(xml, HasSubstr("a &lt;&amp;&gt;.comp"));
  EXPECT_THAT(xml, HasSubstr("message=\"a &lt;b&gt;\""));
  ASSERT_EQ(shaderqa({"report", "clean.jsonl", "--junit", "clean.xml"}).exit_code, 0);
  EXPECT_THAT(content("clean.xml"), HasSubstr("failures=\"0\""));
}

}  // namespace
}  // namespace shaderqa::testing
