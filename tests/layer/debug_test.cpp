// SPDX-License-Identifier: Apache-2.0
// The layer's part of live debugging: stops that a fake GPU writes into the mailbox, and a debugger that
// answers, answers nonsense, or not at all.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "host/trace/debug_messages.h"
#include "instrument/runtime/abi_trace.h"
#include "tests/layer/descriptor_kit.h"
#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

using namespace std::chrono_literals;

constexpr int kSeconds = 120;  // after which something must be wrong

class LiveDebugging : public LayerTest {
 protected:
  LiveDebugging() {
    set("SHADERQA_TRACE_AT", "compute");
    set("SHADERQA_TRACE_FILE", directory() / "trace");
    set("SHADERQA_DEBUG_SOCKET", socket_path());
  }
  ~LiveDebugging() override {
    for (const int descriptor : {listens_, connection_})
      if (descriptor >= 0) close(descriptor);
  }
  void TearDown() override {
    program_.reset();
    LayerTest::TearDown();
  }
  std::string socket_path() const { return directory() / "socket"; }

  void listen() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
    listens_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(listens_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listens_, 4), 0);
    const timeval limit{kSeconds, 0};
    setsockopt(listens_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  // A program with a pipeline that is traced, and the debugger's connection to it.
  void start() {
    program_ = std::make_unique<Program>();
    create_and_destroy_compute(program_->device, shaders::silent_comp);
    if (listens_ < 0) return;
    connection_ = accept(listens_, nullptr, nullptr);
    ASSERT_GE(connection_, 0);
    const timeval limit{kSeconds, 0};
    setsockopt(connection_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(next().kind, DebugMessageKind::hello);
  }
  DebugMessage next() const {
    DebugMessage packet{};
    const ssize_t size = recv(connection_, &packet, sizeof packet, 0);
    std::string error;
    const auto message = read_debug_message(
        {reinterpret_cast<const std::byte*>(&packet), static_cast<size_t>(std::max<ssize_t>(size, 0))},
        error);
    EXPECT_TRUE(message) << error;
    return message.value_or(DebugMessage{});
  }
  void answer(uint32_t number, uint32_t mode, uint32_t changed = 0) const {
    DebugMessage message = debug_message(DebugMessageKind::go_on);
    message.number = number;
    message.mode = mode;
    message.changed = changed;
    message.change_mask = 5;
    message.change[2] = 77;
    message.stops[9] = 0x80;
    ASSERT_EQ(send(connection_, &message, sizeof message, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof message));
  }

  static abi::TraceControl& trace_control() {
    abi::TraceControl* const control = find_trace_control();
    if (!control) throw std::runtime_error("nothing is traced");
    return *control;
  }
  static abi::DebugControl& control() {
    return *reinterpret_cast<abi::DebugControl*>(trace_control().debug_address);
  }
  static uint32_t load(const uint32_t& word) { return std::atomic_ref(const_cast<uint32_t&>(word)).load(); }
  static bool becomes(const uint32_t& word, uint32_t value) {
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
         std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(1ms))
      if (load(word) == value) return true;
    return false;
  }
  // As trace.glsl does.
  static void wait_at(uint32_t number, uint32_t piece, uint32_t segment, uint32_t spoiled = 0) {
    abi::DebugControl& to = control();
    const uint64_t address =
        trace_control().segments_address + uint64_t{segment} * trace_control().segment_dwords * 4;
    const auto low = static_cast<uint32_t>(address), high = static_cast<uint32_t>(address >> 32);
    const auto store = [](uint32_t& word, uint32_t value) { std::atomic_ref(word).store(value); };
    store(to.number, number);
    store(to.piece, piece);
    store(to.segment_address[0], low);
    store(to.segment_address[1], high);
    store(to.records, 12);
    store(to.check, abi::debug_check(number, piece, low, high, 12) ^ spoiled);
    std::atomic_ref(to.state).store(SQA_DEBUG_WAITING);
  }
  // The access that comes next is by an address, as sqa_debug_check_address says.
  static void violate(uint64_t address, uint32_t bytes) {
    abi::DebugControl& to = control();
    to.about[0] = static_cast<uint32_t>(address);
    to.about[1] = static_cast<uint32_t>(address >> 32);
    to.about[2] = bytes;
    std::atomic_ref(to.violation).store(SQA_DEBUG_ADDRESS);
  }
  // The table that counts, once it is what is expected.
  static bool table_becomes(const std::vector<std::pair<uint64_t, uint64_t>>& expected) {
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
         std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(1ms)) {
      const uint32_t ranges = load(control().ranges);
      const auto* table = reinterpret_cast<const abi::DebugRange*>(control().ranges_address) +
                          ((ranges & SQA_DEBUG_SECOND_TABLE) != 0 ? SQA_DEBUG_RANGES : 0);
      std::vector<std::pair<uint64_t, uint64_t>> found;
      for (uint32_t i = 0; i < (ranges & ~SQA_DEBUG_SECOND_TABLE); ++i)
        found.emplace_back(table[i].begin, table[i].end);
      if (found == expected) return true;
    }
    return false;
  }
  static void went() { std::atomic_ref(control().state).store(SQA_DEBUG_RUNNING); }

  int listens_ = -1, connection_ = -1;
  std::unique_ptr<Program> program_;
};

