// SPDX-License-Identifier: Apache-2.0
// A program whose invocations stop for the debugger.
#ifndef SHADERQA_REPLAY_LIVE_TARGET_H
#define SHADERQA_REPLAY_LIVE_TARGET_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/trace/trace_file.h"
#include "instrument/runtime/abi_debug.h"

namespace shaderqa {

// An invocation that waits before a piece of its shader's plan.
struct LiveStop {
  std::string trace;  // the file that has what it did
  uint32_t segment = 0;
  uint32_t piece = 0;
  uint32_t records = 0;                   // that it has written
  uint32_t violation = 0, about[3] = {};  // as abi::DebugControl has them
  std::string why;                        // no buffer has the address
};

// What a stop leaves behind, as the control block takes it.
struct LiveAnswer {
  uint32_t mode = SQA_DEBUG_CHOSEN;
  uint32_t changed = 0;  // number of a variable of the plan; 0: none
  uint32_t change_mask = 0;
  uint32_t change[4] = {};
  std::string at;  // the selectors from now on; empty: as before
  std::vector<uint32_t> stops = std::vector<uint32_t>(SQA_DEBUG_STOP_WORDS);  // bits
};

class LiveTarget {
 public:
  virtual ~LiveTarget() = default;
  // Lets the waiting invocation go on, if there is one, and returns the next that waits. Nothing: there will
  // be none.
  virtual std::optional<LiveStop> go_on(const LiveAnswer& answer) = 0;
  // Why the last stop's invocation waits no longer, although nobody let it go on; empty: it waits.
  virtual std::string went_on() = 0;
  // Why the answer that go_on() gave last found nobody waiting; empty: it came in time.
  virtual std::string came_too_late() = 0;
  // A segment of the last stop's trace, as it is now.
  virtual std::optional<TraceSegment> last_state(uint32_t segment, std::string& error) = 0;
  // Why there will be no stop any more.
  virtual std::string end() const = 0;
};

}  // namespace shaderqa
#endif
