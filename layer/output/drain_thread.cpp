// SPDX-License-Identifier: Apache-2.0
#include "layer/output/drain_thread.h"

#include <chrono>

#include "layer/vk/quiet_thread.h"

namespace shaderqa::layer {
namespace {

using namespace std::chrono_literals;
constexpr auto kBusySleep = 200us;    // messages are coming
constexpr auto kWatchfulSleep = 1ms;  // something was submitted lately
constexpr auto kIdleSleep = 5ms;
constexpr auto kWatchfulFor = 200ms;
constexpr auto kPatienceAtExit = 1000ms;  // other processes may keep the thread from running

}  // namespace

void DrainThread::start() {
  thread_ = start_quiet_thread("shaderqa-drain", [this] { run(); });
}

void DrainThread::run() {
  auto watchful_until = std::chrono::steady_clock::now() + kWatchfulFor;
  while (!stop_.load(std::memory_order_relaxed)) {
    const uint64_t messages = drain_();
    if (messages || poked_.exchange(false, std::memory_order_relaxed)) {
      watchful_until = std::chrono::steady_clock::now() + kWatchfulFor;
    }
    if (messages) {
      std::this_thread::sleep_for(kBusySleep);
    } else {
      std::this_thread::sleep_for(std::chrono::steady_clock::now() < watchful_until ? kWatchfulSleep
                                                                                    : kIdleSleep);
    }
  }
  finished_.store(true, std::memory_order_release);
}

void DrainThread::join() {
  stop_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

bool DrainThread::stop_at_exit() {
  stop_.store(true, std::memory_order_relaxed);
  const auto deadline = std::chrono::steady_clock::now() + kPatienceAtExit;
  while (thread_.joinable() && !finished_.load(std::memory_order_acquire)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kBusySleep);
  }
  join();
  return true;
}

}  // namespace shaderqa::layer
