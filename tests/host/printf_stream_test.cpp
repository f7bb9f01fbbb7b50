// SPDX-License-Identifier: Apache-2.0
// Segments read while they are written: order, switching, recycling, holes, pads, damage.
#include "host/printf/printf_stream.h"

#include <gtest/gtest.h>
#include <atomic>
#include <optional>
#include <random>
#include <thread>

#include "instrument/runtime/abi_printf.h"
#include "tests/host/printf_builder.h"

namespace shaderqa::test {
namespace {

constexpr uint64_t kId = 0x0000deadbeef;
using Mode = PrintfStream::Mode;

// Memory as the layer sets it up, and a writer that does what the shader's runtime does.
struct Device {
  explicit Device(uint32_t capacity, uint32_t count = SQA_PRINTF_SEGMENTS)
      : entries(count, std::vector<uint32_t>(capacity)), headers(count), cursors(count) {
    table.add(make_record({args().u32(0).site("%u", kId)}));
  }
  PrintfStream stream() {
    std::vector<PrintfSegmentView> views;
    for (size_t i = 0; i < entries.size(); ++i)
      views.push_back(
          {entries[i].data(), static_cast<uint32_t>(entries[i].size()), &headers[i], &cursors[i]});
    return PrintfStream(views, &active, table);
  }
  uint32_t capacity() const { return static_cast<uint32_t>(entries[0].size()); }

  // Reserves in the segment; returns where, or nothing if it does not fit (and then pads, as the crossing
  // writer does).
  std::optional<uint32_t> reserve(uint32_t segment, uint32_t size) {
    // What the shader stores next depends on the result, so it cannot come before it; C++ calls that acquire.
    const uint64_t at =
        std::atomic_ref<uint64_t>(headers[segment].buffer_offset).fetch_add(size, std::memory_order_acquire);
    if (at + size <= capacity()) return static_cast<uint32_t>(at);
    if (at <= capacity())
      std::atomic_ref<uint32_t>(active).store(static_cast<uint32_t>((segment + 1) % entries.size()),
                                              std::memory_order_relaxed);
    if (at + 2 <= capacity())
      write(segment, static_cast<uint32_t>(at), {capacity() - static_cast<uint32_t>(at), 0});
    return std::nullopt;
  }
  void write(uint32_t segment, uint32_t at, const std::vector<uint32_t>& entry) {
    for (size_t i = entry.size(); i-- > 1;)
      std::atomic_ref<uint32_t>(entries[segment][at + i]).store(entry[i], std::memory_order_relaxed);
    std::atomic_ref<uint32_t>(entries[segment][at]).store(entry[0], std::memory_order_release);
  }
  // False: dropped.
  bool print(uint32_t segment, std::vector<uint32_t> payload, uint64_t id = kId) {
    const std::vector<uint32_t> entry = make_entry(id, payload);
    const auto at = reserve(segment, static_cast<uint32_t>(entry.size()));
    if (at) write(segment, *at, entry);
    return at.has_value();
  }
  // As a shader does: in the segment it believes to be active, or in the one behind it.
  bool print_in_ring(uint32_t segment, const std::vector<uint32_t>& payload) {
    return print(segment, payload) || print((segment + 1) % static_cast<uint32_t>(entries.size()), payload);
  }

  PrintfTable table;
  std::vector<std::vector<uint32_t>> entries;
  std::vector<abi::PrintfBufferHeader> headers;
  std::vector<uint64_t> cursors;
  uint32_t active = 0;
};

struct Collector {
  std::vector<uint32_t> values;
  std::vector<std::string> problems;
  uint64_t unknown = 0;
  PrintfStream::Callbacks callbacks() {
    return {[this](const PrintfMessage& message) {
              if (message.site == nullptr) {
                ++unknown;
              } else {
                values.push_back(message.payload.empty() ? 0 : message.payload[0]);
              }
            },
            [this](const std::string& text) { problems.push_back(text); }};
  }
};

std::vector<uint32_t> numbers(uint32_t first, uint32_t count) {
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < count; ++i) result.push_back(first + i);
  return result;
}

TEST(PrintfStream, DeliversInOrderAndOnce) {
  Device device(100);
  PrintfStream stream = device.stream();
  Collector seen;
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 0u);
  device.print(0, {1});
  device.print(0, {2});
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 2u);
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 0u);
  device.print(0, {3});
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 1u);
  EXPECT_EQ(seen.values, numbers(1, 3));
  EXPECT_TRUE(seen.problems.empty());
  EXPECT_EQ(device.cursors[0], 9u);
}

