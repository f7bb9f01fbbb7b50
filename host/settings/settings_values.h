// SPDX-License-Identifier: Apache-2.0
// Turns the text of one setting into its value and back.
#ifndef SHADERQA_HOST_SETTINGS_SETTINGS_VALUES_H
#define SHADERQA_HOST_SETTINGS_SETTINGS_VALUES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/settings/settings.h"
#include "host/settings/settings_table.h"

namespace shaderqa {

// true/false, yes/no, on/off, 1/0, any case.
std::optional<bool> parse_bool(std::string_view text);
// Decimal or 0x hexadecimal, with k, M or G for powers of 1024.
std::optional<uint64_t> parse_size(std::string_view text);

// Sets the setting's member. Returns an empty string, or what is wrong with the value ("is not ...").
std::string assign_setting(Settings& settings, const Setting& setting, const std::string& value);
// The current value as text.
std::string setting_value(const Settings& settings, const Setting& setting);

// The same by key. There must be such a setting.
std::string assign_setting(Settings& settings, std::string_view key, const std::string& value);
std::string setting_value(const Settings& settings, std::string_view key);

}  // namespace shaderqa
#endif
