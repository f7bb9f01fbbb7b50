// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/worker_pool.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "layer/vk/quiet_thread.h"

namespace shaderqa::layer {

uint32_t WorkerPool::threads_of_machine() { return std::max(2u, std::thread::hardware_concurrency()) - 1; }

void WorkerPool::add(const std::shared_ptr<Task>& task, const Task* beside) {
  const std::lock_guard lock(mutex_);
  task->order_ = beside ? beside->order_ : ++added_;
  if (stopping_) {
    task->state_ = Task::State::dropped;
    return;
  }
  task->place_ = later_.insert(later_.end(), task);
  if (idle_ == 0 && threads_.size() < most_threads_) start_thread();
  work_.notify_one();
}

void WorkerPool::start_thread() {
  try {
    threads_.reserve(threads_.size() + 1);
    threads_.push_back(start_quiet_thread("shaderqa-make", [this] { work(); }));
  } catch (const std::system_error&) {
    return;  // whoever waits does the work
  }
}

bool WorkerPool::may_work_ahead() const {
  const int64_t room = kMostAhead + waited_ / kWaitForOneMore;
  return running_ < most_threads_ && running_ahead_ + ahead_ < std::min<int64_t>(room, kMostAheadAfterWaits);
}

// Programs use pipelines one after the other much as they have created them.
WorkerPool::Tasks::iterator WorkerPool::next_ahead() {
  auto next = later_.end();
  while (next != later_.begin() && (*std::prev(next))->order_ > waited_for_) --next;
  return next == later_.end() ? std::prev(next) : next;
}

std::shared_ptr<Task> WorkerPool::take() {
  std::shared_ptr<Task> task;
  if (!wanted_.empty()) {
    task = std::move(wanted_.front());
    wanted_.pop_front();
  } else if (!later_.empty() && may_work_ahead()) {
    const auto next = next_ahead();
    task = std::move(*next);
    later_.erase(next);
  }
  return task;
}

void WorkerPool::run(const std::shared_ptr<Task>& task, std::unique_lock<std::mutex>& lock) noexcept {
  const bool ahead = !task->wanted_;
  task->state_ = Task::State::running;
  ++running_;
  running_ahead_ += ahead ? 1 : 0;
  lock.unlock();
  task->run();
  lock.lock();
  --running_;
  running_ahead_ -= ahead ? 1 : 0;
  if (task->state_ == Task::State::running) {
    task->state_ = Task::State::done;
    task->ahead_ = !task->wanted_;
    ahead_ += task->ahead_ ? 1 : 0;
  }
  done_.notify_all();
}

void WorkerPool::work() noexcept {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (const std::shared_ptr<Task> task = take()) {
      run(task, lock);
      continue;
    }
    ++idle_;
    work_.wait(lock);
    --idle_;
  }
}

void WorkerPool::move_to_front(const std::shared_ptr<Task>& task) {
  if (task->ahead_) {
    task->ahead_ = false;
    --ahead_;
    work_.notify_one();  // there is room for another one
  }
  if (task->wanted_) return;
  task->wanted_ = true;
  if (task->state_ != Task::State::waiting) return;
  wanted_.splice(wanted_.end(), later_, task->place_);
  // The workers may be busy for long with what nobody needs.
  if (idle_ == 0 && threads_.size() < size_t{2} * most_threads_) start_thread();
  work_.notify_one();
}

void WorkerPool::want(const std::shared_ptr<Task>& task) {
  const std::lock_guard lock(mutex_);
  move_to_front(task);
}

bool WorkerPool::wait(const std::shared_ptr<Task>& task, bool makes_room) {
  std::unique_lock lock(mutex_);
  move_to_front(task);
  if (threads_.empty() && task->state_ == Task::State::waiting) {
    wanted_.erase(task->place_);
    run(task, lock);
  }
  if (!is_over(*task)) waited_for_ = task->order_;
  auto since = std::chrono::steady_clock::now();
  while (!is_over(*task)) {
    done_.wait_for(lock, kWaitForOneMore);
    const auto now = std::chrono::steady_clock::now();
    if (makes_room) waited_ += now - std::exchange(since, now);
    if (later_.empty() || !may_work_ahead()) continue;
    if (idle_ == 0 && threads_.size() < most_threads_) start_thread();
    work_.notify_one();
  }
  return task->state_ == Task::State::done;
}

void WorkerPool::drop(const std::shared_ptr<Task>& task) {
  const std::lock_guard lock(mutex_);
  if (task->state_ == Task::State::waiting) (task->wanted_ ? wanted_ : later_).erase(task->place_);
  if (task->ahead_) {
    task->ahead_ = false;
    --ahead_;
    work_.notify_one();
  }
  task->state_ = Task::State::dropped;
}

void WorkerPool::drop_waiting() {
  stopping_ = true;
  for (Tasks* tasks : {&wanted_, &later_}) {
    for (const std::shared_ptr<Task>& task : *tasks) task->state_ = Task::State::dropped;
    tasks->clear();
  }
  work_.notify_all();
  done_.notify_all();
}

void WorkerPool::stop() noexcept {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    drop_waiting();
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::stop_at_exit(std::chrono::milliseconds patience) noexcept {
  std::unique_lock lock(mutex_, std::try_to_lock);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  // Another thread may have been ended while it held the lock.
  while (!lock.owns_lock()) {
    if (std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static_cast<void>(lock.try_lock());
  }
  drop_waiting();
  done_.wait_until(lock, deadline, [&] { return running_ == 0; });
}

}  // namespace shaderqa::layer
