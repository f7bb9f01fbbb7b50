// SPDX-License-Identifier: Apache-2.0
// How a failed check reaches the host: slots, records, and the numbers of checks, accesses and stages. Read
// by GLSL and by C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_REPORT_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_REPORT_H

// A failure hashes to a slot. The slot's word is 0 while it is free. A shader claims it by compare-and-swap;
// the host frees it after it has read the record. Two parties never write the same word at once, so no report
// is lost to an acknowledgement.
#define SQA_REPORT_SLOTS 4096  // a power of two
#define SQA_REPORT_DWORDS 16
// Failing invocations are counted by (hash of the site & (SQA_REPORT_SLOTS - 1)), claimed slot or not.

#define SQA_CHECK_ASSUME 1         // OpAssumeTrueKHR with false
#define SQA_CHECK_EXPECT 2         // OpExpectKHR with another value
#define SQA_CHECK_BREAKPOINT 3     // NonSemantic.DebugBreak passed
#define SQA_CHECK_NAN 4            // NaN or infinity
#define SQA_CHECK_HAZARD 5         // unsynchronised access
#define SQA_CHECK_WORKGROUP 6      // unsynchronised access to workgroup memory (abi_shared.h)
#define SQA_CHECK_UNINITIALISED 7  // read of workgroup memory that nobody has written
// Access to an image through a descriptor that may name another layout than the image is in. `size` is the
// descriptor's set, and the low value its slot, by which the host decides; or else as SQA_LAYOUT_OF_VIEW says
// (abi_descriptors.h).
#define SQA_CHECK_LAYOUT 8

// Numbered as in vkd3d-proton's synchronisation check.
#define SQA_ACCESS_LOAD 0
#define SQA_ACCESS_STORE 1
#define SQA_ACCESS_ATOMIC 2
#define SQA_ACCESS_INDIRECT 3
// Set beside one of these in a report of the exact engine: `value` is the cell that was found, and
// `occupancy` says what the two accesses lack.
#define SQA_ACCESS_EXACT 4
// Set there beside a load of a uniform buffer, and beside an atomic of workgroup scope.
#define SQA_ACCESS_NARROW 8
#define SQA_MISSING_ORDER 1   // nothing orders them
#define SQA_MISSING_MEMORY 2  // a barrier lies between them, without buffer memory in its semantics

// A report's dword 7 and the `kind` argument of the runtime: check | stage << 8 | access << 16 | occupancy <<
// 24. stage: shaderqa::Stage. occupancy: how many of 64 probed buckets of the filter were marked.
#define SQA_OCCUPANCY_PROBES 64

// The values of shaderqa::Stage that the runtime compares with.
#define SQA_STAGE_FRAGMENT 4
#define SQA_STAGE_COMPUTE 5
#define SQA_STAGE_RAY_GENERATION 8
#define SQA_STAGE_UNKNOWN 14

// Reports of accesses that a command makes by itself have this instead of a shader's hash; their instruction
// is the SQA_ACCESS_*.
#define SQA_COMMAND_HASH_LOW 0x616d6d6f
#define SQA_COMMAND_HASH_HIGH 0x636e6473

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

// In memory of the device that the host can map (resizable BAR), zeroed at first.
struct ReportControl {
  uint32_t published;  // reports ever made valid; the host reads nothing else while nothing fails
  uint32_t unclaimed;  // failures that found no free slot
  uint32_t unqueued;   // accesses that were not checked, as there was no room to note them (queue.glsl)
  uint32_t reserved[13];
  // 0: free; else the mark of the failure that claimed it, until the host has read the record.
  uint32_t slots[SQA_REPORT_SLOTS];
  uint32_t failures[SQA_REPORT_SLOTS];  // failing invocations by hash of the site, wrapping
};

// Lies where the host reads fast. It holds what a message of vkd3d-proton's synchronisation check holds, and
// what that leaves out.
struct Report {
  uint32_t shader_hash[2];  // low, high
  uint32_t instruction;     // word offset of the instruction in the application's module
  // Number of the filter's last clear, or the exact engine's sequence number; for workgroup memory
  // WorkgroupLayout::id; else 0.
  uint32_t dispatch_id;
  uint32_t invocation[3];  // as InvocationKind of the stage says
  uint32_t kind;           // check | stage << 8 | access << 16 | occupancy << 24
  // The first failing byte in its 16-byte granule; for workgroup memory what abi_shared.h says; 0: none. For
  // NaN these two and `size` are operands of what made the value, as 32-bit floats (ValueOrigin::operands).
  uint32_t address[2];
  uint32_t size;    // bytes of the whole access
  uint32_t action;  // 0: not known
  // Hazard: the filter's bits for these bytes (what earlier accesses forbid, laid out as vkd3d-proton does),
  // or the exact engine's cell. NaN: the bits of the first bad component as a 32-bit float (16 and 64 bit
  // ones are converted), and its number from 1, or 0 for a scalar. Expect: the first component that is not
  // as expected, zero-extended, low and high. Else 0.
  uint32_t value[2];
  uint32_t invocation_id;
  uint32_t ticket;  // written last, never 0: the record is valid
};
static_assert(sizeof(Report) == SQA_REPORT_DWORDS * 4);

}  // namespace shaderqa::abi
#endif
#endif
