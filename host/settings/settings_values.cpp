// SPDX-License-Identifier: Apache-2.0
#include "host/settings/settings_values.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace shaderqa {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string assign_bool(bool& out, const std::string& value) {
  const std::optional<bool> parsed = parse_bool(value);
  if (!parsed) return "is not true or false";
  out = *parsed;
  return {};
}

template <typename Integer>
std::string assign_integer(Integer& out, const std::string& value, uint64_t least, uint64_t most) {
  const std::optional<uint64_t> parsed = parse_size(value);
  if (!parsed || *parsed < least || *parsed > most)
    return "is not an integer from " + std::to_string(least) + " to " + std::to_string(most);
  out = static_cast<Integer>(*parsed);
  return {};
}

// A choice that also takes a boolean: false is off, true the first name.
template <size_t Count>
std::string assign_choice(std::string& out, const std::string& value,
                          const std::array<const char*, Count>& names) {
  const std::string text = lower(value);
  if (std::find(names.begin(), names.end(), text) != names.end()) {
    out = text;
  } else if (const std::optional<bool> on = parse_bool(text); on || text.empty() || text == "none") {
    out = on.value_or(false) ? names[0] : "";
  } else {
    std::string what = "is not none";
    for (const char* name : names) what += std::string(", ") + name;
    return what;
  }
  return {};
}

constexpr std::array kNanModes = {"writes", "full", "flush-nan"};
constexpr std::array kSyncModes = {"exact", "bloom"};
constexpr std::array kSyncHostModes = {"waits", "maps"};

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

std::string assign_setting(Settings& settings, std::string_view key, const std::string& value) {
  if (key == "printf") return assign_bool(settings.printf, value);
  if (key == "assume") return assign_bool(settings.assume, value);
  if (key == "expect") return assign_bool(settings.expect, value);
  if (key == "nan") return assign_choice(settings.nan, value, kNanModes);
  if (key == "sync") return assign_choice(settings.sync, value, kSyncModes);
  if (key == "printf_buffer_size")
    return assign_integer(settings.printf_buffer_size, value, uint64_t{64} << 10, uint64_t{2} << 30);
  if (key == "printf_verbose") return assign_bool(settings.printf_verbose, value);
  if (key == "printf_first") return assign_integer(settings.printf_first, value, 0, UINT32_MAX);
  if (key == "printf_every") return assign_integer(settings.printf_every, value, 0, UINT32_MAX);
  if (key == "max_sites") return assign_integer(settings.max_sites, value, 0, UINT32_MAX);
  if (key == "printf_to_stderr") return assign_bool(settings.printf_to_stderr, value);
  if (key == "stable_addresses") return assign_bool(settings.stable_addresses, value);
  if (key == "quiet_notes") return assign_bool(settings.quiet_notes, value);
  if (key == "breadcrumbs") return assign_bool(settings.breadcrumbs, value);
  if (key == "sync_host") return assign_choice(settings.sync_host, value, kSyncHostModes);
  if (key == "sync_redundant") return assign_bool(settings.sync_redundant, value);
  if (key == "bloom_buffer_size_log2") return assign_integer(settings.bloom_buffer_size_log2, value, 12, 30);
  if (key == "sync_merge") return assign_bool(settings.sync_merge, value);
  if (key == "sync_own_elements") return assign_bool(settings.sync_own_elements, value);
  if (key == "sync_unwatched_version") return assign_bool(settings.sync_unwatched_version, value);
  if (key == "sync_memory_limit")
    return assign_integer(settings.sync_memory_limit, value, 0, uint64_t{1} << 48);
  if (key == "cache_size")
    return assign_integer(settings.cache_size, value, uint64_t{1} << 20, uint64_t{1} << 40);
  if (key == "cache_dir") settings.cache_dir = value;
  if (key == "hashes") settings.hashes = value;
  if (key == "only") settings.only = value;
  if (key == "skip") settings.skip = value;
  if (key == "report") settings.report = value;
  if (key == "rescue_dir") settings.rescue_dir = value;
  if (key == "dump_dir") settings.dump_dir = value;
  return {};
}

std::string setting_value(const Settings& settings, std::string_view key) {
  const auto text = [](bool value) { return std::string(value ? "true" : "false"); };
  if (key == "printf") return text(settings.printf);
  if (key == "assume") return text(settings.assume);
  if (key == "expect") return text(settings.expect);
  if (key == "nan") return settings.nan.empty() ? "none" : settings.nan;
  if (key == "sync") return settings.sync.empty() ? "none" : settings.sync;
  if (key == "printf_buffer_size") return std::to_string(settings.printf_buffer_size);
  if (key == "printf_verbose") return text(settings.printf_verbose);
  if (key == "printf_first") return std::to_string(settings.printf_first);
  if (key == "printf_every") return std::to_string(settings.printf_every);
  if (key == "max_sites") return std::to_string(settings.max_sites);
  if (key == "printf_to_stderr") return text(settings.printf_to_stderr);
  if (key == "stable_addresses") return text(settings.stable_addresses);
  if (key == "quiet_notes") return text(settings.quiet_notes);
  if (key == "breadcrumbs") return text(settings.breadcrumbs);
  if (key == "sync_host") return settings.sync_host.empty() ? "none" : settings.sync_host;
  if (key == "sync_redundant") return text(settings.sync_redundant);
  if (key == "bloom_buffer_size_log2") return std::to_string(settings.bloom_buffer_size_log2);
  if (key == "sync_merge") return text(settings.sync_merge);
  if (key == "sync_own_elements") return text(settings.sync_own_elements);
  if (key == "sync_unwatched_version") return text(settings.sync_unwatched_version);
  if (key == "sync_memory_limit") return std::to_string(settings.sync_memory_limit);
  if (key == "cache_dir") return settings.cache_dir;
  if (key == "cache_size") return std::to_string(settings.cache_size);
  if (key == "hashes") return settings.hashes;
  if (key == "only") return settings.only;
  if (key == "skip") return settings.skip;
  if (key == "report") return settings.report;
  if (key == "rescue_dir") return settings.rescue_dir;
  if (key == "dump_dir") return settings.dump_dir;
  return {};
}

}  // namespace shaderqa
