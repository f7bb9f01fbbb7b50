// SPDX-License-Identifier: Apache-2.0
#include "host/cache/cache_directory.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <vector>

namespace shaderqa {
namespace {

constexpr std::string_view kEnding = ".shader";
constexpr std::string_view kTemporaryEnding = ".tmp";
constexpr size_t kNameLength = 32;
// Temporary files older than this were left by a killed process: writing one takes milliseconds.
constexpr time_t kTemporaryLife = 3600;
// The time of use of a file is updated at most once an hour: that is exact enough to know which files are
// old.
constexpr time_t kMarkEvery = 3600;

bool is_ours(std::string_view file) {
  return file.size() > kNameLength && (file.ends_with(kEnding) || file.ends_with(kTemporaryEnding)) &&
         std::ranges::all_of(file.substr(0, kNameLength),
                             [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

struct CachedFile {
  std::string path;
  timespec used{};
  uint64_t bytes = 0;
};

}  // namespace

std::string CacheDirectory::create() const {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path_).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (::mkdir(path_.c_str(), 0700) == 0 || errno == EEXIST) {
    if (std::filesystem::is_directory(path_, error)) return {};
    return "it is not a directory";
  }
  return std::strerror(errno);
}

std::string CacheDirectory::file_of(const std::string& name) const {
  return path_ + '/' + name + std::string(kEnding);
}

std::string CacheDirectory::temporary_of(const std::string& name) {
  // Two processes of different pid namespaces may share a pid.
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return path_ + '/' + name + '.' + std::to_string(::getpid()) + '-' + std::to_string(now.tv_nsec) + '-' +
         std::to_string(temporaries_.fetch_add(1, std::memory_order_relaxed)) + std::string(kTemporaryEnding);
}

bool CacheDirectory::make_room(uint64_t bytes) {
  if (bytes > max_bytes_ / 4) return false;
  const std::lock_guard lock(mutex_);
  if (!looked_) bytes_ = trim(max_bytes_);
  looked_ = true;
  // Remove a bit more than necessary, so that the next file does not need it again.
  if (bytes_ + bytes > max_bytes_) bytes_ = trim(max_bytes_ / 4 * 3 - bytes);
  bytes_ += bytes;
  return true;
}

void CacheDirectory::mark_used(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && status.st_mtim.tv_sec + kMarkEvery < ::time(nullptr))
    ::futimens(descriptor, nullptr);
}

uint64_t CacheDirectory::trim(uint64_t goal) const {
  DIR* const listing = ::opendir(path_.c_str());
  if (!listing) return 0;
  std::vector<CachedFile> files;
  uint64_t total = 0;
  const time_t now = ::time(nullptr);
  while (const dirent* entry = ::readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (!is_ours(name)) continue;
    CachedFile file{path_ + '/' + entry->d_name, {}, 0};
    struct stat status {};
    if (::lstat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (name.ends_with(kTemporaryEnding)) {
      if (status.st_mtim.tv_sec + kTemporaryLife < now) ::unlink(file.path.c_str());
      continue;
    }
    file.used = status.st_mtim;
    file.bytes = static_cast<uint64_t>(status.st_size);
    total += file.bytes;
    files.push_back(std::move(file));
  }
  ::closedir(listing);
  std::ranges::sort(files, [](const CachedFile& a, const CachedFile& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (size_t i = 0; i < files.size() && total > goal; ++i)
    if (::unlink(files[i].path.c_str()) == 0) total -= files[i].bytes;
  return total;
}

}  // namespace shaderqa
