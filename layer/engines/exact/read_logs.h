// SPDX-License-Identifier: Apache-2.0
// The logs in which the stages of draws note what they read, one for each queue that needs one, and the
// pipeline that checks them behind a render pass (docs/internals/exact.md#reads-of-draws).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_READ_LOGS_H
#define SHADERQA_LAYER_ENGINES_EXACT_READ_LOGS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "instrument/runtime/abi_reads.h"
#include "layer/engines/exact/range_pipeline.h"
#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;
class ExactEngine;

// Thread-safe.
class ReadLogs {
 public:
  ReadLogs(Device& device, ExactEngine& engine) : device_(device), engine_(engine) {}

  // The first shader that logs was made. One note says if there are no logs: then nothing is logged.
  void require();
  // Null: there are no logs, by now.
  const RangePipeline* pipeline() const {
    return ready_.load(std::memory_order_acquire) ? pipeline_.get() : nullptr;
  }
  // The queue (a number as SubmissionState has it) is about to run shaders that log.
  void give(uint32_t queue);
  // In a forked child: the driver is not told of their end.
  void abandon();

 private:
  bool make(std::string& problem);

  Device& device_;
  ExactEngine& engine_;
  std::once_flag made_;
  std::atomic<bool> ready_ = false;
  std::unique_ptr<DeviceBuffer> entries_;
  std::unique_ptr<RangePipeline> pipeline_;
  std::mutex mutex_;
  uint32_t given_ = 0;
};

}  // namespace shaderqa::layer
#endif
