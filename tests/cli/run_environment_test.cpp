// SPDX-License-Identifier: Apache-2.0
// The environment that `shaderqa run` gives to the program, and what loaders make of it.
#include <filesystem>
#include <map>
#include <sstream>

#include "cli_test.h"

namespace shaderqa::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RunEnvironment : public CliTest {
 protected:
  std::map<std::string, std::string> seen(std::vector<std::string> options = {}) {
    const ProcessResult result = run_script(std::move(options), "env");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(without_verdict(result.err), "");
    std::map<std::string, std::string> variables;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);)
      variables[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
    return variables;
  }
  const std::string share_ = std::filesystem::path(SHADERQA_BIN_DIR).parent_path() / "share";
};

TEST_F(RunEnvironment, SettingsOfOptions) {
  write_file(file("hashes.txt"), "0-ffffffffffffffff\n");
  const auto variables =
      seen({"--printf", "--assume", "--nan=flush-nan", "--sync=bloom", "--hashes", "hashes.txt", "--report",
            "sub/../out.jsonl", "--printf-verbose", "--printf-buffer-size", "8M", "--printf-first", "3",
            "--printf-every", "100", "--quiet-notes", "--expect", "--breadcrumbs"});
  const std::map<std::string, std::string> expected = {{"SHADERQA", "1"},
                                                       {"SHADERQA_PRINTF", "true"},
                                                       {"SHADERQA_ASSUME", "true"},
                                                       {"SHADERQA_EXPECT", "true"},
                                                       {"SHADERQA_BREADCRUMBS", "true"},
                                                       {"SHADERQA_NAN", "flush-nan"},
                                                       {"SHADERQA_SYNC", "bloom"},
                                                       {"SHADERQA_HASHES", file("hashes.txt")},
                                                       {"SHADERQA_REPORT", file("out.jsonl")},
                                                       {"SHADERQA_PRINTF_VERBOSE", "true"},
                                                       {"SHADERQA_PRINTF_BUFFER_SIZE", "8M"},
                                                       {"SHADERQA_PRINTF_FIRST", "3"},
                                                       {"SHADERQA_PRINTF_EVERY", "100"},
                                                       {"SHADERQA_QUIET_NOTES", "true"}};
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(variables.contains(name)) << name;
    EXPECT_EQ(variables.at(name), value) << name;
  }
}

TEST_F(RunEnvironment, ChecksWithoutValue) {
  const auto variables = seen({"--nan", "--sync"});
  EXPECT_EQ(variables.at("SHADERQA_NAN"), "writes");
  EXPECT_EQ(variables.at("SHADERQA_SYNC"), "exact");
}

TEST_F(RunEnvironment, NothingIsSetThatWasNotAskedFor) {
  for (const auto& [name, value] : seen()) {
    const bool known = name == "SHADERQA" || name == "SHADERQA_RESCUE_DIR";
    EXPECT_TRUE(known || !name.starts_with("SHADERQA")) << name;
  }
}

