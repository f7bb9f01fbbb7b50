// SPDX-License-Identifier: Apache-2.0
// Order between submissions, for the exact engine (docs/internals/exact.md): sequence numbers as they are
// given out, what each queue has waited for, and what the host knows to be done. Handles are numbers here;
// nothing calls Vulkan.
#ifndef SHADERQA_HOST_ORDER_SUBMISSION_ORDER_H
#define SHADERQA_HOST_ORDER_SUBMISSION_ORDER_H

#include <array>
#include <atomic>
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

// Numbers of accesses, which are never used again: epoch * SQA_EPOCH_BIT + sequence number, which is never 0
// within its epoch.
inline uint64_t epoch_of(uint64_t number) { return number / SQA_EPOCH_BIT; }
// The sequence number that cells and tables hold.
inline uint32_t sequence_of(uint64_t number) { return static_cast<uint32_t>(number % (2 * SQA_EPOCH_BIT)); }

// For each queue: all its accesses up to this number.
using QueueClock = std::array<uint64_t, SQA_MAX_QUEUES>;

// The order before a command buffer's begin, which its SubmissionState tells the shaders.
struct SubmissionOrigin {
  uint32_t queue = 0;
  uint64_t first = 0;  // its first number
  AbsoluteFloors inherited{};
  QueueClock others{};  // floors of the other queues
  // By consumer: all accesses up to this number are ordered before it, whatever their producer and queue.
  std::array<uint64_t, SQA_CLASSES> ordered_before{};
  bool starts_epoch = false;
  bool in_order = false;  // nothing that was submitted until here waits for what is submitted later
};

// Which writes the host can see in memory.
struct HostView {
  QueueClock done{};  // the host knows that these are complete
  // By queue and producer: writes up to this number are visible to the host.
  std::array<std::array<uint64_t, SQA_CLASSES>, SQA_MAX_QUEUES> visible{};
};

// The origin of a secondary command buffer. The primary one is at `place`, and executes it after its first
// `offset` numbers, whose classes are `producers`, in the state `entry`.
SubmissionOrigin inner_place(const SubmissionOrigin& place, const OrderState& entry, uint32_t offset,
                             uint32_t producers);
// floors: those that the command buffer's actions name.
void write_submission_state(const SubmissionOrigin& place, const InheritedFloors& floors, uint32_t serial,
                            abi::SubmissionState& state);

// Thread-safe, but batches of one queue must come one after the other. Queues are numbers below
// SQA_MAX_QUEUES.
class SubmissionOrder {
 public:
  static constexpr uint32_t kMostNumbers = SQA_EPOCH_BIT - 1;  // that one command buffer can have

  // For each batch: first its waits, then its command buffers in their order, then its signals. classes: the
  // consumers that the wait orders.
  void wait(uint32_t queue, uint64_t semaphore, uint64_t value, uint32_t classes);
  // producers: the classes that the numbers belong to.
  SubmissionOrigin begin(uint32_t queue, uint32_t numbers, uint32_t producers);
  void end(const SubmissionOrigin& place, const OrderState& exit);
  // A command buffer waits for an event that the host may set when it has seen anything done.
  void wait_for_host();
  // For a command buffer that the layer does not know: it may have ordered anything.
  void pass_unknown(uint32_t queue);
  // Everything that has a number counts as ordered before what is submitted from now on, on all queues.
  void forget_earlier();
  void signal(uint32_t queue, uint64_t semaphore, uint64_t value);
  void signal_fence(uint32_t queue, uint64_t fence);

  void create_semaphore(uint64_t semaphore, bool timeline, uint64_t initial_value, bool external);
  void destroy_semaphore(uint64_t semaphore);
  // Something outside of the device may have signalled it. for_one_wait: only the next wait is for that.
  void import_semaphore(uint64_t semaphore, bool for_one_wait);
  void destroy_fence(uint64_t fence);
  // For signals of the presentation engine, which order no work. 0: none.
  void signal_from_outside(uint64_t semaphore, uint64_t fence);
  void signal_from_host(uint64_t semaphore, uint64_t value);

