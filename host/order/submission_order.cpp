// SPDX-License-Identifier: Apache-2.0
#include "host/order/submission_order.h"

#include <algorithm>

#include "instrument/runtime/abi_submission.h"

namespace shaderqa {
namespace {

// The classes that come after whatever the host waited for before it submitted them.
constexpr uint32_t kDeviceClasses = kAllClasses & ~(1u << SQA_CLASS_HOST);
// How many signals of a timeline semaphore are kept. The oldest kept one stands in for older ones, which
// orders more than they do.
constexpr size_t kKeptSignals = 256;

uint64_t end_of_epoch(uint64_t number) { return epoch_of(number) * SQA_EPOCH_BIT + SQA_EPOCH_BIT - 1; }

void raise(uint64_t& number, uint64_t to) { number = std::max(number, to); }

void raise(QueueClock& clock, const QueueClock& to) {
  for (size_t i = 0; i < clock.size(); ++i) raise(clock[i], to[i]);
}

template <typename Signal>
void raise(Signal& signal, const Signal& to) {
  raise(signal.clock, to.clock);
  raise(signal.certain, to.certain);
}

void raise(AbsoluteFloors& floors, uint64_t to, uint32_t consumers) {
  for (auto& matrix : floors) {
    for (auto& row : matrix) {
      for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
        if (consumers >> consumer & 1) raise(row[consumer], to);
      }
    }
  }
}

}  // namespace

SubmissionOrigin inner_place(const SubmissionOrigin& place, const OrderState& entry, uint32_t offset,
                             uint32_t producers) {
  SubmissionOrigin inner = place;
  inner.first = place.first + offset;
  for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
    // Only if everything before the primary command buffer is ordered before it.
    if (place.ordered_before[consumer] + 1 >= place.first)
      inner.ordered_before[consumer] = place.first + entry.ordered_for(consumer, producers, offset) - 1;
  }
  inner.inherited = entry.evaluate(place.first, place.inherited);
  return inner;
}

void write_submission_state(const SubmissionOrigin& place, const InheritedFloors& floors, uint32_t serial,
                            abi::SubmissionState& state) {
  const uint64_t epoch = epoch_of(place.first);
  const auto floor = [&](uint64_t number) {
    return epoch_of(number) == epoch && number % SQA_EPOCH_BIT ? sequence_of(number) : 0;
  };
  state = {};
  state.queue = place.queue;
  state.serial = serial;
  state.first_sequence = sequence_of(place.first);
  state.in_order = place.in_order ? 1 : 0;
  for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
    state.ordered_before[consumer] = floor(place.ordered_before[consumer]);
  }
  for (uint32_t queue = 0; queue < SQA_MAX_QUEUES; ++queue) {
    if (queue != place.queue) state.queue_floors[queue] = floor(place.others[queue]);
  }
  std::ranges::transform(floors.evaluate(place.inherited), state.floors, floor);
}

SubmissionOrder::Signal SubmissionOrder::signal_of(uint32_t number) const {
  const Queue& queue = queues_[number];
  Signal signal{queue.others, {}};
  signal.certain[number] = queue.newest;
  if (!queue.unresolved.empty()) signal.clock = everything().clock;
  raise(signal.clock, host_);
  raise(signal.clock[number], queue.newest);
  return signal;
}

// Includes what will be submitted later in this epoch, because a wait may be for that.
SubmissionOrder::Signal SubmissionOrder::everything() const {
  Signal signal;
  signal.clock.fill(end_of_epoch(newest_));
  return signal;
}

const SubmissionOrder::Signal* SubmissionOrder::find_signal(uint64_t handle, uint64_t value) const {
  const auto found = semaphores_.find(handle);
  if (found == semaphores_.end()) return nullptr;
  const auto signal = found->second.signals.lower_bound(found->second.timeline ? value : 0);
  return signal == found->second.signals.end() ? nullptr : &signal->second;
}

