// SPDX-License-Identifier: Apache-2.0
#include "host/text/line_sink.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

namespace shaderqa {
namespace {

// Blocks SIGPIPE in this thread and swallows one that a write in between raised, so that a closed pipe is an
// error code and not the program's end. One that was pending before is left alone.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    blocked_ = !was_pending_ && pthread_sigmask(SIG_BLOCK, &pipe_, &before_) == 0;
  }
  void swallow() const {
    if (!blocked_) return;
    const timespec no_wait{};
    while (sigtimedwait(&pipe_, nullptr, &no_wait) < 0 && errno == EINTR) {
    }
  }
  ~SigpipeGuard() {
    if (blocked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false, blocked_ = false;
};

// 0 or an errno.
int write_all(int descriptor, const char* data, size_t size) {
  constexpr int kPatienceMs = 2000;  // with a non-blocking descriptor nobody reads from
  const SigpipeGuard guard;
  while (size > 0) {
    const ssize_t written = ::write(descriptor, data, size);
    if (written >= 0) {
      data += written;
      size -= static_cast<size_t>(written);
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EAGAIN || error == EWOULDBLOCK) {
      pollfd wait{descriptor, POLLOUT, 0};
      const int ready = ::poll(&wait, 1, kPatienceMs);
      if (ready > 0 || (ready < 0 && errno == EINTR)) continue;
      return EAGAIN;
    }
    if (error == EPIPE) guard.swallow();
    return error;
  }
  return 0;
}

}  // namespace

LineSink::~LineSink() {
  flush();
  close();
}

void LineSink::close() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void LineSink::borrow(int descriptor) {
  descriptor_ = descriptor;
  owned_ = false;
}

std::string LineSink::open(const std::string& path) {
  close();
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  owned_ = true;
  return descriptor_ < 0 ? std::strerror(errno) : "";
}

std::string LineSink::flush() {
  if (buffer_.empty()) return {};
  const int error = descriptor_ < 0 ? 0 : write_all(descriptor_, buffer_.data(), buffer_.size());
  buffer_.clear();
  if (error == 0) return {};
  close();
  return std::strerror(error);
}

}  // namespace shaderqa
