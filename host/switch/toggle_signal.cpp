// SPDX-License-Identifier: Apache-2.0
#include "host/switch/toggle_signal.h"

#include <dlfcn.h>
#include <signal.h>

#include <cerrno>
#include <cstring>

namespace shaderqa {

constinit std::atomic<uint32_t> toggle_signals = 0;

namespace {

// Async-signal-safe: whoever records or submits next looks at the count.
void count_signal(int) { toggle_signals.fetch_add(1, std::memory_order_relaxed); }

int number_of(const std::string& name) {
  if (name == "sigusr1") return SIGUSR1;
  if (name == "sigusr2") return SIGUSR2;
  return SIGHUP;
}

// The handler must exist as long as the process, and the loader unloads layers.
bool stay_loaded() {
  Dl_info info{};
  return ::dladdr(reinterpret_cast<const void*>(&count_signal), &info) != 0 && info.dli_fname &&
         ::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

}  // namespace

std::string watch_toggle_signal(const std::string& name) {
  const int signal = number_of(name);
  struct sigaction before {};
  if (::sigaction(signal, nullptr, &before) != 0) return std::strerror(errno);
  const bool ours = !(before.sa_flags & SA_SIGINFO) && before.sa_handler == count_signal;
  if (ours) return {};
  const bool free =
      !(before.sa_flags & SA_SIGINFO) && (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN);
  if (!free) return "the program handles this signal itself";
  if (!stay_loaded()) return "the layer cannot be kept loaded, which the signal's handler needs";
  struct sigaction action {};
  action.sa_handler = count_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  return ::sigaction(signal, &action, nullptr) == 0 ? std::string() : std::strerror(errno);
}

}  // namespace shaderqa
