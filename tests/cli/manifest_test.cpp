// SPDX-License-Identifier: Apache-2.0
// What is made from the rows of settings.inc: manifests, the example of a settings file, the manual's tables.
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "cli_test.h"
#include "host/settings/settings.h"
#include "host/settings/settings_table.h"
#include "host/settings/settings_values.h"
#include "host/version.h"

namespace shaderqa::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kImplicit = "vulkan/implicit_layer.d/VkLayer_shaderqa.json";
const std::string kExplicit = "vulkan/explicit_layer.d/VkLayer_shaderqa_explicit.json";

std::string build_share() { return fs::path(SHADERQA_BIN_DIR).parent_path() / "share/"; }

json layer_of(const std::string& manifest) { return json::parse(read_file(manifest)).at("layer"); }

// A key and a value of presets and dependences: of a setting's own type, one that it takes.
void expect_value(const json& layer, const json& one) {
  for (const json& setting : layer.at("features").at("settings")) {
    if (setting.at("key") != one.at("key")) continue;
    EXPECT_EQ(setting.at("default").type(), one.at("value").type()) << one;
    Settings scratch;
    const json& value = one.at("value");
    EXPECT_EQ(assign_setting(scratch, one.at("key").get<std::string>(),
                             value.is_string() ? value.get<std::string>() : value.dump()),
              "")
        << one;
    return;
  }
  ADD_FAILURE() << one << " names no setting";
}

// The loader opens what library_path says, relative to the manifest, and asks it for this function.
void expect_library(const fs::path& manifest) {
  const fs::path library = manifest.parent_path() / layer_of(manifest).at("library_path").get<std::string>();
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_NE(dlsym(handle, "vkNegotiateLoaderLayerInterfaceVersion"), nullptr);
  dlclose(handle);
}

TEST(Manifest, WhatTheLoaderReads) {
  for (const std::string& manifest : {build_share() + kImplicit, build_share() + kExplicit}) {
    const json file = json::parse(read_file(manifest));
    EXPECT_EQ(file.at("file_format_version"), "1.2.0");
    const json& layer = file.at("layer");
    EXPECT_EQ(layer.at("name"), "VK_LAYER_SHADERQA_instrument");
    EXPECT_EQ(layer.at("type"), "GLOBAL");
    EXPECT_EQ(layer.at("implementation_version"), std::to_string(version_number()));
    EXPECT_THAT(layer.at("api_version").get<std::string>(), ::testing::MatchesRegex("1\\.[0-9]+\\.[0-9]+"));
    EXPECT_LT(layer.at("description").get<std::string>().size(), 256u);  // VK_MAX_DESCRIPTION_SIZE
    expect_library(manifest);
  }
  const json implicit = layer_of(build_share() + kImplicit);
  EXPECT_EQ(implicit.at("enable_environment"), json({{"SHADERQA", "1"}}));
  EXPECT_EQ(implicit.at("disable_environment"), json({{"SHADERQA_DISABLE", "1"}}));
  // With one of these the loader would take it for an implicit layer.
  const json explicit_layer = layer_of(build_share() + kExplicit);
  EXPECT_FALSE(explicit_layer.contains("enable_environment"));
  EXPECT_FALSE(explicit_layer.contains("disable_environment"));
}

TEST(Manifest, HasEverySetting) {
  for (const std::string& manifest : {build_share() + kImplicit, build_share() + kExplicit}) {
    const json layer = layer_of(manifest);
    const json& settings = layer.at("features").at("settings");
    ASSERT_EQ(settings.size(), settings_table().size());
    for (size_t i = 0; i < settings.size(); ++i) {
      const Setting& known = settings_table()[i];
      const json& setting = settings[i];
      EXPECT_EQ(setting.at("key"), known.key);
      EXPECT_EQ(setting.at("env"), environment_variable(known));
      EXPECT_EQ(setting.at("description"), known.text);
      EXPECT_FALSE(setting.at("label").get<std::string>().empty());
      EXPECT_EQ(setting.value("flags", json::array()).size(), choices_of(known).size()) << known.key;
      // vkconfig wants values of the setting's own type.
      const json& value = setting.at("default");
      if (known.type == SettingType::boolean) {
        EXPECT_EQ(setting.at("type"), "BOOL");
        EXPECT_TRUE(value.is_boolean()) << known.key;
      } else if (known.type == SettingType::integer) {
        EXPECT_EQ(setting.at("type"), "INT");
        EXPECT_TRUE(value.is_number()) << known.key;
        EXPECT_EQ(setting.at("range").at("min"), known.least);
        EXPECT_EQ(setting.at("range").value("max", known.most), known.most);
      } else {
        EXPECT_TRUE(value.is_string()) << known.key;
      }
      // What vkconfig writes there must reach the layer.
      Settings scratch;
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      EXPECT_EQ(assign_setting(scratch, known, text), "") << known.key;
      EXPECT_EQ(setting_value(scratch, known), default_value(known));
    }
  }
}

