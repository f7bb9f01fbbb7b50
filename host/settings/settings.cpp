// SPDX-License-Identifier: Apache-2.0
#include "host/settings/settings.h"

#include <unistd.h>
#include <algorithm>
#include <iterator>

#include "host/settings/settings_table.h"
#include "host/settings/settings_values.h"
#include "host/text/edit_distance.h"
#include "host/text/file_text.h"
#include "host/text/text_escape.h"

namespace shaderqa {
namespace {

constexpr std::string_view kPrefix = "shaderqa_instrument.";
// What may stand before a key in the name of a variable, strongest first.
constexpr std::string_view kVariablePrefix = "SHADERQA_", kLayerPrefix = "VK_SHADERQA_INSTRUMENT_",
                           kShortLayerPrefix = "VK_INSTRUMENT_";
// Variables with our prefix that are not settings: the Vulkan loader reads them.
constexpr std::string_view kSwitches[] = {"SHADERQA", "SHADERQA_DISABLE"};

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// The key most like a misspelt one, "" if none is near.
std::string_view nearest_key(std::string_view key, size_t reach) {
  std::string_view best;
  for (const Setting& one : settings_table()) {
    const size_t distance = edit_distance(key, one.key);
    if (distance <= reach) {
      best = one.key;
      reach = distance - (distance > 0 ? 1 : 0);
    }
  }
  return best;
}

class Loader {
 public:
  explicit Loader(const SettingsSources& sources) : sources_(sources) {}
  LoadedSettings load();

 private:
  void set(const Setting& setting, const std::string& value, const std::string& place);
  void read_api();
  void read_file();
  void read_environment();
  void read_foreign_environment();
  // The strongest variable that gives the setting, and its value.
  std::optional<std::pair<std::string, std::string>> own_variable(const Setting& setting) const;
  void check_environment_names();
  void check_switches();
  std::optional<std::string> variable(const std::string& name) const {
    return sources_.environment ? sources_.environment(name.c_str()) : std::nullopt;
  }

