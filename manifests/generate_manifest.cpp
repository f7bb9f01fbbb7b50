// SPDX-License-Identifier: Apache-2.0
// Writes a layer manifest: generate_manifest implicit|explicit LIBRARY_PATH API_VERSION OUT
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/settings/settings_table.h"
#include "host/version.h"

namespace {

using Json = nlohmann::ordered_json;
using shaderqa::Setting;
using shaderqa::SettingType;
using shaderqa::SettingUse;

// "printf_buffer_size" -> "Printf buffer size"
std::string label(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  key[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(key[0])));
  return key;
}

// The names that vkconfig has for types.
const char* type_name(SettingType type) {
  switch (type) {
    case SettingType::boolean:
      return "BOOL";
    case SettingType::integer:
      return "INT";
    case SettingType::choice:
      return "ENUM";
    case SettingType::text:
    case SettingType::ranges:
    case SettingType::duration:
    case SettingType::share:
    case SettingType::labels:
      return "STRING";
    case SettingType::load_file:
      return "LOAD_FILE";
    case SettingType::save_file:
      return "SAVE_FILE";
    case SettingType::save_folder:
      return "SAVE_FOLDER";
  }
  throw std::runtime_error("unknown type of setting");
}

Json default_json(const Setting& setting) {
  const std::string value = shaderqa::default_value(setting);
  if (setting.type == SettingType::boolean) return value == "true";
  if (setting.type == SettingType::integer) return std::stoll(value);
  return value;
}

// vkconfig keeps bounds in an int: a greater one is left out, and the layer alone checks it.
Json range_json(const Setting& setting) {
  Json range = {{"min", setting.least}};
  if (setting.most <= INT32_MAX) range["max"] = setting.most;
  return range;
}

// vkconfig greys a setting out where none of these holds: it would have no effect.
struct Dependence {
  const char* key;
  std::vector<std::pair<const char*, Json>> any_of;
};
const std::vector<Dependence>& dependences() {
  static const std::vector<std::pair<const char*, Json>> exact = {
      {"sync", "exact"}, {"sync_host", "waits"}, {"sync_host", "maps"}, {"sync_redundant", true}};
  static const std::vector<std::pair<const char*, Json>> any_sync = [] {
    auto all = exact;
    all.emplace_back("sync", "bloom");
    return all;
  }();
  static const std::vector<Dependence> all = {{"printf_buffer_size", {{"printf", true}}},
                                              {"printf_verbose", {{"printf", true}}},
                                              {"printf_first", {{"printf", true}}},
                                              {"printf_every", {{"printf", true}}},
                                              {"printf_to_stderr", {{"printf", true}}},
                                              {"breadcrumbs", any_sync},
                                              {"log_file",
                                               {{"log_level", "error"},
                                                {"log_level", "warn"},
                                                {"log_level", "info"},
                                                {"log_level", "debug"},
                                                {"log_level", "trace"}}},
                                              {"sync_strict", any_sync},
                                              {"sync_memory_limit", exact},
                                              {"bloom_buffer_size_log2", {{"sync", "bloom"}}},
                                              {"sync_merge", any_sync},
                                              {"sync_own_elements", exact},
                                              {"sync_unwatched_version", exact},
                                              {"sync_log_reads", exact},
                                              {"sync_calls", any_sync}};
  return all;
}

void add_dependence(const std::string& key, Json& json) {
  for (const Dependence& one : dependences()) {
    if (key != one.key) continue;
    Json settings = Json::array();
    for (const auto& [other, value] : one.any_of) settings.push_back({{"key", other}, {"value", value}});
    json["dependence"] = {{"mode", "ANY"}, {"settings", std::move(settings)}};
  }
}

