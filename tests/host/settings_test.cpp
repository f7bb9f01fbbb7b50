// SPDX-License-Identifier: Apache-2.0
#include "host/settings/settings.h"

#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "host/settings/settings_values.h"

namespace shaderqa {
namespace {

using Variables = std::map<std::string, std::string>;

std::function<std::optional<std::string>(const char*)> lookup(const Variables& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

LoadedSettings load(const Variables& variables, std::optional<std::string> file = {},
                    std::vector<std::pair<std::string, std::string>> api = {}) {
  SettingsSources sources;
  sources.environment = lookup(variables);
  sources.file_text = std::move(file);
  sources.file_name = "settings.txt";
  sources.api = std::move(api);
  for (const auto& [name, value] : variables) sources.environment_names.push_back(name);
  return load_settings(sources);
}

TEST(Settings, NothingGivenMeansTheDefaults) {
  const LoadedSettings loaded = load({});
  EXPECT_TRUE(loaded.problems.empty());
  for (const Setting& one : settings_table())
    EXPECT_EQ(setting_value(loaded.settings, one), default_value(one)) << one.key;
  EXPECT_TRUE(loaded.settings.printf);
}

// A value of each setting that is not its default.
std::string another_value(const Setting& setting) {
  switch (setting.type) {
    case SettingType::boolean:
      return default_value(setting) == "true" ? "false" : "true";
    case SettingType::integer:
      return std::to_string(setting.least + (std::to_string(setting.least) == default_value(setting)));
    case SettingType::choice:
      return choices_of(setting).back().name;
    default:
      return is_formed(setting.type) ? example_of(setting.type) : "some/path";
  }
}

TEST(Settings, EachCanBeSetAndIsDumped) {
  for (const Setting& one : settings_table()) {
    const std::string value = another_value(one);
    ASSERT_NE(value, default_value(one)) << one.key;
    const LoadedSettings loaded = load({{environment_variable(one), value}});
    EXPECT_EQ(setting_value(loaded.settings, one), value) << one.key;
    EXPECT_NE(loaded.settings.dump().find(std::string(one.key) + " = " + value + "\n"), std::string::npos);
  }
}

TEST(Settings, TheBoundsOfEveryIntegerHold) {
  for (const Setting& one : settings_table()) {
    if (one.type != SettingType::integer) continue;
    const std::string variable = environment_variable(one);
    for (const uint64_t good : {one.least, one.most}) {
      const LoadedSettings loaded = load({{variable, std::to_string(good)}});
      EXPECT_TRUE(loaded.problems.empty()) << one.key;
      EXPECT_EQ(setting_value(loaded.settings, one), std::to_string(good));
    }
    std::vector<std::string> wrong = {std::to_string(one.most + 1), "-1", "", "many"};
    if (one.least > 0) wrong.push_back(std::to_string(one.least - 1));
    for (const std::string& bad : wrong) {
      const LoadedSettings loaded = load({{variable, bad}});
      ASSERT_EQ(loaded.problems.size(), 1u) << one.key << " " << bad;
      EXPECT_EQ(loaded.problems[0], variable + ": the value \"" + bad + "\" is not an integer " +
                                        allowed_values(one) + "; " + one.key + " stays " +
                                        default_value(one));
    }
  }
}

TEST(Settings, TheChoicesOfEachHold) {
  for (const Setting& one : settings_table()) {
    if (one.type != SettingType::choice) continue;
    const std::string variable = environment_variable(one);
    const auto value_of = [&](const std::string& given) {
      return setting_value(load({{variable, given}}).settings, one);
    };
    for (const SettingChoice& choice : choices_of(one)) EXPECT_EQ(value_of(choice.name), choice.name);
    EXPECT_EQ(value_of("true"), one.when_true);
    for (const char* off : {"false", "", "none"}) EXPECT_EQ(value_of(off), choices_of(one)[0].name);
    const LoadedSettings loaded = load({{variable, "wrong"}});
    ASSERT_EQ(loaded.problems.size(), 1u);
    EXPECT_EQ(loaded.problems[0], variable + ": the value \"wrong\" is not one of " + allowed_values(one) +
                                      "; " + one.key + " stays " + default_value(one));
  }
}

// A folder's sources, as one text.
std::string sources_in(const std::string& folder) {
  std::string text;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(SHADERQA_SOURCE_DIR) + "/" + folder)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    text.append(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return text;
}

TEST(Settings, EachIsReadWhereItsRowSays) {
  for (const Setting& one : settings_table())
    EXPECT_TRUE(std::regex_search(sources_in(one.read_in),
                                  std::regex("settings[_)(]*\\." + std::string(one.key) + "\\b")))
        << one.key << " is not read in " << one.read_in;
}

TEST(Settings, EnvironmentOverFileOverApi) {
  const std::string file = "shaderqa_instrument.report = file\n";
  EXPECT_EQ(load({}, {}, {{"report", "api"}}).settings.report, "api");
  EXPECT_EQ(load({}, file, {{"report", "api"}}).settings.report, "file");
  EXPECT_EQ(load({{"VK_INSTRUMENT_REPORT", "c"}}, file, {{"report", "api"}}).settings.report, "c");
  EXPECT_EQ(
      load({{"VK_INSTRUMENT_REPORT", "c"}, {"VK_SHADERQA_INSTRUMENT_REPORT", "b"}}, file).settings.report,
      "b");
  EXPECT_EQ(
      load({{"VK_INSTRUMENT_REPORT", "c"}, {"VK_SHADERQA_INSTRUMENT_REPORT", "b"}, {"SHADERQA_REPORT", "a"}},
           file)
          .settings.report,
      "a");
}

TEST(Settings, Booleans) {
  for (const char* yes : {"true", "1", "yes", "on", "TRUE", "On"})
    EXPECT_TRUE(load({{"SHADERQA_PRINTF_VERBOSE", yes}}).settings.printf_verbose) << yes;
  for (const char* no : {"false", "0", "no", "off", "OFF"})
    EXPECT_FALSE(load({{"SHADERQA_PRINTF_TO_STDERR", no}}).settings.printf_to_stderr) << no;
}

TEST(Settings, Sizes) {
  EXPECT_EQ(parse_size("64k"), 65536u);
  EXPECT_EQ(parse_size("2G"), uint64_t{2} << 30);
  EXPECT_EQ(parse_size("0x10M"), uint64_t{16} << 20);
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("12"), 12u);
  EXPECT_EQ(parse_size("1K"), 1024u);
  EXPECT_EQ(parse_size("3m"), uint64_t{3} << 20);
  EXPECT_EQ(parse_size("0xa"), 10u);
  EXPECT_EQ(parse_size("0Xak"), 10240u);
  EXPECT_EQ(parse_size("010"), 10u) << "not octal";
  EXPECT_EQ(parse_size("18014398509481983k"), UINT64_MAX - 1023);
  EXPECT_EQ(parse_size("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_size("18014398509481984k"), std::nullopt);
  for (const char* bad : {"", "k", "-1", "1.5", "1kb", "0x", "99999999999999999999", "99999999999999999G",
                          " 1", "0xk", "1x0", "a", "1t", "k1", "0x1g0"})
    EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
}

TEST(Settings, BadValuesNameThePlaceAndKeepTheLowerSource) {
  const LoadedSettings loaded =
      load({{"SHADERQA_PRINTF_BUFFER_SIZE", "1k"}}, "shaderqa_instrument.printf_buffer_size = 1M\n");
  EXPECT_EQ(loaded.settings.printf_buffer_size, uint64_t{1} << 20);
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_EQ(loaded.problems[0],
            "SHADERQA_PRINTF_BUFFER_SIZE: the value \"1k\" is not an integer from 65536 to 2147483648 bytes; "
            "printf_buffer_size stays 1048576");
  const LoadedSettings file =
      load({}, "# comment\r\nother.layer = 1\r\nshaderqa_instrument.printf_verbose = maybe\r\n");
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_EQ(file.problems[0].rfind("settings.txt:3: ", 0), 0u) << file.problems[0];
  EXPECT_EQ(load({{"SHADERQA_NAN", "some"}}).problems.size(), 1u);
  EXPECT_EQ(load({{"SHADERQA_PRINTF_FIRST", "4294967296"}}).problems.size(), 1u);
}

TEST(Settings, VariablesOfOthersAreTheWeakest) {
  const std::string file = "shaderqa_instrument.bloom_buffer_size_log2 = 22\nshaderqa_instrument.hashes =\n";
  const Variables others = {{"VKD3D_BLOOM_BUFFER_SIZE_LOG2", "20"}, {"VKD3D_QA_HASHES", "h.txt"}};
  EXPECT_EQ(load(others, file).settings.bloom_buffer_size_log2, 22u);
  EXPECT_EQ(load(others, file).settings.hashes, "h.txt");
}

TEST(Settings, UnknownKeysAreProblems) {
  const LoadedSettings loaded = load(
      {},
      "shaderqa_instrument.printf_verbos = 1\nshaderqa_instrument.zzzzzzzzz=1\nshaderqa_instrument.report\n",
      {{"reprt", "x"}});
  ASSERT_EQ(loaded.problems.size(), 4u);
  EXPECT_NE(loaded.problems[0].find("did you mean report?"), std::string::npos);
  EXPECT_NE(loaded.problems[1].find("did you mean shaderqa_instrument.printf_verbose?"), std::string::npos);
  EXPECT_NE(loaded.problems[2].find("docs/manual/settings.md"), std::string::npos);
  EXPECT_NE(loaded.problems[3].find("has no '='"), std::string::npos);
}

TEST(Settings, MisspeltVariables) {
  EXPECT_TRUE(
      load({{"SHADERQA", "1"}, {"SHADERQA_DISABLE", "1"}, {"SHADERQA_E2E_DRIVER", "x"}}).problems.empty());
  const LoadedSettings loaded = load({{"SHADERQA_PRINT", "1"}});
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_NE(loaded.problems[0].find("SHADERQA_PRINTF?"), std::string::npos);
}

TEST(Settings, PrintfIsOnIfNothingIsChosen) {
  EXPECT_FALSE(load({{"SHADERQA_SYNC", "bloom"}}).settings.printf);
  EXPECT_TRUE(load({{"SHADERQA_SYNC", "bloom"}, {"SHADERQA_PRINTF", "1"}}).settings.printf);
  EXPECT_TRUE(load({{"SHADERQA_SYNC", "0"}}).settings.printf);
  EXPECT_FALSE(load({{"SHADERQA_PRINTF", "0"}}).settings.printf);
  EXPECT_FALSE(load({}, {}, {{"printf", "false"}}).settings.printf);
  EXPECT_FALSE(load({{"SHADERQA_ASSUME", "1"}}).settings.printf);
  EXPECT_FALSE(load({{"SHADERQA_EXPECT", "1"}}).settings.printf);
  EXPECT_FALSE(load({{"SHADERQA_NAN", "full"}}).settings.printf);
}

TEST(Settings, ABooleanChoosesTheFirstMode) {
  const LoadedSettings loaded = load({{"SHADERQA_SYNC", "1"}, {"SHADERQA_NAN", "yes"}});
  EXPECT_EQ(loaded.settings.sync, "exact");
  EXPECT_EQ(loaded.settings.nan, "writes");
  EXPECT_TRUE(loaded.problems.empty());
}

TEST(Settings, SyncHasTwoEngines) {
  const LoadedSettings loaded = load({{"SHADERQA_SYNC", "exact"}});
  EXPECT_EQ(loaded.settings.sync, "exact");
  EXPECT_TRUE(loaded.problems.empty());
}

TEST(Settings, RedundantBarriersChooseTheExactEngine) {
  const LoadedSettings loaded = load({{"SHADERQA_SYNC_REDUNDANT", "1"}});
  EXPECT_TRUE(loaded.settings.sync_redundant);
  EXPECT_EQ(loaded.settings.sync, "exact");
  EXPECT_FALSE(loaded.settings.printf);
  EXPECT_EQ(load({{"SHADERQA_SYNC_REDUNDANT", "1"}, {"SHADERQA_SYNC", "bloom"}}).settings.sync, "bloom");
}

TEST(Settings, ImagesChooseTheExactEngine) {
  const LoadedSettings loaded = load({{"SHADERQA_SYNC_IMAGES", "1"}});
  EXPECT_TRUE(loaded.settings.sync_images);
  EXPECT_EQ(loaded.settings.sync, "exact");
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(load({{"SHADERQA_SYNC_IMAGES", "1"}, {"SHADERQA_SYNC", "bloom"}}).problems.size(), 1u);
}

TEST(Settings, PicturesChooseImages) {
  const LoadedSettings loaded = load({{"SHADERQA_SYNC_PICTURES", "/somewhere"}});
  EXPECT_EQ(loaded.settings.sync_pictures, "/somewhere");
  EXPECT_TRUE(loaded.settings.sync_images);
  EXPECT_EQ(loaded.settings.sync, "exact");
  EXPECT_TRUE(loaded.problems.empty());
  const LoadedSettings redundant =
      load({{"SHADERQA_SYNC_PICTURES", "/somewhere"}, {"SHADERQA_SYNC_REDUNDANT", "1"}});
  ASSERT_EQ(redundant.problems.size(), 1u);
  EXPECT_EQ(redundant.problems[0], "sync_pictures has no effect with sync_redundant");
}

TEST(Settings, HostReadsChooseTheExactEngine) {
  const LoadedSettings loaded = load({{"SHADERQA_SYNC_HOST", "1"}});
  EXPECT_EQ(loaded.settings.sync_host, "waits");
  EXPECT_EQ(loaded.settings.sync, "exact");
  EXPECT_FALSE(loaded.settings.printf);
  EXPECT_TRUE(loaded.problems.empty());
  for (const char* other : {"SHADERQA_SYNC_REDUNDANT", "SHADERQA_SYNC"}) {
    const std::string value = std::string(other) == "SHADERQA_SYNC" ? "bloom" : "1";
    EXPECT_EQ(load({{"SHADERQA_SYNC_HOST", "1"}, {other, value}}).problems.size(), 1u) << other;
  }
}

TEST(Settings, ForeignVariables) {
  const LoadedSettings loaded = load({{"VKD3D_QA_HASHES", "h.txt"},
                                      {"VKD3D_CONFIG", "breadcrumbs;instruction_qa_checks"},
                                      {"VKD3D_BLOOM_BUFFER_SIZE_LOG2", "20"}});
  EXPECT_EQ(loaded.settings.hashes, "h.txt");
  EXPECT_TRUE(loaded.settings.instruction_qa_checks);
  EXPECT_TRUE(loaded.settings.printf);
  EXPECT_EQ(loaded.settings.bloom_buffer_size_log2, 20u);
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_FALSE(load({{"VKD3D_CONFIG", "no_instruction_qa_checks,other"}}).settings.instruction_qa_checks);
  EXPECT_TRUE(load({{"VKD3D_CONFIG", "instruction_qa_checks"}}).problems.empty());
  const LoadedSettings own = load({{"VKD3D_QA_HASHES", "h.txt"},
                                   {"SHADERQA_HASHES", "own.txt"},
                                   {"VKD3D_BLOOM_BUFFER_SIZE_LOG2", "20"},
                                   {"SHADERQA_BLOOM_BUFFER_SIZE_LOG2", "21"}});
  EXPECT_EQ(own.settings.hashes, "own.txt");
  EXPECT_EQ(own.settings.bloom_buffer_size_log2, 21u);
  for (const char* wrong : {"64", "11", "-1", "big", ""}) {
    const LoadedSettings bad = load({{"VKD3D_BLOOM_BUFFER_SIZE_LOG2", wrong}});
    EXPECT_EQ(bad.settings.bloom_buffer_size_log2, 26u);
    ASSERT_EQ(bad.problems.size(), 1u) << wrong;
    EXPECT_EQ(bad.problems[0], std::string("VKD3D_BLOOM_BUFFER_SIZE_LOG2: the value \"") + wrong +
                                   "\" is not an integer from 12 to 30; bloom_buffer_size_log2 stays 26");
  }
}

TEST(Settings, APathOfASettingsFileThatCannotBeReadIsSaid) {
  const LoadedSettings none = load({{"VK_LAYER_SETTINGS_PATH", "/absent"}});
  ASSERT_EQ(none.problems.size(), 1u);
  EXPECT_NE(none.problems[0].find("neither /absent nor /absent/vk_layer_settings.txt can be read"),
            std::string::npos);
  SettingsSources sources;
  sources.environment = lookup({{"VK_LAYER_SETTINGS_PATH", "/a"}});
  sources.file_text = "";
  for (const char* read : {"/a", "/a/vk_layer_settings.txt"}) {
    sources.file_name = read;
    EXPECT_TRUE(load_settings(sources).problems.empty()) << read;
  }
  sources.file_name = "/ab/vk_layer_settings.txt";
  EXPECT_EQ(load_settings(sources).problems.size(), 1u);
}

TEST(Settings, AValueOfTheSwitchThatDoesNotLoadTheLayerIsSaid) {
  for (const char* value : {"yes", "0", ""})
    EXPECT_EQ(load({{"SHADERQA", value}}).problems.size(), 1u) << value;
  EXPECT_TRUE(load({{"SHADERQA", "1"}}).problems.empty());
}

TEST(Settings, FindsTheFile) {
  namespace fs = std::filesystem;
  const fs::path dir = fs::path(testing::TempDir()) / "shaderqa_settings";
  fs::create_directories(dir / "data/vulkan/settings.d");
  fs::create_directories(dir / "own");
  std::ofstream(dir / "data/vulkan/settings.d/vk_layer_settings.txt") << "data";
  std::ofstream(dir / "own/vk_layer_settings.txt") << "own";
  std::ofstream(dir / "named.txt") << "named";
  const auto find = [&](const Variables& variables) {
    return find_settings_file(lookup(variables)).first.value_or("none");
  };
  const std::string data = dir / "data";
  EXPECT_EQ(find({{"XDG_DATA_HOME", data}}), "data");
  EXPECT_EQ(find({{"XDG_DATA_HOME", data}, {"VK_LAYER_SETTINGS_PATH", dir / "own"}}), "own");
  EXPECT_EQ(find({{"XDG_DATA_HOME", data}, {"VK_LAYER_SETTINGS_PATH", dir / "named.txt"}}), "named");
  EXPECT_EQ(find({{"XDG_DATA_HOME", data}, {"VK_LAYER_SETTINGS_PATH", dir / "absent"}}), "data");
  EXPECT_EQ(find({{"HOME", dir / "absent"}}), "none");
  fs::remove_all(dir);
}

}  // namespace
}  // namespace shaderqa