  const SettingsSources& sources_;
  LoadedSettings loaded_;
  bool printf_chosen_ = false;
};

// place: "SHADERQA_PRINTF" or "vk_layer_settings.txt:3".
void Loader::set(const Setting& setting, const std::string& value, const std::string& place) {
  const std::string wrong = assign_setting(loaded_.settings, setting, value);
  if (!wrong.empty()) {
    loaded_.problems.push_back(place + ": the value \"" + to_utf8(value) + "\" " + wrong + "; " +
                               setting.key + " stays " + setting_value(loaded_.settings, setting));
    return;
  }
  printf_chosen_ |= setting.key == std::string_view("printf");
}

void Loader::read_api() {
  for (const auto& [key, value] : sources_.api) {
    std::string_view bare = key;
    if (bare.starts_with(kPrefix)) bare.remove_prefix(kPrefix.size());
    if (const Setting* setting = find_setting(bare)) {
      set(*setting, value, "VK_EXT_layer_settings: " + to_utf8(bare));
    } else {
      const std::string_view near = nearest_key(bare, 3);
      loaded_.problems.push_back("VK_EXT_layer_settings: \"" + to_utf8(bare) + "\" is not a setting" +
                                 (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
    }
  }
}

void Loader::read_file() {
  if (!sources_.file_text) return;
  const std::string_view text = *sources_.file_text;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trim(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (!line.starts_with(kPrefix)) continue;  // a comment, or another layer's
    const std::string place = sources_.file_name + ":" + std::to_string(number);
    const size_t equals = line.find('=');
    const std::string_view key = trim(line.substr(0, equals)).substr(kPrefix.size());
    const Setting* const setting = find_setting(key);
    if (equals == std::string_view::npos) {
      loaded_.problems.push_back(place + ": \"" + to_utf8(line) + "\" has no '='; write " +
                                 std::string(kPrefix) + "KEY = VALUE");
    } else if (!setting) {
      const std::string_view near = nearest_key(key, 3);
      loaded_.problems.push_back(
          place + ": \"" + std::string(kPrefix) + to_utf8(key) + "\" is not a setting; " +
          (near.empty() ? "docs/manual/settings.md lists them"
                        : "did you mean " + std::string(kPrefix) + std::string(near) + "?"));
    } else {
      set(*setting, std::string(trim(line.substr(equals + 1))), place);
    }
  }
}

std::optional<std::pair<std::string, std::string>> Loader::own_variable(const Setting& setting) const {
  const std::string key = environment_variable(setting).substr(kVariablePrefix.size());
  for (const std::string_view prefix : {kVariablePrefix, kLayerPrefix, kShortLayerPrefix}) {
    std::string name = std::string(prefix) + key;
    if (std::optional<std::string> value = variable(name))
      return std::pair(std::move(name), std::move(*value));
  }
  return std::nullopt;
}

void Loader::read_environment() {
  for (const Setting& setting : settings_table())
    if (const auto given = own_variable(setting)) set(setting, given->second, given->first);
}

// The variables of vkd3d-proton hold where our own setting is not given. They may be meant for vkd3d-proton
// alone, so they never switch printf off.
void Loader::read_foreign_environment() {
  Settings& settings = loaded_.settings;
  for (const Setting& setting : settings_table()) {
    if (!setting.foreign || setting_value(settings, setting) != default_value(setting)) continue;
    if (const auto own = own_variable(setting); own && !own->second.empty()) continue;
    if (const auto value = variable(setting.foreign)) set(setting, *value, setting.foreign);
  }
  const std::string config = variable("VKD3D_CONFIG").value_or("");
  for (size_t begin = 0; begin <= config.size();) {
    const size_t end = std::min(config.find_first_of(",;", begin), config.size());
    if (trim(std::string_view(config).substr(begin, end - begin)) == "instruction_qa_checks")
      settings.instruction_qa_checks = true;
    begin = end + 1;
  }
}

void Loader::check_environment_names() {
  for (const std::string& name : sources_.environment_names) {
    if (!name.starts_with(kVariablePrefix) ||
        std::find(std::begin(kSwitches), std::end(kSwitches), name) != std::end(kSwitches))
      continue;
    std::string key = name.substr(kVariablePrefix.size());
    for (char& c : key)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const Setting* const near = find_setting(nearest_key(key, 2));
    if (!near || name == environment_variable(*near)) continue;
    loaded_.problems.push_back("the environment variable " + to_utf8(name) +
                               " is not a setting; did you mean " + environment_variable(*near) + "?");
  }
}

// What a user asked for and did not get, where nothing else would say so.
void Loader::check_switches() {
  const std::string path = variable("VK_LAYER_SETTINGS_PATH").value_or("");
  if (!path.empty() && sources_.file_name != path && sources_.file_name != path + "/vk_layer_settings.txt")
    loaded_.problems.push_back(
        "VK_LAYER_SETTINGS_PATH: neither " + to_utf8(path) + " nor " + to_utf8(path) +
        "/vk_layer_settings.txt can be read as a settings file; " +
        (sources_.file_text ? to_utf8(sources_.file_name) + " is used instead" : "no settings file is used"));
  const std::string enable = variable("SHADERQA").value_or("1");
  if (enable != "1")
    loaded_.problems.push_back(
        "SHADERQA=" + to_utf8(enable) +
        " does not load the layer, only SHADERQA=1 does; it was loaded in another way");
}

LoadedSettings Loader::load() {
  read_api();
  read_file();
  read_environment();
  read_foreign_environment();
  check_environment_names();
  check_switches();
  Settings& settings = loaded_.settings;
  if (!settings.sync_pictures.empty()) settings.sync_images = true;
  if ((settings.sync_redundant || settings.sync_images || !settings.sync_host.empty()) &&
      settings.sync.empty())
    settings.sync = "exact";
  if (settings.sync_images && (settings.sync == "bloom" || settings.sync_redundant)) {
    loaded_.problems.push_back((settings.sync_pictures.empty() ? "sync_images" : "sync_pictures") +
                               std::string(" has no effect with ") +
                               (settings.sync == "bloom" ? "sync = bloom" : "sync_redundant"));
  }
  if (!settings.sync_host.empty() && (settings.sync == "bloom" || settings.sync_redundant)) {
    loaded_.problems.push_back(std::string("sync_host has no effect with ") +
                               (settings.sync == "bloom" ? "sync = bloom" : "sync_redundant"));
  }
  if (settings.sync_redundant) {
    for (std::string* const part : {&settings.frames, &settings.actions, &settings.after, &settings.within,
                                    &settings.budget, &settings.switch_signal}) {
      if (part->empty()) continue;
      loaded_.problems.emplace_back(
          "sync_redundant looks at the whole run, so frames, actions, after, within, budget and "
          "switch_signal "
          "have no effect with it");
      break;
    }
    settings.frames.clear(), settings.actions.clear(), settings.after.clear(), settings.within.clear();
    settings.budget.clear(), settings.switch_signal.clear();
  }
  if (!printf_chosen_)
    settings.printf = !(settings.assume || settings.expect || settings.uninit || !settings.nan.empty() ||
                        !settings.sync.empty());
  return std::move(loaded_);
}

}  // namespace

LoadedSettings load_settings(const SettingsSources& sources) { return Loader(sources).load(); }

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

std::string Settings::dump() const {
  std::string text;
  for (const Setting& one : settings_table())
    text += std::string(one.key) + " = " + setting_value(*this, one) + "\n";
  return text;
}

std::pair<std::optional<std::string>, std::string> find_settings_file(
    const std::function<std::optional<std::string>(const char*)>& environment) {
  const std::string name = "vk_layer_settings.txt";
  // What a user names wins over what a configurator left behind; the working directory comes last.
  std::vector<std::string> candidates;
  if (const auto path = environment("VK_LAYER_SETTINGS_PATH"); path && !path->empty()) {
    candidates.push_back(*path + "/" + name);
    candidates.push_back(*path);
  }
  std::string data = environment("XDG_DATA_HOME").value_or("");
  if (data.empty())
    if (const auto home = environment("HOME"); home && !home->empty()) data = *home + "/.local/share";
  if (!data.empty()) candidates.push_back(data + "/vulkan/settings.d/" + name);
  candidates.push_back(name);
  std::string ignored;  // it is normal that most of these files do not exist
  for (const std::string& path : candidates)
    if (auto text = read_file_text(path, ignored)) return {std::move(text), path};
  return {std::nullopt, ""};
}

}  // namespace shaderqa
