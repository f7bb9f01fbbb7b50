// SPDX-License-Identifier: Apache-2.0
// The layer's own log (settings log_level and log_file).
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <string>

#include "host/version.h"
#include "process.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

void expect_line_in(const std::string& log, const std::string& form) {
  EXPECT_TRUE(std::regex_search(log, std::regex(" " + form + "\n"))) << form << "\n" << log;
}

class LayerLog : public LayerTest {
 protected:
  void log(const std::string& level) {
    set("SHADERQA_LOG_LEVEL", level);
    set("SHADERQA_LOG_FILE", directory() / "log");
  }
  std::string written() const { return testing::read_file(directory() / "log"); }
  void expect_line(const std::string& form) const { expect_line_in(written(), form); }
  void expect_no_line(const std::string& form) const {
    EXPECT_FALSE(std::regex_search(written(), std::regex(" " + form))) << form << "\n" << written();
  }
};

TEST_F(LayerLog, SaysWhatIsLoadedRewrittenAndAllocated) {
  log("info");
  {
    Program program;
    create_and_destroy_compute(program.device, shaders::prints_comp);
    create_and_destroy_compute(program.device, shaders::silent_comp);
  }
  expect_line(std::string("info: shaderqa ") + version() + " in .* \\(process [0-9]+\\)");
  expect_line("info: physical device .*, driver .* \\(version 0x[0-9a-f]+\\)");
  expect_line("info: device 0x[0-9a-f]+: its shaders are instrumented");
  expect_line("info: printf buffer: 4194304 bytes in [0-9]+ segments");
  expect_line(
      "info: shader [0-9a-f]{16} \\(compute, main\\) is instrumented: [0-9]+ words became [0-9]+, 1 "
      "messages, "
      "0 checks; rewriting took [0-9.]+ ms");
  expect_line("info: the driver took [0-9.]+ ms for 1 pipelines \\(VkResult 0\\)");
  expect_no_line("debug:");
}

TEST_F(LayerLog, TheDetailsAreAtDebug) {
  log("debug");
  set("SHADERQA_PRINTF", "1");
  {
    Program program;
    create_and_destroy_compute(program.device, shaders::silent_comp);
  }
  expect_line("debug: shader [0-9a-f]{16} has nothing to print or check");
  set("SHADERQA_NAN", "writes");
  {
    Program program;
    create_and_destroy_compute(program.device, shaders::prints_comp);
    create_and_destroy_compute(program.device, shaders::silent_comp);
  }
  expect_line("debug: settings:");
  expect_line("   log_level = debug");
  expect_line("debug: buffer of 4194304 bytes at 0x[0-9a-f]+: VkResult 0");
  expect_line("debug: shader [0-9a-f]{16} \\(compute, main\\) has nothing to check; rewriting took .*");
  expect_no_line("trace:");
}

TEST_F(LayerLog, AShaderThatIsNotSelectedIsADetail) {
  log("debug");
  set("SHADERQA_SKIP", "main");
  {
    Program program;
    create_and_destroy_compute(program.device, shaders::prints_comp);
  }
  expect_line("debug: shader [0-9a-f]{16} is left as it is: `only` or `skip` excludes it");
  testing::write_file(directory() / "hashes", "0123456789abcdef\n");
  set("SHADERQA_HASHES", directory() / "hashes");
  {
    Program program;
    create_and_destroy_compute(program.device, shaders::prints_comp);
  }
  expect_line("debug: shader [0-9a-f]{16} is left as it is: no check is on for it");
}

TEST_F(LayerLog, EverythingIsAtTrace) {
  log("trace");
  {
    Program program;
    create_and_destroy_compute(program.device, shaders::prints_comp);
    create_and_destroy_compute(program.device, shaders::prints_comp);
  }
  expect_line("trace: shader [0-9a-f]{16}: what was made of it before is used again");
}

TEST_F(LayerLog, ADecisionToCheckLessIsAWarning) {
  log("warn");
  set("SHADERQA_PRINTF_BUFFER_SIZE", "1");
  null_driver::Config config;
  config.missing_features = {"bufferDeviceAddress"};
  driver().reset(config);
  {
    Program program;
    create_and_destroy_compute(program.device, shaders::prints_comp);
  }
  expect_line("warning: SHADERQA_PRINTF_BUFFER_SIZE: the value \"1\" is not .*");
  expect_line("warning: shader [0-9a-f]{16}.* is left as it is.* bufferDeviceAddress");
  expect_line("error: device 0x[0-9a-f]+: no shader is instrumented, because the driver does not support .*");
  expect_no_line("info:");
}

TEST_F(LayerLog, AFileThatCannotBeOpenedIsANoteAndTheProgramGoesOn) {
  set("SHADERQA_LOG_LEVEL", "error");
  set("SHADERQA_LOG_FILE", directory());
  Program program;
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
  ASSERT_EQ(notes().size(), 1u);
  EXPECT_EQ(notes()[0].rfind("cannot open the log file " + directory().string() + ": ", 0), 0u) << notes()[0];
}

TEST_F(LayerLog, NothingIsWrittenByDefault) {
  set("SHADERQA_LOG_FILE", directory() / "log");
  const testing::ProcessResult result = testing::run({SHADERQA_LAYER_PROBE, "no-destroy"}, environment());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(std::filesystem::exists(directory() / "log"));
  set("SHADERQA_LOG_LEVEL", "info");
  EXPECT_EQ(testing::run({SHADERQA_LAYER_PROBE, "no-destroy"}, environment()).err, "");
  expect_line("info: the driver took .*");
}

// The memory of either engine.
class EngineLog : public CommandTest, public ::testing::WithParamInterface<const char*> {
 protected:
  static std::string file() {
    return (std::filesystem::temp_directory_path() / ("shaderqa_log_" + std::to_string(getpid()))).string();
  }
  EngineLog()
      : CommandTest({}, {}, GetParam(), {{"SHADERQA_LOG_LEVEL", "info"}, {"SHADERQA_LOG_FILE", file()}}) {}
  void TearDown() override {
    CommandTest::TearDown();
    std::filesystem::remove(file());
  }
};

TEST_P(EngineLog, SaysHowMuchMemoryItTakes) {
  checked_commands();
  const bool exact = GetParam() == std::string("exact");
  expect_line_in(testing::read_file(file()), exact ? "info: shadow memory: [0-9]+ bytes more, [0-9]+ in all"
                                                   : "info: access filter: " + std::to_string(kFilterBytes) +
                                                         " bytes for a queue family");
  expect_line_in(testing::read_file(file()), "info: check records: [0-9]+ bytes in 1 segments");
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineLog, ::testing::Values("exact", "bloom"));

}  // namespace
}  // namespace shaderqa::layer_tests
