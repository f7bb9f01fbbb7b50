// SPDX-License-Identifier: Apache-2.0
// Submissions as the exact engine has them: which numbers command buffers get, what their SubmissionStates
// say, and how that reaches them where the host must not write it.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_EXACT_SUBMISSIONS_H
#define SHADERQA_LAYER_ENGINES_EXACT_EXACT_SUBMISSIONS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "host/order/submission_order.h"
#include "layer/memory/record_arena.h"
#include "layer/queues/submission_queue.h"
#include "layer/vk/arena.h"

namespace shaderqa::layer {

class Device;
struct RecordedCommands;

// Of a device with an exact engine. Queues are externally synchronised, all else is thread-safe.
class ExactSubmissions {
 public:
  explicit ExactSubmissions(Device& device) : device_(device) {}
  ExactSubmissions(const ExactSubmissions&) = delete;
  ExactSubmissions& operator=(const ExactSubmissions&) = delete;

  // As Submissions::prepare_batch.
  template <typename Info>
  bool prepare_batch(SubmissionQueue& queue, const Info& info, Info& copy, uint32_t serial, Arena& arena);
  template <typename Info>
  void order_semaphores(const SubmissionQueue& queue,
                        const Info& info);  // of a batch without command buffers
  // Gives the command buffer its numbers. What has to run in front of it; null where nothing has.
  VkCommandBuffer place_command_buffer(SubmissionQueue& queue,
                                       const std::shared_ptr<RecordedCommands>& recording, uint32_t serial,
                                       bool may_insert);

 private:
  // A SubmissionState to be written.
  struct Target {
    RecordAllocation place;
    const RecordedCommands* subject = nullptr;  // whose actions read it
    std::shared_ptr<RecordedCommands> owner;    // whose memory it is
    SubmissionOrigin where;
    bool staged = false;
    bool checked = true;
  };

  void collect(const std::shared_ptr<RecordedCommands>& recording, const SubmissionOrigin& place,
               bool checked, std::vector<Target>& targets) const;
  void leave_ambiguous_unchecked(std::vector<Target>& targets) const;
  void tell_history(const SubmissionQueue& queue, RecordedCommands& recording);
  bool is_pending(const RecordedCommands& recording, uint32_t queue, bool& elsewhere) const;
  VkCommandBuffer begin_once(SubmissionQueue& queue, uint64_t number);

  Device& device_;
  std::mutex mutex_;  // numbers are given in the order in which they are noted
  uint64_t cleared_epoch_ = 0;
};

// Two queues that share one are one queue to the exact engine, which orders more.
uint32_t exact_queue(const SubmissionQueue& queue);

}  // namespace shaderqa::layer
#endif
