// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_reader.h"

#include <gtest/gtest.h>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "instrument/runtime/abi_report.h"
#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

using Mode = CheckReader::Mode;

std::vector<uint32_t> drain(FakeBlock& block, Mode mode = Mode::running) {
  std::vector<uint32_t> instructions;
  block.reader.drain(mode, [&](const abi::Report& record) { instructions.push_back(record.instruction); });
  return instructions;
}

TEST(CheckReader, DeliversOnceAndFreesTheSlot) {
  FakeBlock block;
  EXPECT_TRUE(drain(block).empty());
  EXPECT_TRUE(block.publish(5, report_of(50, SQA_CHECK_ASSUME)));
  EXPECT_FALSE(block.publish(5, report_of(51, SQA_CHECK_ASSUME))) << "taken until the host has read it";
  EXPECT_TRUE(block.publish(SQA_REPORT_SLOTS - 1, report_of(60, SQA_CHECK_ASSUME)));
  EXPECT_EQ(drain(block), (std::vector<uint32_t>{50, 60}));
  EXPECT_EQ(block.control->slots[5], 0u);
  EXPECT_EQ(block.records[5].ticket, 0u);
  EXPECT_TRUE(drain(block).empty());
  EXPECT_TRUE(block.publish(5, report_of(51, SQA_CHECK_ASSUME)));
  EXPECT_EQ(drain(block), std::vector<uint32_t>{51});
}

TEST(CheckReader, DeliversTheOldestFirst) {
  FakeBlock block;
  block.publish(700, report_of(50, SQA_CHECK_ASSUME));
  block.publish(5, report_of(60, SQA_CHECK_ASSUME));
  block.publish(300, report_of(70, SQA_CHECK_ASSUME));
  EXPECT_EQ(drain(block), (std::vector<uint32_t>{50, 60, 70}));
}

TEST(CheckReader, KnowsOfFailuresThatFoundNoSlot) {
  FakeBlock block;
  EXPECT_EQ(block.reader.unclaimed(), 0u);
  block.control->unclaimed = 3;
  EXPECT_EQ(block.reader.unclaimed(), 3u);
}

TEST(CheckReader, KnowsOfAccessesThatFoundNoRoom) {
  FakeBlock block;
  EXPECT_EQ(block.reader.unqueued(), 0u);
  block.control->unqueued = 3;
  EXPECT_EQ(block.reader.unqueued(), 3u);
  EXPECT_EQ(block.reader.unclaimed(), 0u);
}

// The slot stays the record's while it is being delivered, and nothing of it is gone if delivery fails.
TEST(CheckReader, ARecordWhoseDeliveryFailsStays) {
  FakeBlock block;
  block.publish(5, report_of(50, SQA_CHECK_ASSUME));
  EXPECT_THROW(block.reader.drain(Mode::running,
                                  [&](const abi::Report&) {
                                    EXPECT_EQ(block.control->slots[5], 1u);
                                    throw std::runtime_error("no memory");
                                  }),
               std::runtime_error);
  EXPECT_EQ(drain(block), std::vector<uint32_t>{50});
}

TEST(CheckReader, ARecordMayComeLaterThanItsCount) {
  FakeBlock block;
  block.control->slots[9] = 1;
  block.control->published = 1;
  EXPECT_TRUE(drain(block).empty());
  block.records[9] = report_of(90, SQA_CHECK_NAN);
  block.records[9].ticket = 1;
  EXPECT_EQ(drain(block), std::vector<uint32_t>{90});
}

// A count that nothing follows is given up, and what comes later is found.
TEST(CheckReader, AWrongCountIsNotChasedForEver) {
  FakeBlock block;
  block.control->published = 0xdeadbeef;
  for (int i = 0; i < 2000; ++i) EXPECT_TRUE(drain(block).empty());
  block.records[9] = report_of(90, SQA_CHECK_NAN);
  block.records[9].ticket = 7;
  EXPECT_TRUE(drain(block).empty()) << "still searching";
  EXPECT_EQ(drain(block, Mode::finished), std::vector<uint32_t>{90});
  block.publish(10, report_of(100, SQA_CHECK_NAN));
  EXPECT_EQ(drain(block), std::vector<uint32_t>{100});
}

TEST(CheckReader, TheCountWraps) {
  FakeBlock block;
  block.control->published = 0xffffffff;
  for (int i = 0; i < 2000; ++i) drain(block);
  block.publish(1, report_of(10, SQA_CHECK_NAN));
  EXPECT_EQ(block.control->published, 0u);
  block.records[1].ticket = 1;  // never 0
  EXPECT_EQ(drain(block), std::vector<uint32_t>{10});
}

// Invocations that claim, write and publish while the host reads: none is lost, none comes twice, none is
// torn.
TEST(CheckReader, ManyWritersWhileReading) {
  FakeBlock block;
  constexpr uint32_t kThreads = 3, kEach = 1000;
  std::atomic<uint32_t> running = kThreads, published = 0;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < kEach; ++i) {
        const uint32_t slot = (i * 31 + t) % 16, number = t * kEach + i + 1;
        uint32_t expected = 0;
        while (!std::atomic_ref(block.control->slots[slot])
                    .compare_exchange_strong(expected, 1, std::memory_order_relaxed)) {
          expected = 0;
          std::this_thread::yield();
        }
        auto words = reinterpret_cast<uint32_t*>(&block.records[slot]);
        for (uint32_t w = 0; w < SQA_REPORT_DWORDS - 1; ++w)
          std::atomic_ref(words[w]).store(number, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        const uint32_t ticket =
            std::atomic_ref(block.control->published).fetch_add(1, std::memory_order_relaxed) + 1;
        std::atomic_ref(words[SQA_REPORT_DWORDS - 1]).store(ticket, std::memory_order_relaxed);
        ++published;
      }
      --running;
    });
  }
  std::set<uint32_t> seen;
  uint64_t delivered = 0;
  const auto look = [&](const abi::Report& record) {
    EXPECT_EQ(record.shader_hash[0], record.invocation_id);
    EXPECT_EQ(record.instruction, record.size);
    seen.insert(record.instruction);
  };
  while (running != 0) delivered += block.reader.drain(Mode::running, look);
  for (std::thread& thread : threads) thread.join();
  delivered += block.reader.drain(Mode::running, look);
  EXPECT_EQ(delivered, published);
  EXPECT_EQ(seen.size(), published);
}

TEST(CheckReader, FailuresAreCountedWhereShadersCountThem) {
  EXPECT_EQ(failure_counter(0x0000000500000003, 2), ((2u * 97u) ^ 3u ^ 5u) & (SQA_REPORT_SLOTS - 1));
  FakeBlock block;
  for (int i = 0; i < 3; ++i) block.publish(1, report_of(10, SQA_CHECK_NAN));
  EXPECT_EQ(block.reader.failures(failure_counter(kCheckedShader, 10)), 3u);
  EXPECT_EQ(block.reader.failures(0xffffffff), block.control->failures[SQA_REPORT_SLOTS - 1]);
}

}  // namespace
}  // namespace shaderqa::test
