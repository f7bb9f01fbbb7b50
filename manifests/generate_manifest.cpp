// SPDX-License-Identifier: Apache-2.0
// Writes a layer manifest: generate_manifest implicit|explicit LIBRARY_PATH API_VERSION OUT
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "host/settings/settings.h"

namespace {

using Json = nlohmann::ordered_json;

struct EnumValue {
  const char* setting;
  const char* key;
  const char* label;
  const char* description;
};

// What the values of ENUM settings mean: the layer knows them by name only.
constexpr EnumValue kEnumValues[] = {
    {"nan", "none", "Off", "No check for NaN and infinity."},
    {"nan", "writes", "Writes",
     "Report NaN and infinity in what shaders write to memory, outputs and images."},
    {"nan", "full", "Full", "Report every NaN and infinity where it is computed."},
    {"nan", "flush-nan", "Flush", "Continue with zero instead of NaN and report nothing."},
    {"sync", "none", "Off", "No check for unsynchronised accesses."},
    {"sync", "exact", "Exact", "A cell for every word: says who is on both sides."},
    {"sync", "bloom", "Bloom filter", "A filter of fixed size: may rarely report a hazard that is none."},
    {"sync_host", "none", "Off", "What the host reads is not checked."},
    {"sync_host", "waits", "Waits", "The host may read all mapped memory whenever it waited for the device."},
    {"sync_host", "maps", "Maps", "The host reads what it maps or invalidates."},
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// "printf_buffer_size" -> "Printf buffer size"
std::string label(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  key[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(key[0])));
  return key;
}

Json default_value(const shaderqa::SettingDescription& setting) {
  const std::string type = setting.type;
  const std::string value = setting.default_value;
  if (type == "BOOL") return value == "true";
  if (type == "INT") return std::stoll(value);
  return value;
}

Json setting_json(const shaderqa::SettingDescription& setting) {
  const std::string key = setting.key;
  Json json = {{"key", key},
               {"env", "SHADERQA_" + upper(key)},
               {"label", label(key)},
               {"description", setting.description},
               {"type", setting.type},
               {"default", default_value(setting)},
               {"platforms", {"LINUX"}}};
  if (std::string(setting.type) == "ENUM") {
    for (const EnumValue& value : kEnumValues)
      if (key == value.setting)
        json["flags"].push_back(
            {{"key", value.key}, {"label", value.label}, {"description", value.description}});
    if (!json.contains("flags")) throw std::runtime_error("no values known for the ENUM setting " + key);
  }
  // The command sets it for one run: of no use to a person in vkconfig.
  if (key == "rescue_dir") json["view"] = "HIDDEN";
  return json;
}

Json preset(const char* name, const char* description, Json settings) {
  return {{"label", name},
          {"description", description},
          {"platforms", {"LINUX"}},
          {"status", "BETA"},
          {"settings", std::move(settings)}};
}

Json manifest(const std::string& kind, const std::string& library, const std::string& api_version) {
  Json settings = Json::array();
  for (const shaderqa::SettingDescription& setting : shaderqa::setting_descriptions())
    settings.push_back(setting_json(setting));

  Json layer = {
      {"name", "VK_LAYER_SHADERQA_instrument"},
      {"type", "GLOBAL"},
      {"library_path", library},
      {"api_version", api_version},
      {"implementation_version", "1"},
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
  const Json on = {{"key", "printf"}, {"value", true}};
  layer["features"]["presets"] = {
      preset("Printf", "Messages of shaders on stderr.", {on, {{"key", "printf_verbose"}, {"value", false}}}),
      preset("Printf verbose", "Messages of shaders with source line, invocation, shader and pipeline.",
             {on, {{"key", "printf_verbose"}, {"value", true}}}),
      preset("Hazards and assumptions",
             "Unsynchronised accesses to buffers and assumptions that do not hold.",
             {{{"key", "sync"}, {"value", "bloom"}}, {{"key", "assume"}, {"value", true}}}),
  };
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