TEST_F(RunEnvironment, TheUsersVariablesStay) {
  environment_["SHADERQA_PRINTF_VERBOSE"] = "0";
  environment_["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation";
  environment_["VK_LAYER_PATH"] = "/some/layers";
  environment_["EMPTY"] = "";
  environment_["LINES"] = "a=b c";
  const auto variables = seen();
  for (const char* name :
       {"SHADERQA_PRINTF_VERBOSE", "VK_INSTANCE_LAYERS", "VK_LAYER_PATH", "EMPTY", "LINES"})
    EXPECT_EQ(variables.at(name), environment_.at(name)) << name;
  // Only those that were there and those that enable the layer; sh itself adds PWD and perhaps others of its
  // own.
  for (const char* name :
       {"LD_LIBRARY_PATH", "LD_PRELOAD", "VK_LOADER_LAYERS_ENABLE", "VK_IMPLICIT_LAYER_PATH"})
    EXPECT_FALSE(variables.contains(name)) << name;
}

TEST_F(RunEnvironment, DataFoldersAreKept) {
  EXPECT_EQ(seen().at("XDG_DATA_DIRS"), share_ + ":/usr/local/share:/usr/share:" + share_);
  environment_["XDG_DATA_DIRS"] = "";
  EXPECT_EQ(seen().at("XDG_DATA_DIRS"), share_ + ":/usr/local/share:/usr/share:" + share_);
  environment_["XDG_DATA_DIRS"] = "/a:/b";
  EXPECT_EQ(seen().at("XDG_DATA_DIRS"), share_ + ":/a:/b:" + share_);
  // One run inside another.
  environment_["XDG_DATA_DIRS"] = share_ + ":/a:" + share_;
  EXPECT_EQ(seen().at("XDG_DATA_DIRS"), share_ + ":/a:" + share_);
}

TEST_F(RunEnvironment, PathsOfNewerLoaders) {
  const std::string folder = share_ + "/vulkan/implicit_layer.d";
  EXPECT_EQ(seen().at("VK_ADD_IMPLICIT_LAYER_PATH"), folder);
  environment_["VK_ADD_IMPLICIT_LAYER_PATH"] = "/mine";
  environment_["VK_IMPLICIT_LAYER_PATH"] = "/only";
  const auto variables = seen();
  EXPECT_EQ(variables.at("VK_ADD_IMPLICIT_LAYER_PATH"), folder + ":/mine");
  EXPECT_EQ(variables.at("VK_IMPLICIT_LAYER_PATH"), folder + ":/only");
}

TEST_F(RunEnvironment, EnabledWhateverElseDisables) {
  environment_["SHADERQA_DISABLE"] = "";
  environment_["VK_LOADER_LAYERS_DISABLE"] = "~implicit~";
  auto variables = seen();
  EXPECT_FALSE(variables.contains("SHADERQA_DISABLE"));
  EXPECT_EQ(variables.at("VK_LOADER_LAYERS_ENABLE"), "VK_LAYER_SHADERQA_instrument");
  environment_["VK_LOADER_LAYERS_ENABLE"] = "*validation";
  variables = seen();
  EXPECT_EQ(variables.at("VK_LOADER_LAYERS_ENABLE"), "*validation,VK_LAYER_SHADERQA_instrument");
}

TEST_F(RunEnvironment, RescueFolderIsPrivateAndRemoved) {
  const ProcessResult result = run_script(
      {}, "stat -c '%a %F' $SHADERQA_RESCUE_DIR; touch $SHADERQA_RESCUE_DIR/x; echo $SHADERQA_RESCUE_DIR");
  EXPECT_THAT(result.out, StartsWith("700 directory\n/"));
  const std::string folder = result.out.substr(result.out.find('/'));
  EXPECT_FALSE(std::filesystem::exists(folder.substr(0, folder.find('\n'))));
}

TEST_F(RunEnvironment, RelativeReportOfTheSettingsFileIsMadeAbsolute) {
  write_file(file("vk_layer_settings.txt"), "shaderqa_instrument.report = here.jsonl\n");
  EXPECT_EQ(seen().at("SHADERQA_REPORT"), file("here.jsonl"));
}

// The loader's own account of the layers, from the program down.
class Loader : public RunEnvironment {
 protected:
  void SetUp() override {
    if (!SHADERQA_LAYER_LOADS_ANYWHERE) GTEST_SKIP() << "built with a sanitizer";
    if (!std::filesystem::exists("/usr/bin/vulkaninfo")) GTEST_SKIP() << "vulkaninfo is not installed";
    environment_["VK_ICD_FILENAMES"] = SHADERQA_LAVAPIPE_ICD;
    environment_["VK_LOADER_DEBUG"] = "layer";
  }
  // Positions in the loader's list, which begins next to the driver; -1: not in it.
  std::pair<int, int> ours_and_validation() {
    const std::vector<std::string> program = with_test_loader({"/usr/bin/vulkaninfo", "--summary"});
    std::vector<std::string> arguments = {"run", "--"};
    arguments.insert(arguments.end(), program.begin(), program.end());
    const ProcessResult result = shaderqa(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::pair<int, int> positions{-1, -1};
    std::istringstream lines(result.err);
    int position = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("Insert instance layer") == std::string::npos) continue;
      ++position;
      if (line.find("\"VK_LAYER_SHADERQA_instrument\"") != std::string::npos) positions.first = position;
      if (line.find("\"VK_LAYER_KHRONOS_validation\"") != std::string::npos) positions.second = position;
      if (positions.first == position) {
        EXPECT_THAT(line, HasSubstr(share_ + "/vulkan/")) << "another layer of that name";
      }
    }
    return positions;
  }
};

TEST_F(Loader, FindsTheLayer) { EXPECT_GT(ours_and_validation().first, 0); }

TEST_F(Loader, TheLayerLogsIfItIsAsked) {
  environment_.erase("VK_LOADER_DEBUG");
  const auto log_of = [&](std::vector<std::string> arguments) {
    const std::vector<std::string> program = with_test_loader({"/usr/bin/vulkaninfo", "--summary"});
    arguments.insert(arguments.begin(), "run");
    arguments.push_back("--");
    arguments.insert(arguments.end(), program.begin(), program.end());
    const ProcessResult result = shaderqa(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  const std::string start = " info: shaderqa " SHADERQA_PROJECT_VERSION " in ";
  EXPECT_THAT(log_of({"-v"}), HasSubstr(start));
  EXPECT_THAT(log_of({"-v"}), ::testing::Not(HasSubstr("settings:")));
  EXPECT_THAT(log_of({"-vv"}), HasSubstr("log_level = debug"));
  EXPECT_THAT(log_of({}), ::testing::Not(HasSubstr("info: ")));
  EXPECT_THAT(log_of({"-v", "--log-file", "layer.log"}), ::testing::Not(HasSubstr("info: ")));
  EXPECT_THAT(read_file(file("layer.log")), HasSubstr(start));
}

TEST_F(Loader, PutsItAboveTheValidationLayer) {
  environment_["VK_LAYER_PATH"] = SHADERQA_VALIDATION_LAYER_DIR;
  environment_["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation";
  const auto [ours, validation] = ours_and_validation();
  EXPECT_GT(validation, 0);
  EXPECT_GT(ours, validation);
}

TEST_F(Loader, PrefersItToAnInstalledOne) {
  // As `cmake --install` to ~/.local, to the first and to the last data folder would have left it.
  const std::string manifest = read_file(share_ + "/vulkan/implicit_layer.d/VkLayer_shaderqa.json");
  for (const char* place : {".local/share", "first", "last"}) {
    const std::string folder = file(place) + "/vulkan/implicit_layer.d";
    std::filesystem::create_directories(folder);
    write_file(folder + "/VkLayer_shaderqa.json", manifest);
  }
  environment_["XDG_DATA_DIRS"] = file("first") + ":" + file("last");
  EXPECT_GT(ours_and_validation().first, 0);
}

TEST_F(Loader, FindsItWhereImplicitLayersAreSwitchedOff) {
  environment_["VK_LOADER_LAYERS_DISABLE"] = "~implicit~";
  EXPECT_GT(ours_and_validation().first, 0);
  environment_["VK_LAYER_PATH"] = SHADERQA_VALIDATION_LAYER_DIR;
  environment_["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation";
  const auto [ours, validation] = ours_and_validation();
  EXPECT_GT(validation, 0);
  EXPECT_GT(ours, validation);
}

}  // namespace
}  // namespace shaderqa::testing
