// SPDX-License-Identifier: Apache-2.0
#include "tools/setting_options.h"

#include <string_view>

#include "host/settings/settings_values.h"

namespace shaderqa {

// A validator returns what is wrong with a value, or nothing.
CLI::Validator valid_value(const Setting& setting) {
  return CLI::Validator(
      [&setting](std::string& value) -> std::string {
        Settings scratch;
        const std::string wrong = assign_setting(scratch, setting, value);
        return wrong.empty() ? "" : "\"" + value + "\" " + wrong;
      },
      "");
}

std::string value_name(const Setting& setting) {
  switch (setting.type) {
    case SettingType::choice: {
      std::string names;
      for (const SettingChoice& choice : choices_of(setting).subspan(1))
        names += (names.empty() ? "" : ",") + std::string(choice.name);
      return "{" + names + "}";
    }
    case SettingType::integer:
      return setting.unit == std::string_view("bytes") ? "BYTES" : "N";
    case SettingType::save_folder:
      return "DIRECTORY";
    case SettingType::text:
    case SettingType::boolean:
      return "TEXT";
    case SettingType::ranges:
      return "RANGES";
    case SettingType::duration:
      return "TIME";
    case SettingType::share:
      return "PERCENT";
    case SettingType::labels:
      return "LABELS";
    case SettingType::load_file:
    case SettingType::save_file:
      return "FILE";
  }
  return {};
}

}  // namespace shaderqa
