// SPDX-License-Identifier: Apache-2.0
// What shaders print: the ring of segments, their entries and the counters of printing sites. Read by GLSL
// and by C++. All words are little endian; a dword is 4 bytes.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_PRINTF_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_PRINTF_H

// The segments of the printf buffer form a ring. Shaders write to the segment that Root.printf_active names.
// The shader whose message does not fit any more makes the next segment the active one. A power of two.
#define SQA_PRINTF_SEGMENTS 4

// Printing sites share counters by (id & (SQA_PRINTF_SITE_SLOTS - 1)).
#define SQA_PRINTF_SITE_SLOTS 4096

// --- Entries: the printf buffer format of LLPC and XGL (AMD's compiler and driver).
// Header dwords: low  = entry size in dwords, header included | format string id << 16
//                high = format string id >> 16
#define SQA_PRINTF_ENTRY_HEADER_DWORDS 2
#define SQA_PRINTF_MAX_ENTRY_DWORDS 65535
// Nothing beyond 2 GiB is ever written, whatever the offset says.
#define SQA_PRINTF_CLAMP_DWORDS 0x20000000
// An entry with this id carries no message: it fills the rest of a segment that a message did not fit into.
#define SQA_PRINTF_PAD_ID 0

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

// The head of a printf buffer in the format of LLPC and XGL. Visible to the device; a shader reserves space
// by a 64-bit atomic add on buffer_offset.
struct PrintfBufferHeader {
  // Dwords, without this header. May exceed the capacity: what lies beyond it was dropped.
  uint64_t buffer_offset;
  uint32_t reserved0;
  uint32_t reserved1;
};
static_assert(sizeof(PrintfBufferHeader) == 16);

// Where one segment is. Normally entries_address == header_address + 16, which is a buffer of the LLPC and
// XGL format. Where atomics on the memory of the entries are slow, or a running shader does not see their
// effects, the header lies in the root block instead.
struct PrintfSegment {
  uint64_t header_address;   // of a PrintfBufferHeader, 8-byte aligned
  uint64_t entries_address;  // 4-byte aligned
  uint32_t capacity;         // dwords of entries, <= SQA_PRINTF_CLAMP_DWORDS
  uint32_t reserved;
};
static_assert(sizeof(PrintfSegment) == 24);

// Wrapping 32-bit counters, atomically incremented by the number of messages.
struct PrintfSiteCounters {
  uint32_t dropped[SQA_PRINTF_SITE_SLOTS];  // did not fit into the active segment
  uint32_t issued[SQA_PRINTF_SITE_SLOTS];   // counted only for sites with a budget; includes suppressed ones
};

}  // namespace shaderqa::abi
#endif
#endif
