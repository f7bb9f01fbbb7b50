// SPDX-License-Identifier: Apache-2.0
// What a traced invocation writes, and the block by which the host selects invocations. Read by GLSL and by
// C++. All words are little endian. docs/internals/trace.md explains it.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_TRACE_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_TRACE_H

#define SQA_TRACE_SELECTORS 8

// --- A condition over the location: words of a stack machine. The op is in the low byte of each.
#define SQA_TRACE_WHEN_WORDS 64
#define SQA_TRACE_WHEN_STACK 8
#define SQA_WHEN_NUMBER 0u  // the next word
#define SQA_WHEN_INPUT 1u   // bits 8: dword of the location, 16: shift, 24: how many bits; 0: all
#define SQA_WHEN_NOT 2u
#define SQA_WHEN_BITS_NOT 3u
// These take two values. A division by 0 gives 0; shifts take the lowest five bits.
#define SQA_WHEN_OR 4u
#define SQA_WHEN_AND 5u
#define SQA_WHEN_EQUAL 6u
#define SQA_WHEN_DIFFERS 7u
#define SQA_WHEN_LESS 8u
#define SQA_WHEN_AT_MOST 9u
#define SQA_WHEN_GREATER 10u
#define SQA_WHEN_AT_LEAST 11u
#define SQA_WHEN_BITS_OR 12u
#define SQA_WHEN_BITS_XOR 13u
#define SQA_WHEN_BITS_AND 14u
#define SQA_WHEN_SHIFT_LEFT 15u
#define SQA_WHEN_SHIFT_RIGHT 16u
#define SQA_WHEN_ADD 17u
#define SQA_WHEN_SUBTRACT 18u
#define SQA_WHEN_MULTIPLY 19u
#define SQA_WHEN_DIVIDE 20u
#define SQA_WHEN_REMAINDER 21u

// --- A segment: the trace of one invocation. Dwords of its header:
#define SQA_TRACE_MAGIC 0        // SQA_TRACE_SEGMENT_MAGIC once the words up to SQA_TRACE_LOCATION + 7 hold
#define SQA_TRACE_STAGE 1        // shaderqa::Stage
#define SQA_TRACE_HASH 2         // of the shader: low dword, high dword
#define SQA_TRACE_SELECTOR 4     // number of the selector that chose the invocation
#define SQA_TRACE_MATCH 5        // number of the match among those of the selector
#define SQA_TRACE_COUNT 6        // records that the invocation has come to, kept or not
#define SQA_TRACE_STOPS 7        // not 0: the invocation has waited for a debugger (abi_debug.h)
#define SQA_TRACE_LOCATION 8     // 8 dwords, as in TraceSelector
#define SQA_TRACE_HALF_FIRST 16  // of each half: number of its first record
#define SQA_TRACE_HALF_USED \
  18  // of each half: index of the dword after its last record; 0: it was not used, or has no
      // room for two of the shader's largest records
#define SQA_TRACE_SKIP 20  // copies of TraceControl's: which records are kept
#define SQA_TRACE_RECORDS 21
#define SQA_TRACE_MIDDLE 22    // where the second half begins; 0: the first has the whole segment
#define SQA_TRACE_HALF_END 23  // of each half: a record that reaches behind it is the last one
#define SQA_TRACE_SEQUENCE 25  // of the invocation's beginning: see TraceControl
#define SQA_TRACE_DATA 26

#define SQA_TRACE_SEGMENT_MAGIC 0x47455354  // "TSEG"
// A record: a dword of SQA_TRACE_RECORD | number of the piece, then the values of the piece.
#define SQA_TRACE_RECORD 0xa5000000
#define SQA_TRACE_PIECE_MASK 0x00ffffff
// Values of one record, in dwords. A longer piece is split.
#define SQA_TRACE_MAX_VALUES 256

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

// An invocation matches if each dword of its location, taken with the mask, is the value. The location is:
// compute, task, mesh: GlobalInvocationId x y z, LocalInvocationIndex, WorkgroupId x y z,
//                      LocalInvocationId x | y << 11 | z << 22
// vertex: VertexIndex, InstanceIndex   fragment: x, y of FragCoord   ray tracing: LaunchId x y z
// tessellation control, geometry: PrimitiveId, InvocationId   tessellation evaluation: PrimitiveId
struct TraceSelector {
  uint32_t stages;  // bit 1 << shaderqa::Stage
  uint32_t skip;    // matches to leave out
  uint32_t limit;   // matches to trace after those
  uint32_t seen;    // atomic
  uint32_t value[8];
  uint32_t mask[8];
};
static_assert(sizeof(TraceSelector) == 80);

// Lies in device memory that the host can write, so that aiming at another invocation takes no compilation.
struct TraceControl {
  uint32_t selectors;  // how many of them are set; 0: nothing is traced
  uint32_t segments;
  uint32_t segment_dwords;
  uint32_t claimed;  // atomic; may exceed `segments`: no memory was left for the rest
  uint64_t segments_address;
  uint32_t keep_last;      // 1: a segment that is full goes on in its other half
  uint32_t skip;           // records of an invocation to leave out ...
  uint32_t records;        // ... and how many to keep then
  uint32_t when_words;     // of the condition that an invocation must fulfil, too; 0: there is none
  uint64_t debug_address;  // of abi::DebugControl; 0: nothing stops
  TraceSelector selector[SQA_TRACE_SELECTORS];
  uint32_t when[SQA_TRACE_WHEN_WORDS];
  // Atomic: counts where traced invocations begin, and where they call other shaders and are back. So what
  // began between a call and its end, with the same launch ID, is what was called.
  uint32_t sequence;
  uint32_t reserved[3];
};
static_assert(sizeof(TraceControl) == 64 + 80 * SQA_TRACE_SELECTORS + 4 * SQA_TRACE_WHEN_WORDS);

}  // namespace shaderqa::abi
#endif
#endif
