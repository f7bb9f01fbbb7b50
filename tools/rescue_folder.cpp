// SPDX-License-Identifier: Apache-2.0
#include "tools/rescue_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "shaderqa-";
constexpr const char* kOwner = "/owner";

std::vector<std::string> places() {
  std::vector<std::string> all{"/dev/shm"};
  const char* const temporary = std::getenv("TMPDIR");
  if (temporary && temporary[0] == '/') all.emplace_back(temporary);
  all.emplace_back("/tmp");
  return all;
}

// Whether a process still holds a lock on one of the files: the program that a killed run has left behind.
bool is_in_use(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const int file = ::open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    struct flock whole {};
    whole.l_type = F_RDLCK;
    whole.l_whence = SEEK_SET;
    const bool held = ::fcntl(file, F_GETLK, &whole) != 0 || whole.l_type != F_UNLCK;
    ::close(file);
    if (held) return true;
  }
  return static_cast<bool>(error);
}

bool is_stale(const fs::path& folder) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::getuid())
    return false;
  const int owner = ::open((folder.string() + kOwner).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (owner < 0) {
    // Its run may be about to write it, or be of a version that writes none.
    constexpr time_t kPatience = 24 * 60 * 60;
    return errno == ENOENT && ::time(nullptr) - info.st_mtime > kPatience && !is_in_use(folder);
  }
  const bool abandoned = ::flock(owner, LOCK_EX | LOCK_NB) == 0;
  const bool stale = abandoned && !is_in_use(folder);
  ::close(owner);
  return stale;
}

void sweep(const std::string& place) {
  std::error_code error, ignored;
  std::vector<fs::path> stale;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(kPrefix) && is_stale(it->path()))
      stale.push_back(it->path());
  for (const fs::path& folder : stale) fs::remove_all(folder, ignored);
}

}  // namespace

RescueFolder::RescueFolder() {
  for (const std::string& place : places()) sweep(place);
  for (const std::string& place : places()) {
    std::string name = place + "/" + kPrefix + "XXXXXX";
    if (::mkdtemp(name.data())) {
      path_ = name;
      owner_ = ::open((path_ + kOwner).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (owner_ >= 0) ::flock(owner_, LOCK_EX | LOCK_NB);
      return;
    }
    error_ += (error_.empty() ? "" : ", ") + place + ": " + std::strerror(errno);
  }
}

RescueFolder::~RescueFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (owner_ >= 0) ::close(owner_);
}

}  // namespace shaderqa
