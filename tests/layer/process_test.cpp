// SPDX-License-Identifier: Apache-2.0
// What needs a process of its own: which environments load the layer, and how programs end.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "process.h"
#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

class Processes : public LayerTest {
 protected:
  testing::ProcessResult probe(const std::string& what) const {
    return testing::run({SHADERQA_LAYER_PROBE, what}, environment());
  }
};

struct Activation {
  const char* name;
  testing::Environment variables;  // besides the manifest; SHADERQA is not among them by itself
  bool active;
};

class ActivationTest : public Processes, public ::testing::WithParamInterface<Activation> {};

TEST_P(ActivationTest, IsAsTheManifestSays) {
  unset("SHADERQA");
  for (const auto& [variable, value] : GetParam().variables) set(variable, value);
  const testing::ProcessResult result = probe("active");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, GetParam().active ? "active\n" : "inactive\n") << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Environments, ActivationTest,
    ::testing::Values(
        Activation{"nothing", {}, false}, Activation{"enabled", {{"SHADERQA", "1"}}, true},
        Activation{"enabled_by_another_value", {{"SHADERQA", "yes"}}, false},
        Activation{"enabled_by_zero", {{"SHADERQA", "0"}}, false},
        Activation{"enabled_by_nothing", {{"SHADERQA", ""}}, false},
        Activation{"disabled", {{"SHADERQA", "1"}, {"SHADERQA_DISABLE", "1"}}, false},
        Activation{"disabled_by_zero", {{"SHADERQA", "1"}, {"SHADERQA_DISABLE", "0"}}, false},
        Activation{"disabled_by_nothing", {{"SHADERQA", "1"}, {"SHADERQA_DISABLE", ""}}, false},
        Activation{"loader_enables", {{"VK_LOADER_LAYERS_ENABLE", "*SHADERQA*"}}, true},
        Activation{"loader_enables_but_disabled",
                   {{"VK_LOADER_LAYERS_ENABLE", "*SHADERQA*"}, {"SHADERQA_DISABLE", "1"}},
                   false},
        Activation{"loader_disables_implicit",
                   {{"SHADERQA", "1"}, {"VK_LOADER_LAYERS_DISABLE", "~implicit~"}},
                   false},
        Activation{"loader_disables_all", {{"SHADERQA", "1"}, {"VK_LOADER_LAYERS_DISABLE", "~all~"}}, false},
        Activation{"loader_enables_only_ours",
                   {{"VK_LOADER_LAYERS_ENABLE", "*SHADERQA*"}, {"VK_LOADER_LAYERS_DISABLE", "~all~"}},
                   true}),
    [](const ::testing::TestParamInfo<Activation>& activation) {
      return std::string(activation.param.name);
    });

TEST_F(Processes, TheExplicitLayerIsActiveWhereItIsAskedFor) {
  for (const char* variable : {"SHADERQA", "XDG_DATA_HOME"}) unset(variable);
  set("VK_LAYER_PATH", SHADERQA_EXPLICIT_MANIFESTS);
  EXPECT_EQ(probe("active").out, "inactive\n");
  set("VK_INSTANCE_LAYERS", "VK_LAYER_SHADERQA_instrument");
  EXPECT_EQ(probe("active").out, "active\n");
}

TEST_F(Processes, AProgramThatDestroysNothingEndsWellAndItsMessageIsPrinted) {
  const testing::ProcessResult result = probe("no-destroy");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 1"});
}

// What the driver's compiler is at can be finished, and nothing else is begun.
TEST_F(Processes, AProgramThatExitsWhileCheckedVersionsAreMadeEndsWell) {
  set("SHADERQA_START", "first_use");
  set("SHADERQA_NULL_DRIVER", "pipeline_ms=100");
  const auto begin = std::chrono::steady_clock::now();
  const testing::ProcessResult result = probe("compiling");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // The program's own 20 pipelines take 2 s; so would each further twenty.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(Processes, MessagesAreOnStderrUnlessSwitchedOff) {
  EXPECT_EQ(probe("no-destroy").err.find("compute 1"), std::string::npos);
  unset("SHADERQA_PRINTF_TO_STDERR");
  const testing::ProcessResult result = probe("no-destroy");
  EXPECT_NE(result.err.find("compute 1"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

// ThreadSanitizer lets no child of a program with threads have any.
#ifndef __SANITIZE_THREAD__
TEST_F(Processes, AForkedChildMayUseVulkanItself) {
  const testing::ProcessResult result = probe("fork");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string> expected = {"compute 1", "compute 2", "compute 3"};
  EXPECT_EQ(messages(), expected);
}
#endif

TEST_F(Processes, AForkedChildMayExit) {
  const testing::ProcessResult result = probe("fork-exit");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 1"});
}

#ifndef SHADERQA_SANITIZED
TEST_F(Processes, TheLibraryExportsOnlyTheNegotiation) {
  const testing::ProcessResult result =
      testing::run({SHADERQA_NM, "-D", "--defined-only", SHADERQA_LAYER_LIBRARY}, environment());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
  EXPECT_NE(result.out.find(" T vkNegotiateLoaderLayerInterfaceVersion"), std::string::npos) << result.out;
}

TEST_F(Processes, TheStrippedLibraryIsSmall) {
  const std::string stripped = directory() / "stripped.so";
  const testing::ProcessResult result =
      testing::run({SHADERQA_STRIP, "-o", stripped, SHADERQA_LAYER_LIBRARY}, environment());
  ASSERT_EQ(result.exit_code, 0) << result.err;
#if defined(__GNUC__) && __GNUC__ > 12
  constexpr size_t most = 10u << 20;  // 9.6 MB of GCC 14
#else
  constexpr size_t most = 9u << 20;  // 8.2 MB of GCC 12
#endif
  EXPECT_LT(std::filesystem::file_size(stripped), most);
}
#endif

}  // namespace
}  // namespace shaderqa::layer_tests
