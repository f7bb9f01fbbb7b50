// SPDX-License-Identifier: Apache-2.0
#include "layer/output/debug_output.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "layer/context/device_context.h"
#include "layer/context/instance.h"

namespace shaderqa::layer {
namespace {

constexpr std::chrono::seconds kHoldOnCpu{600}, kHoldOnGpu{5};
// A loop's iteration looks a few times, of which each takes about half a microsecond on a GPU. lavapipe ends
// loops after 65,535 iterations; with pages one iteration is enough.
constexpr uint32_t kPollsASecond = 1'000'000, kPollsOnCpu = 4096, kPollsWithPages = 64;
constexpr std::chrono::nanoseconds kPause = std::chrono::microseconds(100);

uint32_t load(const uint32_t& word) {
  return std::atomic_ref(const_cast<uint32_t&>(word)).load(std::memory_order_acquire);
}
// Device memory may be write-combined: a locked instruction also brings out what was stored before.
void store(uint32_t& word, uint32_t value) { std::atomic_ref(word).exchange(value); }

}  // namespace

std::unique_ptr<DebugOutput> DebugOutput::create(const DeviceContext& device, Setup setup,
                                                 std::string& problem) {
  const Settings& settings = device.instance->settings;
  std::unique_ptr<DebugOutput> output(new DebugOutput(device, std::move(setup)));
  output->hold_ = settings.debug_hold != 0 ? std::chrono::seconds(settings.debug_hold)
                  : device.facts.is_cpu    ? kHoldOnCpu
                                           : kHoldOnGpu;
  if (!output->reach_debugger(settings.debug_socket, problem) || !output->make_control(problem))
    return nullptr;
  try {
    // Signals are the application's.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    output->thread_ = std::thread([raw = output.get()] { raw->work(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  } catch (const std::system_error& error) {
    problem = std::string("no thread could be started: ") + error.what();
    return nullptr;
  }
  DebugMessage hello = debug_message(DebugMessageKind::hello, output->setup_.trace);
  hello.process = static_cast<uint32_t>(getpid());
  output->send(hello);
  return output;
}

bool DebugOutput::reach_debugger(const std::string& path, std::string& problem) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    problem = "the path of debug_socket is too long";
    return false;
  }
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return true;
  problem = "no debugger listens on " + path + ": " + std::strerror(errno);
  return false;
}

bool DebugOutput::make_control(std::string& problem) {
  DeviceBuffer::Request request;
  request.size = sizeof(abi::DebugControl);
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  control_ = DeviceBuffer::create(device_, request, problem);
  if (!control_) return false;
  pages_ = WaitPages::create(device_);
  if (!pages_ && device_.facts.is_cpu)
    device_.note("debugger",
                 "stops last for an instant only, because the kernel or its container does not allow "
                 "userfaultfd: allow it, or debug elsewhere",
                 Concern::nothing);
  const auto on_gpu = static_cast<uint64_t>(hold_.count()) * kPollsASecond;
  control().polls = pages_                 ? kPollsWithPages
                    : device_.facts.is_cpu ? kPollsOnCpu
                                           : static_cast<uint32_t>(std::min<uint64_t>(on_gpu, UINT32_MAX));
  control().wait_address = pages_ ? pages_->address() : 0;
  if (device_.instance->settings.debug_violations) {
    ranges_ = DebugRanges::create(device_, *setup_.buffers, problem);
    if (!ranges_) return false;
    control().ranges_address = ranges_->address();
    control().ranges = ranges_->update();
  }
  store(control().mode, SQA_DEBUG_CHOSEN);
  return true;
}

DebugOutput::~DebugOutput() {
  stop();
  if (socket_ >= 0) ::close(socket_);
}

void DebugOutput::stop() noexcept {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
}

