// SPDX-License-Identifier: Apache-2.0
#include "tools/debug_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace shaderqa {

DebugLink::DebugLink() {
  std::error_code none;
  std::string folder = (std::filesystem::temp_directory_path(none) / "shaderqa-debug-XXXXXX").string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (folder.size() + sizeof "/socket" > sizeof address.sun_path) folder = "/tmp/shaderqa-debug-XXXXXX";
  if (!::mkdtemp(folder.data())) {
    problem_ = "cannot make the folder " + folder + ": " + std::strerror(errno);
    return;
  }
  folder_ = folder;
  socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
  listens_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listens_ < 0 || ::bind(listens_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listens_, 8) != 0 || ::pipe2(ended_, O_CLOEXEC) != 0)
    problem_ = "cannot listen on " + socket_path() + ": " + std::strerror(errno);
}

DebugLink::~DebugLink() {
  for (const int descriptor : {listens_, connection_, ended_[0], ended_[1]})
    if (descriptor >= 0) ::close(descriptor);
  std::error_code none;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, none);
}

void DebugLink::program_ended() {
  const char end = 0;
  if (::write(ended_[1], &end, 1) != 1)
    std::fprintf(stderr, "shaderqa: the debugger was not told of the end\n");
}

// One program at a time: others go on without stops.
void DebugLink::accept_program() {
  const int accepted = ::accept4(listens_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) return;
  if (connection_ < 0) {
    connection_ = accepted;
    return;
  }
  const DebugMessage refused =
      debug_message(DebugMessageKind::refused, "shaderqa debug has another device of the program already");
  ::send(accepted, &refused, sizeof refused, MSG_NOSIGNAL);
  ::close(accepted);
}

void DebugLink::receive() {
  DebugMessage packet;
  const ssize_t size = ::recv(connection_, &packet, sizeof packet, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  std::string error = "it has ended";
  const auto message =
      size <= 0 ? std::nullopt
                : read_debug_message({reinterpret_cast<const std::byte*>(&packet), static_cast<size_t>(size)},
                                     error);
  if (!message) {
    if (size > 0) std::fprintf(stderr, "shaderqa: the program's layer is given up: %s\n", error.c_str());
    ::close(connection_);
    connection_ = -1;
    waits_.reset();
    return;
  }
  switch (message->kind) {
    case DebugMessageKind::hello:
      trace_ = message->text;
      send(last_answer_, 0);
      break;
    case DebugMessageKind::stopped:
      next_ = *message;
      break;
    case DebugMessageKind::went_on:
      if (waits_ && waits_->number == message->number) {
        went_on_ = message->text;
        waits_.reset();
      }
      if (answered_ != 0 && answered_ == message->number) late_ = message->text;
      if (next_ && next_->number == message->number) next_.reset();
      break;
    default:
      break;
  }
}

bool DebugLink::wait() {
  if (over_) return false;
  pollfd events[3] = {{ended_[0], POLLIN, 0}, {listens_, POLLIN, 0}, {connection_, POLLIN, 0}};
  if (::poll(events, connection_ < 0 ? 2 : 3, -1) < 0) return errno == EINTR;
  if ((events[1].revents & POLLIN) != 0) accept_program();
  // What the program said before its end comes first.
  if (connection_ >= 0 && events[2].fd == connection_ && events[2].revents != 0)
    receive();
  else if (events[0].revents != 0)
    over_ = true;
  return true;
}

bool DebugLink::send(const LiveAnswer& answer, uint32_t number) {
  if (connection_ < 0) return false;
  DebugMessage message = debug_message(DebugMessageKind::go_on, answer.at);
  message.number = number;
  message.mode = answer.mode;
  message.changed = answer.changed;
  message.change_mask = answer.change_mask;
  std::memcpy(message.change, answer.change, sizeof message.change);
  for (size_t i = 0; i < answer.stops.size() && i < SQA_DEBUG_STOP_WORDS; ++i)
    message.stops[i] = answer.stops[i];
  return ::send(connection_, &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

std::optional<LiveStop> DebugLink::go_on(const LiveAnswer& answer) {
  last_answer_ = answer;
  last_answer_.changed = 0;
  last_answer_.at.clear();
  went_on_.clear();
  late_.clear();
  answered_ = waits_ ? waits_->number : 0;
  send(answer, answered_);
  waits_.reset();
  while (!next_)
    if (!wait()) return std::nullopt;
  waits_ = next_;
  next_.reset();
  LiveStop stop{trace_, waits_->segment, waits_->piece, waits_->records, waits_->violation, {}, waits_->text};
  std::copy_n(waits_->about, 3, stop.about);
  return stop;
}

std::string DebugLink::went_on() {
  pollfd event{connection_, POLLIN, 0};
  while (connection_ >= 0 && ::poll(&event, 1, 0) > 0) {
    receive();
    event.fd = connection_;
  }
  if (connection_ < 0 && went_on_.empty()) return "the program has ended";
  return went_on_;
}

std::optional<TraceSegment> DebugLink::last_state(uint32_t segment, std::string& error) {
  return read_trace_segment(trace_, segment, error);
}

std::string DebugLink::end() const {
  return trace_.empty() ? "the program has ended; no invocation was chosen in it" : "the program has ended";
}

}  // namespace shaderqa
