// SPDX-License-Identifier: Apache-2.0
#include "host/text/file_text.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace shaderqa {

std::optional<std::string> read_file_text(const std::string& path, std::string& error) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  std::string text;
  char block[16384];
  ssize_t got;
  while ((got = ::read(descriptor, block, sizeof block)) != 0) {
    if (got > 0) {
      text.append(block, static_cast<size_t>(got));
    } else if (errno != EINTR) {
      error = std::strerror(errno);
      break;
    }
  }
  ::close(descriptor);
  if (got < 0) return std::nullopt;
  return text;
}

}  // namespace shaderqa
