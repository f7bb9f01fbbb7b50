// SPDX-License-Identifier: Apache-2.0
// Where a debugged invocation waits, and what the host tells it. Read by GLSL and by C++. All words are
// little endian, and are only read and written by relaxed atomics. docs/internals/debug.md explains it.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_DEBUG_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_DEBUG_H

// DebugControl::mode
#define SQA_DEBUG_GO_ON 0u
#define SQA_DEBUG_CHOSEN 1u  // at stops whose bit is set, and at the first one of each invocation
#define SQA_DEBUG_EVERYWHERE 2u

// DebugControl::state
#define SQA_DEBUG_RUNNING 0u
#define SQA_DEBUG_WAITING 1u

// DebugControl::violation: why an invocation waits although nobody asked for a stop
#define SQA_DEBUG_ADDRESS 1u  // about: address low, high, bytes: no buffer has them, as far as the table says
#define SQA_DEBUG_INDEX 2u    // about: index, elements that the descriptor's range has

// Ranges of addresses that a table can hold. There are two, which take turns.
#define SQA_DEBUG_RANGES 4096u
#define SQA_DEBUG_SECOND_TABLE 0x80000000u

#define SQA_DEBUG_STOP_WORDS 256
#define SQA_DEBUG_CHECK 0x53514142u

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

struct DebugControl {
  // Written by the host.
  uint32_t mode;
  uint32_t polls;    // times that a waiting invocation looks before it goes on by itself
  uint32_t release;  // number of the stop that may go on
  uint32_t changed;  // number of the variable that the stop changes; 0: none
  // Two pages, 4096 bytes apart, that take turns: reading one takes until the host supplies it. 0: there are
  // none.
  uint64_t wait_address;
  uint32_t change_mask;  // bit i: component i
  // How many ranges the table has; SQA_DEBUG_SECOND_TABLE: the second one counts. With none, each access by
  // address is asked about.
  uint32_t ranges;
  uint32_t change[4];
  // Written by shaders.
  uint32_t owner;  // atomic: 1: an invocation has the mailbox
  uint32_t state;
  uint32_t number;  // of stops so far
  uint32_t piece;   // of TracePlan
  uint32_t segment_address[2];
  uint32_t records;    // that the invocation has come to
  uint32_t check;      // debug_check() of the above
  uint32_t gave_up;    // stops that ended by themselves
  uint32_t passed;     // stops that found the mailbox taken for too long
  uint32_t violation;  // SQA_DEBUG_ADDRESS, SQA_DEBUG_INDEX or 0
  uint32_t about[3];
  uint64_t ranges_address;               // of DebugRange[2][SQA_DEBUG_RANGES]
  uint32_t stops[SQA_DEBUG_STOP_WORDS];  // bits of debug_bit()
};
static_assert(sizeof(DebugControl) == 112 + 4 * SQA_DEBUG_STOP_WORDS);

// Memory of buffers: [begin, end). Sorted, and without overlaps.
struct DebugRange {
  uint64_t begin, end;
};

constexpr uint32_t debug_check(uint32_t number, uint32_t piece, uint32_t low, uint32_t high,
                               uint32_t records) {
  return SQA_DEBUG_CHECK ^ number ^ (piece << 8) ^ low ^ high ^ (records << 16);
}

// The bit of a stop in DebugControl::stops.
constexpr uint32_t debug_bit(uint64_t shader_hash, uint32_t piece) {
  const uint32_t hash = static_cast<uint32_t>(shader_hash) ^ static_cast<uint32_t>(shader_hash >> 32);
  const uint32_t mixed = (hash + piece * 0x9e3779b1u) * 0x85ebca6bu;
  return (mixed >> 16) % (SQA_DEBUG_STOP_WORDS * 32);
}

}  // namespace shaderqa::abi
#endif
#endif