// Orders what lies below the clock's numbers before the queue's accesses of these classes. Floors of other
// queues do not distinguish classes, because a barrier after the wait may chain to any of them.
void SubmissionOrder::merge(Queue& queue, uint32_t number, QueueClock clock, uint32_t classes) const {
  // A queue does not wait for what is submitted to it later, even where what it waits for is not known.
  clock[number] = std::min(clock[number], queue.newest);
  raise(queue.others, clock);
  raise(queue.floors, clock[number], classes);
}

void SubmissionOrder::merge_wait(Queue& queue, uint32_t number, const QueueClock& clock,
                                 uint32_t classes) const {
  raise(queue.waited, clock);
  merge(queue, number, clock, classes);
}

void SubmissionOrder::wait(uint32_t number, uint64_t handle, uint64_t value, uint32_t classes) {
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[number];
  const auto found = semaphores_.find(handle);
  const bool known = found != semaphores_.end() && !found->second.external;
  foreign_timeline_ = foreign_timeline_ || (!known && found != semaphores_.end() && found->second.timeline);
  const bool timeline = known && found->second.timeline;
  if (timeline && value <= found->second.initial_value) return;
  const Signal* signal = known ? find_signal(handle, value) : nullptr;
  if (signal) {
    merge_wait(queue, number, signal->clock, classes);
  } else if (timeline) {
    queue.unresolved.push_back({handle, value, classes});
  } else {
    merge_wait(queue, number, everything().clock,
               classes);  // something that the layer does not see signalled it
  }
  if (known && !timeline) found->second.signals.clear();
}

// Takes the lowest number to which any producer and any other queue limits the order.
void SubmissionOrder::find_ordered_before(SubmissionOrigin& place) const {
  for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
    uint64_t ordered_before = place.first - 1;
    for (uint32_t other = 0; other < SQA_MAX_QUEUES; ++other) {
      if (other != place.queue && queues_[other].newest > place.others[other])
        ordered_before = std::min(ordered_before, place.others[other]);
    }
    const Queue& queue = queues_[place.queue];
    // Reads of uniform buffers do not count on it, as few barriers make anything visible to them.
    for (const uint32_t kind : {SQA_FLOOR_EXECUTED, SQA_FLOOR_AVAILABLE, SQA_FLOOR_VISIBLE}) {
      for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
        const uint64_t floor = place.inherited[kind][producer][consumer];
        if (queue.newest_of[producer] > floor) ordered_before = std::min(ordered_before, floor);
      }
    }
    place.ordered_before[consumer] = ordered_before;
  }
}

SubmissionOrigin SubmissionOrder::begin(uint32_t number, uint32_t numbers, uint32_t producers) {
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[number];
  merge(queue, number, host_, kDeviceClasses);
  SubmissionOrigin place;
  place.queue = number;
  if (newest_ % SQA_EPOCH_BIT + numbers > kMostNumbers) {
    newest_ = (epoch_of(newest_) + 1) * SQA_EPOCH_BIT;
    place.starts_epoch = true;
  }
  place.first = newest_ + 1;
  newest_ += numbers;
  place.in_order = runs_in_order() && !waits_for_host_;
  place.inherited = queue.floors;
  place.others = queue.others;
  if (!queue.unresolved.empty()) raise(place.others, everything().clock);
  find_ordered_before(place);
  if (numbers) queue.newest = newest_;
  for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
    if (numbers && producers >> producer & 1) queue.newest_of[producer] = newest_;
  }
  return place;
}

void SubmissionOrder::end(const SubmissionOrigin& place, const OrderState& exit) {
  const AbsoluteFloors floors = exit.evaluate(place.first, place.inherited);
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[place.queue];
  for (uint32_t kind = 0; kind < SQA_INHERITED_KINDS; ++kind) {
    for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
      for (uint32_t consumer = 0; consumer < SQA_CLASSES; ++consumer) {
        raise(queue.floors[kind][producer][consumer],
              std::min(floors[kind][producer][consumer], queue.newest));
      }
    }
  }
}

