// SPDX-License-Identifier: Apache-2.0
// The thread that reads what shaders print while they run.
#ifndef SHADERQA_LAYER_OUTPUT_DRAIN_THREAD_H
#define SHADERQA_LAYER_OUTPUT_DRAIN_THREAD_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace shaderqa::layer {

// It polls, because nothing tells the host that a shader has written something. It sleeps so briefly that
// nobody needs to wake it up to stop it, and it handles no signals.
class DrainThread {
 public:
  // drain: returns how many messages it delivered; must not throw.
  explicit DrainThread(std::function<uint64_t()> drain) : drain_(std::move(drain)) {}
  ~DrainThread() { join(); }
  DrainThread(const DrainThread&) = delete;
  DrainThread& operator=(const DrainThread&) = delete;

  void start();  // throws std::system_error
  // Work was submitted: poll often for a while.
  void poke() {
    if (!poked_.load(std::memory_order_relaxed)) poked_.store(true, std::memory_order_relaxed);
  }
  void join();
  // Like join(), for the end of the process. False if the thread hangs, for example in a write to a full
  // pipe.
  bool stop_at_exit();

 private:
  void run();

  std::function<uint64_t()> drain_;
  std::atomic<bool> poked_ = true;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> finished_ = false;
  std::thread thread_;
};

}  // namespace shaderqa::layer
#endif
