// SPDX-License-Identifier: Apache-2.0
// The latest results stay, up to so many bytes.
#include "layer/pipelines/result_cache.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace shaderqa::layer {
namespace {

constexpr size_t kWords = 1000;

Instrumented make(uint32_t first_word, size_t words = kWords) {
  InstrumentResult result;
  result.status = InstrumentStatus::instrumented;
  result.words.assign(words, first_word);
  return {std::make_shared<const InstrumentResult>(std::move(result)), true};
}
ResultCache::Key key(uint64_t shader) { return {shader, "options"}; }
bool has(ResultCache& cache, uint64_t shader) { return static_cast<bool>(cache.find(key(shader))); }

// Room for three of them.
constexpr size_t kRoom = 3 * (kWords * 4 + 1000);

TEST(ResultCache, TheFirstOfTwoStays) {
  ResultCache cache(kRoom);
  EXPECT_FALSE(cache.find(key(1)));
  const Instrumented first = cache.add(key(1), make(1));
  EXPECT_TRUE(first.needs_record);
  const Instrumented second = cache.add(key(1), make(2));
  EXPECT_EQ(second.result, first.result);
  EXPECT_EQ(cache.find(key(1)).result, first.result);
  EXPECT_FALSE(cache.find({1, "other options"}));
}

TEST(ResultCache, ThoseThatWereNotAskedForLongestGo) {
  ResultCache cache(kRoom);
  for (uint64_t i = 1; i <= 3; ++i) cache.add(key(i), make(1));
  EXPECT_TRUE(has(cache, 1));
  cache.add(key(4), make(1));
  EXPECT_FALSE(has(cache, 2));
  for (const uint64_t shader : {1, 3, 4}) EXPECT_TRUE(has(cache, shader)) << shader;
}

TEST(ResultCache, WhoeverHoldsAResultKeepsIt) {
  ResultCache cache(kRoom);
  const Instrumented held = cache.add(key(1), make(7));
  for (uint64_t i = 2; i < 10; ++i) cache.add(key(i), make(1));
  EXPECT_FALSE(has(cache, 1));
  EXPECT_EQ(held.result->words, std::vector<uint32_t>(kWords, 7));
}

TEST(ResultCache, BytesStayWithinTheLimit) {
  ResultCache cache(kRoom);
  for (uint64_t i = 0; i < 1000; ++i) {
    cache.add(key(i), make(1, 1 + i % kWords));
    EXPECT_LE(cache.bytes(), kRoom);
  }
  EXPECT_GT(cache.bytes(), kRoom / 2);
}

TEST(ResultCache, OneThatIsTooLargeStaysAlone) {
  ResultCache cache(kRoom);
  cache.add(key(1), make(1));
  cache.add(key(2), make(1, kRoom));
  EXPECT_FALSE(has(cache, 1));
  EXPECT_TRUE(has(cache, 2));
  cache.add(key(3), make(1));
  EXPECT_FALSE(has(cache, 2));
  EXPECT_LE(cache.bytes(), kRoom);
}

TEST(ResultCache, RemembersWhatWasAdded) {
  ResultCache cache(kRoom);
  EXPECT_FALSE(cache.was_added(key(1)));
  for (uint64_t i = 1; i < 10; ++i) cache.add(key(i), make(1));
  EXPECT_FALSE(has(cache, 1));
  EXPECT_TRUE(cache.was_added(key(1)));
  EXPECT_FALSE(cache.was_added({1, "other options"}));
}

TEST(ResultCache, ManyThreadsUseOne) {
  ResultCache cache(kRoom);
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cache, thread] {
      for (uint32_t i = 0; i < 2000; ++i) {
        const uint32_t shader = (i * (thread + 1)) % 8;
        Instrumented found = cache.find(key(shader));
        if (!found) found = cache.add(key(shader), make(shader));
        ASSERT_EQ(found.result->words.at(0), shader);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.bytes(), kRoom);
}

}  // namespace
}  // namespace shaderqa::layer