Json setting_json(const Setting& setting) {
  Json json = {{"key", setting.key},
               {"env", environment_variable(setting)},
               {"label", label(setting.key)},
               {"description", setting.text},
               {"type", type_name(setting.type)},
               {"default", default_json(setting)},
               {"platforms", {"LINUX"}}};
  if (setting.type == SettingType::integer) json["range"] = range_json(setting);
  if (*setting.unit) json["unit"] = setting.unit;
  for (const shaderqa::SettingChoice& choice : choices_of(setting))
    json["flags"].push_back({{"key", choice.name}, {"label", choice.label}, {"description", choice.text}});
  if (setting.use == SettingUse::internal) json["view"] = "HIDDEN";
  add_dependence(setting.key, json);
  return json;
}

Json preset(const char* name, const char* description, Json settings) {
  return {{"label", name},
          {"description", description},
          {"platforms", {"LINUX"}},
          {"status", "BETA"},
          {"settings", std::move(settings)}};
}

Json values(std::initializer_list<std::pair<const char*, Json>> list) {
  Json settings = Json::array();
  for (const auto& [key, value] : list) settings.push_back({{"key", key}, {"value", value}});
  return settings;
}

// Each sets all checks, so that choosing one leaves nothing of the one before.
Json presets() {
  return {
      preset("Print", "Messages of shaders, with source line, invocation, shader and pipeline.",
             values({{"printf", true},
                     {"printf_verbose", true},
                     {"assume", false},
                     {"expect", false},
                     {"nan", "none"},
                     {"sync", "none"}})),
      preset(
          "Races", "Unsynchronised accesses to buffers, with both sides (exact).",
          values(
              {{"printf", false}, {"assume", false}, {"expect", false}, {"nan", "none"}, {"sync", "exact"}})),
      preset(
          "Assumptions and NaN",
          "Assumptions that do not hold, breakpoints, NaN and infinity that are written.",
          values(
              {{"printf", false}, {"assume", true}, {"expect", false}, {"nan", "writes"}, {"sync", "none"}})),
      preset("Everything", "All checks. Slow: narrow it down with `only`.",
             values({{"printf", true},
                     {"printf_verbose", true},
                     {"assume", true},
                     {"expect", true},
                     {"nan", "writes"},
                     {"sync", "exact"}})),
  };
}

Json manifest(const std::string& kind, const std::string& library, const std::string& api_version) {
  Json settings = Json::array();
  for (const Setting& setting : shaderqa::settings_table()) settings.push_back(setting_json(setting));

  Json layer = {
      {"name", "VK_LAYER_SHADERQA_instrument"},
      {"type", "GLOBAL"},
      {"library_path", library},
      {"api_version", api_version},
      {"implementation_version", std::to_string(shaderqa::version_number())},
      {"description", "Finds on the GPU what is wrong with shaders"},
      {"introduction",
       "Rewrites the program's shaders as pipelines are created, so that they print (debugPrintfEXT, "
       "NonSemantic.DebugPrintf) and check themselves (assumptions, NaN, unsynchronised accesses) while the "
       "GPU "
       "runs. The program needs no change, and shaders with nothing to print or check are passed on "
       "untouched."},
      {"platforms", {"LINUX"}},
      {"status", "BETA"}};
  if (kind == "implicit") {
    layer["enable_environment"] = {{"SHADERQA", "1"}};
    layer["disable_environment"] = {{"SHADERQA_DISABLE", "1"}};
  }
  layer["features"]["presets"] = presets();
  layer["features"]["settings"] = std::move(settings);
  return {{"file_format_version", "1.2.0"}, {"layer", std::move(layer)}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s implicit|explicit LIBRARY_PATH API_VERSION OUT\n", argv[0]);
    return 2;
  }
  try {
    const std::string kind = argv[1];
    if (kind != "implicit" && kind != "explicit") throw std::runtime_error("unknown kind " + kind);
    std::ofstream out(argv[4]);
    out << manifest(kind, argv[2], argv[3]).dump(2) << '\n';
    out.close();
    if (!out) throw std::runtime_error(std::string("cannot write ") + argv[4]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "generate_manifest: %s\n", error.what());
    return 1;
  }
}
