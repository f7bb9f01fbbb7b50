// SPDX-License-Identifier: Apache-2.0
// The filter engine (docs/internals/filter.md): its part of the action record and of the submission's state,
// and what command buffers of a queue family share. Read by GLSL and by C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_FILTER_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_FILTER_H

#include "instrument/runtime/abi_action.h"

// --- Its dwords of the action record.
#define SQA_ACTION_FLAGS (SQA_ACTION_FILTER_PART + 0)  // SQA_ACTION_FLAG_*
#define SQA_ACTION_SALT (SQA_ACTION_FILTER_PART + 1)   // barriers inside the render pass since the last clear

// An execution dependency without a memory dependency was passed since the last clear: a write after a read
// is not a hazard.
#define SQA_ACTION_FLAG_READS_ORDERED 1
// It also made writes available: a write after a write is no hazard either. Only together with the first.
#define SQA_ACTION_FLAG_WRITES_AVAILABLE 2

// Beside the SQA_ACCESS_*: an atomic load. It forbids plain writes alone, and is not reported: the marks of a
// store are those of a load and an atomic together, and none of the two conflicts with it.
#define SQA_FILTER_ATOMIC_LOAD 6

// Granules of 16 bytes of one access that are checked.
#define SQA_FILTER_MOST_GRANULES 256u

// --- Its dwords of SubmissionState.
#define SQA_SUBMISSION_ALIASED (SQA_SUBMISSION_FILTER_PART + 0)

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

// One for each queue family: command buffers know no more when they are recorded.
struct FamilyState {
  uint64_t filter_address;      // of uint64_t[buckets]; 0: this family is not checked
  uint32_t bucket_mask;         // buckets - 1
  uint32_t dispatch_id;         // written by the clear
  uint32_t invocation_counter;  // from which invocations take their ids
  uint32_t reserved[11];
};
static_assert(sizeof(FamilyState) == 64);

// The engine's part of SubmissionState.
struct FilterSubmission {
  // Not 0: a buffer that shaders can write has shared memory with one that they cannot.
  uint32_t aliased;
  uint32_t filter_reserved;
};

}  // namespace shaderqa::abi
#endif
#endif
