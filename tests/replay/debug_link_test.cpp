// SPDX-License-Identifier: Apache-2.0
// The debugger's side of the connection, with a layer that the test plays.
#include "tools/debug_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>

namespace shaderqa {
namespace {

class DebugLinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(link.problem(), "");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    link.socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
    layer = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ASSERT_EQ(connect(layer, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    tell(debug_message(DebugMessageKind::hello, link.trace_path()));
  }
  void TearDown() override { close(layer); }
  void tell(const DebugMessage& message) const {
    ASSERT_EQ(send(layer, &message, sizeof message, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof message));
  }
  void tell(DebugMessageKind kind, uint32_t number, const std::string& text = {}) const {
    DebugMessage message = debug_message(kind, text);
    message.number = number;
    tell(message);
  }

  DebugLink link;
  int layer = -1;
};

TEST_F(DebugLinkTest, AnInvocationThatWentOnIsKnownBeforeTheAnswer) {
  tell(DebugMessageKind::stopped, 1);
  ASSERT_TRUE(link.go_on({}));
  EXPECT_EQ(link.went_on(), "");
  tell(DebugMessageKind::went_on, 1, "no answer");
  EXPECT_EQ(link.went_on(), "no answer");
  tell(DebugMessageKind::stopped, 2);
  ASSERT_TRUE(link.go_on({}));
  EXPECT_EQ(link.went_on(), "");
  EXPECT_EQ(link.came_too_late(), "");
}

TEST_F(DebugLinkTest, AnAnswerThatFindsNobodyWaitingCameTooLate) {
  tell(DebugMessageKind::stopped, 1);
  ASSERT_TRUE(link.go_on({}));
  // The layer says so only when the answer is on its way.
  std::thread late([this] {
    DebugMessage answer{};
    do ASSERT_GT(recv(layer, &answer, sizeof answer, 0), 0);
    while (answer.number != 1);
    tell(DebugMessageKind::went_on, 1, "no answer");
    tell(DebugMessageKind::stopped, 2);
  });
  const auto stop = link.go_on({});
  late.join();
  ASSERT_TRUE(stop);
  EXPECT_EQ(link.came_too_late(), "no answer");
  EXPECT_EQ(link.went_on(), "");
  link.program_ended();
  EXPECT_FALSE(link.go_on({}));
  EXPECT_EQ(link.came_too_late(), "");
}

}  // namespace
}  // namespace shaderqa
