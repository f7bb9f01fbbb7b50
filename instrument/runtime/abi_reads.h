// SPDX-License-Identifier: Apache-2.0
// The read logs (docs/internals/exact.md#reads-of-draws): the stages of draws append their reads, and the
// engine's own shader checks them behind the render pass (runtime/logged_reads.glsl). Read by GLSL and by
// C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_READS_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_READS_H

// ExactState.read_logs has a log for each of the first SQA_READ_QUEUES queues, by SubmissionState.queue.
#define SQA_READ_QUEUES 15u
// Logs of one device: each takes 6 MiB.
#define SQA_READ_LOGS 4u
#define SQA_READ_LOG_ENTRIES 0x10000u
// A log takes all reads until it has so many. Then each instruction of each action has a share, which is half
// as large at each further step, and of what is beyond the log takes one of 4, 16, 64 and so on. So there is
// room for whatever a render pass reads.
#define SQA_READ_LOG_STEP_LOG2 13u
#define SQA_READ_LOG_SHARE 64u
// In front of the entries: who has had how much of a share, a dword each: the serial of the submission << 8 |
// entries.
#define SQA_READ_COUNTERS 0x8000u
// Behind those: which reads were logged last, a dword each (sqa_read_mark()). Invocations that read the same
// words by one instruction of one action log them once.
#define SQA_READ_MARKS 0x8000u
// Bytes in front of the entries.
#define SQA_READ_HEADER ((SQA_READ_COUNTERS + SQA_READ_MARKS) * 4u)

// Dwords of an entry, whole quads. The first four: address of the action's record (u64), serial of the
// submission, the invocation's owner.
#define SQA_READ_SITE 4        // instruction, kind, hash of the shader (u64)
#define SQA_READ_DESCRIPTOR 8  // as sqa_log_read() has it
#define SQA_READ_WHERE 12      // who the invocation is (sqa_where), how
// The texel; the position of a sample; offset and size, in bytes; or an address (u64), and offset and size.
#define SQA_READ_AT 16
// A sample's offset in texels, and its level of detail; in the last dword, the level of a texel.
#define SQA_READ_MOVED 20
#define SQA_READ_DWORDS 24
// How: through what. Else SQA_SAMPLE_*.
#define SQA_READ_TEXEL 0x80000000u
#define SQA_READ_SET 0x40000000u
#define SQA_READ_ADDRESS 0x20000000u
#define SQA_READ_ARGUMENTS 0x10000000u  // by address, as the arguments of an indirect command
#define SQA_READ_INPUT 0x08000000u      // of a subpass: the texel counts from the fragment

// Invocations of a workgroup that checks a part of a log.
#define SQA_READ_GROUP_SIZE 64

// How many tiles of 8 x 8 fragments share one whose reads are logged, by the fragments of the render pass
// (SQA_ACTION_SPARSE_PLACES). Where these are not known, 16.
#define SQA_READ_TILES_4 16384
#define SQA_READ_TILES_16 65536
#define SQA_READ_TILES_64 262144

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

// The log of one queue.
struct ReadLog {
  uint64_t address;   // 0: there is none, and nothing is logged
  uint32_t entries;   // may be more than there is room for
  uint32_t finished;  // workgroups that have checked their part
};

}  // namespace shaderqa::abi
#endif
#endif
