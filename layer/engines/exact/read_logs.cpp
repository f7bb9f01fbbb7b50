// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/read_logs.h"

#include "instrument/runtime/abi_ranges.h"
#include "instrument/runtime/range_access.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

constexpr uint64_t kBytesOfLog =
    SQA_READ_HEADER + uint64_t{SQA_READ_LOG_ENTRIES} * SQA_READ_DWORDS * sizeof(uint32_t);

}  // namespace

bool ReadLogs::make(std::string& problem) {
  DeviceBuffer::Request request;
  request.host_visible = false;
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  request.size = SQA_READ_LOGS * kBytesOfLog;
  entries_ = DeviceBuffer::create(device_, request, problem);
  if (entries_)
    pipeline_ = RangePipeline::create(device_, logged_reads_shader(engine_.needs.descriptor_buffers),
                                      engine_.state_address(),
                                      engine_.needs.images ? SQA_RANGES_TEXELS : SQA_RANGES_WORDS, problem);
  return pipeline_ != nullptr;
}

void ReadLogs::require() {
  std::call_once(made_, [this] {
    std::string problem = "there is no memory";
    if (!engine_.require() || !make(problem)) {
      device_.note("read logs", "what the shaders of draws read is mostly not checked: " + problem,
                   Concern::sync);
      return;
    }
    engine_.add_barrier_buffer(entries_->handle());
    ready_.store(true, std::memory_order_release);
  });
}

void ReadLogs::give(uint32_t queue) {
  if (!pipeline()) return;
  const std::lock_guard lock(mutex_);
  if (queue < SQA_READ_QUEUES && engine_.read_log(queue).address != 0) return;
  if (queue >= SQA_READ_QUEUES || given_ == SQA_READ_LOGS)
    return device_.note("queues of read logs",
                        "what the shaders of draws read is mostly checked on the first " +
                            std::to_string(SQA_READ_LOGS) + " queues that draw, not on others",
                        Concern::sync);
  std::atomic_ref(engine_.read_log(queue).address)
      .store(entries_->address() + given_++ * kBytesOfLog, std::memory_order_release);
}

void ReadLogs::abandon() {
  static_cast<void>(entries_.release());
  static_cast<void>(pipeline_.release());
}

}  // namespace shaderqa::layer
