// SPDX-License-Identifier: Apache-2.0
// What a device's shaders tell: printf, check reports, traces and pictures, and the one thread that fetches
// them.
#ifndef SHADERQA_LAYER_OUTPUT_OUTPUTS_H
#define SHADERQA_LAYER_OUTPUT_OUTPUTS_H

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "host/findings/finding_types.h"
#include "layer/output/drain_thread.h"

namespace shaderqa::layer {

class CheckOutput;
class Device;
class PictureOutput;
class PrintfOutput;
class RootBlock;
class TraceOutput;

// Thread-safe. Not to be used in a forked child, which has neither the thread nor the device; drain_at_exit()
// checks that itself.
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
  TraceOutput* trace() const { return trace_.load(std::memory_order_acquire); }
  PictureOutput* pictures() const { return pictures_.load(std::memory_order_acquire); }
  bool any() const { return printf() || checks() || trace() || pictures(); }
  // Made on the first call. Null if that failed, which one note says.
  PrintfOutput* require_printf(RootBlock& root);
  CheckOutput* require_checks(RootBlock& root);
  TraceOutput* require_trace(RootBlock& root);
  PictureOutput* require_pictures(RootBlock& root);

  // As CheckOutput has it; empty without checks.
  std::string last_begun() const;

  void poke() { thread_->poke(); }
  // finished: all work of the device is finished, so nothing that is incomplete now will be completed.
  void drain(bool finished) noexcept;
  // The last drain of a device, and what its counters say.
  void finish() noexcept;
  // To be called from exit(). The application may still use the device afterwards.
  void drain_at_exit() noexcept;
  // To be called in a forked child instead of finish(): everything belongs to the parent.
  void abandon() noexcept;

 private:
  // If the output cannot be made, a note says what does not work without it, why, and what may help.
  struct Explanation {
    const char* key;
    const char* without;
    const char* advice;
    Concern incomplete = Concern::everything;
  };
  template <typename Output, typename Make>
  Output* require(std::atomic<Output*>& made, bool& failed, const Explanation& explanation, const Make& make);
  void start_thread();         // with mutex_
  uint64_t round() noexcept;   // one poll of the thread
  void tell_begun() noexcept;  // to whoever sees that the application waits for the device

  Device& device_;
  uint64_t next_look_ns_ = 0;  // of tell_begun
  std::mutex mutex_;           // held while the members below are made
  bool printf_failed_ = false, checks_failed_ = false, trace_failed_ = false, pictures_failed_ = false,
       started_ = false;
  std::atomic<PrintfOutput*> printf_ = nullptr;
  std::atomic<CheckOutput*> checks_ = nullptr;
  std::atomic<TraceOutput*> trace_ = nullptr;
  std::atomic<PictureOutput*> pictures_ = nullptr;
  std::unique_ptr<DrainThread> thread_;  // last: it uses all of the above
};

}  // namespace shaderqa::layer
#endif
