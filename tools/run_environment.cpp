// SPDX-License-Identifier: Apache-2.0
#include "tools/run_environment.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/settings/settings_table.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "vulkan/implicit_layer.d/VkLayer_shaderqa.json";
constexpr const char* kLayer = "VK_LAYER_SHADERQA_instrument";

// Path lists: entries split at ':', without `own`.
std::string without(const std::string& list, const std::string& own) {
  std::string result;
  for (size_t begin = 0; begin <= list.size();) {
    size_t end = list.find(':', begin);
    if (end == std::string::npos) end = list.size();
    const std::string entry = list.substr(begin, end - begin);
    if (!entry.empty() && entry != own) result += (result.empty() ? "" : ":") + entry;
    begin = end + 1;
  }
  return result;
}

std::string with_front(const std::string& own, const std::string& list) {
  const std::string rest = without(list, own);
  return rest.empty() ? own : own + ":" + rest;
}

std::string value_or(const EnvironmentMap& environment, const char* name, const char* otherwise) {
  const auto found = environment.find(name);
  return found == environment.end() || found->second.empty() ? otherwise : found->second;
}

}  // namespace

EnvironmentMap current_environment() {
  EnvironmentMap result;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string text = *variable;
    const size_t equals = text.find('=', 1);
    // The first of several of one name is the one that getenv sees.
    if (equals != std::string::npos) result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

std::string find_share_folder(std::string& error) {
  std::error_code failed;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  if (failed) {
    error =
        "cannot tell where this command lies (/proc/self/exe: " + failed.message() + "); is /proc mounted?";
    return {};
  }
  const fs::path share = executable.parent_path().parent_path() / "share";
  const fs::path manifest = share / kManifest;
  std::ifstream in(manifest);
  if (!in) {
    error = "the layer's manifest is missing: " + manifest.string() +
            "\n  It belongs beside the folder of this command. In a build tree, build the target "
            "shaderqa_manifests (or "
            "everything);\n  installed, keep bin, lib and share together.";
    return {};
  }
  const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  const auto library = nlohmann::json::json_pointer("/layer/library_path");
  if (json.is_discarded() || !json.contains(library) || !json[library].is_string()) {
    error = manifest.string() + ": is not a layer manifest; build or install it again";
    return {};
  }
  // A bare name is searched by the dynamic linker.
  const fs::path path = json[library].get<std::string>();
  if (path.has_parent_path() && !fs::exists(manifest.parent_path() / path, failed)) {
    error = "the layer's library is missing: " + (manifest.parent_path() / path).lexically_normal().string() +
            "\n  " + manifest.string() + " names it. Build or install everything again.";
    return {};
  }
  return share.string();
}

void enable_layer(EnvironmentMap& environment, const std::string& share) {
  environment["SHADERQA"] = "1";
  // Even empty it would keep the layer out; who starts a program with this command wants it in.
  environment.erase("SHADERQA_DISABLE");

  // Where the same layer is installed too, loaders up to 1.3.239 at least take the last manifest in the order
  // of search, newer ones the first.
  const std::string dirs =
      without(value_or(environment, "XDG_DATA_DIRS", "/usr/local/share:/usr/share"), share);
  environment["XDG_DATA_DIRS"] = dirs.empty() ? share : share + ":" + dirs + ":" + share;
  // Loaders from 1.3.296 on; it goes before the user's folders. VK_IMPLICIT_LAYER_PATH replaces all other
  // places.
  const std::string folder = share + "/vulkan/implicit_layer.d";
  environment["VK_ADD_IMPLICIT_LAYER_PATH"] =
      with_front(folder, value_or(environment, "VK_ADD_IMPLICIT_LAYER_PATH", ""));
  const std::string only = value_or(environment, "VK_IMPLICIT_LAYER_PATH", "");
  if (!only.empty()) environment["VK_IMPLICIT_LAYER_PATH"] = with_front(folder, only);

  // A filter such as ~implicit~ may match this layer too.
  if (!value_or(environment, "VK_LOADER_LAYERS_DISABLE", "").empty()) {
    std::string& enabled = environment["VK_LOADER_LAYERS_ENABLE"];
    enabled += (enabled.empty() ? "" : ",") + std::string(kLayer);
  }
}

std::string variable_of(const std::string& key) { return environment_variable(*find_setting(key)); }

}  // namespace shaderqa
