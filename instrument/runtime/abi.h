// How every record that shaders and host share lies in memory. Read by GLSL (instrument/runtime/*.glsl) and
// by C++, and the only place that says so: preprocessor constants for both, structs with static_asserts for
// C++.
//
// All words are little endian. "dword" is 4 bytes.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_H

// --- Root block: one for a VkDevice. Its device address is a constant in the instrumented SPIR-V.
// ---------------------
#define SQA_ROOT_SIZE 4096
#define SQA_ROOT_MAGIC 0x41515351  // "QSQA"

// Segments of the printf buffer form a ring; shaders write to the one that Root.printf_active names, and the
// one whose message does not fit any more makes the next one active. A power of two.
#define SQA_PRINTF_SEGMENTS 4

// Printing sites share counters by (id & (SQA_PRINTF_SITE_SLOTS - 1)).
#define SQA_PRINTF_SITE_SLOTS 4096

// --- Printf entries, as in seed 000
// ---------------------------------------------------------------------------------- Header dwords: low  =
// entrySize (dwords, header included) | formatStringId << 16
//                high = formatStringId >> 16
#define SQA_PRINTF_ENTRY_HEADER_DWORDS 2
#define SQA_PRINTF_MAX_ENTRY_DWORDS 65535
// Nothing beyond 2 GiB is ever written, whatever the offset says.
#define SQA_PRINTF_CLAMP_DWORDS 0x20000000
// An entry with this id fills the rest of a segment in which a message did not fit any more. It carries no
// message.
#define SQA_PRINTF_PAD_ID 0

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>

namespace shaderqa::abi {

// Seed 000. Device-visible; the shader reserves by a 64-bit atomic add on buffer_offset.
struct PrintfBufferHeader {
  uint64_t
      buffer_offset;  // dwords, this header excluded; may exceed the capacity: what exceeds it was dropped
  uint32_t reserved0;
  uint32_t reserved1;
};
static_assert(sizeof(PrintfBufferHeader) == 16);

// Where one segment is. Normally entries_address == header_address + 16 (a buffer of seed 000); where atomics
// on the memory that holds the entries are slow or not shown to a running shader, the header lies in the root
// block instead.
struct PrintfSegment {
  uint64_t header_address;   // of a PrintfBufferHeader, 8-byte aligned
  uint64_t entries_address;  // 4-byte aligned
  uint32_t capacity;         // dwords of entries, <= SQA_PRINTF_CLAMP_DWORDS
  uint32_t reserved;
};
static_assert(sizeof(PrintfSegment) == 24);

// Zeroed by the host before the first submission.
struct Root {
  uint32_t magic;          // SQA_ROOT_MAGIC once the printf members are valid
  uint32_t printf_active;  // index into printf_segments; relaxed atomics, taken modulo SQA_PRINTF_SEGMENTS
  uint64_t printf_sites_address;  // of PrintfSiteCounters
  PrintfSegment printf_segments[SQA_PRINTF_SEGMENTS];
  PrintfBufferHeader
      printf_headers[SQA_PRINTF_SEGMENTS];  // used where the headers are not with their entries
  uint8_t reserved[SQA_ROOT_SIZE - 16 - (24 + 16) * SQA_PRINTF_SEGMENTS];
};
static_assert(sizeof(Root) == SQA_ROOT_SIZE);
static_assert(offsetof(Root, printf_segments) == 16 && offsetof(Root, printf_headers) == 112);

// 32-bit counters, wrapping, atomically incremented by the number of messages.
struct PrintfSiteCounters {
  uint32_t dropped[SQA_PRINTF_SITE_SLOTS];  // did not fit into the active segment
  uint32_t issued[SQA_PRINTF_SITE_SLOTS];   // counted only for sites with a budget; includes suppressed ones
};

}  // namespace shaderqa::abi
#endif
#endif
