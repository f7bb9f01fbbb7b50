// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_VK_QUIET_THREAD_H
#define SHADERQA_LAYER_VK_QUIET_THREAD_H

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace shaderqa::layer {

// A thread of the layer's own. It inherits the mask: the application's signal handlers never run on it.
template <typename Work>
std::thread start_quiet_thread(const char* name, Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread([name, work = std::move(work)] {
      pthread_setname_np(pthread_self(), name);
      work();
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

}  // namespace shaderqa::layer
#endif