TEST_F(LiveDebugging, AStopIsToldAndItsAnswerIsWritten) {
  listen();
  start();
  EXPECT_EQ(load(control().mode), SQA_DEBUG_CHOSEN);
  EXPECT_GT(load(control().polls), 0u);
  wait_at(1, 5, 2);
  const DebugMessage stop = next();
  EXPECT_EQ(stop.kind, DebugMessageKind::stopped);
  EXPECT_EQ(stop.number, 1u);
  EXPECT_EQ(stop.piece, 5u);
  EXPECT_EQ(stop.segment, 2u);
  EXPECT_EQ(stop.records, 12u);
  EXPECT_EQ(load(control().release), 0u);
  answer(1, SQA_DEBUG_EVERYWHERE, 3);
  ASSERT_TRUE(becomes(control().release, 1));
  EXPECT_EQ(load(control().mode), SQA_DEBUG_EVERYWHERE);
  EXPECT_EQ(control().changed, 3u);
  EXPECT_EQ(control().change_mask, 5u);
  EXPECT_EQ(control().change[2], 77u);
  EXPECT_EQ(control().stops[9], 0x80u);
  went();
  wait_at(2, 6, 2);
  EXPECT_EQ(next().number, 2u);
  // An answer to another stop does not let this one go on.
  answer(1, SQA_DEBUG_CHOSEN);
  ASSERT_TRUE(becomes(control().mode, SQA_DEBUG_CHOSEN));
  EXPECT_EQ(load(control().release), 1u);
  answer(2, SQA_DEBUG_GO_ON);
  EXPECT_TRUE(becomes(control().release, 2));
}

TEST_F(LiveDebugging, AMailboxFullOfGarbageIsNotBelieved) {
  listen();
  start();
  wait_at(1, 5, 0, 0x10);
  EXPECT_TRUE(becomes(control().release, 1));
  EXPECT_TRUE(becomes(control().mode, SQA_DEBUG_GO_ON));
  program_.reset();
  EXPECT_EQ(notes(),
            (std::vector<std::string>{"nothing stops for the debugger any more: the mailbox of a waiting "
                                      "invocation cannot be used: its check word is wrong"}));
}

TEST_F(LiveDebugging, SegmentsThatThereAreNotAreNotBelieved) {
  listen();
  start();
  wait_at(1, 5, 8);
  EXPECT_TRUE(becomes(control().release, 1));
  program_.reset();
  ASSERT_EQ(notes().size(), 1u);
  EXPECT_NE(notes()[0].find("not traced"), std::string::npos) << notes()[0];
}

TEST_F(LiveDebugging, ADebuggerThatTalksNonsenseIsLeft) {
  listen();
  start();
  wait_at(1, 5, 0);
  EXPECT_EQ(next().number, 1u);
  ASSERT_EQ(send(connection_, "nonsense", 8, MSG_NOSIGNAL), 8);
  EXPECT_TRUE(becomes(control().release, 1));
  EXPECT_TRUE(becomes(control().mode, SQA_DEBUG_GO_ON));
  program_.reset();
  ASSERT_EQ(notes().size(), 1u);
  EXPECT_NE(notes()[0].find("a message of the debugger cannot be used"), std::string::npos) << notes()[0];
}

TEST_F(LiveDebugging, TheEndOfTheDebuggerLetsEverythingGoOn) {
  listen();
  start();
  wait_at(1, 5, 0);
  EXPECT_EQ(next().number, 1u);
  close(connection_);
  connection_ = -1;
  EXPECT_TRUE(becomes(control().release, 1));
  EXPECT_TRUE(becomes(control().mode, SQA_DEBUG_GO_ON));
  EXPECT_EQ(control().changed, 0u);
  program_.reset();
  EXPECT_EQ(notes(),
            (std::vector<std::string>{"nothing stops for the debugger any more: the debugger has ended"}));
}

TEST_F(LiveDebugging, ASlowDebuggerIsNotWaitedFor) {
  set("SHADERQA_DEBUG_HOLD", "1");
  listen();
  start();
  wait_at(1, 5, 0);
  EXPECT_EQ(next().kind, DebugMessageKind::stopped);
  EXPECT_TRUE(becomes(control().release, 1));
  const DebugMessage message = next();
  EXPECT_EQ(message.kind, DebugMessageKind::went_on);
  EXPECT_EQ(message.number, 1u);
  EXPECT_STREQ(message.text, "no answer within 1 s (debug_hold)");
  EXPECT_EQ(load(control().mode), SQA_DEBUG_GO_ON);
  // It is back.
  answer(0, SQA_DEBUG_CHOSEN);
  EXPECT_TRUE(becomes(control().mode, SQA_DEBUG_CHOSEN));
}

