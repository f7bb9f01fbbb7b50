// SPDX-License-Identifier: Apache-2.0
// Every way to switch the layer on and off, through this machine's Vulkan loader and through a current one.
#include <filesystem>

#include "cli_test.h"

namespace shaderqa::testing {
namespace {

constexpr const char* kName = "VK_LAYER_SHADERQA_instrument";

enum class VulkanLoader { system, current };

class Toggles : public CliTest, public ::testing::WithParamInterface<VulkanLoader> {
 protected:
  void SetUp() override {
    if (!SHADERQA_LAYER_LOADS_ANYWHERE) GTEST_SKIP() << "built with a sanitizer";
    if (!std::filesystem::exists("/usr/bin/vulkaninfo")) GTEST_SKIP() << "vulkaninfo is not installed";
    if (GetParam() == VulkanLoader::current && std::string(SHADERQA_CURRENT_VULKAN_LOADER).empty())
      GTEST_SKIP() << "the system's loader is the current one";
    // Both of the layer's manifests, as an installation has them.
    environment_["XDG_DATA_DIRS"] = std::filesystem::path(SHADERQA_BIN_DIR).parent_path() / "share";
    environment_["XDG_DATA_HOME"] = file("data");
    environment_["SHADERQA_LOG_LEVEL"] = "info";
  }

  // How often the layer was started into a program with these variables, too.
  size_t loaded(const Environment& variables) {
    Environment environment = environment_;
    for (const auto& [name, value] : variables) environment[name] = value;
    std::vector<std::string> arguments = with_test_loader({"/usr/bin/vulkaninfo", "--summary"});
    if (GetParam() == VulkanLoader::current) {
      if (arguments.size() > 3) {
        arguments[2] += ":" SHADERQA_CURRENT_VULKAN_LOADER;
      } else {
        environment["LD_LIBRARY_PATH"] = SHADERQA_CURRENT_VULKAN_LOADER;
      }
    }
    const ProcessResult result = testing::run(arguments, environment);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    // Where there are two loaders: otherwise the test would not be about this one.
    if (!std::string(SHADERQA_CURRENT_VULKAN_LOADER).empty()) {
      EXPECT_EQ(result.out.find("Vulkan Instance Version: 1.3.239") == std::string::npos,
                GetParam() == VulkanLoader::current)
          << result.out;
    }
    size_t count = 0;
    const std::string start = " info: shaderqa " SHADERQA_PROJECT_VERSION " in ";
    for (size_t at = result.err.find(start); at != std::string::npos; at = result.err.find(start, at + 1))
      ++count;
    return count;
  }
};

TEST_P(Toggles, OffUntilAsked) { EXPECT_EQ(loaded({}), 0u); }

TEST_P(Toggles, OnlyOneValueOfItsVariable) {
  const size_t once = loaded({{"SHADERQA", "1"}});
  EXPECT_GT(once, 0u);
  for (const char* value : {"0", "yes", "true", ""}) EXPECT_EQ(loaded({{"SHADERQA", value}}), 0u) << value;
  // Asked for twice, it is there once.
  EXPECT_EQ(loaded({{"SHADERQA", "1"}, {"VK_INSTANCE_LAYERS", kName}}), once);
}

TEST_P(Toggles, TheDisableVariableWins) {
  for (const char* value : {"1", "0"})
    EXPECT_EQ(loaded({{"SHADERQA", "1"}, {"SHADERQA_DISABLE", value}}), 0u) << value;
}

TEST_P(Toggles, InstanceLayers) { EXPECT_GT(loaded({{"VK_INSTANCE_LAYERS", kName}}), 0u); }

TEST_P(Toggles, LoaderFilters) {
  EXPECT_GT(loaded({{"VK_LOADER_LAYERS_ENABLE", kName}}), 0u);
  EXPECT_GT(loaded({{"VK_LOADER_LAYERS_ENABLE", "*SHADERQA*"}}), 0u);
  EXPECT_GT(loaded({{"VK_LOADER_LAYERS_ENABLE", kName}, {"VK_LOADER_LAYERS_DISABLE", "~all~"}}), 0u);
  EXPECT_EQ(loaded({{"SHADERQA", "1"}, {"VK_LOADER_LAYERS_DISABLE", "~all~"}}), 0u);
  EXPECT_EQ(loaded({{"VK_LOADER_LAYERS_ENABLE", "*validation*"}}), 0u);
}

// What vkconfig up to version 2 writes.
TEST_P(Toggles, OverrideLayer) {
  write_file(
      file("data/vulkan/implicit_layer.d/VkLayer_override.json"),
      R"({"file_format_version": "1.1.2", "layer": {"name": "VK_LAYER_LUNARG_override", "type": "GLOBAL",
                 "api_version": "1.3.239", "implementation_version": "1", "description": "override",
                 "component_layers": ["VK_LAYER_SHADERQA_instrument"],
                 "disable_environment": {"DISABLE_VK_LAYER_LUNARG_override": "1"}}})");
  EXPECT_GT(loaded({}), 0u);
  EXPECT_EQ(loaded({{"DISABLE_VK_LAYER_LUNARG_override", "1"}}), 0u);
}

INSTANTIATE_TEST_SUITE_P(Loaders, Toggles, ::testing::Values(VulkanLoader::system, VulkanLoader::current),
                         [](const auto& parameter) {
                           return parameter.param == VulkanLoader::system ? "system" : "current";
                         });

}  // namespace
}  // namespace shaderqa::testing
