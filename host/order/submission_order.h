// SPDX-License-Identifier: Apache-2.0
// Order between submissions, for the exact engine (docs/exact.md): sequence numbers as they are given out,
// what each queue has waited for, and what the host knows to be done. Handles are numbers here; nothing calls
// Vulkan.
#ifndef SHADERQA_HOST_ORDER_SUBMISSION_ORDER_H
#define SHADERQA_HOST_ORDER_SUBMISSION_ORDER_H

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "host/order/action_order.h"
#include "instrument/runtime/abi_order.h"

namespace shaderqa::abi {
struct SubmissionState;
}

namespace shaderqa {

// Numbers that never come again: epoch * SQA_EPOCH_BIT + sequence number, which is never 0 within its epoch.
inline uint64_t epoch_of(uint64_t number) { return number / SQA_EPOCH_BIT; }
// As cells and tables have it.
inline uint32_t sequence_of(uint64_t number) { return static_cast<uint32_t>(number % (2 * SQA_EPOCH_BIT)); }

// By queue: its accesses up to this number.
using QueueClock = std::array<uint64_t, SQA_MAX_QUEUES>;

// Where a command buffer stands: what it is told in its SubmissionState.
struct SubmissionOrigin {
  uint32_t queue = 0;
  uint64_t first = 0;  // its first number
  AbsoluteFloors inherited{};
  QueueClock others{};  // floors of the other queues
  // By consumer: up to this number everything is ordered before it, whoever did it.
  std::array<uint64_t, SQA_CLASSES> ordered_before{};
  bool starts_epoch = false;
};

// What the host may find in memory, of each queue.
struct HostView {
  QueueClock done{};  // it knows these to be done
  // By queue and producer: what was written up to this number is visible to it.
  std::array<std::array<uint64_t, SQA_CLASSES>, SQA_MAX_QUEUES> visible{};
};

// Of a command buffer that was executed behind `offset` numbers of one at `place`, in the state `entry`.
// producers: classes of those numbers.
SubmissionOrigin inner_place(const SubmissionOrigin& place, const OrderState& entry, uint32_t offset,
                             uint32_t producers);
void write_submission_state(const SubmissionOrigin& place, uint32_t serial, abi::SubmissionState& state);

// Thread-safe; but for batches of one queue, which come one after the other. Queues are numbers below
// SQA_MAX_QUEUES.
class SubmissionOrder {
 public:
  static constexpr uint32_t kMostNumbers = SQA_EPOCH_BIT - 1;  // that one command buffer can have

  // A batch: its waits, its command buffers in their order, its signals. `classes`: of what comes behind the
  // wait.
  void wait(uint32_t queue, uint64_t semaphore, uint64_t value, uint32_t classes);
  // producers: classes that the numbers are of.
  SubmissionOrigin begin(uint32_t queue, uint32_t numbers, uint32_t producers);
  void end(const SubmissionOrigin& place, const OrderState& exit);
  // A command buffer of which nothing is known: it may have ordered anything.
  void pass_unknown(uint32_t queue);
  void signal(uint32_t queue, uint64_t semaphore, uint64_t value);
  void signal_fence(uint32_t queue, uint64_t fence);

  void create_semaphore(uint64_t semaphore, bool timeline, uint64_t initial_value, bool external);
  void destroy_semaphore(uint64_t semaphore);
  void destroy_fence(uint64_t fence);
  // The presentation engine signals them: no work is ordered by that. 0: none.
  void signal_from_outside(uint64_t semaphore, uint64_t fence);
  void signal_from_host(uint64_t semaphore, uint64_t value);

  // What the host learnt. `sure`: not only one of several that may have been signalled.
  void fence_seen(uint64_t fence, bool sure);
  void semaphore_seen(uint64_t semaphore, uint64_t value, bool sure);
  void queue_idle(uint32_t queue);
  void device_idle();
  // Something is done that tells no more: all that was submitted may be.
  void something_seen();

  // A command buffer of the layer's own, in front of which everything was.
  void own_complete(uint32_t queue, uint64_t number);

  bool is_complete(uint32_t queue, uint64_t number) const;
  // Of all queues, and known for certain. complete(): of one queue, up to this number.
  bool everything_complete() const;
  uint64_t complete(uint32_t queue) const;
  // Waiting makes nothing visible to the host: only barriers do (docs/exact.md). `unread`: there may be a
  // write that it knows to be done, behind the numbers `seen`, and cannot see.
  HostView host_view(const QueueClock& seen, bool& unread) const;
  // Whoever signals it may be outside of the device.
  bool is_foreign(uint64_t semaphore) const;
  // The newest number of the device.
  uint64_t newest() const;

 private:
  struct Queue {
    AbsoluteFloors floors{};
    QueueClock others{};
    QueueClock waited{};  // of these, what semaphores ordered
    uint64_t newest = 0;
    std::array<uint64_t, SQA_CLASSES> newest_of{};  // by producer
    // Waits for values that nothing submitted so far signals: until then anything may be ordered.
    struct Unresolved {
      uint64_t semaphore = 0, value = 0;
      uint32_t classes = 0;
    };
    std::vector<Unresolved> unresolved;
  };
  // What is done once a signal is seen, and what of it is so for certain.
  struct Signal {
    QueueClock clock{}, certain{};
  };
  struct Semaphore {
    bool timeline = false, external = false;
    uint64_t initial_value = 0;
    std::map<uint64_t, Signal> signals;  // by value; of a binary one, only 0
  };

  Signal signal_of(uint32_t queue) const;
  Signal everything() const;
  const Signal* find_signal(uint64_t semaphore, uint64_t value) const;
  void add_signal(uint64_t semaphore, uint64_t value, const Signal& signal);
  void merge(Queue& queue, uint32_t number, const QueueClock& clock, uint32_t classes) const;
  // By a semaphore.
  void merge_wait(Queue& queue, uint32_t number, const QueueClock& clock, uint32_t classes) const;
  void seen(const Signal& signal, bool sure);
  void find_quick(SubmissionOrigin& place) const;

  mutable std::mutex mutex_;
  uint64_t newest_ = 0;
  std::array<Queue, SQA_MAX_QUEUES> queues_;
  std::unordered_map<uint64_t, Semaphore> semaphores_;
  std::unordered_map<uint64_t, Signal> fences_;
  QueueClock host_{};      // the host may know these to be done, so later submissions come behind them
  QueueClock complete_{};  // the host knows
};

}  // namespace shaderqa
#endif