TEST(PrintfStream, GivesTheFormatWithTheSite) {
  Device device(100);
  PrintfStream stream = device.stream();
  device.print(0, {77});
  std::string text;
  stream.drain(Mode::running, {[&](const PrintfMessage& message) {
                                 ASSERT_NE(message.format, nullptr);
                                 EXPECT_EQ(message.id, kId);
                                 message.format->render(message.payload, text);
                               },
                               {}});
  EXPECT_EQ(text, "77");
}

TEST(PrintfStream, WaitsForALateEntry) {
  Device device(100);
  PrintfStream stream = device.stream();
  Collector seen;
  const auto late = device.reserve(0, 3);
  device.print(0, {2});
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 0u);
  device.write(0, *late, make_entry(kId, {1}));
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 2u);
  EXPECT_EQ(seen.values, numbers(1, 2));
}

TEST(PrintfStream, FinishedSkipsAHole) {
  Device device(100);
  PrintfStream stream = device.stream();
  Collector seen;
  device.print(0, {1});
  device.reserve(0, 30);
  device.print(0, {2});
  device.reserve(0, 5);
  EXPECT_EQ(stream.drain(Mode::finished, seen.callbacks()), 2u);
  EXPECT_EQ(seen.values, numbers(1, 2));
  ASSERT_EQ(seen.problems.size(), 1u);
  EXPECT_NE(seen.problems[0].find("never written"), std::string::npos);
  EXPECT_EQ(device.headers[0].buffer_offset, 0u);
  EXPECT_EQ(device.cursors[0], 0u);
  for (const uint32_t word : device.entries[0]) EXPECT_EQ(word, 0u);
  device.print(0, {3});
  EXPECT_EQ(stream.drain(Mode::finished, seen.callbacks()), 1u);
}

TEST(PrintfStream, FollowsShadersToTheNextSegment) {
  Device device(31);
  PrintfStream stream = device.stream();
  Collector seen;
  for (uint32_t i = 0; i < 9; ++i) device.print(0, {i});  // 27 of 31
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(device.active, 0u) << "it has room";
  const auto late = device.reserve(0, 3);
  EXPECT_TRUE(device.print_in_ring(0, {10}));
  EXPECT_NE(device.headers[1].buffer_offset, 0u);
  EXPECT_EQ(device.active, 1u);
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(seen.values, numbers(0, 9)) << "what comes after a late entry waits for it";
  device.write(0, *late, make_entry(kId, {9}));
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(seen.values, numbers(0, 11));
  EXPECT_EQ(device.headers[0].buffer_offset, 0u);
}

// A small amount after each wait, for many times the buffer's size: nothing is dropped.
TEST(PrintfStream, GoesRoundForever) {
  Device device(50);
  PrintfStream stream = device.stream();
  Collector seen;
  for (uint32_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(device.print_in_ring(device.active, {i})) << i;
    if (i % 48 == 47) stream.drain(Mode::running, seen.callbacks());
  }
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(seen.values, numbers(0, 1000));
  EXPECT_TRUE(seen.problems.empty());
}

// Findings must be out before the buffer forgets them: a process may end at any moment.
TEST(PrintfStream, CursorsAdvanceAfterDelivery) {
  Device device(30);
  PrintfStream stream = device.stream();
  Collector seen;
  for (uint32_t i = 0; i < 10; ++i) device.print(0, {i});
  PrintfStream::Callbacks callbacks = seen.callbacks();
  uint32_t calls = 0;
  callbacks.delivered = [&] {
    ++calls;
    EXPECT_EQ(seen.values.size(), 10u);
    EXPECT_EQ(device.cursors[0], 0u);
    EXPECT_NE(device.entries[0][0], 0u);
  };
  stream.drain(Mode::running, callbacks);
  stream.drain(Mode::running, callbacks);
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(device.entries[0][0], 0u);
}

