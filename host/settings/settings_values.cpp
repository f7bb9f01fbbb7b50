// SPDX-License-Identifier: Apache-2.0
#include "host/settings/settings_values.h"

#include <charconv>
#include <span>
#include <type_traits>

#include "host/settings/value_forms.h"

namespace shaderqa {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string assign(bool& out, const Setting& setting, const std::string& value) {
  const std::optional<bool> parsed = parse_bool(value);
  if (!parsed) return "is not one of " + allowed_values(setting);
  out = *parsed;
  return {};
}

template <typename Integer>
requires std::is_integral_v<Integer> std::string assign(Integer& out, const Setting& setting,
                                                        const std::string& value) {
  const std::optional<uint64_t> parsed = parse_size(value);
  if (!parsed || *parsed < setting.least || *parsed > setting.most)
    return "is not an integer " + allowed_values(setting);
  out = static_cast<Integer>(*parsed);
  return {};
}

// A choice also takes a boolean, and nothing at all for its first name, which means "off".
std::string assign_choice(std::string& out, const Setting& setting, const std::string& value) {
  const std::span<const SettingChoice> choices = choices_of(setting);
  const std::string text = lower(value);
  for (const SettingChoice& choice : choices) {
    if (text != choice.name) continue;
    out = &choice == choices.data() ? "" : text;
    return {};
  }
  const std::optional<bool> on = parse_bool(text);
  if (!on && !text.empty() && text != "none") return "is not one of " + allowed_values(setting);
  out = on.value_or(false) ? setting.when_true : "";
  return {};
}

// An empty value means that the setting is not given.
bool has_form(SettingType type, const std::string& value) {
  switch (type) {
    case SettingType::ranges:
      return NumberRanges::parse(value).has_value();
    case SettingType::duration:
      return value.empty() || parse_duration(value);
    case SettingType::share:
      return value.empty() || parse_share(value);
    case SettingType::labels:
      return LabelPaths::parse(value).has_value();
    default:
      return true;
  }
}

std::string assign(std::string& out, const Setting& setting, const std::string& value) {
  if (setting.type == SettingType::choice) return assign_choice(out, setting, value);
  if (!has_form(setting.type, value)) return "is not " + allowed_values(setting);
  out = value;
  return {};
}

std::string text_of(bool value, const Setting&) { return value ? "true" : "false"; }
template <typename Integer>
requires std::is_integral_v<Integer> std::string text_of(Integer value, const Setting&) {
  return std::to_string(value);
}
std::string text_of(const std::string& value, const Setting& setting) {
  return setting.type == SettingType::choice && value.empty() ? setting.choices[0].name : value;
}

}  // namespace

std::optional<bool> parse_bool(std::string_view text) {
  const std::string value = lower(text);
  if (value == "true" || value == "1" || value == "yes" || value == "on") return true;
  if (value == "false" || value == "0" || value == "no" || value == "off") return false;
  return std::nullopt;
}

std::optional<uint64_t> parse_size(std::string_view text) {
  uint64_t unit = 1;
  if (!text.empty()) {
    switch (text.back() | 0x20) {
      case 'k':
        unit = uint64_t{1} << 10;
        break;
      case 'm':
        unit = uint64_t{1} << 20;
        break;
      case 'g':
        unit = uint64_t{1} << 30;
        break;
      default:
        break;
    }
    if (unit != 1) text.remove_suffix(1);
  }
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number > UINT64_MAX / unit)
    return std::nullopt;
  return number * unit;
}

std::string assign_setting(Settings& settings, const Setting& setting, const std::string& value) {
  return std::visit([&](auto member) { return assign(settings.*member, setting, value); }, setting.member);
}

std::string setting_value(const Settings& settings, const Setting& setting) {
  return std::visit([&](auto member) { return text_of(settings.*member, setting); }, setting.member);
}

std::string assign_setting(Settings& settings, std::string_view key, const std::string& value) {
  return assign_setting(settings, *find_setting(key), value);
}

std::string setting_value(const Settings& settings, std::string_view key) {
  return setting_value(settings, *find_setting(key));
}

}  // namespace shaderqa