TEST(Manifest, VariablesAreTheOnesTheLayerReads) {
  const json layer = layer_of(build_share() + kImplicit);
  for (const json& setting : layer.at("features").at("settings")) {
    std::set<std::string> asked;
    SettingsSources sources;
    sources.environment = [&](const char* name) -> std::optional<std::string> {
      asked.insert(name);
      return std::nullopt;
    };
    load_settings(sources);
    EXPECT_TRUE(asked.contains(setting.at("env").get<std::string>())) << setting.at("env");
  }
}

TEST(Manifest, ChoicesAndPresetsAreValid) {
  const json layer = layer_of(build_share() + kImplicit);
  std::set<std::string> keys;
  for (const json& setting : layer.at("features").at("settings")) {
    const std::string key = setting.at("key");
    keys.insert(key);
    if (setting.at("type") != "ENUM") continue;
    bool has_default = false;
    for (const json& flag : setting.at("flags")) {
      Settings scratch;
      const auto value = flag.at("key").get<std::string>();
      EXPECT_EQ(assign_setting(scratch, key, value), "");
      EXPECT_EQ(setting_value(scratch, key), value);
      has_default = has_default || value == setting.at("default").get<std::string>();
    }
    EXPECT_TRUE(has_default) << key;
  }
  std::set<std::string> labels;
  for (const json& preset : layer.at("features").at("presets")) {
    labels.insert(preset.at("label"));
    std::set<std::string> given;
    for (const json& setting : preset.at("settings")) {
      expect_value(layer, setting);
      given.insert(setting.at("key"));
    }
    // Choosing a preset switches off what the one before had on.
    for (const char* check : {"printf", "assume", "expect", "nan", "sync"})
      EXPECT_TRUE(given.contains(check)) << preset.at("label") << " " << check;
  }
  EXPECT_EQ(labels, (std::set<std::string>{"Print", "Races", "Assumptions and NaN", "Everything"}));
}

TEST(Manifest, DependencesNameSettingsAndTheirValues) {
  const json layer = layer_of(build_share() + kImplicit);
  size_t count = 0;
  for (const json& setting : layer.at("features").at("settings")) {
    if (!setting.contains("dependence")) continue;
    ++count;
    EXPECT_EQ(setting.at("dependence").at("mode"), "ANY");
    ASSERT_FALSE(setting.at("dependence").at("settings").empty());
    for (const json& one : setting.at("dependence").at("settings")) {
      expect_value(layer, one);
      EXPECT_NE(one.at("key"), setting.at("key"));
    }
  }
  EXPECT_GE(count, 13u);
}

// The grammar of layer manifests as vkconfig documents it: no other members, each of its type.
TEST(Manifest, FollowsTheGrammarOfSettings) {
  const std::set<std::string> common = {"key", "env",       "label",  "description", "type",      "default",
                                        "url", "platforms", "status", "view",        "dependence"};
  for (const std::string& manifest : {build_share() + kImplicit, build_share() + kExplicit}) {
    const json layer = layer_of(manifest);  // it lives as long as the loop
    for (const json& setting : layer.at("features").at("settings")) {
      const std::string type = setting.at("type");
      std::set<std::string> allowed = common;
      if (type == "INT") allowed.insert({"range", "unit"});
      if (type == "ENUM") allowed.insert("flags");
      for (const auto& [name, value] : setting.items())
        EXPECT_TRUE(allowed.contains(name)) << setting.at("key") << name;
      EXPECT_EQ(type == "ENUM", setting.contains("flags"));
      EXPECT_THAT(type,
                  ::testing::AnyOf("BOOL", "INT", "ENUM", "STRING", "LOAD_FILE", "SAVE_FILE", "SAVE_FOLDER"));
      if (setting.contains("view")) {
        EXPECT_EQ(setting.at("view"), "HIDDEN");
      }
      for (const json& platform : setting.at("platforms"))
        EXPECT_THAT(platform.get<std::string>(), ::testing::AnyOf("LINUX", "WINDOWS", "MACOS"));
    }
  }
}

