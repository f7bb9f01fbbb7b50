// SPDX-License-Identifier: Apache-2.0
#include "tools/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;
constexpr size_t kHeaderBytes = 20;

std::string failed(const std::string& path, const char* what) {
  return path + ": cannot " + what + ": " + std::strerror(errno);
}

// errno says why not.
bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

std::string read_file(const std::string& path, std::string& content) {
  content.clear();
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed(path, "open");
  char block[1 << 16];
  ssize_t got;
  while ((got = read(descriptor, block, sizeof block)) != 0) {
    if (got > 0) {
      content.append(block, static_cast<size_t>(got));
    } else if (errno != EINTR) {
      std::string error = failed(path, "read");
      close(descriptor);
      return error;
    }
  }
  close(descriptor);
  return {};
}

std::string write_file(const std::string& path, std::string_view content) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return failed(path, "open for writing");
    std::string error = write_all(descriptor, content) ? "" : failed(path, "write");
    close(descriptor);
    return error;
  }
  // A symbolic link stays one: what it points to is replaced.
  std::error_code none;
  const fs::path target = fs::is_symlink(path, none) ? fs::weakly_canonical(path, none) : fs::path(path);
  std::string temporary = target.string() + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return failed(path, "create a file in the folder of");
  const mode_t mask = umask(0);
  umask(mask);
  const bool written = fchmod(descriptor, 0666 & ~mask) == 0 && write_all(descriptor, content);
  std::string error = written ? "" : failed(path, "write");
  if (close(descriptor) != 0 && error.empty()) error = failed(path, "write");
  if (error.empty() && rename(temporary.c_str(), target.c_str()) != 0) error = failed(path, "replace");
  if (!error.empty()) unlink(temporary.c_str());
  return error;
}

std::string read_spirv(const std::string& path, std::vector<uint32_t>& words, bool& swapped) {
  std::string content;
  if (std::string error = read_file(path, content); !error.empty()) return error;
  if (content.empty()) return path + ": is empty; give a SPIR-V module";
  uint32_t magic = 0;
  std::memcpy(&magic, content.data(), std::min(sizeof magic, content.size()));
  if (magic != kMagic && magic != kSwappedMagic)
    return path +
           ": is not SPIR-V (it does not begin with the number 0x07230203); compile the shader first, or "
           "assemble "
           "it with spirv-as";
  if (content.size() % 4 != 0)
    return path + ": has " + std::to_string(content.size()) +
           " bytes, which is no whole number of 4-byte words: the file is damaged or cut off; make it again";
  if (content.size() < kHeaderBytes)
    return path + ": has only " + std::to_string(content.size()) +
           " bytes, less than a SPIR-V header: the file is cut off; make it again";
  words.resize(content.size() / 4);
  std::memcpy(words.data(), content.data(), content.size());
  swapped = magic == kSwappedMagic;
  if (swapped)
    for (uint32_t& word : words) word = __builtin_bswap32(word);
  return {};
}

}  // namespace shaderqa
