// SPDX-License-Identifier: Apache-2.0
// Threads that make the checked versions of pipelines (docs/internals/start.md).
#ifndef SHADERQA_LAYER_PIPELINES_WORKER_POOL_H
#define SHADERQA_LAYER_PIPELINES_WORKER_POOL_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace shaderqa::layer {

// What is done once, on a worker's thread.
class Task {
 public:
  virtual ~Task() = default;
  virtual void run() noexcept = 0;

 private:
  friend class WorkerPool;
  enum class State : uint8_t { waiting, running, done, dropped };
  // Guarded by the pool.
  State state_ = State::waiting;
  bool wanted_ = false;  // somebody needs it, rather than may need it later
  bool ahead_ = false;   // it is done, and nobody has needed it so far
  uint64_t order_ = 0;   // of those that were added
  std::list<std::shared_ptr<Task>>::iterator place_;
};

// Thread-safe. Threads begin with the first task. Tasks that somebody waits for come first; the others are
// done ahead, in their order from the last one on that somebody has waited for, on one thread less than there
// are processors, and only so many of them that nobody has needed yet: kMostAhead, and more the longer the
// program has waited for others.
class WorkerPool {
 public:
  explicit WorkerPool(uint32_t threads = threads_of_machine()) : most_threads_(threads) {}
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  static constexpr uint32_t kMostAhead = 64, kMostAheadAfterWaits = 512;
  // For each of these that the program has waited, one more may be done ahead, up to kMostAheadAfterWaits.
  static constexpr std::chrono::milliseconds kWaitForOneMore{250};
  static uint32_t threads_of_machine();

  // beside: of which the new task takes the place in the order; null: it comes last.
  void add(const std::shared_ptr<Task>& task, const Task* beside = nullptr);
  // It is done before all others that nobody wants.
  void want(const std::shared_ptr<Task>& task);
  // The same, and waits. False: it was dropped. makes_room: if this takes long, more may be done ahead.
  bool wait(const std::shared_ptr<Task>& task, bool makes_room = true);
  // Nobody needs it any more. If it is running, it goes on.
  void drop(const std::shared_ptr<Task>& task);
  // Drops everything that is not running, and waits for what is.
  void stop() noexcept;
  // The same while the process exits; threads may go on afterwards.
  void stop_at_exit(std::chrono::milliseconds patience) noexcept;

 private:
  using Tasks = std::list<std::shared_ptr<Task>>;
  void work() noexcept;
  std::shared_ptr<Task> take();
  Tasks::iterator next_ahead();
  void run(const std::shared_ptr<Task>& task, std::unique_lock<std::mutex>& lock) noexcept;
  void move_to_front(const std::shared_ptr<Task>& task);
  void drop_waiting();
  void start_thread();
  bool may_work_ahead() const;
  bool is_over(const Task& task) const {
    return task.state_ == Task::State::done || task.state_ == Task::State::dropped;
  }

  const uint32_t most_threads_;
  std::mutex mutex_;
  std::condition_variable work_;  // there may be a task to take
  std::condition_variable done_;  // a task is done, or dropped
  Tasks wanted_, later_;
  std::vector<std::thread> threads_;
  uint32_t idle_ = 0, running_ = 0, running_ahead_ = 0, ahead_ = 0;
  uint64_t added_ = 0;
  uint64_t waited_for_ = 0;             // Task::order_ of the last one that somebody waited for
  std::chrono::nanoseconds waited_{0};  // by all that have waited
  bool stopping_ = false;
};

}  // namespace shaderqa::layer
#endif
