// SPDX-License-Identifier: Apache-2.0
// Traces as HTML pages.
#include "replay/html_page.h"

#include <nlohmann/json.hpp>

#include "trace_builder.h"
#include "trace_program.h"

namespace shaderqa::testing {
namespace {

using Json = nlohmann::json;

Json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">", end = "</script>";
  const size_t at = page.find(begin);
  if (at == std::string::npos) return {};
  return Json::parse(page.substr(at + begin.size(), page.find(end, at) - at - begin.size()), nullptr, false);
}

TEST(HtmlPage, HasTheStepsAndNothingFromElsewhere) {
  TraceContents contents;
  std::string error;
  const std::string bytes = small_trace();
  ASSERT_TRUE(read_trace(std::as_bytes(std::span(bytes)), contents, error));
  contents.notes.emplace_back("</script><b>\"&");
  const Debugger debugger(std::move(contents));
  const std::string page = html_page(debugger, "a<b>&");
  EXPECT_THAT(page, HasSubstr("<title>a&lt;b&gt;&amp;</title>"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  const Json data = data_of(page);
  ASSERT_TRUE(data.is_object());
  EXPECT_EQ(data["notes"][0], "</script><b>\"&");
  const Json& invocation = data["invocations"][0];
  ASSERT_EQ(invocation["steps"].size(), 2u);
  // OpIAdd is the third instruction of the functions, and gives 3.
  EXPECT_EQ(invocation["steps"][0][0], 2);
  EXPECT_EQ(data["texts"][invocation["steps"][0][5].get<size_t>()], "3");
  EXPECT_EQ(invocation["steps"][1][5], -1);
  EXPECT_THAT(data["shaders"][0][2].get<std::string>(), HasSubstr("OpIAdd"));
}

class HtmlProgram : public TraceProgram {
 protected:
  ProcessResult write_page(const std::string& page) const {
    return run({SHADERQA_BIN_DIR "/shaderqa", "replay", "--html", page, file}, environment, directory.path());
  }
};

TEST_F(HtmlProgram, LongTracesAreCutAndSaySo) {
  const auto shader = compute(R"(
    void main() { uint sum = io[0]; for (uint k = 0; k < 5000; ++k) sum += k; io[1] = sum; })",
                              "long", {"-g"});
  trace({"--at", "compute:GlobalInvocationID=0,0,0"}, {"compute", shader});
  const std::string page = directory.file("page.html");
  ASSERT_EQ(write_page(page).exit_code, 0);
  const Json data = data_of(read_file(page));
  ASSERT_TRUE(data.is_object());
  EXPECT_EQ(data["invocations"][0]["steps"].size(), 20000u);
  EXPECT_THAT(data["invocations"][0]["notes"].dump(), HasSubstr("the page has the first 20000 of "));
  EXPECT_EQ(data["files"].size(), 1u);
}

TEST_F(HtmlProgram, WhatCannotBeWrittenIsSaid) {
  write_file(file, small_trace());
  EXPECT_EQ(write_page(directory.file("no/such/page.html")).exit_code, 2);
  EXPECT_THAT(write_page(directory.file("no/such/page.html")).err, HasSubstr("cannot be written"));
  write_file(file, "no trace");
  EXPECT_THAT(write_page(directory.file("page.html")).err, HasSubstr("is no trace"));
}

// tests/replay/html_page.js says what is needed: SHADERQA_PUPPETEER is its node_modules.
TEST_F(HtmlProgram, InABrowser) {
  const char *const client = std::getenv("SHADERQA_PUPPETEER"), *const browser =
                                                                    std::getenv("SHADERQA_BROWSER");
  if (!client || !browser) GTEST_SKIP() << "SHADERQA_PUPPETEER and SHADERQA_BROWSER are not set";
  const std::string shader =
      assemble_spirv(directory.path(), "blocks", read_file(SHADERQA_REPLAY_FIXTURES "/blocks.spvasm"));
  trace({"--at", "compute:GlobalInvocationID=5,0,0"}, {"compute", "--groups=4", shader});
  ASSERT_EQ(write_page(directory.file("page.html")).exit_code, 0);
  const ProcessResult walked =
      run({"/usr/bin/env", "node", SHADERQA_REPLAY_FIXTURES "/../html_page.js", browser,
           directory.file("page.html")},
          {{"NODE_PATH", client},
           {"PATH", std::getenv("PATH")},
           {"HOME", directory.path()},
           {"LD_LIBRARY_PATH", std::getenv("LD_LIBRARY_PATH") ? std::getenv("LD_LIBRARY_PATH") : ""}},
          directory.path());
  EXPECT_EQ(walked.exit_code, 0) << walked.err;
  EXPECT_EQ(walked.out, "ok\n");
}

}  // namespace
}  // namespace shaderqa::testing
