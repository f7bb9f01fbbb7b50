// SPDX-License-Identifier: Apache-2.0
// The approximate engine (docs/internals/filter.md): shaders mark their accesses in a Bloom filter, one a
// queue family, which synchronization clears.
#ifndef SHADERQA_LAYER_ENGINES_FILTER_FILTER_ENGINE_H
#define SHADERQA_LAYER_ENGINES_FILTER_FILTER_ENGINE_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "layer/engines/engine.h"
#include "layer/engines/filter/access_filters.h"

namespace shaderqa::layer {

class FilterEngine final : public Engine {
 public:
  explicit FilterEngine(Device& device) : Engine({}), device_(device), filters_(device) {}

  AccessFilters& filters() { return filters_; }
  // A render pass goes on that another command buffer has begun: its number, counted on the device.
  uint32_t next_resumed_pass() { return resumed_passes_.fetch_add(1, std::memory_order_relaxed); }

  void set_options(VkShaderStageFlagBits stage, SyncOptions& options) const override;
  void buffer_destroyed(VkBuffer) override { host_synchronised(); }
  void memory_freed(VkDeviceMemory) override { host_synchronised(); }
  std::unique_ptr<EngineRecorder> make_recorder(RecordingState& state) override;
  std::unique_ptr<EngineQueue> make_queue() override;
  std::vector<InsertedCommands> prepare_batch(SubmissionQueue& queue, const SubmittedBatch& batch) override;
  void forget_earlier() override { host_synchronised(); }
  void fence_seen(VkFence, bool) override { host_synchronised(); }
  void semaphore_seen(VkSemaphore, uint64_t, bool) override { host_synchronised(); }
  void device_idle() override { host_synchronised(); }
  void something_seen() override { host_synchronised(); }

 private:
  // The application learnt that work is done, or gave memory back, and what comes to lie there has nothing to
  // do with what was marked: earlier marks do not count behind the next clear, which each queue gets with its
  // next submission.
  void host_synchronised() { host_epoch_.fetch_add(1, std::memory_order_relaxed); }
  // Null where the driver refuses it.
  VkCommandBuffer clear_for(SubmissionQueue& queue);
  VkResult make_clear(SubmissionQueue& queue);
  void mark(const SubmissionQueue& queue, RecordedCommands& recorded, uint32_t serial);

  Device& device_;
  AccessFilters filters_;
  std::atomic<uint64_t> host_epoch_ = 0;
  std::atomic<uint32_t> resumed_passes_ = 0;
};

}  // namespace shaderqa::layer
#endif
