// SPDX-License-Identifier: Apache-2.0
// `shaderqa attach` of what cannot be switched. What can is in tests/e2e/switch_test.cpp.
#include <unistd.h>

#include "cli_test.h"

namespace shaderqa::testing {
namespace {

using ::testing::HasSubstr;

class Attach : public CliTest {};

TEST_F(Attach, AProcessThatDoesNotExist) {
  const ProcessResult result = shaderqa({"attach", "2147483632", "on"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "shaderqa: error: there is no process 2147483632\n");
}

TEST_F(Attach, AProcessWithoutTheLayer) {
  const std::string self = std::to_string(getpid());
  const ProcessResult result = shaderqa({"attach", self, "off"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the layer is not loaded in process " + self));
  EXPECT_THAT(result.err, HasSubstr("shaderqa run"));
}

// Process 1 is another user's for all but root, and root can become somebody else.
TEST_F(Attach, AProcessOfAnotherUser) {
  ProcessResult result;
  if (geteuid() != 0) {
    result = shaderqa({"attach", "1"});
  } else {
    if (access("/usr/bin/setpriv", X_OK) != 0) GTEST_SKIP() << "there is no setpriv";
    result = testing::run({"/usr/bin/setpriv", "--reuid=65534", "--clear-groups", kCommand, "attach", "1"},
                          environment_, "/");
    if (result.exit_code > 2) GTEST_SKIP() << "another user cannot start the command: " << result.err;
  }
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("belongs to the user root, and only that user can switch its checks"));
}

TEST_F(Attach, WrongUse) {
  EXPECT_EQ(shaderqa({"attach"}).exit_code, 2);
  EXPECT_EQ(shaderqa({"attach", "1", "maybe"}).exit_code, 2);
  for (const char* wrong : {"vkcube", "0", "-1", "12x"}) {
    const ProcessResult result = shaderqa({"attach", wrong, "on"});
    EXPECT_EQ(result.exit_code, 2) << wrong << result.err;
  }
  EXPECT_THAT(shaderqa({"attach", "vkcube", "on"}).err, HasSubstr("\"vkcube\" is no number of a process"));
}

}  // namespace
}  // namespace shaderqa::testing
