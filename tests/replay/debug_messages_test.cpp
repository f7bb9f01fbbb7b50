// SPDX-License-Identifier: Apache-2.0
// Mailboxes and messages of the debugger: what is right is read, everything else refused.
#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "host/trace/debug_messages.h"

namespace shaderqa {
namespace {

const SegmentRange kRange{0x7f00'1234'5000, 65536, 8};

abi::DebugControl mailbox(uint32_t segment) {
  const uint64_t address = kRange.address + segment * kRange.segment_bytes;
  abi::DebugControl control{};
  control.number = 3;
  control.piece = 17;
  control.records = 42;
  control.segment_address[0] = static_cast<uint32_t>(address);
  control.segment_address[1] = static_cast<uint32_t>(address >> 32);
  control.check = abi::debug_check(3, 17, control.segment_address[0], control.segment_address[1], 42);
  return control;
}

TEST(DebugMailbox, SaysWhoWaitsWhere) {
  std::string error;
  for (uint32_t segment = 0; segment < kRange.segments; ++segment) {
    const auto stop = read_mailbox(mailbox(segment), kRange, error);
    ASSERT_TRUE(stop) << error;
    EXPECT_EQ(stop->segment, segment);
    EXPECT_EQ(stop->number, 3u);
    EXPECT_EQ(stop->piece, 17u);
    EXPECT_EQ(stop->records, 42u);
  }
}

TEST(DebugMailbox, NoOtherWordsAreTaken) {
  std::string error;
  EXPECT_FALSE(read_mailbox(mailbox(8), kRange, error));
  EXPECT_FALSE(read_mailbox(mailbox(0), {kRange.address, 0, 8}, error));
  EXPECT_FALSE(read_mailbox({}, kRange, error));
  for (uint32_t abi::DebugControl::*word : {&abi::DebugControl::number, &abi::DebugControl::piece,
                                            &abi::DebugControl::records, &abi::DebugControl::check}) {
    abi::DebugControl damaged = mailbox(1);
    damaged.*word ^= 1;
    EXPECT_FALSE(read_mailbox(damaged, kRange, error));
    EXPECT_THAT(error, testing::HasSubstr("check word"));
  }
  // Garbage that has the right check word still has to name a segment.
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) {
    abi::DebugControl garbage{};
    garbage.number = random();
    garbage.piece = random();
    garbage.records = random();
    for (uint32_t& half : garbage.segment_address) half = random();
    if (i % 2 == 0) garbage.segment_address[1] = 0x7f00;
    garbage.check = abi::debug_check(garbage.number, garbage.piece, garbage.segment_address[0],
                                     garbage.segment_address[1], garbage.records);
    const auto stop = read_mailbox(garbage, kRange, error);
    if (stop) {
      EXPECT_LT(stop->segment, kRange.segments);
    }
  }
}

std::span<const std::byte> bytes_of(const DebugMessage& message) {
  return std::as_bytes(std::span(&message, 1));
}

TEST(DebugMessages, AreReadAsTheyWereWritten) {
  std::string error;
  DebugMessage message = debug_message(DebugMessageKind::go_on, std::string(5000, 'x'));
  message.number = 7;
  message.stops[255] = 1;
  const auto read = read_debug_message(bytes_of(message), error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(std::strlen(read->text), sizeof message.text - 1);
  EXPECT_EQ(read->number, 7u);
  EXPECT_EQ(read->stops[255], 1u);
}

TEST(DebugMessages, OthersAreRefused) {
  std::string error;
  const DebugMessage good = debug_message(DebugMessageKind::stopped);
  EXPECT_FALSE(read_debug_message(bytes_of(good).first(100), error));
  EXPECT_FALSE(read_debug_message({}, error));
  const auto refused = [&](auto&& change) {
    DebugMessage damaged = good;
    change(damaged);
    EXPECT_FALSE(read_debug_message(bytes_of(damaged), error));
  };
  refused([](DebugMessage& m) { m.magic ^= 1; });
  refused([](DebugMessage& m) { m.kind = static_cast<DebugMessageKind>(0); });
  refused([](DebugMessage& m) { m.kind = static_cast<DebugMessageKind>(6); });
  refused([](DebugMessage& m) { m.mode = SQA_DEBUG_EVERYWHERE + 1; });
  refused([](DebugMessage& m) { m.change_mask = 16; });
  refused([](DebugMessage& m) { m.violation = SQA_DEBUG_INDEX + 1; });
  refused([](DebugMessage& m) { m.version = kDebugMessageVersion + 1; });
  EXPECT_THAT(error, testing::HasSubstr("version 3"));
  DebugMessage endless = good;
  std::memset(endless.text, 'x', sizeof endless.text);
  const auto read = read_debug_message(bytes_of(endless), error);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::strlen(read->text), sizeof endless.text - 1);
}

}  // namespace
}  // namespace shaderqa
