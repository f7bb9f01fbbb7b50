// SPDX-License-Identifier: Apache-2.0
// Submissions as the exact engine has them: which numbers command buffers get, what their SubmissionStates
// say, and how that reaches them where the host must not write it.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_EXACT_SUBMISSIONS_H
#define SHADERQA_LAYER_ENGINES_EXACT_EXACT_SUBMISSIONS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "host/order/submission_order.h"
#include "layer/engines/engine.h"
#include "layer/engines/exact/exact_commands.h"
#include "layer/memory/record_arena.h"
#include "layer/queues/submission_queue.h"

namespace shaderqa::layer {

class Device;
class ExactEngine;

// What the exact engine keeps of a queue: command buffers that are recorded for one submission each.
struct ExactQueue final : EngineQueue {
  struct OneTimeCommands {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t number = 0;  // when this one is done, so are they
  };
  std::vector<OneTimeCommands> once;
};

// The queue's number for SubmissionOrder. Two queues that share one are one queue to the exact engine, which
// orders more.
uint32_t order_queue(const SubmissionQueue& queue);

// Queues are externally synchronised, all else is thread-safe.
class ExactSubmissions {
 public:
  ExactSubmissions(Device& device, ExactEngine& engine) : device_(device), engine_(engine) {}
  ExactSubmissions(const ExactSubmissions&) = delete;
  ExactSubmissions& operator=(const ExactSubmissions&) = delete;

  // As Engine::prepare_batch.
  std::vector<InsertedCommands> prepare_batch(SubmissionQueue& queue, const SubmittedBatch& batch);
  void order_semaphores(const SubmissionQueue& queue, const SubmittedBatch& batch);  // no command buffers
  // Gives the command buffer its numbers. What has to run in front of it; null where nothing has.
  VkCommandBuffer place_command_buffer(SubmissionQueue& queue,
                                       const std::shared_ptr<RecordedCommands>& recorded, uint32_t serial,
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
    bool by_device = false;  // the host must not write it: the last submission still reads it
  };
  // A command buffer with its numbers.
  struct Numbered {
    std::vector<Target> targets;
    uint64_t last = 0;        // its last number; 0: it has none, and there is nothing to do
    uint64_t epoch = 0;       // of its numbers
    bool clears = false;      // cells are cleared in front of it
    bool must_clear = false;  // it cannot be checked without
    bool new_epoch = false;   // all cells are
  };

  // The same without checks: null or what tells its shaders so.
  VkCommandBuffer leave_out(SubmissionQueue& queue, const std::shared_ptr<RecordedCommands>& recorded,
                            bool may_insert);
  Numbered give_numbers(const SubmissionQueue& queue, const std::shared_ptr<RecordedCommands>& recorded,
                        bool may_insert);
  void mend_records(ExactCommands& part) const;
  void collect(const std::shared_ptr<RecordedCommands>& recorded, const SubmissionOrigin& place, bool checked,
               std::vector<Target>& targets) const;
  void leave_ambiguous_unchecked(std::vector<Target>& targets) const;
  void tell_history(const SubmissionQueue& queue, RecordedCommands& recorded);
  bool is_pending(const ExactCommands& commands, uint32_t queue, bool& elsewhere) const;
  VkCommandBuffer begin_once(SubmissionQueue& queue, uint64_t number);
  // commands: null where there is nothing for the device to write.
  void write_states(const Numbered& numbered, uint32_t serial, VkCommandBuffer commands);
  // False: the driver refuses, and nothing is checked.
  bool end_once(const Numbered& numbered, VkCommandBuffer commands, std::span<const VkBuffer> buffers);
  void lose_some();

  Device& device_;
  ExactEngine& engine_;
  std::mutex mutex_;  // numbers are given in the order in which they are noted
  uint64_t cleared_epoch_ = 0;
};

}  // namespace shaderqa::layer
#endif
