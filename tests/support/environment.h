// SPDX-License-Identifier: Apache-2.0
// Where a test's programs run: nothing of the user's environment, settings and layers gets in.
#ifndef SHADERQA_TESTS_SUPPORT_ENVIRONMENT_H
#define SHADERQA_TESTS_SUPPORT_ENVIRONMENT_H

#include <filesystem>
#include <string>
#include <vector>

#include "process.h"

namespace shaderqa::testing {

class TemporaryDirectory {
 public:
  // In memory (/dev/shm) where Vulkan has to import what lies there.
  explicit TemporaryDirectory(bool in_memory = false);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

enum class Driver { null_driver, lavapipe };

// Home and XDG directories are empty ones under `directory`; system-wide layers are not found.
Environment isolated_environment(const std::filesystem::path& directory, Driver driver);
// Puts a manifest of this build's layer where the loader finds implicit layers of that environment.
void install_implicit_layer(const std::filesystem::path& directory);

// Program arguments that start `program` in a way that the Khronos validation layer can be loaded.
std::vector<std::string> with_test_loader(const std::vector<std::string>& program);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace shaderqa::testing
#endif
