// SPDX-License-Identifier: Apache-2.0
// SHADERQA_NULL_DRIVER: words separated by ';'
//   api=1.1            no_feature=NAME    refuse_feature=NAME   no_extension=NAME   no_command=NAME
//   fault=COMMAND:CALL:RESULT             subgroup=FLAGS        pipeline_ms=50        quiet=1
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

bool apply_word(const std::string& key, const std::string& value, Config& config) {
  if (key == "api") {
    unsigned major = 0, minor = 0;
    if (std::sscanf(value.c_str(), "%u.%u", &major, &minor) != 2) return false;
    config.api_version = VK_MAKE_API_VERSION(0, major, minor, 0);
    return true;
  }
  if (key == "fault") {
    char command[64] = "";
    unsigned long call = 0;
    int result = 0;
    if (std::sscanf(value.c_str(), "%63[^:]:%lu:%d", command, &call, &result) != 3) return false;
    config.faults.push_back({command, call, static_cast<VkResult>(result)});
    return true;
  }
  if (key == "subgroup") {
    config.subgroup_operations = static_cast<VkSubgroupFeatureFlags>(std::strtoul(value.c_str(), nullptr, 0));
    return true;
  }
  if (key == "pipeline_ms") {
    config.pipeline_ms = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    return true;
  }
  if (key == "quiet") {
    config.quiet = value == "1";
    return true;
  }
  if (key == "no_feature") return config.missing_features.insert(value).second;
  if (key == "refuse_feature") return config.refused_features.insert(value).second;
  if (key == "no_extension") return config.missing_extensions.insert(value).second;
  if (key == "no_command") return config.missing_commands.insert(value).second;
  return false;
}

}  // namespace

void apply_environment(Config& config) {
  const char* text = std::getenv("SHADERQA_NULL_DRIVER");
  if (!text) return;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ';');) {
    const size_t equals = word.find('=');
    if (equals != std::string::npos && apply_word(word.substr(0, equals), word.substr(equals + 1), config))
      continue;
    std::fprintf(stderr, "SHADERQA_NULL_DRIVER: cannot understand '%s'\n", word.c_str());
    std::abort();
  }
}

}  // namespace shaderqa::null_driver
