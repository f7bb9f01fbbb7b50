// SPDX-License-Identifier: Apache-2.0
// The tables from handles to objects, alone.
#include "layer/vk/handle_table.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace shaderqa::layer {
namespace {

using Table = HandleTable<VkBuffer, uint64_t>;

VkBuffer handle_of(uint64_t number) { return reinterpret_cast<VkBuffer>(number); }

TEST(HandleTable, FindsWhatWasInsertedAndNotWhatWasErased) {
  Table table;
  EXPECT_EQ(table.find(VK_NULL_HANDLE), nullptr);
  EXPECT_EQ(table.find(handle_of(64)), nullptr);
  EXPECT_EQ(table.erase(handle_of(64)), nullptr);
  table.emplace(handle_of(64), 1u);
  ASSERT_NE(table.find(handle_of(64)), nullptr);
  EXPECT_EQ(*table.find(handle_of(64)), 1u);
  table.emplace(handle_of(64), 2u);
  EXPECT_EQ(*table.find(handle_of(64)), 2u);
  const auto erased = table.erase(handle_of(64));
  ASSERT_NE(erased, nullptr);
  EXPECT_EQ(*erased, 2u);
  EXPECT_EQ(table.find(handle_of(64)), nullptr);
}

// Handles come and go as those of command buffers do: the table must stay right, and runs of gone handles
// short enough that a lookup of what is not there ends.
TEST(HandleTable, IsRightThroughManyLivesOfHandles) {
  Table table;
  std::map<uint64_t, uint64_t> model;
  std::mt19937_64 random(7);
  for (uint64_t step = 0; step < 200000; ++step) {
    const uint64_t number = 16 * (1 + random() % 3000);
    if (model.contains(number)) {
      EXPECT_EQ(*table.find(handle_of(number)), model[number]);
      EXPECT_EQ(*table.erase(handle_of(number)), model[number]);
      model.erase(number);
    } else {
      EXPECT_EQ(table.find(handle_of(number)), nullptr);
      table.emplace(handle_of(number), step);
      model[number] = step;
    }
  }
  for (uint64_t number = 16; number <= 16 * 3000; number += 16) {
    const auto found = table.find(handle_of(number));
    ASSERT_EQ(found != nullptr, model.contains(number));
    EXPECT_TRUE(!found || *found == model[number]);
  }
}

TEST(HandleTable, ThreadsLookUpTheirsWhileOthersInsertAndErase) {
  Table table;
  std::atomic<uint64_t> wrong = 0;
  std::vector<std::thread> threads;
  for (uint64_t thread = 1; thread <= 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t round = 0; round < 50; ++round) {
        for (uint64_t i = 0; i < 200; ++i) table.emplace(handle_of(thread << 32 | i << 4), thread + i);
        for (uint64_t i = 0; i < 200; ++i) {
          const uint64_t* found = table.find(handle_of(thread << 32 | i << 4));
          if (!found || *found != thread + i) ++wrong;
          if (i % 3 == round % 3) table.erase(handle_of(thread << 32 | i << 4));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace shaderqa::layer
