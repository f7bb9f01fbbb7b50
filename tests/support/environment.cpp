// SPDX-License-Identifier: Apache-2.0
#include "environment.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "paths.h"

namespace shaderqa::testing {

TemporaryDirectory::TemporaryDirectory(bool in_memory) {
  const std::filesystem::path parent = in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
  std::string name = (parent / "shaderqa-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("cannot make a directory in " + parent.string());
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Environment isolated_environment(const std::filesystem::path& directory, Driver driver) {
  const std::filesystem::path nothing = directory / "nothing";
  std::filesystem::create_directories(nothing);
  Environment environment{
      {"PATH", "/usr/bin:/bin"},
      {"HOME", directory},
      {"LANG", "C.UTF-8"},
      {"XDG_DATA_HOME", directory / "data"},
      {"XDG_CONFIG_HOME", directory / "config"},
      {"XDG_RUNTIME_DIR", directory},
      {"XDG_DATA_DIRS", nothing},
      {"XDG_CONFIG_DIRS", nothing},
      {"MESA_SHADER_CACHE_DISABLE", "true"},
      {"VK_DRIVER_FILES", driver == Driver::lavapipe ? std::string(SHADERQA_LAVAPIPE_ICD)
                                                     : SHADERQA_LIB_DIR "/shaderqa_null_driver.json"}};
  // A sanitizer build's programs need the options that this process got.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) environment[name] = value;
  // With "large" lavapipe runs what GPUs do.
  if (const char* calls = std::getenv("SHADERQA_TEST_SYNC_CALLS")) environment["SHADERQA_SYNC_CALLS"] = calls;
  return environment;
}

void install_implicit_layer(const std::filesystem::path& directory) {
  nlohmann::json manifest = nlohmann::json::parse(read_file(SHADERQA_IMPLICIT_MANIFEST));
  // The build's manifest is relative to its own place.
  auto& library = manifest["layer"]["library_path"];
  const std::filesystem::path given = library.get<std::string>();
  if (given.is_relative()) {
    const auto beside = std::filesystem::path(SHADERQA_IMPLICIT_MANIFEST).parent_path() / given;
    library = std::filesystem::weakly_canonical(beside).string();
  }
  write_file(directory / "data/vulkan/implicit_layer.d/shaderqa.json", manifest.dump(2));
}

std::vector<std::string> with_test_loader(const std::vector<std::string>& program) {
  std::vector<std::string> arguments;
  std::istringstream loader(SHADERQA_TEST_LOADER);
  for (std::string part; std::getline(loader, part, ';');) arguments.push_back(part);
  arguments.insert(arguments.end(), program.begin(), program.end());
  return arguments;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace shaderqa::testing
