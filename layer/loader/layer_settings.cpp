// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/layer_settings.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>

#include "host/cache/shader_cache.h"
#include "host/settings/hash_filter.h"
#include "host/version.h"
#include "layer/context/instance.h"
#include "layer/loader/build_id.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

template <typename T>
T value_at(const VkLayerSettingEXT& setting, uint32_t index) {
  return static_cast<const T*>(setting.pValues)[index];
}

// No value for floating-point types, which no setting of ours has.
std::optional<std::string> value_text(const VkLayerSettingEXT& setting, uint32_t index) {
  switch (setting.type) {
    case VK_LAYER_SETTING_TYPE_BOOL32_EXT:
      return value_at<VkBool32>(setting, index) ? "true" : "false";
    case VK_LAYER_SETTING_TYPE_INT32_EXT:
      return std::to_string(value_at<int32_t>(setting, index));
    case VK_LAYER_SETTING_TYPE_INT64_EXT:
      return std::to_string(value_at<int64_t>(setting, index));
    case VK_LAYER_SETTING_TYPE_UINT32_EXT:
      return std::to_string(value_at<uint32_t>(setting, index));
    case VK_LAYER_SETTING_TYPE_UINT64_EXT:
      return std::to_string(value_at<uint64_t>(setting, index));
    case VK_LAYER_SETTING_TYPE_STRING_EXT:
      return value_at<const char*>(setting, index);
    default:
      return std::nullopt;
  }
}

std::vector<std::pair<std::string, std::string>> api_settings(const void* chain) {
  std::vector<std::pair<std::string, std::string>> found;
  constexpr auto type = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT;
  auto info = find_in_chain<VkLayerSettingsCreateInfoEXT>(chain, type);
  for (; info; info = find_in_chain<VkLayerSettingsCreateInfoEXT>(info->pNext, type)) {
    for (uint32_t i = 0; i < info->settingCount; ++i) {
      const VkLayerSettingEXT& setting = info->pSettings[i];
      if (std::strcmp(setting.pLayerName, kLayerName) != 0) continue;
      std::string text;
      for (uint32_t value = 0; value < setting.valueCount; ++value) {
        if (value) text += ',';
        text += value_text(setting, value).value_or("");
      }
      found.emplace_back(setting.pSettingName, text);
    }
  }
  return found;
}

}  // namespace

LoadedSettings load_layer_settings(const void* instance_create_chain) {
  SettingsSources sources;
  sources.environment = environment;
  sources.environment_names = environment_names();
  std::tie(sources.file_text, sources.file_name) = find_settings_file(environment);
  sources.api = api_settings(instance_create_chain);
  return load_settings(sources);
}

std::shared_ptr<const LogUse> open_layer_log(const Settings& settings) {
  auto log = std::make_shared<const LogUse>(log_level_of(settings.log_level), settings.log_file,
                                            Rotation{settings.rotate_size, settings.rotate_files});
  SHADERQA_LOG(info, std::string("shaderqa ") + version() + " in " + program_invocation_name + " (process " +
                         std::to_string(getpid()) + ")");
  SHADERQA_LOG(debug, "settings:\n" + settings.dump());
  return log;
}

void load_hash_filter(Instance& instance) {
  std::vector<std::string> problems;
  instance.hash_filter = std::make_shared<const HashFilter>(
      instance.settings.hashes.empty() ? HashFilter() : HashFilter::load(instance.settings.hashes, problems));
  for (const std::string& problem : problems) instance.note(problem, problem);
}

void open_shader_cache(Instance& instance) {
  const Settings& settings = instance.settings;
  if (settings.cache_dir.empty() || !instance.checks_anything()) return;
  const std::string build = build_id();
  if (build.empty()) {
    instance.note("shader cache without id",
                  "rewritten shaders are not kept in " + settings.cache_dir +
                      ", because this build of the layer has no build id to tell it from others",
                  Concern::nothing);
    return;
  }
  instance.shader_cache = std::make_shared<ShaderCache>(
      settings.cache_dir, settings.cache_size, build,
      [&](const std::string& key, const std::string& text) { instance.note(key, text, Concern::nothing); });
}

}  // namespace shaderqa::layer