void SubmissionOrder::wait_for_host() {
  const std::lock_guard lock(mutex_);
  waits_for_host_ = true;
}

void SubmissionOrder::pass_unknown(uint32_t number) {
  const std::lock_guard lock(mutex_);
  raise(queues_[number].floors, queues_[number].newest, kAllClasses);
}

void SubmissionOrder::forget_earlier() {
  const std::lock_guard lock(mutex_);
  QueueClock all{};
  for (uint32_t number = 0; number < SQA_MAX_QUEUES; ++number) all[number] = queues_[number].newest;
  for (Queue& queue : queues_) {
    raise(queue.others, all);
    raise(queue.waited, all);
    raise(queue.floors, queue.newest, kAllClasses);
  }
}

void SubmissionOrder::add_signal(uint64_t handle, uint64_t value, const Signal& signal) {
  Semaphore& semaphore = semaphores_[handle];
  if (!semaphore.timeline) value = 0;
  if (!semaphore.timeline) semaphore.signals.clear();
  const auto place = semaphore.signals.insert_or_assign(value, signal).first;
  // A value of a timeline semaphore comes after all lower ones, whichever queue signals them.
  if (place != semaphore.signals.begin()) raise(place->second, std::prev(place)->second);
  for (auto later = std::next(place); later != semaphore.signals.end(); ++later) raise(later->second, signal);
  const QueueClock reached = place->second.clock;
  if (semaphore.signals.size() > kKeptSignals) semaphore.signals.erase(semaphore.signals.begin());
  for (uint32_t number = 0; number < SQA_MAX_QUEUES; ++number) {
    Queue& queue = queues_[number];
    std::erase_if(queue.unresolved, [&](const Queue::Unresolved& one) {
      if (one.semaphore != handle || one.value > value) return false;
      merge_wait(queue, number, reached, one.classes);
      return true;
    });
  }
}

void SubmissionOrder::signal(uint32_t queue, uint64_t semaphore, uint64_t value) {
  const std::lock_guard lock(mutex_);
  add_signal(semaphore, value, signal_of(queue));
}

void SubmissionOrder::signal_fence(uint32_t queue, uint64_t fence) {
  const std::lock_guard lock(mutex_);
  fences_[fence] = signal_of(queue);
}

void SubmissionOrder::create_semaphore(uint64_t handle, bool timeline, uint64_t initial_value,
                                       bool external) {
  const std::lock_guard lock(mutex_);
  semaphores_[handle] = {timeline, external, initial_value, {}};
}

void SubmissionOrder::import_semaphore(uint64_t handle, bool for_one_wait) {
  const std::lock_guard lock(mutex_);
  Semaphore& semaphore = semaphores_[handle];
  semaphore.signals.clear();
  if (!for_one_wait || semaphore.timeline) semaphore.external = true;
}

void SubmissionOrder::destroy_semaphore(uint64_t handle) {
  const std::lock_guard lock(mutex_);
  semaphores_.erase(handle);
  // Waits for the semaphore must be over, for a reason that the layer did not see.
  for (uint32_t number = 0; number < SQA_MAX_QUEUES; ++number) {
    Queue& queue = queues_[number];
    std::erase_if(queue.unresolved, [&](const Queue::Unresolved& one) {
      if (one.semaphore != handle) return false;
      merge_wait(queue, number, everything().clock, one.classes);
      return true;
    });
  }
}

void SubmissionOrder::destroy_fence(uint64_t fence) {
  const std::lock_guard lock(mutex_);
  fences_.erase(fence);
}

void SubmissionOrder::signal_from_outside(uint64_t semaphore, uint64_t fence) {
  const std::lock_guard lock(mutex_);
  if (semaphore) add_signal(semaphore, 0, {});
  if (fence) fences_[fence] = {};
}