TEST_F(LiveDebugging, TheDebuggerKnowsBeforeTheProgramGoesOn) {
  set("SHADERQA_DEBUG_HOLD", "1");
  listen();
  start();
  wait_at(1, 5, 0);
  EXPECT_EQ(next().kind, DebugMessageKind::stopped);
  while (load(control().release) != 1) continue;
  DebugMessage packet{};
  EXPECT_EQ(recv(connection_, &packet, sizeof packet, MSG_DONTWAIT), static_cast<ssize_t>(sizeof packet));
  EXPECT_EQ(packet.kind, DebugMessageKind::went_on);
}

TEST_F(LiveDebugging, AShaderThatWaitedForTooLongIsTold) {
  listen();
  start();
  wait_at(1, 5, 0);
  EXPECT_EQ(next().kind, DebugMessageKind::stopped);
  std::atomic_ref(control().gave_up).fetch_add(1);
  went();
  const DebugMessage message = next();
  EXPECT_EQ(message.kind, DebugMessageKind::went_on);
  EXPECT_EQ(message.number, 1u);
}

TEST_F(LiveDebugging, WithAnotherProgramItIsRefused) {
  listen();
  start();
  const DebugMessage refused = debug_message(DebugMessageKind::refused, "busy");
  ASSERT_EQ(send(connection_, &refused, sizeof refused, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof refused));
  EXPECT_TRUE(becomes(control().mode, SQA_DEBUG_GO_ON));
  program_.reset();
  EXPECT_EQ(notes(), (std::vector<std::string>{"nothing stops for the debugger any more: busy"}));
}

TEST_F(LiveDebugging, WithoutADebuggerNothingStops) {
  start();
  EXPECT_EQ(trace_control().debug_address, 0u);
  program_.reset();
  ASSERT_EQ(notes().size(), 1u);
  EXPECT_EQ(notes()[0].rfind("nothing stops for a debugger: no debugger listens on ", 0), 0u) << notes()[0];
}

TEST_F(LiveDebugging, ShadersSeeTheMemoryOfBuffersThatExist) {
  set("SHADERQA_DEBUG_VIOLATIONS", "1");
  listen();
  start();
  EXPECT_TRUE(table_becomes({}));
  {
    const BoundBuffer whole(program_->device, 256, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    EXPECT_TRUE(table_becomes({{whole.address, whole.address + 256}}));
    // A buffer within another one adds nothing, and ranges are sorted.
    const BoundBuffer inside(program_->device, 64, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, &whole, 64);
    const BoundBuffer other(program_->device, 128, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    std::vector<std::pair<uint64_t, uint64_t>> both{{whole.address, whole.address + 256},
                                                    {other.address, other.address + 128}};
    std::ranges::sort(both);
    EXPECT_TRUE(table_becomes(both));
  }
  EXPECT_TRUE(table_becomes({}));
}

TEST_F(LiveDebugging, AnAddressIsJudgedByTheBuffersThatExistNow) {
  set("SHADERQA_DEBUG_VIOLATIONS", "1");
  listen();
  start();
  auto buffer =
      std::make_unique<BoundBuffer>(program_->device, 256, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const uint64_t address = buffer->address;
  // The shader's table was older: it is a stop like others.
  violate(address + 252, 4);
  wait_at(1, 5, 0);
  EXPECT_EQ(next().violation, 0u);
  answer(1, SQA_DEBUG_CHOSEN);
  ASSERT_TRUE(becomes(control().release, 1));
  went();
  violate(address + 254, 4);
  wait_at(2, 5, 0);
  DebugMessage stop = next();
  EXPECT_EQ(stop.violation, SQA_DEBUG_ADDRESS);
  EXPECT_EQ(stop.about[2], 4u);
  EXPECT_NE(std::string(stop.text).find("within these 4 bytes"), std::string::npos) << stop.text;
  answer(2, SQA_DEBUG_CHOSEN);
  ASSERT_TRUE(becomes(control().release, 2));
  went();
  buffer.reset();
  violate(address, 4);
  wait_at(3, 5, 0);
  stop = next();
  EXPECT_EQ(stop.violation, SQA_DEBUG_ADDRESS);
  EXPECT_NE(std::string(stop.text).find("until it was destroyed"), std::string::npos) << stop.text;
}

TEST_F(LiveDebugging, ADeviceThatIsDestroyedWhileSomethingWaitsDoesNotHang) {
  listen();
  start();
  wait_at(1, 5, 0);
  EXPECT_EQ(next().kind, DebugMessageKind::stopped);
  program_.reset();
}

}  // namespace
}  // namespace shaderqa::layer_tests
