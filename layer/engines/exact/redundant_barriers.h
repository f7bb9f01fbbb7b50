// SPDX-License-Identifier: Apache-2.0
// Finds the barriers that ordered nothing (docs/internals/redundant.md): where shaders note what they access,
// and the account of what was submitted.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_REDUNDANT_BARRIERS_H
#define SHADERQA_LAYER_ENGINES_EXACT_REDUNDANT_BARRIERS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/order/barrier_ledger.h"
#include "host/order/submission_order.h"
#include "instrument/runtime/abi_footprints.h"
#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;
class ExactEngine;
struct RecordedCommands;

// Thread-safe.
class RedundantBarriers {
 public:
  // Null, with a sentence in `problem`, where there is no memory.
  static std::unique_ptr<RedundantBarriers> create(Device& device, const ExactEngine& engine,
                                                   std::string& problem);

  // The address of abi::Footprints.
  VkDeviceAddress address() const { return footprints_->address(); }

  // Nothing that was submitted still runs, and nothing is submitted meanwhile.
  void everything_done();
  // A command buffer got its numbers. done: everything up to this number of its queue was known to be over.
  void submitted(const RecordedCommands& recorded, const SubmissionOrigin& place, uint64_t done);
  void waits(VkPipelineStageFlags2 stages, bool foreign);
  // Until everything is done, barriers cannot be judged, because not all accesses are noted; lose_all: ever.
  void lose(const std::string& why);
  void lose_all(const std::string& why);

  // All that was found, once. done: all work of the device is.
  void report(bool done);

 private:
  struct Span {
    uint64_t first = 0, done = 0;
  };

  RedundantBarriers(Device& device, const ExactEngine& engine, std::unique_ptr<DeviceBuffer> footprints)
      : device_(device), engine_(engine), footprints_(std::move(footprints)) {}

  abi::Footprints& notes() { return *reinterpret_cast<abi::Footprints*>(footprints_->mapped()); }
  void replay(const RecordedCommands& recorded, uint64_t first);
  void take_notes();
  // Empty: some cannot be told.
  std::optional<std::vector<Footprint>> read_notes();
  void clear_notes();

  Device& device_;
  const ExactEngine& engine_;
  const std::unique_ptr<DeviceBuffer> footprints_;
  std::mutex mutex_;  // around what follows
  BarrierLedger ledger_;
  std::vector<Span> spans_;  // since everything was done
  std::optional<uint32_t> queue_;
  bool stale_ = false;  // notes are of more epochs than can be told apart
  bool reported_ = false;
};

}  // namespace shaderqa::layer
#endif
