// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace shaderqa::layer {
namespace {

using namespace std::chrono_literals;

class Counted : public Task {
 public:
  explicit Counted(std::function<void()> work = [] {}) : work_(std::move(work)) {}
  void run() noexcept override {
    work_();
    ++runs;
  }
  std::atomic<int> runs = 0;

 private:
  std::function<void()> work_;
};

// Keeps all threads that work ahead busy until it is opened.
class Gate {
 public:
  explicit Gate(WorkerPool& pool) {
    for (uint32_t i = 0; i < std::thread::hardware_concurrency() + 1; ++i) {
      tasks_.push_back(std::make_shared<Counted>([this] {
        while (!open) std::this_thread::sleep_for(1ms);
      }));
      pool.add(tasks_.back());
    }
  }
  std::atomic<bool> open = false;

 private:
  std::vector<std::shared_ptr<Counted>> tasks_;
};

TEST(WorkerPool, WhoeverWaitsComesBeforeWhatIsMadeAhead) {
  WorkerPool pool;
  Gate gate(pool);
  const auto task = std::make_shared<Counted>();
  pool.add(task);
  EXPECT_TRUE(pool.wait(task)) << "it waited for what nobody needs";
  EXPECT_EQ(task->runs, 1);
  EXPECT_TRUE(pool.wait(task));
  EXPECT_EQ(task->runs, 1);
  gate.open = true;
}

TEST(WorkerPool, ADroppedTaskNeverRuns) {
  WorkerPool pool;
  Gate gate(pool);
  const auto task = std::make_shared<Counted>();
  pool.add(task);
  pool.drop(task);
  gate.open = true;
  const auto last = std::make_shared<Counted>();
  pool.add(last);
  EXPECT_TRUE(pool.wait(last));
  pool.stop();
  EXPECT_EQ(task->runs, 0);
}

TEST(WorkerPool, StoppingDropsWhatWaitsAndWaitsForWhatRuns) {
  WorkerPool pool;
  std::atomic<bool> started = false;
  const auto running = std::make_shared<Counted>([&] {
    started = true;
    std::this_thread::sleep_for(50ms);
  });
  pool.add(running);
  while (!started) std::this_thread::sleep_for(1ms);
  pool.stop();
  EXPECT_EQ(running->runs, 1);
  const auto late = std::make_shared<Counted>();
  pool.add(late);
  EXPECT_FALSE(pool.wait(late));
  EXPECT_EQ(late->runs, 0);
}

TEST(WorkerPool, ThoseThatWaitAreReleasedWhenItStops) {
  WorkerPool pool;
  std::atomic<bool> started = false, open = false;
  const auto busy = std::make_shared<Counted>([&] {
    started = true;
    while (!open) std::this_thread::sleep_for(1ms);
  });
  pool.add(busy);
  while (!started) std::this_thread::sleep_for(1ms);
  std::thread opens([&] {
    std::this_thread::sleep_for(20ms);
    open = true;
  });
  pool.stop_at_exit(5s);
  EXPECT_EQ(busy->runs + (open ? 1 : 0), 2);
  opens.join();
}

TEST(WorkerPool, AtExitPatienceEnds) {
  auto open = std::make_shared<std::atomic<bool>>(false);
  auto pool = std::make_unique<WorkerPool>();
  std::atomic<bool> started = false;
  pool->add(std::make_shared<Counted>([&started, open] {
    started = true;
    while (!*open) std::this_thread::sleep_for(1ms);
  }));
  while (!started) std::this_thread::sleep_for(1ms);
  const auto begin = std::chrono::steady_clock::now();
  pool->stop_at_exit(30ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 30ms);
  *open = true;
}

TEST(WorkerPool, MakesOnlySomeAheadUntilOneIsNeeded) {
  WorkerPool pool;
  std::vector<std::shared_ptr<Counted>> tasks;
  for (uint32_t i = 0; i < WorkerPool::kMostAhead + 10; ++i) {
    tasks.push_back(std::make_shared<Counted>());
    pool.add(tasks.back());
  }
  const auto runs = [&] {
    uint32_t sum = 0;
    for (const auto& task : tasks) sum += static_cast<uint32_t>(task->runs);
    return sum;
  };
  const auto settle = [&](uint32_t expected) {
    for (int i = 0; i < 120000 && runs() < expected; ++i) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms);
    return runs();
  };
  EXPECT_EQ(settle(WorkerPool::kMostAhead), WorkerPool::kMostAhead);
  EXPECT_TRUE(pool.wait(tasks[0]));
  EXPECT_EQ(settle(WorkerPool::kMostAhead + 1), WorkerPool::kMostAhead + 1);
  pool.drop(tasks[1]);
  EXPECT_EQ(settle(WorkerPool::kMostAhead + 2), WorkerPool::kMostAhead + 2);
}

// A program that waits long for one pipeline after another leaves processors idle.
TEST(WorkerPool, WhileSomebodyWaitsLongMakesWhatWasAddedBehind) {
  WorkerPool pool(4);
  std::atomic<uint32_t> runs = 0;
  std::vector<std::shared_ptr<Counted>> first;
  for (uint32_t i = 0; i < WorkerPool::kMostAhead; ++i) {
    first.push_back(std::make_shared<Counted>([&] { ++runs; }));
    pool.add(first.back());
  }
  for (int i = 0; i < 120000 && runs < WorkerPool::kMostAhead; ++i) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(runs, WorkerPool::kMostAhead);

  std::vector<std::shared_ptr<Counted>> more;
  for (int i = 0; i < 6; ++i) {
    more.push_back(std::make_shared<Counted>([&, waited_for = i == 1] {
      for (int n = 0; waited_for && n < 120000 && runs < WorkerPool::kMostAhead + 2; ++n)
        std::this_thread::sleep_for(1ms);
      ++runs;
    }));
    pool.add(more.back());
  }
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(runs, WorkerPool::kMostAhead) << "there is no room";
  EXPECT_TRUE(pool.wait(more[1]));
  EXPECT_EQ(more[2]->runs, 1);
  EXPECT_EQ(more[3]->runs, 1);
}

}  // namespace
}  // namespace shaderqa::layer
