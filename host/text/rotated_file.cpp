// SPDX-License-Identifier: Apache-2.0
#include "host/text/rotated_file.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

namespace shaderqa {
namespace {

// As many as the setting rotate_files allows.
constexpr uint32_t kMostFiles = 99;

std::string older(const std::string& path, uint32_t number) { return path + "." + std::to_string(number); }

bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

// Whether the name still stands for the file that is open.
bool is_file_of(const std::string& path, const struct stat& opened) {
  struct stat named {};
  return ::stat(path.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

}  // namespace

std::vector<std::string> with_rotated_files(const std::string& path) {
  std::vector<std::string> files{path};
  for (uint32_t number = 1; number <= kMostFiles && exists(older(path, number)); ++number)
    files.push_back(older(path, number));
  std::ranges::reverse(files);
  return files;
}

std::string RotatedFile::open(const std::string& path, const Rotation& rotation) {
  rotation_ = rotation;
  if (std::string error = lines_.open(path); !error.empty()) return error;
  // Renaming a symbolic link would leave the large file where it is.
  std::error_code none;
  const std::filesystem::path real = std::filesystem::canonical(path, none);
  path_ = none ? path : real.string();
  struct stat info {};
  if (::fstat(lines_.descriptor(), &info) != 0 || !S_ISREG(info.st_mode)) rotation_.size = 0;
  return {};
}

RotatedFile::Renewal RotatedFile::renew(bool may_rotate) {
  Renewal renewal;
  if (rotation_.size == 0 || !lines_.usable()) return renewal;
  // A further round follows what another process has done.
  for (int round = 0; round < 8; ++round) {
    struct stat opened {};
    if (::fstat(lines_.descriptor(), &opened) != 0) return renewal;
    if (!is_file_of(path_, opened)) {
      renewal.is_new = true;
      if (renewal.error = lines_.open(path_); !renewal.error.empty()) return renewal;
      continue;
    }
    if (!may_rotate || static_cast<uint64_t>(opened.st_size) < rotation_.size) return renewal;
    // The lock ends when the descriptor is closed. If another process is rotating, wait for it for a moment.
    // The wait has an end, since a process may be stopped while it rotates; the batch then goes into this
    // file.
    if (::flock(lines_.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    if (!is_file_of(path_, opened)) continue;
    renewal.error = rotate(renewal);
    if (!renewal.error.empty()) lines_.close();
    return renewal;
  }
  return renewal;
}

std::string RotatedFile::rotate(Renewal& renewal) {
  renewal.dropped = exists(older(path_, rotation_.files));
  for (uint32_t number = rotation_.files; number > 0; --number) {
    const std::string from = number == 1 ? path_ : older(path_, number - 1);
    if (::rename(from.c_str(), older(path_, number).c_str()) != 0 && (errno != ENOENT || number == 1))
      return std::string("cannot rename it: ") + std::strerror(errno);
  }
  renewal.is_new = true;
  return lines_.open(path_);
}

}  // namespace shaderqa