// What vkconfig's schema of layer manifests says of the rest of the file.
TEST(Manifest, FollowsTheGrammarOfLayersAndPresets) {
  const std::set<std::string> of_preset = {"label", "description", "url", "platforms", "status", "settings"};
  for (const std::string& manifest : {build_share() + kImplicit, build_share() + kExplicit}) {
    const json file = json::parse(read_file(manifest));
    EXPECT_EQ(file.size(), 2u);
    const json& layer = file.at("layer");
    for (const char* member :
         {"name", "library_path", "api_version", "implementation_version", "description"})
      EXPECT_TRUE(layer.at(member).is_string()) << member;
    EXPECT_TRUE(
        std::regex_match(layer.at("name").get<std::string>(), std::regex("VK_LAYER_[A-Z0-9]+_[a-z0-9_]+")));
    EXPECT_THAT(layer.at("status").get<std::string>(),
                ::testing::AnyOf("ALPHA", "BETA", "STABLE", "DEPRECATED"));
    ASSERT_FALSE(layer.at("features").at("presets").empty());
    for (const json& preset : layer.at("features").at("presets")) {
      for (const auto& [name, value] : preset.items()) EXPECT_TRUE(of_preset.contains(name)) << name;
      for (const char* member : {"label", "description"})
        EXPECT_TRUE(preset.at(member).is_string()) << member;
      for (const json& setting : preset.at("settings")) {
        EXPECT_EQ(setting.size(), 2u);
        EXPECT_TRUE(setting.at("key").is_string());
        const json& value = setting.at("value");
        EXPECT_TRUE(value.is_string() || value.is_boolean() || value.is_number()) << value;
      }
    }
    for (const json& setting : layer.at("features").at("settings")) {
      for (const char* member : {"key", "label", "description", "type", "default"})
        EXPECT_TRUE(setting.contains(member)) << setting.at("key") << member;
      for (const json& flag : setting.value("flags", json::array()))
        for (const char* member : {"key", "label", "description"})
          EXPECT_TRUE(flag.at(member).is_string()) << setting.at("key") << member;
    }
  }
}

TEST(ExampleSettings, HasEverySettingWithItsDefault) {
  SettingsSources sources;
  sources.environment = [](const char*) { return std::nullopt; };
  sources.file_name = "vk_layer_settings.txt";
  sources.file_text = read_file(SHADERQA_SOURCE_DIR "/manifests/vk_layer_settings.txt");
  const LoadedSettings loaded = load_settings(sources);
  EXPECT_THAT(loaded.problems, ::testing::IsEmpty());
  EXPECT_EQ(loaded.settings.dump(), Settings{}.dump());
  for (const Setting& setting : settings_table())
    EXPECT_THAT(*sources.file_text,
                ::testing::HasSubstr("\nshaderqa_instrument." + std::string(setting.key) + " ="));
}

constexpr const char* kUpdate = "; build the target shaderqa_update_settings";

TEST_F(CliTest, TheExampleOfASettingsFileIsTheGeneratedOne) {
  ASSERT_EQ(testing::run({SHADERQA_GENERATE_SETTINGS, "example", file("example")}, environment_).exit_code,
            0);
  EXPECT_EQ(read_file(SHADERQA_SOURCE_DIR "/manifests/vk_layer_settings.txt"), read_file(file("example")))
      << kUpdate;
}

TEST_F(CliTest, TheManualsTablesAreTheGeneratedOnes) {
  const std::string manual = SHADERQA_SOURCE_DIR "/docs/manual/settings.md";
  ASSERT_EQ(
      testing::run({SHADERQA_GENERATE_SETTINGS, "manual", manual, file("manual")}, environment_).exit_code,
      0);
  EXPECT_EQ(read_file(manual), read_file(file("manual"))) << kUpdate;
  for (const Setting& setting : settings_table())
    EXPECT_THAT(read_file(manual), ::testing::HasSubstr("\n| `" + std::string(setting.key) + "` | "));
}

TEST_F(CliTest, AManualWithoutThePlaceForTablesIsRefused) {
  write_file(file("manual"), "# Settings\n");
  EXPECT_EQ(testing::run({SHADERQA_GENERATE_SETTINGS, "manual", file("manual"), file("out")}, environment_)
                .exit_code,
            1);
}

}  // namespace
}  // namespace shaderqa::testing