TEST(PrintfStream, RecyclesOnlyWhatIsExhaustedAndDelivered) {
  Device device(31);
  PrintfStream stream = device.stream();
  Collector seen;
  for (uint32_t i = 0; i < 9; ++i) device.print(0, {i});  // 27 of 31
  const auto late = device.reserve(0, 3);                 // 30 of 31; a rest of one dword takes no pad
  EXPECT_FALSE(device.print(0, {99}));
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(seen.values, numbers(0, 9));
  EXPECT_NE(device.headers[0].buffer_offset, 0u);
  device.write(0, *late, make_entry(kId, {9}));
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(seen.values, numbers(0, 10));
  EXPECT_EQ(device.headers[0].buffer_offset, 0u);
  for (const uint32_t word : device.entries[0]) EXPECT_EQ(word, 0u);
  // A straggler into the recycled, inactive segment is an entry like any other.
  device.print(0, {10});
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 1u);
  EXPECT_TRUE(seen.problems.empty());
}

TEST(PrintfStream, APadEndsTheSegment) {
  Device device(32);
  PrintfStream stream = device.stream();
  Collector seen;
  for (uint32_t i = 0; i < 9; ++i) device.print(0, {i});  // 27 of 32
  EXPECT_FALSE(device.print(0, {1, 2, 3, 4}));            // 6 do not fit into 5
  EXPECT_EQ(device.entries[0][27], 5u);
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 9u);
  EXPECT_EQ(device.headers[0].buffer_offset, 0u);
  EXPECT_EQ(device.entries[0][27], 0u);
  EXPECT_TRUE(seen.problems.empty());
}

TEST(PrintfStream, WaitsForTheLatePad) {
  Device device(32);
  PrintfStream stream = device.stream();
  Collector seen;
  for (uint32_t i = 0; i < 9; ++i) device.print(0, {i});
  device.headers[0].buffer_offset += 6;
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(device.headers[0].buffer_offset, 33u);
  device.write(0, 27, {5, 0});
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(device.headers[0].buffer_offset, 0u);
}

TEST(PrintfStream, AnExactFitIsRecycled) {
  Device device(30);
  PrintfStream stream = device.stream();
  Collector seen;
  for (uint32_t i = 0; i < 10; ++i) EXPECT_TRUE(device.print(0, {i}));
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 10u);
  EXPECT_EQ(device.headers[0].buffer_offset, 0u);
}

TEST(PrintfStream, OldestSegmentFirst) {
  Device device(30);
  uint32_t oldest = 0;
  device.active = oldest = 3;
  std::vector<PrintfSegmentView> views;
  for (uint32_t i = 0; i < SQA_PRINTF_SEGMENTS; ++i)
    views.push_back({device.entries[i].data(), 30, &device.headers[i], &device.cursors[i]});
  PrintfStream stream(views, &device.active, device.table, &oldest);
  Collector seen;
  for (uint32_t i = 0; i < 15; ++i) EXPECT_TRUE(device.print_in_ring(3, {i}));
  stream.drain(Mode::running, seen.callbacks());
  EXPECT_EQ(seen.values, numbers(0, 15)) << "segment 3, then 0";
  EXPECT_EQ(device.active, 0u);
  EXPECT_EQ(oldest, 0u);
}

TEST(PrintfStream, SurvivesDamageAndFindsTheNextEntry) {
  Device device(200);
  PrintfStream stream = device.stream();
  Collector seen;
  device.print(0, {1});
  device.write(0, *device.reserve(0, 3), {1, 2, 3});  // size 1
  device.print(0, {2});
  device.write(0, *device.reserve(0, 3), {0xffff | 7u << 16, 2, 3});  // beyond the end
  device.print(0, {3});
  device.print(0, {9}, 0x777777);  // unknown
  device.print(0, {4});
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 4u);
  EXPECT_EQ(seen.values, numbers(1, 4));
  EXPECT_EQ(seen.unknown, 1u);
  EXPECT_EQ(seen.problems.size(), 2u) << "malformed once, unknown once";
}

// A header whose second half would lie beyond the segment; the word there is another allocation's.
TEST(PrintfStream, ReadsNothingBeyondTheLastDword) {
  std::vector<uint32_t> words = {3,
                                 0};  // the second dword makes an entry of the first, were it the segment's
  abi::PrintfBufferHeader header{1, 0, 0};
  uint64_t cursor = 0;
  uint32_t active = 0;
  PrintfTable table;
  PrintfStream stream({{words.data(), 1, &header, &cursor}}, &active, table);
  Collector seen;
  EXPECT_EQ(stream.drain(Mode::finished, seen.callbacks()), 0u);
  ASSERT_EQ(seen.problems.size(), 1u) << "a pad, had the dword behind it been read";
  EXPECT_NE(seen.problems[0].find("malformed"), std::string::npos);
}

