// SPDX-License-Identifier: Apache-2.0
// The rows of settings.inc as data, for parsing, help and documentation.
#ifndef SHADERQA_HOST_SETTINGS_SETTINGS_TABLE_H
#define SHADERQA_HOST_SETTINGS_SETTINGS_TABLE_H

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "host/settings/settings.h"

namespace shaderqa {

enum class SettingGroup { checks, selection, part, printf, output, cache, sync, trace, pictures };
// ranges to labels: texts of a form (value_forms.h).
enum class SettingType {
  boolean,
  integer,
  choice,
  text,
  ranges,
  duration,
  share,
  labels,
  load_file,
  save_file,
  save_folder
};
// `option` is an option of `shaderqa run`, too; `layer` means nothing beside that command; only that command
// sets `internal`.
enum class SettingUse { option, layer, internal };

struct SettingChoice {
  const char* name;  // null: no more choices
  const char* label;
  const char* text;
};
inline constexpr size_t kMaxSettingChoices = 6;

struct Setting {
  const char* key;  // "printf_verbose"; in vk_layer_settings.txt "shaderqa_instrument." + key
  SettingType type;
  std::variant<bool Settings::*, uint32_t Settings::*, uint64_t Settings::*, std::string Settings::*> member;
  SettingGroup group;
  SettingUse use;
  const char* foreign;  // null: none
  const char* read_in;
  const char* text;            // one or two sentences
  uint64_t least = 0;          // of integers
  uint64_t most = 0;           // of integers
  const char* unit = "";       // of integers
  const char* when_true = "";  // of choices
  std::array<SettingChoice, kMaxSettingChoices> choices = {};
};

std::span<const Setting> settings_table();
// Null: there is none of this key.
const Setting* find_setting(std::string_view key);

const char* title(SettingGroup group);
std::string default_value(const Setting& setting);
// The named ones.
std::span<const SettingChoice> choices_of(const Setting& setting);
// What may stand behind the '=', in words: "from 12 to 30", "none, writes, full, flush-nan".
std::string allowed_values(const Setting& setting);
// SHADERQA_<KEY>
std::string environment_variable(const Setting& setting);
// How `shaderqa run` names it: --<key> with dashes, or --no-<key> if its option switches it off.
std::string command_line_option(const Setting& setting);
// Whether it is a text of a form, and an example of one.
bool is_formed(SettingType type);
const char* example_of(SettingType type);
// What is on by itself; the option of a check always asks for it.
bool switches_off(const Setting& setting);

}  // namespace shaderqa
#endif