void SubmissionOrder::signal_from_host(uint64_t semaphore, uint64_t value) {
  const std::lock_guard lock(mutex_);
  Signal signal;
  signal.clock = host_;
  add_signal(semaphore, value, signal);
}

void SubmissionOrder::seen(const Signal& signal, bool sure) {
  // Cut off at the newest number: what is submitted from here on is not complete.
  for (size_t i = 0; i < host_.size(); ++i) raise(host_[i], std::min(signal.clock[i], newest_));
  if (sure) raise(complete_, signal.certain);
}

void SubmissionOrder::fence_seen(uint64_t fence, bool sure) {
  const std::lock_guard lock(mutex_);
  const auto found = fences_.find(fence);
  seen(found == fences_.end() ? everything() : found->second, sure);
}

void SubmissionOrder::semaphore_seen(uint64_t handle, uint64_t value, bool sure) {
  const std::lock_guard lock(mutex_);
  const auto found = semaphores_.find(handle);
  if (found == semaphores_.end() || found->second.external) return seen(everything(), false);
  const Semaphore& semaphore = found->second;
  if (value <= semaphore.initial_value) return;
  const auto reached = semaphore.signals.lower_bound(value);
  if (reached == semaphore.signals.end()) return seen(everything(), false);
  seen(reached->second, sure && reached->first == value);
}

void SubmissionOrder::device_idle() {
  const std::lock_guard lock(mutex_);
  host_.fill(newest_);
  complete_.fill(newest_);
}

void SubmissionOrder::something_seen() {
  const std::lock_guard lock(mutex_);
  seen(everything(), false);
}

void SubmissionOrder::own_complete(uint32_t queue, uint64_t number) {
  const std::lock_guard lock(mutex_);
  raise(complete_[queue], number);
}

bool SubmissionOrder::is_complete(uint32_t queue, uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return number <= complete_[queue];
}

bool SubmissionOrder::everything_complete() const {
  const std::lock_guard lock(mutex_);
  for (uint32_t queue = 0; queue < SQA_MAX_QUEUES; ++queue) {
    if (queues_[queue].newest > complete_[queue]) return false;
  }
  return true;
}

uint64_t SubmissionOrder::complete(uint32_t queue) const {
  const std::lock_guard lock(mutex_);
  return complete_[queue];
}

HostView SubmissionOrder::host_view(const QueueClock& seen, bool& unread) const {
  const std::lock_guard lock(mutex_);
  HostView view;
  view.done = complete_;
  unread = false;
  for (uint32_t number = 0; number < SQA_MAX_QUEUES; ++number) {
    const Queue& queue = queues_[number];
    // Another queue that waited for this one may have made its writes visible by any of its own barriers.
    uint64_t by_others = 0;
    for (uint32_t other = 0; other < SQA_MAX_QUEUES; ++other) {
      if (other == number) continue;
      raise(by_others, queues_[other].waited[number]);
      if (!queues_[other].unresolved.empty()) raise(by_others, queue.newest);
    }
    for (uint32_t producer = 0; producer < SQA_CLASSES; ++producer) {
      uint64_t& visible = view.visible[number][producer];
      visible = std::max(queue.floors[SQA_FLOOR_VISIBLE][producer][SQA_CLASS_HOST], by_others);
      const uint64_t known = std::max(visible, seen[number]);
      if (queue.newest_of[producer] > known && view.done[number] > known) unread = true;
    }
  }
  return view;
}

bool SubmissionOrder::is_foreign(uint64_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = semaphores_.find(handle);
  return found == semaphores_.end() || found->second.external;
}

bool SubmissionOrder::is_in_order() const {
  const std::lock_guard lock(mutex_);
  return runs_in_order();
}

bool SubmissionOrder::runs_in_order() const {
  return !foreign_timeline_ &&
         std::ranges::all_of(queues_, [](const Queue& one) { return one.unresolved.empty(); });
}

uint64_t SubmissionOrder::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

}  // namespace shaderqa