  // What the host learnt by waiting or asking. sure: false if only one of several objects was signalled, and
  // it is not known which.
  void fence_seen(uint64_t fence, bool sure);
  void semaphore_seen(uint64_t semaphore, uint64_t value, bool sure);
  void device_idle();
  // Some work is complete, unknown which: assume that all submitted work may be.
  void something_seen();

  // A command buffer of the layer itself is complete, which was ordered behind everything up to `number`.
  void own_complete(uint32_t queue, uint64_t number);

  bool is_complete(uint32_t queue, uint64_t number) const;
  // Whether the host knows for certain that all queues are idle. complete(): the number up to which it knows
  // that a queue is.
  bool everything_complete() const;
  uint64_t complete(uint32_t queue) const;
  // Waiting makes nothing visible to the host: only barriers do (docs/internals/exact.md). unread is set if
  // there may be a write beyond the numbers `seen` that is known to be complete, but is not visible to the
  // host.
  HostView host_view(const QueueClock& seen, bool& unread) const;
  // Whether something outside of the device may signal the semaphore.
  bool is_foreign(uint64_t semaphore) const;
  // Whether what was submitted runs in the order of its submission, as far as semaphores order it: no wait
  // was submitted whose signal is to come.
  bool is_in_order() const;
  // The newest number that any queue was given.
  uint64_t newest() const;
  // The program may submit to one more queue.
  void add_queue() { queue_count_.fetch_add(1, std::memory_order_relaxed); }
  // Whether it may submit to more than one.
  bool several_queues() const { return queue_count_.load(std::memory_order_relaxed) > 1; }

 private:
  struct Queue {
    AbsoluteFloors floors{};
    QueueClock others{};
    QueueClock waited{};  // the part of `others` that semaphores ordered
    uint64_t newest = 0;
    std::array<uint64_t, SQA_CLASSES> newest_of{};  // by producer
    // Waits for values that no submission signals yet. Until one does, anything may be ordered.
    struct Unresolved {
      uint64_t semaphore = 0, value = 0;
      uint32_t classes = 0;
    };
    std::vector<Unresolved> unresolved;
  };
  // What may be complete when somebody sees the signal, and what then is for certain.
  struct Signal {
    QueueClock clock{}, certain{};
  };
  struct Semaphore {
    bool timeline = false, external = false;
    uint64_t initial_value = 0;
    std::map<uint64_t, Signal> signals;  // by value; a binary one has only 0
  };

  Signal signal_of(uint32_t queue) const;
  Signal everything() const;
  const Signal* find_signal(uint64_t semaphore, uint64_t value) const;
  void add_signal(uint64_t semaphore, uint64_t value, const Signal& signal);
  void merge(Queue& queue, uint32_t number, QueueClock clock, uint32_t classes) const;
  // The same where a semaphore orders it.
  void merge_wait(Queue& queue, uint32_t number, const QueueClock& clock, uint32_t classes) const;
  void seen(const Signal& signal, bool sure);
  void find_ordered_before(SubmissionOrigin& place) const;
  bool runs_in_order() const;

  mutable std::mutex mutex_;
  uint64_t newest_ = 0;
  std::atomic<uint32_t> queue_count_ = 0;
  std::array<Queue, SQA_MAX_QUEUES> queues_;
  std::unordered_map<uint64_t, Semaphore> semaphores_;
  bool foreign_timeline_ = false;  // something waits for one that others may signal, too
  bool waits_for_host_ = false;    // something waits for an event that the host may set
  std::unordered_map<uint64_t, Signal> fences_;
  QueueClock host_{};      // maybe complete as far as the host knows: later submissions come behind them
  QueueClock complete_{};  // complete for certain
};

}  // namespace shaderqa
#endif
