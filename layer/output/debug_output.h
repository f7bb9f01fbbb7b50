// SPDX-License-Identifier: Apache-2.0
// The layer's part of live debugging: it carries stops from the mailbox to the debugger and its answers back,
// and sees to it that no invocation waits for ever. docs/internals/debug.md explains it.
#ifndef SHADERQA_LAYER_OUTPUT_DEBUG_OUTPUT_H
#define SHADERQA_LAYER_OUTPUT_DEBUG_OUTPUT_H

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "host/trace/debug_messages.h"
#include "layer/memory/device_buffer.h"
#include "layer/output/debug_ranges.h"
#include "layer/output/wait_page.h"

namespace shaderqa::layer {

class DeviceContext;

class DebugOutput {
 public:
  struct Setup {
    std::string trace;  // the file's path
    SegmentRange range;
    std::function<void()> save;                   // brings the segments into the file
    std::function<void(const std::string&)> aim;  // chooses by other selectors from now on
    const BufferTable* buffers = nullptr;
  };
  // Null if no debugger can be reached, and `problem` says why: nothing stops then.
  static std::unique_ptr<DebugOutput> create(const DeviceContext& device, Setup setup, std::string& problem);
  ~DebugOutput();
  DebugOutput(const DebugOutput&) = delete;
  DebugOutput& operator=(const DebugOutput&) = delete;

  uint64_t address() const { return control_->address(); }
  // Everything goes on from here on.
  void stop() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  DebugOutput(const DeviceContext& device, Setup setup) : device_(device), setup_(std::move(setup)) {}
  bool make_control(std::string& problem);
  bool reach_debugger(const std::string& path, std::string& problem);
  abi::DebugControl& control() const { return *reinterpret_cast<abi::DebugControl*>(control_->mapped()); }

  void work() noexcept;
  void receive();
  void look();
  void found(const DebugStop& stop);
  // Adds what the stop's access does wrong. Nothing if it leaves no buffer after all.
  void add_violation(const DebugStop& stop, DebugMessage& message) const;
  void answer(const DebugMessage& message);
  void let_go();
  // Nothing stops any more.
  void give_up(const std::string& why);
  void send(DebugMessage message);

  const DeviceContext& device_;
  const Setup setup_;
  std::chrono::seconds hold_{};
  std::unique_ptr<DeviceBuffer> control_;
  std::unique_ptr<WaitPages> pages_;
  std::unique_ptr<DebugRanges> ranges_;  // null: nothing is checked
  int socket_ = -1;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
  // The thread's own.
  std::optional<DebugStop> waiting_;  // of which the debugger was told
  uint32_t last_ = 0;                 // number of the last stop
  uint32_t gave_up_ = 0;
  Clock::time_point deadline_;
};

}  // namespace shaderqa::layer
#endif
