// SPDX-License-Identifier: Apache-2.0
// Report files as one HTML page.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli_test.h"

namespace shaderqa::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportPages : public CliTest {
 protected:
  static json finding(int process) {
    return {
        {"kind", "hazard"},
        {"text", "write after read"},
        {"shader", "0000000000001234"},
        {"stage", "compute"},
        {"fingerprint", "00000000000000aa"},
        {"check", "hazard"},
        {"instruction", {{"text", "OpStore %Merged.x"}, {"word", 5}}},
        {"hazard",
         {{"class", "write after read"},
          {"access", "store"},
          {"earlier", "load"},
          {"scope", "x"},
          {"cure", {"the barrier that is missing", "  VkMemoryBarrier2 b;"}}}},
        {"other",
         {{"access", "load"}, {"places", {"b.comp:4"}}, {"command", "vkCmdCopyBuffer"}, {"action", 3}}},
        {"address", "0x0"},
        {"size", 4},
        {"buffer", {{"name", "merged \"<b>\""}, {"handle", "0x1"}, {"offset", 128 / process}, {"size", 256}}},
        {"action", {{"number", 9}, {"command", "vkCmdDispatch(1, 1, 1)"}, {"index", 2}}},
        {"process", process},
        {"version", "0.1.0"},
        {"program", "one"},
        {"host", "elsewhere"},
        {"run", "killed"}};
  }
  static json count(int process, int times) {
    return {{"kind", "note"},    {"text", "x"},    {"fingerprint", "00000000000000aa"},
            {"check", "hazard"}, {"count", times}, {"process", process}};
  }
  std::string merged() const {
    return finding(1).dump() + "\n" + count(1, 3).dump() + "\n" + finding(2).dump() + "\n" +
           count(2, 4).dump() + "\n";
  }
  std::string content(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  json data_of(const std::string& page) const {
    const std::string begin = "id=\"data\">", end = "</script>", text = content(page);
    const size_t at = text.find(begin);
    if (at == std::string::npos) return {};
    return json::parse(text.substr(at + begin.size(), text.find(end, at) - at - begin.size()), nullptr,
                       false);
  }
};

TEST_F(ReportPages, MergeTheFilesOfSeveralProcesses) {
  write_file(file("a <b>.jsonl"), merged());
  write_file(
      file("b.jsonl"),
      R"({"kind":"note","text":"y","process":1,"version":"0.1.0","program":"two","host":"here","run":"r"})"
      "\n"
      R"({"kind":"checked","text":"all </script>","complete":true,"programs":["two"],"checks":["sync"],)"
      R"("devices":[{"name":"d","driver":"1"}],"shaders":{},"actions":{},"gaps":[],"process":1})"
      "\n");
  const ProcessResult result =
      shaderqa({"report", "a <b>.jsonl", "b.jsonl", "a <b>.jsonl", "-o", "out.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = content("out.html");
  EXPECT_THAT(page, HasSubstr("<title>a &lt;b&gt;.jsonl and 2 more</title>"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  const json data = data_of("out.html");
  ASSERT_TRUE(data.is_object());
  ASSERT_EQ(data["bugs"].size(), 1u);
  const json& bug = data["bugs"][0];
  // Two processes; a file that is given twice counts once.
  EXPECT_EQ(bug["occurrences"], 7);
  EXPECT_EQ(bug["processes"], json({"one, process 1 on elsewhere", "one, process 2 on elsewhere"}));
  ASSERT_EQ(bug["strip"].size(), 4u);
  EXPECT_EQ(bug["strip"][0]["text"], "3: vkCmdCopyBuffer");
  EXPECT_EQ(bug["strip"][0]["side"], "other");
  EXPECT_EQ(bug["strip"][1]["what"], "gap");
  EXPECT_EQ(bug["strip"][2]["what"], "missing");
  EXPECT_THAT(bug["strip"][2]["text"].get<std::string>(), HasSubstr("VkMemoryBarrier2 b;"));
  EXPECT_EQ(bug["strip"][3]["text"], "9: vkCmdDispatch(1, 1, 1)");
  EXPECT_EQ(bug["strip"][3]["side"], "this");
  ASSERT_EQ(data["buffers"].size(), 2u);
  EXPECT_EQ(data["buffers"][0]["marks"], json({{128, 4, 0}}));
  EXPECT_EQ(data["buffers"][1]["marks"], json({{64, 4, 0}}));
  ASSERT_EQ(data["runs"].size(), 2u);
  EXPECT_EQ(data["runs"][0]["text"], "all </script>");
  EXPECT_EQ(data["runs"][0]["host"], "here") << "as an earlier line of the process says";
  EXPECT_EQ(data["runs"][0]["complete"], true);
  EXPECT_EQ(data["runs"][1]["complete"], false) << "nobody said what was checked";
}

TEST_F(ReportPages, OneActionHasNoBarrierInIt) {
  json line = finding(1);
  line["other"] = {{"access", "load"}, {"places", {"b.comp:4"}}, {"same_action", true}};
  write_file(file("a.jsonl"), line.dump() + "\n");
  ASSERT_EQ(shaderqa({"report", "a.jsonl", "-o", "out.html"}).exit_code, 0);
  const json strip = data_of("out.html")["bugs"][0]["strip"];
  ASSERT_EQ(strip.size(), 1u);
  EXPECT_EQ(strip[0]["side"], "both");
}

TEST_F(ReportPages, WhatCannotBeShownIsSaid) {
  write_file(file("a.jsonl"), merged());
  const ProcessResult missing = shaderqa({"report", "a.jsonl", "-o", "out.html", "--shaders", "."});
  EXPECT_EQ(missing.exit_code, 0);
  EXPECT_THAT(missing.err, HasSubstr("note: shader 0000000000001234: "));
  EXPECT_EQ(data_of("out.html")["notes"].size(), 1u);
  json outside = finding(1);
  outside["shader"] = "../../x";
  write_file(file("b.jsonl"), outside.dump() + "\n");
  EXPECT_THAT(shaderqa({"report", "b.jsonl", "-o", "out.html", "--shaders", "."}).err,
              HasSubstr("../../x is no hash"));
  EXPECT_EQ(shaderqa({"report", "a.jsonl", "-o", "out.html", "--shaders", "nowhere"}).exit_code, 2);
  EXPECT_EQ(shaderqa({"report", "a.jsonl", "--shaders", "."}).exit_code, 2) << "without a page";
  EXPECT_EQ(shaderqa({"report", "a.jsonl", "-o", "no/such/page.html"}).exit_code, 2);
}

TEST_F(ReportPages, NoFinding) {
  write_file(file("a.jsonl"), "");
  ASSERT_EQ(shaderqa({"report", "a.jsonl", "-o", "out.html"}).exit_code, 0);
  EXPECT_EQ(data_of("out.html")["bugs"], json::array());
}

// A real run in a real browser. tests/cli/report_page.js says what is needed: SHADERQA_PUPPETEER is its
// node_modules. SHADERQA_SCREENSHOT: a picture of the page.
TEST_F(ReportPages, InABrowser) {
  const char *const client = std::getenv("SHADERQA_PUPPETEER"), *const browser =
                                                                    std::getenv("SHADERQA_BROWSER");
  if (!client || !browser) GTEST_SKIP() << "SHADERQA_PUPPETEER and SHADERQA_BROWSER are not set";
  const ProcessResult ran =
      shaderqa({"run", "--sync", "--breadcrumbs", "--report", "sample.jsonl", "--dump-dir", "shaders", "--",
                SHADERQA_BUILD_DIR "/bin/sample_sync", "--bug=barrier"});
  ASSERT_THAT(ran.err, HasSubstr("verdict: 3 bugs")) << ran.err;
  write_file(file("merged.jsonl"), merged());
  ASSERT_EQ(shaderqa({"report", "sample.jsonl", "merged.jsonl", "-o", "page.html", "--shaders", "shaders"})
                .exit_code,
            0);
  std::vector<std::string> command{"/usr/bin/env", "node", SHADERQA_SOURCE_DIR "/tests/cli/report_page.js",
                                   browser, file("page.html")};
  if (const char* const picture = std::getenv("SHADERQA_SCREENSHOT")) command.emplace_back(picture);
  const char* const libraries = std::getenv("LD_LIBRARY_PATH");
  const ProcessResult walked = testing::run(command,
                                            {{"NODE_PATH", client},
                                             {"PATH", std::getenv("PATH")},
                                             {"HOME", directory_.path()},
                                             {"LD_LIBRARY_PATH", libraries ? libraries : ""}},
                                            directory_.path());
  EXPECT_EQ(walked.exit_code, 0) << walked.err;
  EXPECT_EQ(walked.out, "ok\n");
}

}  // namespace
}  // namespace shaderqa::testing
