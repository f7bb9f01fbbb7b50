// SPDX-License-Identifier: Apache-2.0
// The values of all settings, and where they are read from: the environment is stronger than
// vk_layer_settings.txt, which is stronger than VK_EXT_layer_settings. settings.inc lists them.
#ifndef SHADERQA_HOST_SETTINGS_SETTINGS_H
#define SHADERQA_HOST_SETTINGS_SETTINGS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shaderqa {

struct Settings {
  // One member for each row of settings.inc, with its default.
#define SHADERQA_BOOL(key, initial, ...) bool key = initial;
#define SHADERQA_INTEGER(key, type, initial, ...) type key = initial;
#define SHADERQA_CHOICE(key, ...) std::string key;  // empty: the first choice, which means "off"
#define SHADERQA_TEXT(key, ...) std::string key;
#include "host/settings/settings.inc"

  // VKD3D_CONFIG asks for the checks of NaN and infinity where they are written, unless `nan` or the hash
  // file says otherwise.
  bool instruction_qa_checks = false;

  std::string dump() const;  // one "key = value" a line, every setting
};

struct SettingsSources {
  // Looks up an environment variable (std::getenv in production). Names tried for a key, strongest first:
  // SHADERQA_<KEY>, VK_SHADERQA_INSTRUMENT_<KEY>, VK_INSTRUMENT_<KEY>; then those of vkd3d-proton.
  std::function<std::optional<std::string>(const char*)> environment;
  std::optional<std::string> file_text;                  // vk_layer_settings.txt
  std::string file_name;                                 // for messages
  std::vector<std::pair<std::string, std::string>> api;  // VK_EXT_layer_settings, values joined with ','
  // The names of all variables, to find misspelt ones. May be left empty.
  std::vector<std::string> environment_names;
};

struct LoadedSettings {
  Settings settings;
  // Bad values and unknown keys, one sentence each: where it is, what is wrong, what is allowed.
  std::vector<std::string> problems;
};
LoadedSettings load_settings(const SettingsSources& sources);
// The names of the process's environment variables, for SettingsSources.
std::vector<std::string> environment_names();

// vk_layer_settings.txt as the loader's ecosystem searches it (VK_LAYER_SETTINGS_PATH, XDG_DATA_HOME, working
// directory).
std::pair<std::optional<std::string>, std::string> find_settings_file(
    const std::function<std::optional<std::string>(const char*)>& environment);

}  // namespace shaderqa
#endif
