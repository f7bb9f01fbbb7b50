// SPDX-License-Identifier: Apache-2.0
// What a watchpoint watches, and what an instruction stored there.
#ifndef SHADERQA_REPLAY_WATCHPOINT_H
#define SHADERQA_REPLAY_WATCHPOINT_H

#include <cstdint>
#include <optional>
#include <string>

#include "replay/invocation.h"

namespace shaderqa {

// NAME, NAME[FIRST..LAST], or ADDRESS[,BYTES].
struct Watched {
  std::string name;  // empty: an address
  bool range = false;
  uint64_t first = 0, last = 0;  // elements
  uint64_t address = 0, bytes = 0;
};

// Nothing: `error` says why it cannot be used. Names are not looked up.
std::optional<Watched> parse_watched(const std::string& text, std::string& error);

// What the instruction before the step stored there, one line for each store: "io[5]: 3 -> 7". Empty:
// nothing.
std::string change_of(const Invocation& invocation, const Watched& watched, size_t at);

}  // namespace shaderqa
#endif
