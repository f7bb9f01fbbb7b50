// SPDX-License-Identifier: Apache-2.0
// Queues: which submissions need a clear of the filter in front, and what command buffers learn when they are
// submitted.
#ifndef SHADERQA_LAYER_QUEUES_SUBMISSIONS_H
#define SHADERQA_LAYER_QUEUES_SUBMISSIONS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "layer/engines/exact/exact_submissions.h"
#include "layer/queues/submission_queue.h"
#include "layer/recording/recorded_commands.h"
#include "layer/vk/arena.h"

namespace shaderqa::layer {

class Device;

// Queues are externally synchronised, all else is thread-safe.
class Submissions {
 public:
  explicit Submissions(Device& device) : device_(device), exact_(device) {}
  ~Submissions();  // before the next layer's vkDestroyDevice
  Submissions(const Submissions&) = delete;
  Submissions& operator=(const Submissions&) = delete;

  void add_queue(VkQueue queue, uint32_t family, uint32_t index);
  void name(VkQueue queue, const std::string& name);
  void begin_label(VkQueue queue, const char* name);
  void end_label(VkQueue queue);

  // The application learnt that work is done, or gave memory back: what was marked before does not count
  // behind the next clear, which each queue gets with its next submission.
  // How far is what the exact engine asks for, below.
  void host_synchronised() { host_epoch_.fetch_add(1, std::memory_order_relaxed); }

  // While the application uses the queue: the layer does not.
  std::unique_lock<std::mutex> use(VkQueue queue) const;
  std::vector<std::unique_lock<std::mutex>> use_all() const;
  // One that runs compute shaders and nobody uses just now. Null: there is none.
  struct Reserved {
    SubmissionQueue* queue = nullptr;
    std::unique_lock<std::mutex> lock;
  };
  Reserved reserve_compute() const;
  // For a command buffer of the layer's own that is submitted next, as ExactSubmissions has it.
  VkCommandBuffer place_own(SubmissionQueue& queue, const std::shared_ptr<RecordedCommands>& recording) {
    return exact_.place_command_buffer(queue, recording, next_serial(), true);
  }

  // Of the exact engine.
  void fence_submitted(VkQueue queue, VkFence fence);  // behind all that was given to the queue
  void queue_idle(VkQueue queue);

  // Before the submission: its infos, or copies of them with clears in them. `arena` holds the copies.
  const VkSubmitInfo* prepare(VkQueue queue, const VkSubmitInfo* infos, uint32_t count, Arena& arena);
  const VkSubmitInfo2* prepare(VkQueue queue, const VkSubmitInfo2* infos, uint32_t count, Arena& arena);
  void prepare_sparse(VkQueue queue, const VkBindSparseInfo* infos, uint32_t count);

 private:
  template <typename Info>
  const Info* prepare_infos(VkQueue queue, const Info* infos, uint32_t count, Arena& arena);
  // Whether `copy` has become another one than `info`.
  template <typename Info>
  bool prepare_batch(SubmissionQueue& queue, const Info& info, Info& copy, Arena& arena);
  SubmissionQueue* find(VkQueue queue) const;
  uint32_t next_serial() { return serials_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // Null where there is nothing to clear, or the driver refuses.
  VkCommandBuffer clear_of(SubmissionQueue& queue);
  VkResult make_clear(SubmissionQueue& queue);
  void mark(const SubmissionQueue& queue, RecordedCommands& recording, uint32_t serial);

  Device& device_;
  ExactSubmissions exact_;           // of use where the device has that engine
  mutable std::shared_mutex mutex_;  // around queues_, not what is in them
  std::map<VkQueue, std::unique_ptr<SubmissionQueue>> queues_;
  std::atomic<uint64_t> host_epoch_ = 0;
  std::atomic<uint32_t> serials_ = 0;
};

}  // namespace shaderqa::layer
#endif
