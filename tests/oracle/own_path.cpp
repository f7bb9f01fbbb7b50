// SPDX-License-Identifier: Apache-2.0
#include "own_path.h"

#include <cstdlib>
#include <filesystem>

namespace oracle {

std::string own_path(const char* first_argument) {
  if (const char* const given = std::getenv("SHADERQA_ORACLE")) return given;
  const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path started = first_argument;
  return started.filename() == file.filename() ? file : std::filesystem::absolute(started);
}

}  // namespace oracle
