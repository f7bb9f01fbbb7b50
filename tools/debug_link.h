// SPDX-License-Identifier: Apache-2.0
// The debugger's side of the connection to the program's layer (docs/internals/debug.md).
#ifndef SHADERQA_TOOLS_DEBUG_LINK_H
#define SHADERQA_TOOLS_DEBUG_LINK_H

#include <deque>
#include <optional>
#include <string>

#include "host/trace/debug_messages.h"
#include "replay/live_target.h"

namespace shaderqa {

class DebugLink : public LiveTarget {
 public:
  // Listens in a new folder. problem() says what went wrong, if anything did.
  DebugLink();
  ~DebugLink() override;
  DebugLink(const DebugLink&) = delete;
  DebugLink& operator=(const DebugLink&) = delete;

  const std::string& problem() const { return problem_; }
  std::string socket_path() const { return folder_ + "/socket"; }
  std::string trace_path() const { return folder_ + "/trace"; }
  // From another thread: the program has ended.
  void program_ended();

  std::optional<LiveStop> go_on(const LiveAnswer& answer) override;
  std::string went_on() override;
  std::string came_too_late() override { return late_; }
  std::optional<TraceSegment> last_state(uint32_t segment, std::string& error) override;
  std::string end() const override;

 private:
  // Waits for what comes next. False: there is nothing more.
  bool wait();
  void accept_program();
  void receive();
  bool send(const LiveAnswer& answer, uint32_t number);

  std::string folder_, problem_, trace_;
  int listens_ = -1, connection_ = -1, ended_[2] = {-1, -1};
  bool over_ = false;
  LiveAnswer last_answer_;
  std::optional<DebugMessage> waits_;  // a stop that was not answered yet
  std::optional<DebugMessage> next_;   // one that came since
  uint32_t answered_ = 0;              // number of the stop that go_on() answered; 0: none
  std::string went_on_, late_;
};

}  // namespace shaderqa
#endif
