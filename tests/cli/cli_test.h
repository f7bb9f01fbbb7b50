// SPDX-License-Identifier: Apache-2.0
// What the tests of the command share.
#ifndef SHADERQA_TESTS_CLI_CLI_TEST_H
#define SHADERQA_TESTS_CLI_CLI_TEST_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "environment.h"
#include "paths.h"
#include "process.h"

namespace shaderqa::testing {

inline constexpr const char* kCommand = SHADERQA_BIN_DIR "/shaderqa";
inline constexpr const char* kLeaveMessages = SHADERQA_BIN_DIR "/cli_leave_messages";

class CliTest : public ::testing::Test {
 protected:
  CliTest() {
    environment_ = isolated_environment(directory_.path(), Driver::lavapipe);
    // What the command changes is given by those tests that are about it.
    environment_.erase("XDG_DATA_DIRS");
    environment_.erase("XDG_DATA_HOME");
  }

  ProcessResult shaderqa(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), kCommand);
    return testing::run(arguments, environment_, directory_.path());
  }
  // `shaderqa run OPTIONS -- sh -c SCRIPT`
  ProcessResult run_script(std::vector<std::string> options, const std::string& script) {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--", "/bin/sh", "-c", script});
    return shaderqa(options);
  }
  // What comes before the last lines of `shaderqa run`.
  static std::string without_verdict(const std::string& err) {
    size_t end = err.size();
    for (const char* begin : {"shaderqa: loaded in ", "shaderqa: not complete: ", "shaderqa: verdict: "})
      end = std::min(end, err.find(begin));
    return err.substr(0, end);
  }
  std::string file(const std::string& name) const { return directory_.file(name); }

  TemporaryDirectory directory_;
  Environment environment_;
};

}  // namespace shaderqa::testing
#endif