void DebugOutput::send(DebugMessage message) {
  // A debugger that does not read loses messages, which it finds out by their numbers.
  ::send(socket_, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void DebugOutput::work() noexcept {
  try {
    while (!ends_) {
      pollfd event{socket_, POLLIN, 0};
      const timespec pause{0, kPause.count()};
      if (::ppoll(&event, socket_ >= 0 ? 1 : 0, &pause, nullptr) > 0) receive();
      if (ranges_) store(control().ranges, ranges_->update());
      look();
    }
  } catch (const std::exception& error) {
    device_.note("debugger", std::string("nothing stops for the debugger any more: ") + error.what(),
                 Concern::nothing);
  }
  store(control().mode, SQA_DEBUG_GO_ON);
  if (waiting_ || load(control().state) == SQA_DEBUG_WAITING) let_go();
  // Nobody is there any more to supply them to an invocation that has read the mode a moment ago.
  if (pages_) {
    pages_->supply(0);
    pages_->supply(1);
  }
}

void DebugOutput::receive() {
  DebugMessage packet;
  const ssize_t size = ::recv(socket_, &packet, sizeof packet, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return give_up("the debugger has ended");
  std::string error;
  const auto message =
      read_debug_message({reinterpret_cast<const std::byte*>(&packet), static_cast<size_t>(size)}, error);
  if (!message) return give_up("a message of the debugger cannot be used: " + error);
  if (message->kind == DebugMessageKind::refused) return give_up(message->text);
  if (message->kind == DebugMessageKind::go_on) answer(*message);
}

void DebugOutput::answer(const DebugMessage& message) {
  if (message.text[0] != 0) setup_.aim(message.text);
  abi::DebugControl& to = control();
  for (size_t i = 0; i < SQA_DEBUG_STOP_WORDS; ++i) store(to.stops[i], message.stops[i]);
  store(to.mode, message.mode);
  if (!waiting_ || waiting_->number != message.number) return;
  store(to.change_mask, message.change_mask);
  for (size_t i = 0; i < 4; ++i) store(to.change[i], message.change[i]);
  store(to.changed, message.changed);
  let_go();
}

void DebugOutput::let_go() {
  const uint32_t number = waiting_ ? waiting_->number : load(control().number);
  waiting_.reset();
  if (pages_) pages_->take_away(number + 1);
  store(control().release, number);
  if (pages_) pages_->supply(number);
}

void DebugOutput::give_up(const std::string& why) {
  store(control().mode, SQA_DEBUG_GO_ON);
  if (waiting_) {
    store(control().changed, 0);
    let_go();
  } else if (load(control().state) == SQA_DEBUG_WAITING) {
    let_go();
  }
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  device_.note("debugger", "nothing stops for the debugger any more: " + why, Concern::nothing);
}

void DebugOutput::look() {
  const abi::DebugControl& from = control();
  if (waiting_) {
    if (load(from.gave_up) != gave_up_) {
      gave_up_ = load(from.gave_up);
      waiting_.reset();
      DebugMessage message = debug_message(DebugMessageKind::went_on, "the shader has waited for too long");
      message.number = last_;
      send(message);
    } else if (Clock::now() > deadline_) {
      store(control().mode, SQA_DEBUG_GO_ON);
      store(control().changed, 0);
      DebugMessage message = debug_message(
          DebugMessageKind::went_on, "no answer within " + std::to_string(hold_.count()) + " s (debug_hold)");
      message.number = waiting_->number;
      // In this order: what the program does next must not be seen by anybody who still believes that it
      // waits.
      send(message);
      let_go();
    }
    return;
  }
  if (load(from.state) != SQA_DEBUG_WAITING || load(from.number) == last_) return;
  if (socket_ < 0) return let_go();
  abi::DebugControl copy{};
  copy.number = load(from.number);
  copy.piece = load(from.piece);
  for (int i = 0; i < 2; ++i) copy.segment_address[i] = load(from.segment_address[i]);
  copy.records = load(from.records);
  copy.check = load(from.check);
  copy.violation = load(from.violation);
  for (int i = 0; i < 3; ++i) copy.about[i] = load(from.about[i]);
  std::string error;
  const auto stop = read_mailbox(copy, setup_.range, error);
  if (!stop) return give_up("the mailbox of a waiting invocation cannot be used: " + error);
  found(*stop);
}

// The table may be older than the buffer, and holds a limited number of ranges.
void DebugOutput::add_violation(const DebugStop& stop, DebugMessage& message) const {
  if (stop.violation == 0) return;
  if (stop.violation == SQA_DEBUG_ADDRESS) {
    const std::string why =
        ranges_ ? ranges_->judge(stop.about[0] | uint64_t{stop.about[1]} << 32, stop.about[2]) : "";
    if (why.empty()) return;
    why.copy(message.text, sizeof message.text - 1);
  }
  message.violation = stop.violation;
  std::ranges::copy(stop.about, message.about);
}

void DebugOutput::found(const DebugStop& stop) {
  last_ = stop.number;
  waiting_ = stop;
  deadline_ = Clock::now() + hold_;
  gave_up_ = load(control().gave_up);
  setup_.save();
  DebugMessage message = debug_message(DebugMessageKind::stopped);
  message.number = stop.number;
  message.segment = stop.segment;
  message.piece = stop.piece;
  message.records = stop.records;
  add_violation(stop, message);
  send(message);
}

}  // namespace shaderqa::layer