TEST(PrintfStream, DeadIgnoresOffsets) {
  Device device(100);
  PrintfStream stream = device.stream();
  Collector seen;
  device.print(0, {1});
  device.reserve(0, 4);
  device.print(0, {0});
  device.print(2, {2});
  device.headers[0].buffer_offset = 0;
  device.headers[2].buffer_offset = 0;
  EXPECT_EQ(stream.drain(Mode::dead, seen.callbacks()), 3u);
  EXPECT_EQ(seen.values, (std::vector<uint32_t>{1, 0, 2}));
}

TEST(PrintfStream, FinishedReadsPastAnOldOffset) {
  Device device(100);
  PrintfStream stream = device.stream();
  Collector seen;
  device.print(0, {1});
  device.headers[0].buffer_offset = 0;
  EXPECT_EQ(stream.drain(Mode::finished, seen.callbacks()), 1u);
  EXPECT_EQ(device.entries[0][0], 0u);
}

TEST(PrintfStream, AbsurdCursorsAndIndices) {
  Device device(10);
  device.active = 99;
  device.cursors[1] = 1000;
  device.headers[1].buffer_offset = UINT64_MAX;
  PrintfStream stream = device.stream();
  Collector seen;
  EXPECT_EQ(stream.drain(Mode::running, seen.callbacks()), 0u);
  EXPECT_EQ(stream.drain(Mode::finished, seen.callbacks()), 0u);
}

// Several writers that print and drop as shaders do, against a draining thread; every message arrives whole
// and once.
TEST(PrintfStream, ConcurrentWriters) {
  constexpr uint32_t kWriters = 3, kMessages = 20000, kPrinted = 1000;
  Device device(4096);
  PrintfStream stream = device.stream();
  std::atomic<uint32_t> running = kWriters;
  std::atomic<uint64_t> printed = 0, sum = 0;
  std::vector<std::thread> writers;
  for (uint32_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      std::mt19937 random(writer);
      uint32_t printed_here = 0;
      // Until enough have arrived, even where the draining thread hardly ever runs.
      for (uint32_t i = 0; i < kMessages || printed_here < kPrinted; ++i) {
        if (i >= kMessages) std::this_thread::yield();
        const uint32_t value = random();
        std::vector<uint32_t> payload(1 + random() % 8, value);
        const uint32_t active = std::atomic_ref<uint32_t>(device.active).load(std::memory_order_relaxed);
        if (random() % 64 == 0) std::this_thread::yield();  // the index is stale now and then
        if (device.print_in_ring(active, payload)) {
          ++printed;
          ++printed_here;
          sum += value;
        }
      }
      --running;
    });
  }
  uint64_t delivered = 0, delivered_sum = 0, torn = 0;
  std::vector<std::string> problems;
  const PrintfStream::Callbacks callbacks{[&](const PrintfMessage& message) {
                                            ++delivered;
                                            delivered_sum += message.payload[0];
                                            for (const uint32_t word : message.payload)
                                              torn += word != message.payload[0];
                                          },
                                          [&](const std::string& text) { problems.push_back(text); }};
  while (running > 0) {
    stream.drain(Mode::running, callbacks);
    std::this_thread::yield();
  }
  for (std::thread& writer : writers) writer.join();
  stream.drain(Mode::finished, callbacks);
  EXPECT_EQ(delivered, printed);
  EXPECT_EQ(delivered_sum, sum);
  EXPECT_EQ(torn, 0u);
  EXPECT_GT(delivered, 3 * 4096u / 10) << "segments were reused";
  EXPECT_TRUE(problems.empty()) << problems[0];
}

// The reservation that crosses the end of a segment leaves a pad in what is left, if that is two dwords.
TEST(PrintfStream, OneDwordAtTheEndOfASegmentIsNoLostMessage) {
  for (const uint32_t rest : {1u, 2u}) {
    for (const Mode mode : {Mode::finished, Mode::dead}) {
      Device device(30 + rest);
      PrintfStream stream = device.stream();
      Collector seen;
      for (uint32_t i = 0; i < 10; ++i) device.print(0, {i});
      device.headers[0].buffer_offset += 3;
      EXPECT_EQ(stream.drain(mode, seen.callbacks()), 10u);
      EXPECT_EQ(seen.values, numbers(0, 10));
      EXPECT_EQ(seen.problems.size(), rest == 2 && mode == Mode::finished ? 1u : 0u) << rest;
    }
  }
}

}  // namespace
}  // namespace shaderqa::test
