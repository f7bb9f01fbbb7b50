// SPDX-License-Identifier: Apache-2.0
// What the layer and a debugger tell each other, and what a waiting invocation tells the layer. Neither side
// believes the other: everything is checked before it is used. docs/internals/debug.md explains it.
#ifndef SHADERQA_HOST_TRACE_DEBUG_MESSAGES_H
#define SHADERQA_HOST_TRACE_DEBUG_MESSAGES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "instrument/runtime/abi_debug.h"

namespace shaderqa {

enum class DebugMessageKind : uint32_t {
  hello = 1,  // layer: `text` is the trace file
  stopped,    // layer: an invocation waits
  went_on,    // layer: `number` went on without an answer; `text` says why
  refused,    // debugger: it has another program already; `text` says so
  go_on,  // debugger: the invocation of `number` may go on; `text`: selectors from now on; empty: as before
};

// One packet. Its kind says which members count.
struct DebugMessage {
  uint64_t magic;
  uint32_t version;
  DebugMessageKind kind;
  uint32_t process;
  uint32_t number;   // of the stop
  uint32_t segment;  // number in the trace file
  uint32_t piece;
  uint32_t records;              // that the invocation has written
  uint32_t violation, about[3];  // as in abi::DebugControl; of SQA_DEBUG_ADDRESS, `text` says more
  uint32_t mode;                 // SQA_DEBUG_*
  uint32_t changed, change_mask;
  uint32_t change[4];
  uint32_t stops[SQA_DEBUG_STOP_WORDS];
  char text[1024];  // ends in 0
};
constexpr uint64_t kDebugMessageMagic = 0x4755424544415153;  // "SQADEBUG"
constexpr uint32_t kDebugMessageVersion = 3;

// A message of this kind with everything else empty. A longer text is cut.
DebugMessage debug_message(DebugMessageKind kind, const std::string& text = {});
// Nothing: the packet is no message, and `error` says why.
std::optional<DebugMessage> read_debug_message(std::span<const std::byte> packet, std::string& error);

// A stop, as a mailbox has it.
struct DebugStop {
  uint32_t number = 0;
  uint32_t segment = 0;
  uint32_t piece = 0;
  uint32_t records = 0;
  uint32_t violation = 0, about[3] = {};
};
// Where the segments of the trace lie in device memory.
struct SegmentRange {
  uint64_t address = 0;
  uint64_t segment_bytes = 0;
  uint32_t segments = 0;
};
// Nothing: what is in the mailbox cannot be a stop, and `error` says why.
std::optional<DebugStop> read_mailbox(const abi::DebugControl& copy, const SegmentRange& range,
                                      std::string& error);

}  // namespace shaderqa
#endif
