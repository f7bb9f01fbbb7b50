// SPDX-License-Identifier: Apache-2.0
// What a device's shaders tell: printf and check reports, and the one thread that fetches both.
#ifndef SHADERQA_LAYER_OUTPUT_OUTPUTS_H
#define SHADERQA_LAYER_OUTPUT_OUTPUTS_H

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "host/printf/printf_stream.h"
#include "layer/output/drain_thread.h"

namespace shaderqa::layer {

class CheckOutput;
class Device;
class PrintfOutput;
class RootBlock;

// Thread-safe. Not for a forked child, where neither the thread nor the device is (drain_at_exit() knows that
// by itself).
class Outputs {
 public:
  explicit Outputs(Device& device);
  // Only after finish() or abandon().
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  // Null until something prints, or has checks.
  PrintfOutput* printf() const { return printf_.load(std::memory_order_acquire); }
  CheckOutput* checks() const { return checks_.load(std::memory_order_acquire); }
  bool any() const { return printf() || checks(); }
  // Made on the first call; null where that failed, which one note says.
  PrintfOutput* require_printf(RootBlock& root);
  CheckOutput* require_checks(RootBlock& root);

  void poke() { thread_->poke(); }
  void drain(PrintfStream::Mode mode) noexcept;
  // The last drain of a device, and what its counters say.
  void finish() noexcept;
  // From exit(): nothing that the application may still do afterwards is prevented.
  void drain_at_exit() noexcept;
  // In a forked child: all of it is the parent's.
  void abandon() noexcept;

 private:
  // The note where it cannot be made: what is without it, why, what may help.
  template <typename Output>
  Output* require(std::atomic<Output*>& made, bool& failed, RootBlock& root, const char* key,
                  const char* without, const char* advice);
  void start_thread();        // with mutex_
  uint64_t round() noexcept;  // of the thread

  Device& device_;
  std::mutex mutex_;  // around the making of what follows
  bool printf_failed_ = false, checks_failed_ = false, started_ = false;
  std::atomic<PrintfOutput*> printf_ = nullptr;
  std::atomic<CheckOutput*> checks_ = nullptr;
  std::unique_ptr<DrainThread> thread_;  // last: it uses all of the above
};

}  // namespace shaderqa::layer
#endif
