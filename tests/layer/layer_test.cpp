// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/layer_test.h"

#include <cstdlib>
#include <cstring>

#include "report_reader.h"

extern char** environ;

namespace shaderqa::layer_tests {
namespace {

// What a user's shell may hold and Vulkan's loader, a driver or the layer would listen to.
bool is_ours_to_clear(const std::string& name) {
  for (const char* prefix : {"VK_", "VKD3D_", "SHADERQA", "XDG_", "MESA_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

void clear_environment() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    names.emplace_back(*entry, static_cast<size_t>(std::strchr(*entry, '=') - *entry));
  }
  for (const std::string& name : names) {
    if (is_ours_to_clear(name)) unsetenv(name.c_str());
  }
}

}  // namespace

LayerTest::LayerTest()
    : environment_(testing::isolated_environment(directory_.path(), testing::Driver::null_driver)) {
  clear_environment();
  for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
  testing::install_implicit_layer(directory_.path());
  set("SHADERQA", "1");
  set("SHADERQA_REPORT", directory_.file("report.jsonl"));
  set("SHADERQA_PRINTF_TO_STDERR", "false");
  const char* start = std::getenv("TESTED_START");
  set("SHADERQA_START", start ? start : "creation");
  if (start) set("TESTED_START", start);
  driver().reset({});
}

void LayerTest::TearDown() {
  const null_driver::Log log = driver().log();
  EXPECT_EQ(log.violations, std::vector<std::string>());
  for (const auto& [type, count] : log.live) EXPECT_EQ(count, 0) << type;
}

void LayerTest::set(const std::string& variable, const std::string& value) {
  environment_[variable] = value;
  setenv(variable.c_str(), value.c_str(), 1);
}

void LayerTest::unset(const std::string& variable) {
  environment_.erase(variable);
  unsetenv(variable.c_str());
}

std::vector<std::string> LayerTest::reported(const std::string& kind) const {
  return testing::texts_of(testing::read_report(directory_.file("report.jsonl")), kind);
}

std::vector<null_driver::StageRecord> last_stages() {
  const null_driver::Log log = driver().log();
  return log.pipelines.at(log.pipelines.size() - 1).stages;
}

}  // namespace shaderqa::layer_tests
