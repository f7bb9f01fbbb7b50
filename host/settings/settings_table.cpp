// SPDX-License-Identifier: Apache-2.0
#include "host/settings/settings_table.h"

#include <algorithm>

#include "host/settings/settings_values.h"

namespace shaderqa {
namespace {

constexpr Setting kSettings[] = {
#define SHADERQA_BOOL(key, initial, group, use, read_in, text) \
  {#key, SettingType::boolean, &Settings::key, SettingGroup::group, SettingUse::use, nullptr, read_in, text},
#define SHADERQA_INTEGER(key, type, initial, least, most, unit, foreign, group, use, read_in, text) \
  {#key,                                                                                            \
   SettingType::integer,                                                                            \
   &Settings::key,                                                                                  \
   SettingGroup::group,                                                                             \
   SettingUse::use,                                                                                 \
   foreign,                                                                                         \
   read_in,                                                                                         \
   text,                                                                                            \
   least,                                                                                           \
   most,                                                                                            \
   unit},
#define SHADERQA_CHOICE(key, when_true, group, use, read_in, text, ...) \
  {#key,                                                                \
   SettingType::choice,                                                 \
   &Settings::key,                                                      \
   SettingGroup::group,                                                 \
   SettingUse::use,                                                     \
   nullptr,                                                             \
   read_in,                                                             \
   text,                                                                \
   0,                                                                   \
   0,                                                                   \
   "",                                                                  \
   when_true,                                                           \
   {{__VA_ARGS__}}},
#define SHADERQA_TEXT(key, form, foreign, group, use, read_in, text) \
  {#key, SettingType::form, &Settings::key, SettingGroup::group, SettingUse::use, foreign, read_in, text},
#include "host/settings/settings.inc"
};

}  // namespace

std::span<const Setting> settings_table() { return kSettings; }

const Setting* find_setting(std::string_view key) {
  const auto found = std::ranges::find_if(kSettings, [&](const Setting& one) { return one.key == key; });
  return found == std::end(kSettings) ? nullptr : &*found;
}

const char* title(SettingGroup group) {
  switch (group) {
    case SettingGroup::checks:
      return "Checks";
    case SettingGroup::selection:
      return "Which shaders";
    case SettingGroup::part:
      return "Which part of the run";
    case SettingGroup::printf:
      return "Printf";
    case SettingGroup::output:
      return "Output";
    case SettingGroup::cache:
      return "Caches";
    case SettingGroup::sync:
      return "The check of synchronisation";
    case SettingGroup::trace:
      return "Traces of single invocations";
    case SettingGroup::pictures:
      return "Pictures of values";
  }
  return "";
}

std::string default_value(const Setting& setting) { return setting_value(Settings{}, setting); }

std::span<const SettingChoice> choices_of(const Setting& setting) {
  size_t count = 0;
  while (count < setting.choices.size() && setting.choices[count].name) ++count;
  return {setting.choices.data(), count};
}

std::string allowed_values(const Setting& setting) {
  switch (setting.type) {
    case SettingType::boolean:
      return "true, false";
    case SettingType::integer:
      return "from " + std::to_string(setting.least) + " to " + std::to_string(setting.most) +
             (*setting.unit ? " " + std::string(setting.unit) : "");
    case SettingType::choice: {
      std::string names;
      for (const SettingChoice& choice : choices_of(setting))
        names += (names.empty() ? "" : ", ") + std::string(choice.name);
      return names;
    }
    case SettingType::text:
      return "text";
    case SettingType::ranges:
      return "numbers and ranges of numbers from 1 on, with commas between, such as 100-110,200 or 300-";
    case SettingType::duration:
      return "a time such as 30s, 500ms or 1m30s, or never";
    case SettingType::share:
      return "a share of more than 0% and at most 100%, such as 10%";
    case SettingType::labels:
      return "labels, those of a path with slashes and paths with commas between, such as frame/shadow pass";
    case SettingType::load_file:
    case SettingType::save_file:
      return "file";
    case SettingType::save_folder:
      return "directory";
  }
  return {};
}

std::string environment_variable(const Setting& setting) {
  std::string name = "SHADERQA_";
  for (const char* c = setting.key; *c; ++c)
    name += *c >= 'a' && *c <= 'z' ? static_cast<char>(*c - 'a' + 'A') : *c;
  return name;
}

bool is_formed(SettingType type) {
  return type == SettingType::ranges || type == SettingType::duration || type == SettingType::share ||
         type == SettingType::labels;
}

const char* example_of(SettingType type) {
  switch (type) {
    case SettingType::ranges:
      return "100-110,300-";
    case SettingType::duration:
      return "1m30s";
    case SettingType::share:
      return "2.5%";
    case SettingType::labels:
      return "frame/shadow*,upload";
    default:
      return "";
  }
}

bool switches_off(const Setting& setting) {
  return setting.type == SettingType::boolean && setting.group != SettingGroup::checks &&
         default_value(setting) == "true";
}

std::string command_line_option(const Setting& setting) {
  std::string name = (switches_off(setting) ? "--no-" : "--") + std::string(setting.key);
  std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace shaderqa
